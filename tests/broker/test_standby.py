"""A worker that keeps a copy of another one's store takes over with what the copy lacks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import pytest
from confluent_kafka import Producer
from msgspec.structs import replace

from penstock import Consumed, Grouped, Materialized, Produced, StreamsBuilder, serdes
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.tasks import standby
from penstock._engine.kafka.tasks.standby import Standbys
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.worker import open_worker
from penstock._engine.metrics.restore_events import RestoreEvent
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.queries.query_server import QueryServer
from penstock._engine.queries.questions import Part, Question, Read
from penstock._engine.runtime.records import Output
from penstock.errors import StateLockedError
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
        self.copied: list[RestoreEvent] = []
        self._target = target
        self.worker = open_worker(blueprint, host, self._committed)
        self.standbys = Standbys(blueprint, host)

    def step(self, *standbys: str) -> None:
        self.worker.step()
        self.standbys.work(standbys, time.monotonic())
        self.events += self.worker.figures.take_restore_events()
        self.copied += self.standbys.take_events()

    def _committed(self, outputs: list[Output]) -> None:
        values = [value for topic, _, _, value, *_ in outputs if topic == self._target]
        self.counts += [int.from_bytes(value or b"", "big") for value in values]


def blueprint_of(settings: dict[str, object], source: str, target: str, folder: Path) -> Blueprint:
    """Return the plan of an application that counts by key."""
    builder = StreamsBuilder()
    (
        builder.stream(source, Consumed(TEXT, TEXT))
        .group_by_key(Grouped(key=TEXT, value=TEXT))
        .count(Materialized("counts", key=TEXT, value=LONG))
        .to_stream()
        .to(target, Produced(TEXT, LONG))
    )
    return prepare(builder.build(), StreamsConfig({**settings, "state.dir": str(folder)}))


@contextmanager
def member(settings: dict[str, object], source: str, target: str, folder: Path) -> Iterator[Member]:
    """Return a member of the application."""
    blueprint = blueprint_of(settings, source, target, folder)
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


def settings_of(broker: LocalBroker, source: str, guarantee: str) -> dict[str, object]:
    return {
        "application.id": f"standby-{source}",
        "bootstrap.servers": broker.bootstrap_servers,
        "processing.guarantee": guarantee,
        "statestore.cache.max.bytes": 0,
        "commit.interval.ms": 100,
        "num.standby.replicas": 1,
    }


def write_records(broker: LocalBroker, source: str, count: int) -> None:
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers})
    for number in range(count):
        producer.produce(source, "x", f"k{number % 3}")
    producer.flush()


@pytest.mark.parametrize(
    "guarantee",
    ["exactly_once_v2", pytest.param("at_least_once", marks=pytest.mark.long)],
)
def test_a_takeover_restores_only_what_the_copy_lacks(
    guarantee: str, kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    source, target = kafka_topic("standby-in"), kafka_topic("standby-out")
    settings = settings_of(kafka_broker, source, guarantee)
    write = partial(write_records, kafka_broker, source)
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
        # The driver wants the copy until it hears that the task is here.
        keep_copy = partial(second.step, "0_0")
        until(lambda: second.worker.figures.tasks() == {"0_0": "running"}, keep_copy)
        kept, *batches, left = second.copied
        assert (kept.kind, kept.task, kept.offset) == ("kept", "0_0", 0)
        assert {batch.kind for batch in batches} == {"batch"}
        assert sum(batch.count for batch in batches) == second.standbys.updated["0_0"]
        assert (left.kind, left.task, left.offset) == ("left", "0_0", second.events[0].offset)
        start, *_, end = second.events
        assert (start.kind, end.kind) == ("start", "end")
        assert start.offset >= BEFORE
        assert end.count <= AFTER
        write(3)
        until(lambda: len(second.counts) == 3, second.step)
        assert sum(second.counts) == BEFORE + AFTER + 3
        # Each of them was copied once.
        assert BEFORE <= second.standbys.updated["0_0"] <= BEFORE + AFTER


ALL = Question(1, "counts", Read("range"), (0,), stale_ok=True)


def total(part: Part) -> int:
    return sum(int.from_bytes(row[1], "big") for row in part.rows)


@pytest.mark.parametrize("guarantee", ["exactly_once_v2", "at_least_once"])
def test_a_query_reads_a_copy_until_its_task_is_taken_over(
    guarantee: str, kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    source, target = kafka_topic("read-in"), kafka_topic("read-out")
    settings = settings_of(kafka_broker, source, guarantee)
    leaving, server = ExitStack(), QueryServer()
    with leaving, ExitStack() as staying:
        first = leaving.enter_context(member(settings, source, target, tmp_path / "first"))
        until(lambda: first.worker.figures.tasks() == {"0_0": "running"}, first.step)
        second = staying.enter_context(member(settings, source, target, tmp_path / "second"))
        keep_copy = partial(second.step, "0_0")

        def read(question: Question = ALL) -> Part:
            (part,) = server._answer(question, [*second.standbys.queryable()]).parts
            return part

        assert read().failure == "absent"
        write_records(kafka_broker, source, BEFORE)
        until(lambda: len(first.counts) == BEFORE, first.step)
        until(lambda: total(read()) == BEFORE, keep_copy)
        # The marker of the transaction counts, and is read a moment later.
        until(lambda: read().offsets_behind == 0, keep_copy)
        assert read().position == {}
        progress = read(replace(ALL, read=Read("restoring"))).rows[0]
        assert progress[3] == progress[4]
        assert read(replace(ALL, stale_ok=False)).failure == "not_ready"

        write_records(kafka_broker, source, AFTER)
        until(lambda: len(first.counts) == BEFORE + AFTER, first.step)
        until(lambda: read().offsets_behind >= AFTER, keep_copy)
        assert total(read()) == BEFORE
        until(lambda: total(read()) == BEFORE + AFTER, keep_copy)

        page = read(replace(ALL, rows_max=1))
        leaving.close()
        until(lambda: second.worker.figures.tasks() == {"0_0": "running"}, keep_copy)
        follow = read(replace(ALL, rows_max=1, cursor=page.cursor))
        assert (follow.failure, follow.message) == ("absent", "its task has moved")
        here = second.worker.queryable()
        (part,) = server._answer(replace(ALL, stale_ok=False), [*here]).parts
        assert total(part) == BEFORE + AFTER


def test_a_copy_that_is_read_all_the_time_lets_its_directory_go(
    kafka_broker: LocalBroker,
    kafka_topic: CreateTopic,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(standby, "_OPEN_SECONDS_MAX", 0.5)
    source, target = kafka_topic("held-in"), kafka_topic("held-out")
    settings = settings_of(kafka_broker, source, "at_least_once")
    blueprint = blueprint_of(settings, source, target, tmp_path)
    (plan,) = blueprint.tasks
    with TaskHost(blueprint) as keeper, TaskHost(blueprint) as other:
        standbys, server = Standbys(blueprint, keeper), QueryServer()

        def read() -> Part:
            standbys.work(["0_0"], time.monotonic())
            (part,) = server._answer(ALL, [*standbys.queryable()]).parts
            return part

        # A broker of a busy machine may answer too late for a copy, which is opened again then.
        until(lambda: read().failure is None, lambda: None)
        with pytest.raises(StateLockedError):
            other.open(plan)

        def opened() -> bool:
            read()
            try:
                other.open(plan)
            except StateLockedError:
                return False
            return True

        until(opened, lambda: None)
        assert read().message == "its copy cannot be opened now"
        other.release(plan)
        until(lambda: read().failure is None, lambda: None)
        standbys.close()
        events = standbys.take_events()
        kinds = [event.kind for event in events if event.kind != "batch"]
        assert (kinds, events[-1].kind) == (["kept", "left"], "left")
