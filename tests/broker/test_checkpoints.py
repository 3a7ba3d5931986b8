"""A checkpoint of local state is taken only with a commit that proves whose the tasks are."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from penstock import Consumed, Materialized, StreamsBuilder, Topology, serdes
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.client.client_errors import TaskMigrated
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.worker import Worker, open_worker
from penstock._engine.state.rocksdb.key_value import RocksDbStore
from penstock.processor import Processor, PunctuationType
from penstock.stores import Stores
from penstock.testing.broker import CreateTopic, LocalBroker
from tests.broker.applications import PATIENCE_SECONDS, settings, write

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

TEXT = serdes.string()


class Ticking(Processor[str, str, str, str]):
    """Writes to its store whenever a timer fires, and needs no record for it."""

    def init(self, context: Any) -> None:
        ticks = context.get_state_store("ticks")
        context.schedule(
            timedelta(milliseconds=50),
            PunctuationType.WALL_CLOCK_TIME,
            lambda now: ticks.put("last", str(now)),
        )


def ticking(topic: str) -> Topology:
    builder = StreamsBuilder()
    builder.add_state_store(Stores.persistent_key_value_store("ticks", key=TEXT, value=TEXT))
    builder.stream(topic, Consumed(TEXT, TEXT)).process(Ticking, state_stores=["ticks"])
    return builder.build()


def counting(topic: str) -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream(topic, Consumed(TEXT, TEXT))
        .group_by_key()
        .count(Materialized("counts", key=TEXT, value=serdes.long()))
    )
    return builder.build()


def step_until(worker: Worker, happened: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not happened():
        assert time.monotonic() < until
        worker.step()


def watch_commits(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> list[dict[Any, Any]]:
    """Return a list that receives the offsets of each commit of `worker`."""
    seen: list[dict[Any, Any]] = []
    commit = worker._committer.commit

    def noting(offsets: Any, metadata: Any, marks: Any) -> None:
        seen.append(dict(offsets))
        commit(offsets, metadata, marks)

    monkeypatch.setattr(worker._committer, "commit", noting)
    return seen


@pytest.mark.parametrize("guarantee", ["exactly_once_v2", "at_least_once"])
def test_a_transaction_of_timers_only_carries_offsets_and_so_is_fenced_by_its_generation(
    guarantee: str,
    kafka_broker: LocalBroker,
    kafka_topic: CreateTopic,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    often = {"commit.interval.ms": 100, "processing.guarantee": guarantee}
    config = settings(kafka_broker, tmp_path, f"timers-only-{guarantee}", **often)
    blueprint = prepare(ticking(kafka_topic("never-written")), config)
    with TaskHost(blueprint) as host:
        worker = open_worker(blueprint, host, lambda outputs: None)
        commits = watch_commits(worker, monkeypatch)
        step_until(worker, lambda: len(commits) >= 3)
        worker.close()
    assert all(commits)


def test_closing_with_nothing_to_commit_commits_the_last_offsets_again(
    kafka_broker: LocalBroker,
    kafka_topic: CreateTopic,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    topic = kafka_topic("words")
    write(kafka_broker, topic, [("a", "1"), ("b", "2")])
    config = settings(kafka_broker, tmp_path, "closes", **{"commit.interval.ms": 0})
    blueprint = prepare(counting(topic), config)
    with TaskHost(blueprint) as host:
        worker = open_worker(blueprint, host, lambda outputs: None)
        commits = watch_commits(worker, monkeypatch)
        step_until(
            worker, lambda: worker.figures.records_in() == 2 and not worker._tasks.uncommitted()
        )
        read = {place: each for offsets in commits for place, each in offsets.items()}
        commits.clear()
        worker.close()
    assert commits == [read]


def test_a_refused_commit_leaves_the_checkpoint_where_it_was(
    kafka_broker: LocalBroker,
    kafka_topic: CreateTopic,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    topic = kafka_topic("words")
    write(kafka_broker, topic, [("a", "1"), ("b", "2")])
    config = settings(kafka_broker, tmp_path, "refused", **{"commit.interval.ms": 0})
    blueprint = prepare(counting(topic), config)
    stored: list[int | None] = []
    keep = RocksDbStore.write

    def noting(self: RocksDbStore, changes: Any, offset: int | None, dropped: Any = ()) -> None:
        stored.append(offset)
        keep(self, changes, offset, dropped)

    monkeypatch.setattr(RocksDbStore, "write", noting)

    def refuse(offsets: Any, metadata: Any, marks: Any) -> None:
        raise TaskMigrated("another worker has taken over")

    with TaskHost(blueprint) as host:
        worker = open_worker(blueprint, host, lambda outputs: None)
        step_until(
            worker, lambda: worker.figures.records_in() == 2 and not worker._tasks.uncommitted()
        )
        stored.clear()
        monkeypatch.setattr(worker._committer, "commit", refuse)
        worker.close()
    assert [offset for offset in stored if offset is not None] == []
