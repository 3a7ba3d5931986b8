"""CogroupedKStream: what its verbs draw. What they do is in tests/operators."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import (
    Grouped,
    KGroupedStream,
    Materialized,
    SessionWindows,
    StreamsBuilder,
    TimeWindows,
    TopologyError,
)
from penstock._engine.topology.nodes.stream_nodes import ProcessorNode, TableOperation


def add(key: str, value: int, total: int) -> int:
    return total + value


def grouped(builder: StreamsBuilder, topic: str) -> KGroupedStream[Any, Any]:
    return builder.stream(topic).group_by_key()


def test_all_nodes_share_one_store() -> None:
    builder = StreamsBuilder()
    both = grouped(builder, "one").cogroup(add).cogroup(grouped(builder, "two"), add)
    both.aggregate(int, Materialized("sums"), named="both")
    topology = builder.build()
    assert list(topology.stores) == ["sums"]
    assert [name for name in topology.nodes if "sums" in topology.stores_of(name)] == [
        "both-cogroup-agg-0",
        "both-cogroup-agg-1",
    ]


def test_topics_of_all_streams_must_have_the_same_partitions() -> None:
    builder = StreamsBuilder()
    rekeyed = builder.stream("two").group_by(lambda k, v: v, Grouped("mine"))
    grouped(builder, "one").cogroup(add).cogroup(rekeyed, add).aggregate(int)
    assert builder.build().copartition_groups == [
        frozenset({"KSTREAM-SOURCE-0000000002", "mine-repartition-source"})
    ]


def test_whoever_asks_for_old_values_gets_them_of_all_streams() -> None:
    builder = StreamsBuilder()
    both = grouped(builder, "one").cogroup(add).cogroup(grouped(builder, "two"), add)
    both.aggregate(int).filter(lambda key, total: True)
    operations = [
        node.operation
        for node in builder.build().nodes.values()
        if isinstance(node, ProcessorNode) and isinstance(node.operation, TableOperation)
    ]
    assert len(operations) == 4
    assert all(operation.sends_old_values for operation in operations)


def test_a_versioned_cogroup_says_so_to_what_is_below() -> None:
    builder = StreamsBuilder()
    option = Materialized[Any, Any]("sums", history_retention=1000)
    grouped(builder, "one").cogroup(add).aggregate(int, option)
    assert [
        node.operation.is_versioned
        for node in builder.build().nodes.values()
        if isinstance(node, ProcessorNode) and isinstance(node.operation, TableOperation)
    ] == [True, True]


def test_only_grouped_streams_of_one_builder_can_be_cogrouped() -> None:
    builder = StreamsBuilder()
    cogrouped = grouped(builder, "one").cogroup(add)
    with pytest.raises(TopologyError, match=r"cogroup takes a KGroupedStream; .* group the stream"):
        cogrouped.cogroup(builder.stream("two"), add)  # type: ignore[arg-type]
    with pytest.raises(TopologyError, match="streams of one StreamsBuilder"):
        cogrouped.cogroup(grouped(StreamsBuilder(), "two"), add)


def test_functions_are_checked() -> None:
    one = grouped(StreamsBuilder(), "one")
    with pytest.raises(TopologyError, match="cogroup's aggregator must take"):
        one.cogroup(lambda key, value: value)  # type: ignore[arg-type, misc]
    cogrouped = one.cogroup(add)
    with pytest.raises(TopologyError, match="aggregate's initializer must be a function; got 0"):
        cogrouped.aggregate(0)  # type: ignore[arg-type]
    with pytest.raises(TopologyError, match="aggregate's initializer must be a function; got 0"):
        cogrouped.windowed_by(TimeWindows.of_size(10)).aggregate(0)  # type: ignore[arg-type]
    sessions = cogrouped.windowed_by(SessionWindows.of_inactivity_gap(10))
    with pytest.raises(TopologyError, match="aggregate's merger must take"):
        sessions.aggregate(int, add_two)  # type: ignore[arg-type]


def add_two(one: int, other: int) -> int:
    return one + other


def test_names_that_become_too_long_are_refused() -> None:
    cogrouped = grouped(StreamsBuilder(), "one").cogroup(add)
    with pytest.raises(TopologyError, match="at most 249 characters"):
        cogrouped.aggregate(int, named="n" * 245)
