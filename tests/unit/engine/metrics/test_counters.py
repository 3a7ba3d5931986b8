"""Counters of a task."""

from __future__ import annotations

from penstock._engine.metrics.counters import TaskCounters


def test_counters_start_at_zero_and_are_named_as_in_kafka_streams() -> None:
    counters = TaskCounters()
    counters.dropped_records += 2
    counters.processed += 1
    named = counters.by_name()
    assert named["dropped-records-total"] == 2
    assert named["process-total"] == 1
    assert named["punctuate-total"] == 0
    assert named["enforced-processing-total"] == 0


def test_dropped_records_are_counted_by_reason() -> None:
    counters = TaskCounters()
    for reason in ("late", "late", "missing-key-or-value"):
        counters.drop(reason)
    assert counters.dropped_records == 3
    assert counters.dropped_by_reason == {"late": 2, "missing-key-or-value": 1}
