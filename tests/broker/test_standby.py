"""A worker that keeps a copy of another one's store takes over with what the copy lacks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from confluent_kafka import Producer

from penstock import Consumed, Grouped, Materialized, Produced, StreamsBuilder, serdes
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.tasks.standby import Standbys
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.worker import open_worker
from penstock._engine.metrics.restore_events import RestoreEvent
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.runtime.records import Output
from penstock.settings import StreamsConfig
from penstock.testing.broker import CreateTopic, LocalBroker

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

TEXT, LONG = serdes.string(), serdes.long()
PATIENCE_SECONDS = 120.0
BEFORE, AFTER = 300, 20


class Member:
    """A worker with copies and a state directory of its own; `counts` are those it committed."""

    def __init__(self, blueprint: Blueprint, host: TaskHost, target: str) -> None:
        self.counts: list[int] = []
        self.events: list[RestoreEvent] = []
        self._target = target
        self.worker = open_worker(blueprint, host, self._committed)
        self.standbys = Standbys(blueprint, host)

    def step(self, *standbys: str) -> None:
        self.worker.step()
        self.standbys.work(standbys, time.monotonic())
        self.events += self.worker.figures.take_restore_events()

    def _committed(self, outputs: list[Output]) -> None:
        values = [value for topic, _, _, value, *_ in outputs if topic == self._target]
        self.counts += [int.from_bytes(value or b"", "big") for value in values]


@contextmanager
def member(settings: dict[str, object], source: str, target: str, folder: Path) -> Iterator[Member]:
    """Return a member of the application that counts by key."""
    builder = StreamsBuilder()
    (
        builder.stream(source, Consumed(TEXT, TEXT))
        .group_by_key(Grouped(key=TEXT, value=TEXT))
        .count(Materialized("counts", key=TEXT, value=LONG))
        .to_stream()
        .to(target, Produced(TEXT, LONG))
    )
    config = StreamsConfig({**settings, "state.dir": str(folder)})
    blueprint = prepare(builder.build(), config)
    with TaskHost(blueprint) as host:
        made = Member(blueprint, host, target)
        try:
            yield made
        finally:
            made.standbys.close()
            made.worker.close()


def until(true: Callable[[], bool], step: Callable[[], None]) -> None:
    """Go on until something is so."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not true():
        assert time.monotonic() < deadline
        step()


@pytest.mark.parametrize("guarantee", ["exactly_once_v2", "at_least_once"])
def test_a_takeover_restores_only_what_the_copy_lacks(
    guarantee: str, kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    source, target = kafka_topic("standby-in"), kafka_topic("standby-out")
    settings: dict[str, object] = {
        "application.id": f"standby-{source}",
        "bootstrap.servers": kafka_broker.bootstrap_servers,
        "processing.guarantee": guarantee,
        "statestore.cache.max.bytes": 0,
        "commit.interval.ms": 100,
        "num.standby.replicas": 1,
    }
    producer = Producer({"bootstrap.servers": kafka_broker.bootstrap_servers})

    def write(count: int) -> None:
        for number in range(count):
            producer.produce(source, "x", f"k{number % 3}")
        producer.flush()

    leaving = ExitStack()
    with leaving, ExitStack() as staying:
        first = leaving.enter_context(member(settings, source, target, tmp_path / "first"))
        until(lambda: first.worker.figures.tasks() == {"0_0": "running"}, first.step)
        second = staying.enter_context(member(settings, source, target, tmp_path / "second"))

        def both() -> None:
            first.step()
            second.step("0_0")

        write(BEFORE)
        until(lambda: len(first.counts) == BEFORE, both)
        rest = time.monotonic() + 12  # two rounds, and a bit
        until(lambda: time.monotonic() > rest, both)
        write(AFTER)
        until(lambda: len(first.counts) == BEFORE + AFTER, first.step)
        leaving.close()
        assert second.events == []

        until(lambda: second.worker.figures.tasks() == {"0_0": "running"}, second.step)
        start, *_, end = second.events
        assert (start.kind, end.kind) == ("start", "end")
        assert start.offset >= BEFORE
        assert end.count <= AFTER
        write(3)
        until(lambda: len(second.counts) == 3, second.step)
        assert sum(second.counts) == BEFORE + AFTER + 3
        # Each of them was copied once.
        assert BEFORE <= second.standbys.updated["0_0"] <= BEFORE + AFTER
