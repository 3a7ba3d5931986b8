"""Joins of a stream with itself keep one store."""

from __future__ import annotations

from typing import Any

from penstock import JoinWindows, KStream, StreamsBuilder, Topology
from penstock._engine.topology.graph import Process, StreamJoin
from penstock._engine.topology.nodes.join_nodes import SelfJoin
from penstock._engine.topology.rewrites.self_joins import single_store_self_joins

NEAR = JoinWindows.of_time_difference(5)


def first(left: Any, right: Any) -> Any:
    return left


def test_the_second_store_goes_and_one_node_does_the_work_of_three() -> None:
    builder = StreamsBuilder()
    stream: KStream[Any, Any] = builder.stream("in")
    stream.join(stream, first, NEAR)
    steps = dict(enumerate(builder._graph.steps))
    rewritten = single_store_self_joins(steps)
    assert [step.drawing.name for step in rewritten.values()] == [
        "KSTREAM-SOURCE-0000000000",
        "KSTREAM-WINDOWED-0000000001",
        "KSTREAM-MERGE-0000000005",
    ]
    join = rewritten[3].drawing
    assert isinstance(join, Process)
    assert isinstance(join.operation, SelfJoin)
    assert rewritten[3].parents == (1,)
    assert isinstance(steps[3].drawing, StreamJoin), "what was drawn stays as it was"


def test_joins_of_two_streams_are_left_alone() -> None:
    builder = StreamsBuilder()
    left: KStream[Any, Any] = builder.stream("left")
    left.join(builder.stream("right"), first, NEAR)
    left.join(left.map_values(str), first, NEAR)
    steps = dict(enumerate(builder._graph.steps))
    assert single_store_self_joins(steps) == steps


def stores(optimization: str) -> list[str]:
    builder = StreamsBuilder()
    stream: KStream[Any, Any] = builder.stream("in")
    stream.join(stream, first, NEAR)
    topology: Topology = builder.build({"topology.optimization": optimization})
    return list(topology.stores)


def test_it_must_be_asked_for() -> None:
    assert len(stores("none")) == len(stores("merge.repartition.topics")) == 2
    assert len(stores("all")) == len(stores("single.store.self.join")) == 1
