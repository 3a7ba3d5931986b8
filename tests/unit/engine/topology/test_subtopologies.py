"""Which nodes run together."""

from __future__ import annotations

from typing import Any

from penstock import Processor, Record, Stores, StreamsBuilder, Topology, serdes
from penstock._engine.topology.subtopologies import node_groups


class Echo(Processor[Any, Any, Any, Any]):
    def process(self, record: Record[Any, Any]) -> None:
        self.context.forward(record)


STORE = Stores.in_memory_key_value_store("store", key=serdes.string(), value=serdes.string())


def groups_of(topology: Topology) -> list[tuple[str, ...]]:
    return node_groups(topology.nodes, topology.store_users())


def two_chains() -> Topology:
    topology = Topology()
    for letter in "ab":
        topology.add_source(f"source-{letter}", f"topic-{letter}")
        topology.add_processor(f"process-{letter}", Echo, f"source-{letter}")
    return topology


def test_an_empty_topology_has_none() -> None:
    assert groups_of(Topology()) == []


def test_chains_without_a_common_node_are_apart() -> None:
    assert groups_of(two_chains()) == [("source-a", "process-a"), ("source-b", "process-b")]


def test_a_common_child_joins_them() -> None:
    topology = two_chains().add_sink("sink", "out", "process-a", "process-b")
    assert groups_of(topology) == [
        ("source-a", "process-a", "source-b", "process-b", "sink"),
    ]


def test_a_common_store_joins_them() -> None:
    topology = two_chains().add_state_store(STORE, "process-a", "process-b")
    assert groups_of(topology) == [("source-a", "process-a", "source-b", "process-b")]


def test_a_common_topic_does_not_join_them() -> None:
    topology = two_chains().add_sink("sink", "topic-b", "process-a")
    assert groups_of(topology) == [
        ("source-a", "process-a", "sink"),
        ("source-b", "process-b"),
    ]


def test_a_repartition_cuts() -> None:
    builder = StreamsBuilder()
    builder.stream("in").repartition().to("out")
    assert [len(group) for group in groups_of(builder.build())] == [3, 2]


def test_groups_are_numbered_by_their_first_node() -> None:
    topology = Topology()
    for name in ("c", "a", "b"):
        topology.add_source(name, f"topic-{name}")
    topology.add_sink("sink-b", "out", "b").add_sink("sink-c", "out", "c")
    assert groups_of(topology) == [("c", "sink-c"), ("a",), ("b", "sink-b")]
