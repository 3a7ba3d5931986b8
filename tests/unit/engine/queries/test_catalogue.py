"""The stores of an application, and the partition of a key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from penstock import (
    Consumed,
    Grouped,
    Materialized,
    Processor,
    Produced,
    Record,
    Repartitioned,
    Stores,
    StreamsBuilder,
    StreamsConfig,
    TimeWindows,
    Windowed,
    serdes,
)
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.plan import plan_global_stores, plan_subtopologies
from penstock._engine.planner.tasks import plan_tasks
from penstock._engine.queries.catalogue import StoreEntry, stores_of
from penstock._engine.queries.questions import GLOBAL
from penstock._engine.runtime.output.murmur2 import partition_of

TEXT = serdes.string()
KEYS = [f"key-{number}" for number in range(20)]


def by_length(topic: str, key: Any, value: Any, partitions: int) -> int:
    del topic, value
    return len(key) % partitions


@dataclass
class ByLength:
    """A partitioner with settings, which cannot be hashed."""

    factor: int

    def __call__(self, topic: str, key: Any, value: Any, partitions: int) -> int:
        return self.factor * by_length(topic, key, value, partitions)


def stores(partitioner: Any = by_length) -> dict[str, StoreEntry]:
    builder = StreamsBuilder()
    events = builder.stream("events", Consumed(TEXT, TEXT))
    events.group_by_key().count(Materialized("counts"))
    again = events.repartition(Repartitioned("placed", TEXT, TEXT, partitioner=partitioner))
    again.group_by_key(Grouped(key=TEXT, value=TEXT)).count(Materialized("placed-counts"))
    builder.global_table("plans", Consumed(TEXT, TEXT), Materialized("plans"))
    topology = builder.build()
    counts = {"events": 5, "app-placed-repartition": 3, "plans": 2}
    tasks = tuple(plan_tasks(plan_subtopologies(topology, "app"), counts))
    config = StreamsConfig({"application.id": "app"})
    shared = plan_global_stores(topology)
    return stores_of(Blueprint(config, tasks, counts, "tasks", frozenset(), shared))


def test_every_store_is_known_with_its_tasks() -> None:
    found = stores()
    assert found.keys() == {"counts", "placed-counts", "plans"}
    assert found["counts"].tasks == {number: f"0_{number}" for number in range(5)}
    assert found["placed-counts"].tasks == {number: f"1_{number}" for number in range(3)}
    assert found["plans"].tasks == {GLOBAL: "global"}
    assert [name for name, store in found.items() if store.is_global] == ["plans"]


def test_only_keys_that_the_application_places_are_nowhere_else() -> None:
    builder = StreamsBuilder()
    events = builder.stream("events", Consumed(TEXT, TEXT))
    events.group_by_key().count(Materialized("counts"))
    placed = events.repartition(Repartitioned("placed", TEXT, TEXT))
    placed.group_by_key(Grouped(key=TEXT, value=TEXT)).count(Materialized("placed-counts"))
    builder.add_state_store(Stores.in_memory_key_value_store("kept", key=TEXT, value=TEXT))
    placed.process(IgnoreAll, state_stores=["kept"])
    own = events.repartition(Repartitioned("own", TEXT, TEXT, partitioner=by_length))
    own.group_by_key(Grouped(key=TEXT, value=TEXT)).count(Materialized("own-counts"))
    topics = {"events": 5, "app-placed-repartition": 5, "app-own-repartition": 5}
    tasks = tuple(plan_tasks(plan_subtopologies(builder.build(), "app"), topics))
    config = StreamsConfig({"application.id": "app"})
    internal = frozenset(topics) - {"events"}
    found = stores_of(Blueprint(config, tasks, topics, "tasks", internal))
    placed_here = {name for name, store in found.items() if store.is_placed_here}
    assert set(found) == {"counts", "placed-counts", "kept", "own-counts"}
    assert placed_here == {"placed-counts"}


class IgnoreAll(Processor[Any, Any, Any, Any]):
    """Keeps nothing."""

    def process(self, record: Record[Any, Any]) -> None: ...


def test_a_key_is_where_kafka_s_producers_put_it() -> None:
    store = stores()["counts"]
    for key in KEYS:
        assert store.partition_of(key, key.encode()) == partition_of(key.encode(), 5)


def test_a_windowed_key_is_where_its_records_went() -> None:
    """By the key alone after an aggregation, and where a sink wrote it so; else by all bytes."""
    windowed = serdes.time_windowed(TEXT, 1000)
    builder = StreamsBuilder()
    events = builder.stream("events", Consumed(TEXT, TEXT))
    counts = events.group_by_key().windowed_by(TimeWindows.of_size(1000)).count()
    counts.to_stream().to_table(Materialized("beside", windowed, serdes.long()))
    counts.to_stream().to("out", Produced(windowed, serdes.long()))
    builder.table("out", Consumed(windowed, serdes.long()), Materialized("written"))
    builder.table("others", Consumed(windowed, serdes.long()), Materialized("others"))
    again = events.select_key(lambda key, _: Windowed(key, 0, 1000))
    again.group_by_key(Grouped(key=windowed, value=TEXT)).count(Materialized("grouped"))
    topics = {"events": 5, "out": 5, "others": 5, "app-grouped-repartition": 5}
    tasks = tuple(plan_tasks(plan_subtopologies(builder.build(), "app"), topics))
    config = StreamsConfig({"application.id": "app"})
    found = stores_of(Blueprint(config, tasks, topics, "tasks", frozenset()))
    for key in KEYS:
        windowed_key = Windowed(key, 0, 1000)
        raw = windowed.encode(windowed_key)
        alone, whole = partition_of(key.encode(), 5), partition_of(raw, 5)
        places = {name: found[name].partition_of(windowed_key, raw) for name in found}
        assert (places["beside"], places["written"]) == (alone, alone)
        assert (places["others"], places["grouped"]) == (whole, whole)


def test_a_partitioner_of_the_program_or_of_the_question_says_otherwise() -> None:
    store = stores()["placed-counts"]
    for key in KEYS:
        assert store.partition_of(key, key.encode()) == len(key) % 3
        assert store.partition_of(key, key.encode(), lambda *_: 2) == 2


def test_a_partitioner_need_not_be_hashable() -> None:
    assert stores(ByLength(2))["placed-counts"].partition_of("four", b"four") == 2


def test_a_partitioner_may_compare_as_it_may_in_a_sink() -> None:
    store = stores()["counts"]
    found = [store.partition_of(key, b"", lambda _, key, *rest: key > "m") for key in ("a", "z")]
    assert [(type(one), one) for one in found] == [(int, 0), (int, 1)]


def test_every_key_of_a_global_store_is_everywhere() -> None:
    assert stores()["plans"].partition_of("a", b"a") == GLOBAL


@pytest.mark.parametrize("chosen", [None, -1, 5, [0, 1]])
def test_a_partitioner_that_chooses_no_single_partition_is_refused(chosen: Any) -> None:
    with pytest.raises(LookupError, match="must give one of 5 partitions for key 'a'"):
        stores()["counts"].partition_of("a", b"a", lambda *_: chosen)
