"""The exactly-once sink at Kafka's side: killed at each step, raced, superseded, cut otherwise."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from penstock._clock import new_id
from penstock._engine.kafka.client.admin_calls import open_admin
from penstock._engine.kafka.client.client_errors import TaskMigrated
from penstock._engine.kafka.client.topic_io import TopicReader
from penstock._engine.kafka.client.topics import settings_of_topics
from penstock._engine.kafka.sink import opening, partition_writer, sink_transactions
from penstock._engine.kafka.sink.contents import Contents
from penstock._engine.kafka.sink.journal import (
    JournalPlace,
    begin_batch_journal,
    make_journal,
    sink_settings,
)
from penstock._engine.kafka.sink.journal_state import (
    Run,
    Written,
    claim_record,
    run_record,
    written_record,
)
from penstock._engine.kafka.sink.opening import Superseded
from penstock._engine.kafka.sink.partition_writer import agree_on_cut, write_partition
from penstock._engine.kafka.sink.replay import OtherCut, Place
from penstock._engine.runtime.records import Output
from penstock.errors import StreamsError
from penstock.testing.broker import CreateTopic, LocalBroker
from tests.broker.sink_attempt import attempt, rows

pytestmark = pytest.mark.slow

STEPS = (
    "sink-before-init",
    "sink-after-init",
    "sink-after-journal",
    "sink-writing:2",
    "sink-before-commit",
    "sink-after-commit",
)
WAIT_SECONDS = 60
OPENING_SECONDS = 150
"""Longer than a task waits for another one."""
TASKS = 8
EARLIER_IDS = 60


class Sink:
    """A topic and a query that writes to it."""

    def __init__(self, broker: LocalBroker, topic: str) -> None:
        self.servers, self.topic, self.query = broker.bootstrap_servers, topic, new_id()
        self.journal = JournalPlace.of_query(self.query)

    def place(self, run: str, batch: int, partition: int, partitions: int | None = None) -> Place:
        return Place(self.query, run, batch, partition, partitions)

    def write(self, place: Place, first: int, count: int = 30) -> partition_writer.Report:
        """Write rows as a new process would: without clients of before."""
        sink_transactions.close_clients()
        return attempt(self.servers, place, rows(self.topic, first, count))

    def producer(self, id_: str) -> sink_transactions.SinkTransactions:
        """Return a producer of the sink, which has fenced others of its id."""
        config = sink_settings({"bootstrap.servers": self.servers}, self.query)
        made = sink_transactions.SinkTransactions(config, self.journal, id_)
        made.fence_others()
        return made

    def note(self, *records: tuple[str, bytes]) -> None:
        """Write records into the journal, as another process would."""
        make_journal(sink_settings({"bootstrap.servers": self.servers}, self.query), self.journal)
        writer = self.producer("test")
        writer.send([self.journal.record(*record) for record in records])
        writer.finish()

    def written(self) -> list[int]:
        """Return the numbers of all committed rows, sorted."""
        reader = TopicReader(self.servers, [self.topic])
        found: list[int] = []
        while not reader.caught_up:
            found += [int((record.value or b"")[1:]) for record in reader.read(0.1)]
        reader.close()
        return sorted(found)


@pytest.fixture
def sink(kafka_broker: LocalBroker, kafka_topic: CreateTopic) -> Iterator[Sink]:
    yield Sink(kafka_broker, kafka_topic("sink", partitions=3))
    sink_transactions.close_clients()


def test_killed_at_each_step_nothing_is_lost_or_doubled(sink: Sink) -> None:
    children = []
    for partition, step in enumerate(STEPS):
        command = [sys.executable, "-m", "tests.broker.sink_attempt", sink.servers, sink.topic]
        # Each has an id of its own, so that they can be killed side by side.
        numbers = [0, partition, partition * 30, 30]
        arguments = [*command, sink.query, "run", *map(str, numbers)]
        # The run is open: a child that dies while it opens it is the next test.
        if not partition:
            sink.write(sink.place("run", 0, 99), 1000, 5)
        environment = {**os.environ, "PENSTOCK_CRASH_AT": step}
        children.append(subprocess.Popen(arguments, env=environment, stdout=subprocess.DEVNULL))
    ends = [child.wait(WAIT_SECONDS) for child in children]
    assert ends == [-signal.SIGKILL] * len(STEPS)
    # What may have left a transaction open in the journal first: others wait for its end.
    for partition in (4, 5, 3, 2, 1, 0):
        report = sink.write(sink.place("run", 0, partition), partition * 30)
        assert report.contents.count == 30
    expected = [*range(30 * len(STEPS)), *range(1000, 1005)]
    assert sink.written() == expected
    # Once more, in one process that keeps its clients.
    for partition in range(len(STEPS)):
        place = sink.place("run", 0, partition)
        attempt(sink.servers, place, rows(sink.topic, partition * 30, 30))
    assert sink.written() == expected


def test_batches_follow_each_other_in_one_process_and_fenced_producers_are_replaced(
    sink: Sink, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    for batch in range(4):
        for partition in range(2):
            place = sink.place("run", batch, partition)
            attempt(sink.servers, place, rows(sink.topic, batch * 100 + partition * 30, 30))
        if batch == 1:
            # Another process gets partition 0, and fences the producer that is kept here.
            command = [sys.executable, "-m", "tests.broker.sink_attempt", sink.servers, sink.topic]
            numbers = map(str, (2, 0, 200, 30))
            arguments = [*command, sink.query, "run", *numbers]
            subprocess.run(arguments, check=True, timeout=WAIT_SECONDS, stdout=subprocess.DEVNULL)
    expected = [batch * 100 + number for batch in range(4) for number in range(60)]
    assert sink.written() == expected
    # Spark moves partitions between processes at any batch: that is no news.
    assert "fenced" not in capfd.readouterr().err
    assert caplog.messages == []


def test_a_copy_that_overtakes_an_attempt_writes_instead_of_it(
    sink: Sink, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As speculation does: both run at once, in processes of their own."""
    monkeypatch.setattr(partition_writer, "_LOOK_AGAIN_SECONDS", 0.1)
    place = sink.place("run", 0, 0)
    begun, overtaken = threading.Event(), threading.Event()

    def slow() -> Iterator[list[Output]]:
        first, *others = rows(sink.topic, 0, 30)
        yield first
        begun.set()
        assert overtaken.wait(WAIT_SECONDS), "the copy did not end"
        yield from others

    with ThreadPoolExecutor(1) as threads:
        original = threads.submit(attempt, sink.servers, place, slow())
        assert begun.wait(WAIT_SECONDS), "the attempt did not begin"
        command = [sys.executable, "-m", "tests.broker.sink_attempt", sink.servers, sink.topic]
        arguments = [*command, sink.query, "run", "0", "0", "0", "30"]
        subprocess.run(arguments, check=True, timeout=WAIT_SECONDS, stdout=subprocess.DEVNULL)
        overtaken.set()
        assert original.result(WAIT_SECONDS).contents.count == 30
    assert sink.written() == list(range(30))


