"""The windows above a table: the longest grace, on every way up."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import KTable, SessionWindows, StreamsBuilder, TimeWindows, TopologyError
from penstock._engine.topology.graph import ProcessorDrawing
from penstock._engine.topology.nodes.window_nodes import WindowedOperation
from penstock._engine.topology.rewrites.window_search import find_window_grace, go_on_when_idle


def counts(builder: StreamsBuilder, topic: str, windows: Any) -> KTable[Any, int]:
    table: KTable[Any, int] = builder.stream(topic).group_by_key().windowed_by(windows).count()
    return table


def grace(table: KTable[Any, Any]) -> int:
    return find_window_grace(table._handle.graph, table._handle.step)


def test_it_is_that_of_the_windows() -> None:
    builder = StreamsBuilder()
    assert grace(counts(builder, "in", TimeWindows.of_size(10, grace=3))) == 3
    assert grace(counts(builder, "on", SessionWindows.of_inactivity_gap(10, grace=3))) == 13


def test_it_is_found_through_views_and_joins() -> None:
    builder = StreamsBuilder()
    short = counts(builder, "in", TimeWindows.of_size(10, grace=3))
    long = counts(builder, "on", TimeWindows.of_size(10, grace=7)).map_values(str)
    both = short.filter(lambda key, count: True).join(long, lambda one, other: one)
    assert grace(both) == 7


def test_a_way_up_without_windows_is_refused() -> None:
    builder = StreamsBuilder()
    plain = builder.table("plain")
    windowed = counts(builder, "in", TimeWindows.of_size(10, grace=3))
    both = windowed.left_join(plain, lambda one, other: one)
    with pytest.raises(TopologyError, match="got KTABLE-SOURCE-0000000002 -> KTABLE-MERGE-"):
        grace(both)


def idle_after(table: KTable[Any, Any]) -> int | None:
    drawing = table._handle.graph.steps[table._handle.step].drawing
    assert isinstance(drawing, ProcessorDrawing)
    assert isinstance(drawing.operation, WindowedOperation)
    return drawing.operation.idle_after_ms


def test_the_windows_above_go_on_when_idle_after_the_shortest_wait_asked_for() -> None:
    builder = StreamsBuilder()
    windowed = counts(builder, "in", TimeWindows.of_size(10))
    view = windowed.filter(lambda key, count: True)
    for wait_ms, expected in ((500, 500), (900, 500), (100, 100)):
        go_on_when_idle(view._handle.graph, view._handle.step, wait_ms)
        assert idle_after(windowed) == expected
