"""Records without a key go through a repartition topic only for joins that keep them."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import JoinWindows, KStream, StreamsBuilder
from penstock._engine.topology.nodes.stream_nodes import DropNullKeys, PassThrough, ProcessorNode

NEAR = JoinWindows.of_time_difference(5)


def first(left: Any, right: Any) -> Any:
    return left


def filters(build: Any) -> list[type]:
    """Return the filter before each repartition topic."""
    builder = StreamsBuilder()
    build(builder, builder.stream("in").select_key(first))
    return [
        type(node.operation)
        for node in builder.build().nodes.values()
        if isinstance(node, ProcessorNode) and "FILTER" in node.name
    ]


@pytest.mark.parametrize(
    ("verb", "kind"),
    [("join", DropNullKeys), ("left_join", PassThrough), ("outer_join", PassThrough)],
)
def test_of_two_streams(verb: str, kind: type) -> None:
    def build(builder: StreamsBuilder, stream: KStream[Any, Any]) -> None:
        getattr(stream, verb)(builder.stream("other"), first, NEAR)

    assert filters(build) == [kind]


@pytest.mark.parametrize(("verb", "kind"), [("join", DropNullKeys), ("left_join", PassThrough)])
def test_of_a_stream_and_a_table(verb: str, kind: type) -> None:
    def build(builder: StreamsBuilder, stream: KStream[Any, Any]) -> None:
        getattr(stream, verb)(builder.table("other"), first)

    assert filters(build) == [kind]


def test_also_far_below_and_through_another_topic() -> None:
    def build(builder: StreamsBuilder, stream: KStream[Any, Any]) -> None:
        again = stream.repartition().map_values(str).select_key(first).repartition()
        again.left_join(builder.global_table("all"), first, first)

    assert filters(build) == [PassThrough, PassThrough]


def test_not_for_what_is_beside_or_on_the_table_s_side() -> None:
    def build(builder: StreamsBuilder, stream: KStream[Any, Any]) -> None:
        stream.group_by_key().count()
        table = stream.to_table()
        builder.stream("other").left_join(table, first)

    assert filters(build) == [DropNullKeys, DropNullKeys]