def test_tasks_of_an_earlier_run_can_write_no_more(sink: Sink) -> None:
    """A larger cut of a driver that is thought to be dead: its last partition is in the middle."""
    sink.write(sink.place("old", 0, 0), 900, 5)
    begun, superseded = threading.Event(), threading.Event()

    def slow() -> Iterator[list[Output]]:
        first, *others = rows(sink.topic, 0, 30)
        yield first
        begun.set()
        assert superseded.wait(WAIT_SECONDS), "the new run did not write"
        yield from others

    with ThreadPoolExecutor(1) as threads:
        zombie = threads.submit(attempt, sink.servers, sink.place("old", 1, 7), slow())
        assert begun.wait(WAIT_SECONDS), "the attempt did not begin"
        command = [sys.executable, "-m", "tests.broker.sink_attempt", sink.servers, sink.topic]
        arguments = [*command, sink.query, "new", "1", "0", "100", "30"]
        subprocess.run(arguments, check=True, timeout=WAIT_SECONDS, stdout=subprocess.DEVNULL)
        superseded.set()
        with pytest.raises(Superseded, match="two drivers use one checkpoint"):
            zombie.result(WAIT_SECONDS)
    # Nor can one that begins only now.
    with pytest.raises(Superseded):
        sink.write(sink.place("old", 1, 8), 0)
    assert sink.written() == [*range(100, 130), *range(900, 905)]


def test_many_tasks_open_a_run_at_once(sink: Sink) -> None:
    """It takes a while, as there are many ids of earlier runs: they must not begin it anew."""
    sink.note(*(claim_record(str(number), "earlier", "old") for number in range(EARLIER_IDS)))
    command = [sys.executable, "-m", "tests.broker.sink_attempt", sink.servers, sink.topic]
    children = [
        subprocess.Popen(
            [*command, sink.query, "run", "0", str(partition), str(partition * 30), "30"],
            stdout=subprocess.DEVNULL,
        )
        for partition in range(TASKS)
    ]
    try:
        assert [child.wait(OPENING_SECONDS) for child in children] == [0] * TASKS
    finally:
        for child in children:
            child.kill()
    assert sink.written() == list(range(30 * TASKS))


def test_a_task_that_died_while_it_opened_the_run_is_replaced(
    sink: Sink, monkeypatch: pytest.MonkeyPatch
) -> None:
    sink.note(run_record(Run("run", is_open=False)), claim_record("opening", "its last", "run"))
    monkeypatch.setattr(opening, "_OPENER_SECONDS", 1.5)
    assert sink.write(sink.place("run", 0, 0), 0).contents.count == 30
    assert sink.written() == list(range(30))


