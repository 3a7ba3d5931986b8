"""Grouped streams in windows: what their verbs draw. What they do is in tests/operators."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import (
    Consumed,
    EmitStrategy,
    Grouped,
    Materialized,
    Produced,
    SessionWindows,
    SlidingWindows,
    StreamsBuilder,
    TimeWindows,
    TopologyError,
    serdes,
)
from penstock._engine.topology.nodes.stream_nodes import ProcessorNode, SinkNode
from penstock._engine.topology.nodes.window_nodes import WindowedOperation

TEXT = serdes.string()


def operations(builder: StreamsBuilder) -> list[WindowedOperation]:
    return [
        node.operation
        for node in builder.build().nodes.values()
        if isinstance(node, ProcessorNode) and isinstance(node.operation, WindowedOperation)
    ]


def test_the_strategy_and_the_late_topic_are_those_of_the_windowed_stream() -> None:
    builder = StreamsBuilder()
    windowed = builder.stream("in").group_by_key().windowed_by(TimeWindows.of_size(10))
    windowed.count()
    same = windowed.emit_strategy(EmitStrategy.on_window_close(idle_after=5)).late_to("late")
    windowed.reduce(lambda one, other: other)
    assert same is windowed
    first, second = operations(builder)
    assert (first.emits_on_close, first.idle_after_ms, first.late_to) == (False, None, None)
    assert (second.emits_on_close, second.idle_after_ms) == (True, 5)
    assert second.late_to == "KSTREAM-REDUCE-0000000004-late"


def test_the_late_sink_has_the_serdes_of_the_grouping_or_its_own() -> None:
    builder = StreamsBuilder()
    stream = builder.stream("in", Consumed(key=TEXT, value=TEXT))
    windowed = stream.group_by_key().windowed_by(SessionWindows.of_inactivity_gap(10))
    windowed.late_to("late").count()
    windowed.late_to("later", Produced(key=serdes.json(), name="mine")).count()
    sinks = [node for node in builder.build().nodes.values() if isinstance(node, SinkNode)]
    assert [(sink.name, sink.topic, sink.key_serde, sink.value_serde) for sink in sinks] == [
        ("KSTREAM-AGGREGATE-0000000002-late", "late", TEXT, TEXT),
        ("mine", "later", serdes.json(), TEXT),
    ]


def test_keys_of_results_have_the_serde_of_their_windows() -> None:
    builder = StreamsBuilder()
    grouped = builder.stream("in").group_by_key(Grouped(key=TEXT))
    grouped.windowed_by(TimeWindows.of_size(10)).count().to_stream().to("one")
    grouped.windowed_by(SlidingWindows.of_time_difference(5)).count().to_stream().to("two")
    grouped.windowed_by(SessionWindows.of_inactivity_gap(5)).count().to_stream().to("three")
    own = Materialized[Any, int](key=serdes.json())
    grouped.windowed_by(TimeWindows.of_size(10)).count(own).to_stream().to("four")
    sinks = [node for node in builder.build().nodes.values() if isinstance(node, SinkNode)]
    assert [sink.key_serde for sink in sinks] == [
        serdes.time_windowed(TEXT, 10),
        serdes.time_windowed(TEXT, 5),
        serdes.session_windowed(TEXT),
        serdes.time_windowed(serdes.json(), 10),
    ]


@pytest.mark.parametrize("wrong", [None, "1s", TimeWindows, EmitStrategy.on_window_update()])
def test_windowed_by_takes_windows(wrong: Any) -> None:
    grouped = StreamsBuilder().stream("in").group_by_key()
    with pytest.raises(TopologyError, match="windowed_by takes TimeWindows"):
        grouped.windowed_by(wrong)
    with pytest.raises(TopologyError, match="windowed_by takes TimeWindows"):
        grouped.cogroup(lambda key, value, total: total).windowed_by(wrong)


def test_a_strategy_is_an_emit_strategy() -> None:
    windowed = StreamsBuilder().stream("in").group_by_key().windowed_by(TimeWindows.of_size(10))
    with pytest.raises(TopologyError, match="emit_strategy takes a EmitStrategy; got 'close'"):
        windowed.emit_strategy("close")  # type: ignore[arg-type]
    assert EmitStrategy.on_window_update() == EmitStrategy(on_close=False)
    with pytest.raises(AttributeError, match="is spelled EmitStrategy"):
        EmitStrategy.onWindowClose()  # type: ignore[attr-defined]
