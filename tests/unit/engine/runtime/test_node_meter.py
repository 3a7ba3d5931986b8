"""What is measured of each record at the nodes of a task."""

from __future__ import annotations

from typing import Any

import pytest

from penstock._engine.metrics.rows import NODE, MetricRow
from penstock._engine.runtime.node_meter import NodeMeter
from penstock._engine.runtime.position import Position

NOW = 10.0


def nothing(key: Any, value: Any, timestamp: int, headers: Any) -> None:
    """Process."""


def test_records_that_enter_are_counted_with_their_lateness() -> None:
    position = Position()
    meter = NodeMeter(position, 0.0)
    process = meter.entered("SOURCE", nothing)
    for stream_time, timestamp in ((5, 5), (9, 9), (9, 3)):
        position.stream_time_ms = stream_time
        process("k", "v", timestamp, ())
    assert meter.task_values(NOW) == {"record-lateness-avg": 2.0, "record-lateness-max": 6}
    assert list(meter.rows(NOW)) == [
        MetricRow(NODE, {"process-rate": 0.3, "process-total": 3}, {"processor-node-id": "SOURCE"})
    ]


def test_ages_at_a_node_without_children_and_none_without_records() -> None:
    position = Position()
    position.wall_clock_ms = 100
    meter = NodeMeter(position, 0.0)
    process = meter.reached("END", nothing)
    assert list(meter.rows(NOW)) == []
    process("k", "v", 90, ())
    process("k", "v", 70, ())
    [row] = meter.rows(NOW)
    assert row.values == {
        "record-e2e-latency-avg": 20.0,
        "record-e2e-latency-min": 10,
        "record-e2e-latency-max": 30,
    }


def test_what_a_node_raises_is_raised() -> None:
    meter = NodeMeter(Position(), 0.0)

    def fail(key: Any, value: Any, timestamp: int, headers: Any) -> None:
        raise ValueError(key)

    with pytest.raises(ValueError, match="k"):
        meter.entered("SOURCE", fail)("k", "v", 1, ())
