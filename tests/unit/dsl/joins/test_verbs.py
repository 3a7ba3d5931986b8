"""The joins of KStream: which one is meant, and what it hands on."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import Consumed, Joined, JoinWindows, KStream, StreamJoined, StreamsBuilder, serdes

TEXT, NUMBER = serdes.string(), serdes.long()
NEAR = JoinWindows.of_time_difference(5)


def names(stream: KStream[Any, Any]) -> list[str]:
    return [step.drawing.name for step in stream._handle.graph.steps]


def first(left: Any, right: Any) -> Any:
    return left


@pytest.mark.parametrize("verb", ["join", "left_join", "outer_join"])
def test_with_a_stream_it_is_windowed(verb: str) -> None:
    builder = StreamsBuilder()
    left, right = builder.stream("left"), builder.stream("right")
    joined = getattr(left, verb)(right, first, NEAR)
    assert names(joined)[-1] == "KSTREAM-MERGE-0000000006"


@pytest.mark.parametrize(
    ("verb", "name"), [("join", "KSTREAM-JOIN-"), ("left_join", "KSTREAM-LEFTJOIN-")]
)
def test_with_a_table_it_looks_a_row_up(verb: str, name: str) -> None:
    builder = StreamsBuilder()
    left, right = builder.stream("left"), builder.table("right")
    joined = getattr(left, verb)(right, first)
    assert names(joined)[-1] == f"{name}0000000004"


@pytest.mark.parametrize("verb", ["join", "left_join"])
def test_with_a_global_table_it_is_called_a_left_join_as_in_java(verb: str) -> None:
    builder = StreamsBuilder()
    left, right = builder.stream("left"), builder.global_table("right")
    joined = getattr(left, verb)(right, first, first)
    assert names(joined)[-1] == "KSTREAM-LEFTJOIN-0000000004"


def test_arguments_may_be_named() -> None:
    builder = StreamsBuilder()
    left, right = builder.stream("left"), builder.stream("right")
    left.join(right, joiner=first, windows=NEAR, joined=StreamJoined(name="near"))
    left.join(builder.table("rows"), joiner=first, joined=Joined("rows"))
    left.join(builder.global_table("all"), key_selector=first, joiner=first, named="all")
    assert {"near-merge", "rows", "all"} <= set(names(left))


def test_the_key_serde_of_joined_streams_is_the_option_s_alone() -> None:
    builder = StreamsBuilder()
    read = Consumed(key=TEXT, value=TEXT)
    left, right = builder.stream("left", read), builder.stream("right", read)
    assert left.join(right, first, NEAR)._handle.key_serde is None
    assert left.join(right, first, NEAR, StreamJoined(key=TEXT))._handle.key_serde is TEXT


def test_the_key_serde_of_a_join_with_a_table_is_the_option_s_or_the_stream_s() -> None:
    builder = StreamsBuilder()
    left: KStream[Any, Any] = builder.stream("left", Consumed(key=TEXT))
    table: Any = builder.table("right")
    assert left.join(table, first)._handle.key_serde is TEXT
    assert left.join(table, first, Joined(key=NUMBER))._handle.key_serde is NUMBER


def test_joined_streams_must_be_partitioned_alike_and_global_tables_need_not() -> None:
    builder = StreamsBuilder()
    left, right = builder.stream("left"), builder.stream("right")
    left.join(right, first, NEAR)
    left.join(builder.table("rows"), first)
    left.join(builder.global_table("all"), first, first)
    assert builder._graph.copartition_groups == [
        frozenset({"KSTREAM-SOURCE-0000000000", "KSTREAM-SOURCE-0000000001"}),
        frozenset({"KSTREAM-SOURCE-0000000000", "KSTREAM-SOURCE-0000000008"}),
    ]


def test_java_s_name_is_explained() -> None:
    stream: Any = StreamsBuilder().stream("left")
    with pytest.raises(AttributeError, match="left_join"):
        _ = stream.leftJoin
