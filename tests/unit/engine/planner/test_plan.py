"""What a task has to run."""

from __future__ import annotations

from typing import Any

from penstock import (
    Materialized,
    Processor,
    Record,
    Repartitioned,
    Stores,
    StreamsBuilder,
    TableJoined,
    Topology,
    serdes,
)
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


def test_the_stores_of_a_processor_are_opened_in_the_order_of_java_s_hash_set() -> None:
    builder = StreamsBuilder()
    names = ["zebra", "apple", "mango", "kiwi"]
    for name in names:
        store = Stores.in_memory_key_value_store(name, key=serdes.string(), value=serdes.string())
        builder.add_state_store(store)
    builder.stream("in").process(Echo, state_stores=names)
    assert list(plan_as_one(builder.build(), "app").stores) == ["zebra", "apple", "kiwi", "mango"]


def test_serdes_are_told_the_name_of_a_changelog_even_if_there_is_none() -> None:
    builder = StreamsBuilder()
    builder.stream("in").group_by_key().count(Materialized("counts", logging=False))
    [store] = plan_as_one(builder.build(), "app").stores.values()
    assert (store.changelog, store.serde_topic) == (None, "app-counts-changelog")


def test_a_table_whose_topic_is_its_changelog_is_restored_from_it_and_writes_none() -> None:
    builder = StreamsBuilder()
    builder.table("rows", materialized=Materialized("store"))
    [plan] = plan_subtopologies(builder.build({"topology.optimization": "all"}), "app")
    store = plan.stores["store"]
    assert (store.changelog, store.restored_from, store.serde_topic) == (None, "rows", "rows")


def test_a_foreign_key_join_is_two_plans_that_feed_each_other() -> None:
    builder = StreamsBuilder()
    left, right = builder.table("left"), builder.table("right")
    left.join(right, lambda value: value, lambda one, two: one, TableJoined("hop")).to_stream().to(
        "out"
    )
    asking, answering = plan_subtopologies(builder.build(), "app")
    subscriptions = "app-hop-subscription-registration-topic"
    answers = "app-hop-subscription-response-topic"
    assert sorted(asking.source_topics()) == [answers, "left"]
    assert sorted(asking.sink_topics()) == [subscriptions, "out"]
    assert sorted(answering.source_topics()) == [subscriptions, "right"]
    assert answering.sink_topics() == [answers]
    assert list(asking.stores) == ["left-STATE-STORE-0000000000"]
    assert sorted(answering.stores) == ["hop-subscription-store", "right-STATE-STORE-0000000003"]
