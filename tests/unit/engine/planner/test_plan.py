"""What a task has to run."""

from __future__ import annotations

from typing import Any

from penstock import Processor, Record, Repartitioned, Stores, StreamsBuilder, Topology, serdes
from penstock._engine.planner.plan import plan_as_one, plan_subtopologies


class Echo(Processor[Any, Any, Any, Any]):
    def process(self, record: Record[Any, Any]) -> None:
        self.context.forward(record)


def repartitioned() -> Topology:
    builder = StreamsBuilder()
    store = Stores.in_memory_key_value_store("seen", key=serdes.string(), value=serdes.string())
    builder.add_state_store(store)
    stream = builder.stream("in").repartition(Repartitioned(name="r"))
    stream.process(Echo, state_stores=["seen"]).to("out")
    return builder.build()


def test_each_sub_topology_is_a_plan_with_the_topic_names_of_the_broker() -> None:
    first, second = plan_subtopologies(repartitioned(), "app")
    assert (first.id, first.source_topics(), first.sink_topics()) == (
        0,
        ["in"],
        ["app-r-repartition"],
    )
    assert (second.id, second.source_topics(), second.sink_topics()) == (
        1,
        ["app-r-repartition"],
        ["out"],
    )


def test_stores_and_their_changelogs_belong_to_the_plan_that_uses_them() -> None:
    first, second = plan_subtopologies(repartitioned(), "app")
    assert first.stores == {}
    assert second.stores["seen"].changelog == "app-seen-changelog"
    assert second.stores_of["KSTREAM-PROCESSOR-0000000004"] == ("seen",)


def test_parents_come_before_children() -> None:
    for plan in plan_subtopologies(repartitioned(), "app"):
        names = [node.name for node in plan.nodes]
        for node in plan.nodes:
            assert all(
                names.index(parent) < names.index(node.name)
                for parent in getattr(node, "parents", ())
            )


def test_the_test_driver_s_plan_holds_everything() -> None:
    topology = repartitioned()
    plan = plan_as_one(topology, "app")
    assert [node.name for node in plan.nodes] == list(topology.nodes)
    assert plan.source_topics() == ["in", "app-r-repartition"]


def test_planning_changes_nothing() -> None:
    topology = repartitioned()
    before = dict(topology.nodes)
    assert plan_subtopologies(topology, "a") == plan_subtopologies(topology, "a")
    assert topology.nodes == before
