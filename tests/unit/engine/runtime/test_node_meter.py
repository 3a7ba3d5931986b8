"""What is measured of each record at the nodes of a task."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import (
    Consumed,
    Materialized,
    Named,
    Produced,
    StreamsBuilder,
    StreamsConfig,
    serdes,
)
from penstock._clock import monotonic
from penstock._engine.metrics.rows import NODE, MetricRow
from penstock._engine.planner.plan import plan_as_one
from penstock._engine.runtime.node_meter import NodeMeter
from penstock._engine.runtime.position import Position
from penstock._engine.runtime.task import Task

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
    none: dict[str, Any] = {"records-total": 0}
    assert list(meter.rows(NOW)) == [MetricRow(NODE, none, {"processor-node-id": "END"})]
    process("k", "v", 90, ())
    process("k", "v", 70, ())
    [row] = meter.rows(NOW)
    assert row.values == {
        "records-total": 2,
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


def test_every_node_between_source_and_sink_counts_its_records_at_debug() -> None:
    builder = StreamsBuilder()
    text = serdes.string()
    orders: Any = builder.stream("orders", Consumed(key=text, value=text))
    paid = orders.filter(lambda key, value: value != "no", named=Named("paid"))
    paid.peek(lambda key, value: None, named=Named("seen"))
    counts = paid.group_by_key().count(Materialized("counts"))
    counts.to_stream(named=Named("changes")).to("out", Produced(key=text, value=serdes.long()))
    settings = {"application.id": "app", "metrics.recording.level": "DEBUG"}
    plan = plan_as_one(builder.build(), "app")
    task = Task("0_0", plan, StreamsConfig(settings), [("orders", 0)], lambda topic: 1)
    task.start(0)
    raws = [(n, n, b"k%d" % (n % 2), b"no" if n < 3 else b"yes", ()) for n in range(10)]
    task.add_records("orders", 0, raws)
    task.process(0, len(raws))
    task.prepare_commit()
    counted = {
        (row.tags["processor-node-id"], name): row.values[name]
        for row in task.metric_rows(monotonic())
        if row.group == NODE
        for name in ("process-total", "records-total")
        if name in row.values
    }
    source, aggregate = (
        next(node for node, _ in counted if node.startswith(f"KSTREAM-{kind}-"))
        for kind in ("SOURCE", "AGGREGATE")
    )
    # What reaches a node counts; the cache keeps the last change of each of the two keys.
    inner = {"paid": 10, "seen": 7, aggregate: 7, "changes": 2}
    assert counted == {
        (source, "process-total"): 10,
        **{(node, "records-total"): count for node, count in inner.items()},
    }
