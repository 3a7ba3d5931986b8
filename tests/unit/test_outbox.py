"""Writing once, in the test driver: whatever comes again is known. The relay: tests/broker."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from penstock import (
    Consumed,
    FixedKeyProcessor,
    FixedKeyRecord,
    KStream,
    Produced,
    PunctuationType,
    StreamsBuilder,
    Topology,
    serdes,
)
from penstock.database import Database, Transaction
from penstock.errors import StreamsError, TopologyError
from penstock.outbox import Outbox, forget_writes, write_once
from penstock.testing import TopologyTestDriver

TEXT = serdes.string()
CONFIG = {"application.id": "shop"}
NOTES = "CREATE TABLE IF NOT EXISTS notes (text TEXT)"

Record = FixedKeyRecord[str, str]
Stream = KStream[str, str]


def note(transaction: Transaction, record: Record) -> None:
    transaction.execute("INSERT INTO notes VALUES (?)", (record.value,))


def noting(
    database: Database,
    write: Callable[[Transaction, Record], object] = note,
    before: Callable[[Stream], Stream] = lambda stream: stream,
    name: str = "notes",
) -> Topology:
    database.create_tables(NOTES)
    builder = StreamsBuilder()
    lines = before(builder.stream("lines", Consumed(TEXT, TEXT)))
    noted = lines.process_values(write_once(database, write, name=name))
    noted.to("noted", Produced(TEXT, TEXT))
    return builder.build()


def run(topology: Topology, *values: str, config: dict[str, Any] = CONFIG) -> list[str | None]:
    """Pipe values, with offsets from 0 on; give what was passed on."""
    with TopologyTestDriver(topology, config) as driver:
        lines = driver.create_input_topic("lines", TEXT, TEXT)
        for value in values:
            lines.pipe_input("key", value)
        noted = driver.create_output_topic("noted", TEXT, TEXT)
        return [value for _, value in noted.read_key_values()]


def notes(database: Database) -> list[str]:
    return sorted(text for (text,) in database.read("SELECT text FROM notes"))


def test_each_record_is_written_once_and_passed_on_each_time(database: Database) -> None:
    topology = noting(database)
    assert run(topology, "a", "b") == ["a", "b"]
    # A new task reads from the beginning, as after a crash before the first commit.
    assert run(topology, "a", "b", "c") == ["a", "b", "c"]
    assert notes(database) == ["a", "b", "c"]


def test_a_record_that_became_several_is_written_as_often(database: Database) -> None:
    topology = noting(database, before=lambda lines: lines.flat_map_values(str.split))
    for _ in range(2):
        assert run(topology, "a a", "b a") == ["a", "a", "b", "a"]
    assert notes(database) == ["a", "a", "a", "b"]


def test_applications_and_names_do_not_know_of_each_other(database: Database) -> None:
    run(noting(database), "a")
    run(noting(database, name="others"), "a")
    run(noting(database), "a", config={"application.id": "another"})
    assert notes(database) == ["a", "a", "a"]


def test_two_of_the_same_name_below_a_topic_are_refused(tmp_path: Path) -> None:
    """The second would find the marks of the first, and write nothing."""
    first, second = Database(f"sqlite:{tmp_path}/a.db"), Database(f"sqlite:{tmp_path}/b.db")
    builder = StreamsBuilder()
    lines = builder.stream("lines", Consumed(TEXT, TEXT))
    lines.process_values(write_once(first, note, name="notes"), named="here")
    lines.process_values(write_once(first, note, name="others"))
    lines.process_values(write_once(second, note, name="notes"))
    builder.build()
    supplier = write_once(first, note, name="notes")
    lines.process_values(lambda: supplier())  # noqa: PLW0108 - hidden in a function
    with pytest.raises(TopologyError, match=r"write_once\(name='notes'\) must have .* 'here'"):
        builder.build()
    topology = Topology().add_source("in", "lines")
    topology.add_processor("here", write_once(first, note, name="notes"), "in")
    with pytest.raises(TopologyError, match="choose another name"):
        topology.add_processor("there", write_once(first, note, name="notes"), "here")


def test_two_of_the_same_name_below_different_topics_know_their_records(database: Database) -> None:
    database.create_tables(NOTES)
    builder = StreamsBuilder()
    for topic in ("lines", "more"):
        lines = builder.stream(topic, Consumed(TEXT, TEXT))
        lines.process_values(write_once(database, note, name="notes"))
    with TopologyTestDriver(builder.build(), CONFIG) as driver:
        for topic in ("lines", "more"):
            driver.create_input_topic(topic, TEXT, TEXT).pipe_input("key", topic)
    assert notes(database) == ["lines", "more"]
    both = builder.stream("lines", Consumed(TEXT, TEXT)).merge(
        builder.stream("others", Consumed(TEXT, TEXT))
    )
    both.process_values(write_once(database, note, name="notes"))
    with pytest.raises(TopologyError, match="records of the same topic"):
        builder.build()


def test_a_write_that_fails_leaves_no_trace_and_can_be_tried_again(database: Database) -> None:
    def fail(transaction: Transaction, record: Record) -> None:
        note(transaction, record)
        raise ValueError("disk full")

    with pytest.raises(StreamsError, match="failed on the record"):
        run(noting(database, fail), "a")
    assert notes(database) == []
    run(noting(database), "a")
    assert notes(database) == ["a"]


@pytest.mark.slow
def test_a_lost_connection_is_made_again_and_the_write_repeated(postgresql: str) -> None:
    database = Database(postgresql)
    lost: list[str] = []

    def lose(transaction: Transaction, record: Record) -> None:
        note(transaction, record)
        if not lost:
            lost.append(record.value)
            ((process,),) = transaction.execute("SELECT pg_backend_pid()")
            database.read("SELECT pg_terminate_backend(?)", (process,))

    assert run(noting(database, lose, name="lost"), "a", "b") == ["a", "b"]
    assert notes(database) == ["a", "b"]


def test_what_is_forgotten_is_written_again(database: Database) -> None:
    topology = noting(database)
    run(topology, "a", "b", "c")
    forget_writes(database, "shop", "lines", 0, before=2)
    run(topology, "a", "b", "c")
    assert notes(database) == ["a", "a", "b", "b", "c"]


class _Ticking(FixedKeyProcessor[str, str, str]):
    def init(self, context: Any) -> None:
        super().init(context)
        context.schedule(1000, PunctuationType.WALL_CLOCK_TIME, self._tick)

    def _tick(self, now: int) -> None:
        self.context.forward(FixedKeyRecord("key", "tick", now))


def test_what_a_timer_made_is_refused_as_it_cannot_be_known(database: Database) -> None:
    topology = noting(database, before=lambda lines: lines.process_values(_Ticking))
    with TopologyTestDriver(topology, CONFIG) as driver:
        with pytest.raises(StreamsError) as failed:
            driver.advance_wall_clock_time(1000)
        assert "got one that a timer has made" in str(failed.value.__cause__)


def test_it_travels_without_its_connection(database: Database) -> None:
    supplier = pickle.loads(pickle.dumps(write_once(database, note, name="notes")))
    assert supplier() is not supplier()


def test_a_message_is_added_with_its_transaction_or_not_at_all(database: Database) -> None:
    outbox = Outbox("shop_outbox")
    outbox.create(database)
    outbox.create(database)  # again does no harm
    connection = database.connect()
    with connection.transaction() as transaction:
        outbox.add(transaction, "shipments", b"1", b"nails")
        outbox.add(transaction, "shipments", None, None)
    with suppress(ZeroDivisionError), connection.transaction() as transaction:
        outbox.add(transaction, "shipments", b"2", b"hammer")
        _ = 1 / 0
    with connection.transaction() as transaction:
        assert outbox.waiting(transaction) == 2
    connection.close()


def test_a_message_that_is_set_aside_waits_no_more_and_is_kept(database: Database) -> None:
    outbox = Outbox("aside_outbox")
    outbox.create(database)
    connection = database.connect()
    with connection.transaction() as transaction:
        for number in (1, 2, 3):
            outbox.add(transaction, "shipments", b"key", b"%d" % number)
    for number in (2, 1):  # the second time the table is there
        with connection.transaction() as transaction:
            outbox.set_aside(transaction, number)
            assert outbox.waiting(transaction) == number
    with pytest.raises(StreamsError, match="no message 2 waits"), connection.transaction() as again:
        outbox.set_aside(again, 2)
    connection.close()
    aside = database.read("SELECT id, message_value FROM aside_outbox_set_aside ORDER BY id")
    assert aside == [(1, b"1"), (2, b"2")]


def test_a_table_s_name_is_a_plain_one() -> None:
    with pytest.raises(StreamsError, match="must have a plain name"):
        Outbox("outbox; DROP TABLE orders")
