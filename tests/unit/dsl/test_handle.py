"""What streams and tables hold of the graph."""

from __future__ import annotations

from penstock import KTable, StreamsBuilder
from penstock.dsl.handle import (
    GlobalTableHandle,
    GroupedHandle,
    StreamHandle,
    TableHandle,
    handle_of,
)


def test_each_kind_has_its_handle() -> None:
    builder = StreamsBuilder()
    stream, table = builder.stream("s"), builder.table("t")
    assert isinstance(handle_of(stream, StreamHandle), StreamHandle)
    assert isinstance(handle_of(table, TableHandle), TableHandle)
    assert isinstance(handle_of(stream.group_by_key(), GroupedHandle), GroupedHandle)
    assert isinstance(handle_of(builder.global_table("g"), GlobalTableHandle), GlobalTableHandle)


def test_what_is_of_another_kind_has_none_of_that_kind() -> None:
    stream = StreamsBuilder().stream("s")
    assert handle_of(stream, TableHandle) is None
    assert handle_of("stream", StreamHandle) is None


def test_tables_that_verbs_return_are_of_the_class_the_builder_hands_down() -> None:
    stream = StreamsBuilder().stream("s")
    grouped = stream.group_by_key()
    assert {type(stream.to_table()), type(grouped.count())} == {KTable}


def test_the_stream_behind_a_step_keeps_its_sources_if_there_are_no_others() -> None:
    stream = handle_of(StreamsBuilder().stream("s"), StreamHandle)
    assert stream is not None
    same = stream.then(0, key_serde=None, value_serde=None, repartition_required=False)
    other = stream.then(
        0, key_serde=None, value_serde=None, repartition_required=False, sources=frozenset({"x"})
    )
    assert (same.sources, other.sources) == (stream.sources, frozenset({"x"}))


def test_a_grouping_with_a_name_is_repartitioned_once() -> None:
    builder = StreamsBuilder()
    rekeyed = builder.stream("s").select_key(lambda key, value: value)
    grouped = handle_of(rekeyed.group_by_key(), GroupedHandle)
    assert grouped is not None
    first, _ = grouped.repartitioned("rows", by_user=True)
    second, sources = grouped.repartitioned("others", by_user=True)
    assert first != second
    assert sources == {builder._graph.steps[second].drawing.name}
