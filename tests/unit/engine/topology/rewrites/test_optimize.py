"""The rewrites. That their results are Java's is shown by the conformance cases `optimized_*`."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest

from penstock import (
    Grouped,
    JoinWindows,
    KStream,
    Materialized,
    StreamsBuilder,
    Topology,
    TopologyError,
)
from penstock._engine.topology.graph import ProcessorDrawing, StreamJoin
from penstock._engine.topology.nodes.join_nodes import SelfJoin
from penstock._engine.topology.rewrites.optimize import single_store_self_joins

ALL = {"topology.optimization": "all"}
NEAR = JoinWindows.of_time_difference(5)


def topics(draw: Callable[[StreamsBuilder], object], **config: Any) -> list[str]:
    return list(built(draw, **config).internal_topics)


def built(draw: Callable[[StreamsBuilder], object], **config: Any) -> Topology:
    builder = StreamsBuilder()
    draw(builder)
    return builder.build(config)


def two_counts(builder: StreamsBuilder) -> None:
    rekeyed = builder.stream("in").select_key(lambda key, value: value)
    rekeyed.group_by_key(Grouped("one")).count(Materialized("one"))
    rekeyed.group_by_key(Grouped("two")).count(Materialized("two"))


def test_topics_below_one_change_of_key_become_one() -> None:
    assert topics(two_counts) == ["one-repartition", "two-repartition"]
    assert topics(two_counts, **ALL) == ["one-repartition"]


def test_a_builder_may_be_built_again_and_otherwise() -> None:
    builder = StreamsBuilder()
    two_counts(builder)
    first = builder.build(ALL)
    assert builder.build().describe() != first.describe()
    assert builder.build(ALL).describe() == first.describe()


def test_the_topology_knows_which_rewrites_it_went_through() -> None:
    assert built(two_counts).optimizations == frozenset()
    assert built(two_counts, **ALL).optimizations == frozenset(
        {"merge.repartition.topics", "reuse.ktable.source.topics", "single.store.self.join"}
    )
    assert Topology().optimizations is None


def test_a_join_is_read_together_with_the_topic_that_took_its_place() -> None:
    def draw(builder: StreamsBuilder) -> None:
        rekeyed = builder.stream("in").select_key(lambda key, value: value)
        rekeyed.group_by_key(Grouped("one")).count(Materialized("one"))
        rekeyed.join(
            builder.stream("other"), lambda a, b: a, JoinWindows.of_time_difference(5, grace=0)
        )

    [group] = built(draw, **ALL).copartition_groups
    assert group == {"one-repartition-source", "KSTREAM-SOURCE-0000000006"}


def test_a_table_s_store_is_logged_by_its_topic() -> None:
    def draw(builder: StreamsBuilder) -> None:
        builder.table("rows", materialized=Materialized("store"))
        builder.table("bare")

    topology = built(draw, **ALL)
    assert topology.source_changelogs == {"store": "rows"}
    assert not topology.stores["store"].logged
    assert built(draw).source_changelogs == {}


def test_steps_that_topics_share_are_refused_as_in_java() -> None:
    def draw(builder: StreamsBuilder) -> None:
        rekeyed = builder.stream("in").select_key(lambda key, value: value)
        kept = rekeyed.filter(lambda key, value: True)
        kept.group_by_key(Grouped("one")).count(Materialized("one"))
        kept.group_by_key(Grouped("two")).count(Materialized("two"))

    with pytest.raises(TopologyError, match=r"^the repartition topic 'two-repartition' cannot be"):
        built(draw, **ALL)


def test_streams_that_bypass_the_shared_topic_are_warned_of_unlike_in_java(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def draw(builder: StreamsBuilder) -> None:
        one = builder.stream("in").select_key(lambda key, value: value)
        one.group_by_key(Grouped("one")).count(Materialized("one"))
        two = builder.stream("more").select_key(lambda key, value: value)
        one.merge(two).group_by_key(Grouped("two")).count(Materialized("two"))

    with caplog.at_level(logging.WARNING):
        built(draw, **ALL)
    [message] = caplog.messages
    assert message.startswith("topic=one-repartition step=KSTREAM-SOURCE-0000000006 (at ")
    assert "is not read through the shared repartition topic" in message


def left_value(left: Any, right: Any) -> Any:
    return left


def test_the_second_store_goes_and_one_node_does_the_work_of_three() -> None:
    builder = StreamsBuilder()
    stream: KStream[Any, Any] = builder.stream("in")
    stream.join(stream, left_value, NEAR)
    steps = dict(enumerate(builder._graph.steps))
    rewritten = single_store_self_joins(steps)
    assert [step.drawing.name for step in rewritten.values()] == [
        "KSTREAM-SOURCE-0000000000",
        "KSTREAM-WINDOWED-0000000001",
        "KSTREAM-MERGE-0000000005",
    ]
    join = rewritten[3].drawing
    assert isinstance(join, ProcessorDrawing)
    assert isinstance(join.operation, SelfJoin)
    assert rewritten[3].parents == (1,)
    assert isinstance(steps[3].drawing, StreamJoin), "what was drawn stays as it was"


def test_joins_of_two_streams_are_left_alone() -> None:
    builder = StreamsBuilder()
    left: KStream[Any, Any] = builder.stream("left")
    left.join(builder.stream("right"), left_value, NEAR)
    left.join(left.map_values(str), left_value, NEAR)
    steps = dict(enumerate(builder._graph.steps))
    assert single_store_self_joins(steps) == steps


def stores(optimization: str) -> list[str]:
    builder = StreamsBuilder()
    stream: KStream[Any, Any] = builder.stream("in")
    stream.join(stream, left_value, NEAR)
    topology: Topology = builder.build({"topology.optimization": optimization})
    return list(topology.stores)


def test_one_store_for_a_self_join_must_be_asked_for() -> None:
    assert len(stores("none")) == len(stores("merge.repartition.topics")) == 2
    assert len(stores("all")) == len(stores("single.store.self.join")) == 1
