"""Where keys, stores and partitions are, as an instance knows it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest

from penstock import StreamsBuilder, StreamsConfig
from penstock._engine.planner.plan import plan_subtopologies
from penstock._engine.planner.tasks import plan_tasks
from penstock._engine.queries.asking import ReadOptions
from penstock._engine.runtime.output.murmur2 import partition_of
from penstock.errors import StoreNotReadyError
from penstock.queries import HostInfo, KeyQueryMetadata, LagInfo, StreamsMetadata
from penstock.queries.metadata import instance_metadata, key_metadata, partition_lags
from penstock.queries.views import Source
from penstock.stores import Stores, TopicPartition
from tests.unit.queries.test_answering import TEXT, Asked, Idle, topology

HERE = HostInfo("node-1", 8080)
CONFIG = StreamsConfig({"application.id": "app", "application.server": "node-1:8080"})
NAMELESS = StreamsConfig({"application.id": "app"})


def source(asked: Asked, config: StreamsConfig = CONFIG, partitioner: Any = None) -> Source:
    return Source(asked.entry, asked.asker, config, ReadOptions(), partitioner=partitioner)


def ends(changelogs: Collection[tuple[str, int]]) -> dict[tuple[str, int], int]:
    return dict.fromkeys(changelogs, 150)


def test_a_key_is_where_producers_put_it() -> None:
    asked = Asked("plain")
    for key in ("a", "b", "c", "d", "e"):
        expected = KeyQueryMetadata(HERE, frozenset(), partition_of(key.encode(), 2), True)
        assert key_metadata(source(asked), key, ()) == expected


def test_a_partitioner_says_otherwise() -> None:
    found = key_metadata(source(Asked("plain"), partitioner=lambda *_: 1), "a", {"0_1"})
    assert found == KeyQueryMetadata(HERE, frozenset({HERE}), 1, True)


def test_the_owner_of_another_instance_s_task_is_unknown() -> None:
    asked = Asked("plain")
    asked.states.clear()
    found = key_metadata(source(asked, partitioner=lambda *_: 0), "a", ())
    assert found == KeyQueryMetadata(None, frozenset(), 0, False)


def test_an_instance_without_a_server_has_no_host() -> None:
    found = key_metadata(source(Asked("plain"), NAMELESS, lambda *_: 0), "a", {"0_0"})
    assert found == KeyQueryMetadata(None, frozenset(), 0, True)


def test_an_instance_has_the_stores_and_inputs_of_its_tasks() -> None:
    plans = plan_tasks(plan_subtopologies(topology("plain"), "app"), {"in": 3})
    found = instance_metadata(CONFIG, plans, ["shared"], {"0_0", "0_2"}, {"0_1"})
    assert found == StreamsMetadata(
        HERE,
        frozenset({"plain", "shared"}),
        frozenset({TopicPartition("in", 0), TopicPartition("in", 2)}),
        frozenset({"plain"}),
        frozenset({TopicPartition("in", 1)}),
    )
    assert instance_metadata(NAMELESS, plans, ["shared"], (), ()) == StreamsMetadata(None)


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
    found = instance_metadata(CONFIG, plans, [], (), {"0_0"})
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