def test_writers_that_died_before_their_commits_do_not_stall_the_next_run(sink: Sink) -> None:
    """The broker would end their transactions after five minutes."""
    sink.write(sink.place("old", 0, 0), 0)
    last_records = {
        "7": written_record(7, Written("old", 1, Contents(1, 1))),
        "8": claim_record("8", "its last", "old"),
        "opening": run_record(Run("old", is_open=False)),
    }
    killed = [sink.producer(id_) for id_ in last_records]
    for producer, record in zip(killed, last_records.values(), strict=True):
        producer.send([sink.journal.record(*record)])
        assert producer.flush(), f"the record of {producer.id} did not get to the broker"
    command = [sys.executable, "-m", "tests.broker.sink_attempt", sink.servers, sink.topic]
    arguments = [*command, sink.query, "new", "1", "1", "30", "30"]
    subprocess.run(arguments, check=True, timeout=WAIT_SECONDS, stdout=subprocess.DEVNULL)
    assert sink.written() == list(range(60))
    for producer in killed:
        with pytest.raises(TaskMigrated):
            producer.finish()


def test_a_half_written_batch_is_finished_only_after_it_was_compared(sink: Sink) -> None:
    sink.write(sink.place("old", 0, 0), 0)
    reports = [sink.write(sink.place("new", 0, at), at * 30) for at in range(3)]
    assert [report.is_withheld for report in reports] == [False, True, True]
    assert sink.written() == list(range(30))
    config = sink_settings({"bootstrap.servers": sink.servers}, sink.query)
    with pytest.raises(StreamsError, match="compared and are as they were: start the query again"):
        agree_on_cut(config, JournalPlace.of_query(sink.query), reports)
    # It dies again, and has other rows in one partition when it is run the third time.
    with pytest.raises(OtherCut, match="30 other records in Spark's partition 1"):
        sink.write(sink.place("third", 0, 1), 33)
    reports = [sink.write(sink.place("third", 0, at), at * 30) for at in range(3)]
    assert not any(report.is_withheld for report in reports)
    assert sink.written() == list(range(90))


def test_another_cut_is_refused_and_the_way_out_works(sink: Sink) -> None:
    sink.write(sink.place("old", 0, 0, partitions=3), 0)
    with pytest.raises(OtherCut, match="it had 3 partitions of the topic"):
        sink.write(sink.place("new", 0, 1, partitions=4), 30)
    with pytest.raises(OtherCut, match="30 other records"):
        sink.write(sink.place("new", 0, 0, partitions=3), 1)
    assert sink.written() == list(range(30))
    sink.write(sink.place("new", 0, 1, partitions=3), 30)
    assert sink.written() == list(range(60))
    again = Place(sink.query, "last", 0, 0, 4, again=True)
    sink.write(again, 0)
    sink.write(again, 0)
    assert sink.written() == sorted([*range(60), *range(30)])


def test_two_queries_and_batch_jobs_do_not_know_each_other(sink: Sink) -> None:
    other = new_id()
    sink.write(sink.place("run", 0, 0), 0)
    sink_transactions.close_clients()
    attempt(sink.servers, Place(other, "run", 0, 0), rows(sink.topic, 0, 30))
    assert sink.written() == sorted([*range(30), *range(30)])
    jobs = [f"batch-{new_id()}" for _ in range(2)]
    for number, job in enumerate(jobs):
        config = sink_settings({"bootstrap.servers": sink.servers}, job)
        journal = begin_batch_journal(config, job)
        for _ in range(2):  # the second is another attempt of its Spark task
            chunks = rows(sink.topic, 100 + number * 30, 30)
            write_partition(config, journal, Place(job, job, 0, 0), chunks)
    assert sink.written() == sorted([*range(30), *range(30), *range(100, 160)])
    admin = open_admin(sink_settings({"bootstrap.servers": sink.servers}, other))
    names = [JournalPlace.of_query(other).topic, "penstock-sink-batch-journal"]
    policies = settings_of_topics(admin, names)
    assert [policies[name]["cleanup.policy"] for name in names] == ["compact", "delete"]


def test_what_the_broker_refuses_is_explained(sink: Sink) -> None:
    sink.topic = "sink-that-is-not-there-" + "x" * 250
    with pytest.raises(StreamsError, match="could not be written"):
        sink.write(sink.place("run", 0, 0), 0)
    config = sink_settings(
        {"bootstrap.servers": sink.servers, "replication.factor": 3}, "q" + new_id()
    )
    with pytest.raises(StreamsError, match=r"set 'replication\.factor'"):
        write_partition(
            config,
            JournalPlace.of_query(config.application_id),
            Place(config.application_id, "run", 0, 0),
            rows(sink.topic, 0, 1),
        )
