"""What windowed operations say of themselves."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import SessionWindows, SlidingWindows, StreamsBuilder, TimeWindows
from penstock._engine.topology.nodes.stream_nodes import ProcessorNode, SinkNode
from penstock._engine.topology.nodes.views import SessionRows, WindowRows
from penstock._engine.topology.nodes.window_nodes import WindowedOperation, partition_by_key_alone
from penstock.windows import AnyWindows


def operation(windows: AnyWindows, **option: Any) -> WindowedOperation:
    builder = StreamsBuilder()
    windowed = builder.stream("in").group_by_key().windowed_by(windows)
    if option:
        windowed.late_to(**option)
    windowed.count().to_stream().to("out")
    [made] = [
        node.operation
        for node in builder.build().nodes.values()
        if isinstance(node, ProcessorNode) and isinstance(node.operation, WindowedOperation)
    ]
    return made


@pytest.mark.parametrize(
    ("windows", "grace"),
    [
        (TimeWindows.of_size(10, grace=5), 5),
        (SlidingWindows.of_time_difference(10, grace=5), 5),
        (SessionWindows.of_inactivity_gap(10, grace=5), 15),
    ],
)
def test_how_long_after_its_end_a_window_takes_records(windows: AnyWindows, grace: int) -> None:
    assert operation(windows).grace_ms() == grace


def test_rows_are_looked_up_in_the_store() -> None:
    store = "KSTREAM-AGGREGATE-STATE-STORE-0000000001"
    assert operation(TimeWindows.of_size(10)).rows() == WindowRows(store)
    assert operation(SlidingWindows.of_time_difference(10)).rows() == WindowRows(store)
    assert operation(SessionWindows.of_inactivity_gap(10)).rows() == SessionRows(store)
    assert SessionRows(store).stores() == WindowRows(store).stores() == (store,)


def test_late_records_go_to_a_child_of_their_own() -> None:
    assert operation(TimeWindows.of_size(10)).side_outputs() == ()
    late = operation(TimeWindows.of_size(10), topic="late")
    assert late.side_outputs() == ("KSTREAM-AGGREGATE-0000000002-late",)


def test_a_sink_of_windowed_keys_looks_at_the_key_alone_unless_told_otherwise() -> None:
    builder = StreamsBuilder()
    counts = builder.stream("in").group_by_key().windowed_by(TimeWindows.of_size(10)).count()
    counts.to_stream(named="changes").to("out")
    [sink] = [node for node in builder.build().nodes.values() if isinstance(node, SinkNode)]
    assert sink.partitioner is partition_by_key_alone
