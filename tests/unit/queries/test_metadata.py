"""Where keys, stores and partitions are, as an instance knows it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest

from penstock import StreamsBuilder, StreamsConfig
from penstock._engine.control.drivers import Driver
from penstock._engine.planner.plan import plan_subtopologies
from penstock._engine.planner.tasks import plan_tasks
from penstock._engine.queries.asking import ReadOptions
from penstock._engine.runtime.output.murmur2 import partition_of
from penstock.errors import StoreNotReadyError
from penstock.queries import HostInfo, KeyQueryMetadata, LagInfo, StreamsMetadata
from penstock.queries.metadata import instance_metadata, key_metadata, partition_lags
from penstock.queries.source import Source
from penstock.stores import Stores, TopicPartition
from tests.unit.queries.test_answering import TEXT, Asked, Idle, topology

HERE, THERE = HostInfo("node-1", 8080), HostInfo("node-2", 8080)
CONFIG = StreamsConfig({"application.id": "app"})


def source(asked: Asked, partitioner: Any = None) -> Source:
    return Source(asked.entry, asked.asker, CONFIG, ReadOptions(), partitioner=partitioner)


def driver(*tasks: str, host: HostInfo | None = HERE, standbys: tuple[str, ...] = ()) -> Driver:
    return Driver("id", host=host, tasks=dict.fromkeys(tasks, "running"), standbys=standbys)


def ends(changelogs: Collection[tuple[str, int]]) -> dict[tuple[str, int], int]:
    return dict.fromkeys(changelogs, 150)


def test_a_key_is_where_producers_put_it() -> None:
    asked = Asked("plain")
    for key in ("a", "b", "c", "d", "e"):
        expected = KeyQueryMetadata(HERE, frozenset(), partition_of(key.encode(), 2), True)
        assert key_metadata(source(asked), key, [driver("0_0", "0_1")]) == expected


def test_a_partitioner_says_otherwise() -> None:
    here = driver("0_0", "0_1", standbys=("0_1",))
    found = key_metadata(source(Asked("plain"), lambda *_: 1), "a", [here])
    assert found == KeyQueryMetadata(HERE, frozenset({HERE}), 1, True)


def test_the_owner_may_be_another_instance_and_both_may_have_copies() -> None:
    drivers = [
        driver("0_0", standbys=("0_1",)),
        driver("0_1", host=THERE),
        driver(host=None, standbys=("0_1",)),
    ]
    found = key_metadata(source(Asked("plain"), lambda *_: 1), "a", drivers)
    assert found == KeyQueryMetadata(THERE, frozenset({HERE}), 1, False)


def test_of_two_that_claim_a_task_this_instance_is_believed_then_the_one_heard_of_last() -> None:
    drivers = [driver("0_0"), driver("0_0", host=THERE)]
    found = key_metadata(source(Asked("plain"), lambda *_: 0), "a", drivers)
    assert found == KeyQueryMetadata(HERE, frozenset(), 0, True)
    killed, heard_since = driver("0_0", host=HERE), driver("0_0", host=THERE)
    found = key_metadata(source(Asked("plain"), lambda *_: 0), "a", [driver(), killed, heard_since])
    assert found == KeyQueryMetadata(THERE, frozenset(), 0, False)


def test_the_owner_of_a_task_that_moves_is_unknown() -> None:
    drivers = [driver(), driver(host=THERE)]
    found = key_metadata(source(Asked("plain"), lambda *_: 0), "a", drivers)
    assert found == KeyQueryMetadata(None, frozenset(), 0, False)


def test_an_instance_without_a_server_has_no_host() -> None:
    here = driver("0_0", host=None, standbys=("0_0",))
    found = key_metadata(source(Asked("plain"), lambda *_: 0), "a", [here])
    assert found == KeyQueryMetadata(None, frozenset(), 0, True)


def test_an_instance_has_the_stores_and_inputs_of_its_tasks() -> None:
    plans = plan_tasks(plan_subtopologies(topology("plain"), "app"), {"in": 3})
    found = instance_metadata(driver("0_0", "0_2", standbys=("0_1",)), plans, ["shared"])
    assert found == StreamsMetadata(
        HERE,
        frozenset({"plain", "shared"}),
        frozenset({TopicPartition("in", 0), TopicPartition("in", 2)}),
        frozenset({"plain"}),
        frozenset({TopicPartition("in", 1)}),
    )
    assert instance_metadata(driver(host=None), plans, ["shared"]) == StreamsMetadata(None)


def test_a_store_that_is_restored_lags() -> None:
    asked = Asked("plain")
    asked.tasks[1].is_ready = False
    found = partition_lags([asked.entry], asked.asker, ReadOptions(), ends)
    assert found == {"plain": {0: LagInfo(0), 1: LagInfo(62, 88, 150)}}


def test_the_copy_of_a_task_that_is_elsewhere_lags() -> None:
    asked = Asked("plain")
    asked.states.pop("0_1")
    asked.tasks[1].is_ready = False
    asked.copied.add("0_1")
    found = partition_lags([asked.entry], asked.asker, ReadOptions(stale_ok=True), ends)
    assert found == {"plain": {0: LagInfo(0), 1: LagInfo(62, 88, 150)}}


def test_a_store_in_memory_has_no_standby() -> None:
    builder = StreamsBuilder()
    builder.add_state_store(Stores.in_memory_key_value_store("memory", **TEXT))
    builder.stream("in").process(Idle, state_stores=["memory"])
    plans = plan_tasks(plan_subtopologies(builder.build(), "app"), {"in": 1})
    found = instance_metadata(driver(standbys=("0_0",)), plans, [])
    assert (found.standby_state_store_names, found.standby_topic_partitions) == (
        frozenset(),
        frozenset(),
    )


def test_a_store_that_is_not_here_has_no_lag() -> None:
    asked = Asked("plain")
    asked.states.clear()
    assert partition_lags([asked.entry], asked.asker, ReadOptions(), ends) == {}


def test_a_task_that_does_not_answer_is_no_lag_of_nothing() -> None:
    asked = Asked("plain")
    asked.tasks.pop()
    with pytest.raises(StoreNotReadyError, match="task 0_1: the task is not here"):
        partition_lags([asked.entry], asked.asker, ReadOptions(seconds=0), ends)
