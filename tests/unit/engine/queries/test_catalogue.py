"""Which stores a program has, and in which partition a key is."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from penstock import Consumed, Materialized, Repartitioned, StreamsBuilder, serdes
from penstock._engine.planner.plan import plan_global_stores, plan_subtopologies
from penstock._engine.planner.tasks import plan_tasks
from penstock._engine.queries.catalogue import StoreEntry, stores_of
from penstock._engine.queries.questions import GLOBAL
from penstock._engine.runtime.output.murmur2 import partition_of

TEXT = serdes.string()


def entries(build: Any, partitions: int = 4) -> dict[str, StoreEntry]:
    builder = StreamsBuilder()
    build(builder)
    topology = builder.build()
    plans = plan_subtopologies(topology, "app")
    counts = dict.fromkeys((topic for plan in plans for topic in plan.source_topics()), partitions)
    blueprint = SimpleNamespace(
        tasks=plan_tasks(plans, counts),
        partition_counts=counts,
        global_stores=plan_global_stores(topology),
    )
    return stores_of(cast("Any", blueprint))


def counting(builder: StreamsBuilder) -> None:
    stream = builder.stream("in", Consumed(TEXT, TEXT))
    stream.group_by_key().count(Materialized("counts"))
    builder.global_table("plans-in", Consumed(TEXT, TEXT), Materialized("plans"))


def by_length(topic: str, key: str, value: object, partitions: int) -> int:
    assert value is None
    assert topic.endswith("repartition")
    return len(key) % partitions


def repartitioned(builder: StreamsBuilder) -> None:
    stream = builder.stream("in", Consumed(TEXT, TEXT))
    stream.repartition(Repartitioned(name="spread", partitioner=by_length)).group_by_key().count(
        Materialized("counts")
    )


def test_stores_have_their_tasks_by_partition() -> None:
    found = entries(counting)
    assert found["counts"].tasks == {number: f"0_{number}" for number in range(4)}
    assert found["plans"].is_global
    assert found["plans"].tasks == {GLOBAL: "global"}


def test_a_key_is_where_kafka_s_producers_put_it() -> None:
    store = entries(counting)["counts"]
    for key in (b"a", b"key", b"another"):
        assert store.partition_of(key.decode(), key) == partition_of(key, 4)


def test_the_partitioner_of_a_repartition_topic_is_the_program_s() -> None:
    store = entries(repartitioned)["counts"]
    assert [store.partition_of(key, key.encode()) for key in ("a", "ab", "abcd")] == [1, 2, 0]


def test_a_partitioner_can_be_given() -> None:
    store = entries(counting)["counts"]
    assert store.partition_of("k", b"k", lambda topic, key, value, count: 3) == 3
    with pytest.raises(LookupError, match=r"must give one of 4 partitions for key 'k' .* got None"):
        store.partition_of("k", b"k", lambda topic, key, value, count: None)
