"""A group that has lost committed offsets beside the state of its application: refused, resumed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

import pytest
from confluent_kafka import TopicPartition

from penstock import (
    Consumed,
    Grouped,
    KafkaStreams,
    Materialized,
    Produced,
    StreamsBuilder,
    StreamsConfig,
    Topology,
    serdes,
)
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.client.admin_calls import open_admin
from penstock._engine.kafka.client.groups import commit_offsets, committed_offsets, delete_group
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.worker import Worker, open_worker
from penstock._engine.planner.tasks import Partition
from penstock._engine.runtime.records import Output
from penstock.cli import main
from penstock.errors import StreamsError
from penstock.testing.broker import CreateTopic, LocalBroker
from tests.broker.applications import latest, run_until, settings, write

pytestmark = pytest.mark.slow

TEXT = serdes.string()
GUARANTEES = ("exactly_once_v2", "at_least_once")


class Counted:
    """An application that counts the words of a topic, through a repartition topic."""

    def __init__(self, broker: LocalBroker, folder: Path, lines: str, out: str) -> None:
        self.broker, self.folder, self.lines, self.out = broker, folder, lines, out
        self.name = f"lost-{lines}"
        self.configure("exactly_once_v2")

    def configure(self, guarantee: str) -> None:
        more = {"processing.guarantee": guarantee, "commit.interval.ms": 100}
        self.config: StreamsConfig = settings(self.broker, self.folder, self.name, **more)
        self.admin = open_admin(self.config)

    def topology(self) -> Topology:
        builder = StreamsBuilder()
        (
            builder.stream(self.lines, Consumed(TEXT, TEXT))
            .group_by(lambda _, word: word, Grouped("by-word", key=TEXT, value=TEXT))
            .count(Materialized("counts", TEXT, serdes.long()))
            .to_stream()
            .map_values(str)
            .to(self.out, Produced(TEXT, TEXT))
        )
        return builder.build()

    def write(self, words: Iterable[str]) -> None:
        write(self.broker, self.lines, [(word, word) for word in words])

    def run(self, updates: int) -> None:
        """Run until so many counts have come out, and stop."""

        def done(outputs: list[Output]) -> bool:
            return sum(output[0] == self.out for output in outputs) >= updates

        run_until(self.topology(), self.config, done)

    def counts(self) -> dict[str, str | None]:
        return latest(self.broker, self.out)

    def offsets(self) -> dict[Partition, int]:
        return committed_offsets(self.config)

    def lose(self, *partitions: Partition) -> None:
        """Delete the group, or the offsets of some partitions of it."""
        kept = {at: offset for at, offset in self.offsets().items() if at not in partitions}
        delete_group(self.admin, self.name)
        if partitions:
            places = [TopicPartition(*at, offset) for at, offset in kept.items()]
            commit_offsets(self.admin, self.name, places)

    def command(self, name: str, *arguments: str) -> int:
        given = {**self.config.given(), "application.id": self.name}
        options = [f"--set={key}={value}" for key, value in given.items()]
        return main([name, *options, *arguments])


def step_for_ever(worker: Worker) -> NoReturn:
    while True:
        worker.step()


@pytest.fixture
def counted(kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path) -> Counted:
    return Counted(kafka_broker, tmp_path, kafka_topic("lines", 2), kafka_topic("out", 2))


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_a_deleted_group_is_refused_and_resumed_exactly(
    counted: Counted, guarantee: str, capsys: pytest.CaptureFixture[str]
) -> None:
    counted.configure(guarantee)
    counted.write(["a", "b", "a", "c", "d", "a"])
    counted.run(6)
    before = counted.offsets()
    counted.lose()
    counted.write(["a", "b"])
    repartition = f"{counted.name}-by-word-repartition"
    with pytest.raises(StreamsError, match=r"would count them twice") as refusal:
        counted.run(1)
    for sign in (
        f"application '{counted.name}' must go on from its committed offsets",
        f"topic '{counted.lines}', partition 0, 1",
        f"topic '{repartition}', partition 0, 1",
        "'offsets.retention.minutes'",
        "penstock resume APP",
        "penstock reset APP",
    ):
        assert sign in str(refusal.value)
    assert counted.offsets() == {}

    assert counted.command("resume") == 0
    shown, told = capsys.readouterr()
    assert "has lost the offsets of 4 partitions; with the state were kept" in shown
    assert shown.count("when it stopped") == 4
    assert "nothing was changed; --yes commits these offsets" in told
    assert counted.offsets() == {}

    assert counted.command("resume", "--yes") == 0
    inputs = {at: offset for at, offset in before.items() if "tasks" not in at[0]}
    assert counted.offsets() == inputs
    counted.run(2)
    assert counted.counts() == {"a": "4", "b": "2", "c": "1", "d": "1"}
    capsys.readouterr()
    assert counted.command("resume", "--yes") == 0
    assert "its group has all offsets that it has committed" in capsys.readouterr().out


def test_it_is_found_by_a_new_machine_and_named_by_the_application(
    counted: Counted, tmp_path: Path
) -> None:
    counted.write(["a", "b"])
    counted.run(2)
    counted.lose()
    given = {**counted.config.given(), "state.dir": str(tmp_path / "another")}
    streams = KafkaStreams(counted.topology(), given, host="local")
    with pytest.raises(StreamsError, match="must go on from its committed offsets"):
        streams.run(available_now=True)
    assert streams.failure is not None


def test_one_lost_partition_of_a_stateless_part_is_refused_and_resumed(
    counted: Counted, capsys: pytest.CaptureFixture[str]
) -> None:
    """What reads it keeps nothing, but what it writes again is counted."""
    counted.write(["a", "b", "c", "d"])
    counted.run(4)
    before = counted.offsets()
    counted.lose((counted.lines, 1))
    with pytest.raises(StreamsError, match=f"'{counted.lines}', partition 1; the state has seen"):
        counted.run(1)
    assert counted.command("resume", "--yes", "--json") == 0
    (lost,) = json.loads(capsys.readouterr().out)["offsets"]
    assert (lost["partition"], lost["after"], lost["is_last"]) == (1, lost["marked"], True)
    assert counted.offsets()[counted.lines, 1] == before[counted.lines, 1]
    counted.write(["a"])
    counted.run(1)
    assert counted.counts() == {"a": "2", "b": "1", "c": "1", "d": "1"}


def test_it_is_not_resumed_while_it_runs(
    counted: Counted, capsys: pytest.CaptureFixture[str]
) -> None:
    counted.write(["a", "b"])
    counted.run(2)
    counted.lose((counted.lines, 0), (counted.lines, 1))
    blueprint = prepare(counted.topology(), counted.config)
    with TaskHost(blueprint) as host:
        worker = open_worker(blueprint, host, lambda outputs: None)
        with pytest.raises(StreamsError, match="must go on from its committed offsets"):
            step_for_ever(worker)
        assert counted.command("resume", "--yes") == 1
        shown, told = capsys.readouterr()
        assert "runs now; stop it before its offsets are committed" in shown
        assert "must not run while its offsets are committed; its group has 1 member" in told
        worker.abandon()
    assert counted.command("resume", "--yes") == 0


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_an_application_that_ended_before_its_first_commit_is_not_refused(
    counted: Counted, guarantee: str
) -> None:
    counted.configure(guarantee)
    counted.write(["a", "b"])
    never = StreamsConfig({**counted.config.given(), "commit.interval.ms": 9_000})
    blueprint = prepare(counted.topology(), never)
    with TaskHost(blueprint) as host:
        worker = open_worker(blueprint, host, lambda outputs: None)
        while worker.figures.records_in() < 2:
            worker.step()
        worker.abandon()
    assert all(topic != counted.lines for topic, _ in counted.offsets())
    counted.run(2)
    counts = counted.counts()
    assert set(counts) == {"a", "b"}


def test_partitions_that_were_never_read_and_topics_made_anew_are_not_refused(
    counted: Counted,
) -> None:
    write(counted.broker, counted.lines, [("a", "x")])
    counted.run(1)
    read = {at for at in counted.offsets() if at[0] == counted.lines}
    assert len(read) == 1
    # The other partition gets its first records while the application does not run.
    write(counted.broker, counted.lines, [(key, "y") for key in "abcdefgh"])
    counted.run(8)
    assert counted.counts() == {"x": "1", "y": "8"}

    for answer in counted.admin.delete_topics([counted.lines], operation_timeout=30).values():
        answer.result()
    counted.broker.create_topic(counted.lines, 2)
    write(counted.broker, counted.lines, [("a", "x")])
    counted.run(1)
    assert counted.counts() == {"x": "2", "y": "8"}


def test_a_reset_takes_the_marks_away(counted: Counted, capsys: pytest.CaptureFixture[str]) -> None:
    counted.write(["a", "b", "a"])
    counted.run(3)
    counted.lose()
    assert counted.command("reset", "--yes", "--input-topics", counted.lines) == 0
    assert counted.command("resume") == 1
    assert "has no offsets with its state on this cluster" in capsys.readouterr().err
    counted.run(3)
    assert counted.counts() == {"a": "2", "b": "1"}
