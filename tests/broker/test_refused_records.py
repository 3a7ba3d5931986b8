"""Records that Kafka refuses: the production handler decides, nothing else is lost or doubled."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, TypeAlias
from unittest.mock import patch

import pytest
from confluent_kafka import KafkaException, Producer

from penstock import (
    Consumed,
    KStream,
    Materialized,
    Produced,
    Repartitioned,
    StreamsBuilder,
    serdes,
)
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.client.topic_io import TopicReader
from penstock._engine.kafka.tasks.refused_records import wire_bytes
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.worker import open_worker
from penstock.errors import ProcessingError, ProductionError, StreamsError
from penstock.handlers import DeadLetterRecord, ErrorHandlerContext, Response, dead_letter
from penstock.record import ProducerRecord
from penstock.settings import StreamsConfig
from penstock.testing.broker import CreateTopic, LocalBroker

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

TEXT = serdes.string()
KEYS: Any = TEXT
PATIENCE_SECONDS = 90
TEN_MEGABYTES = 10_000_000
FOR_EVER = str(2**62)

Draw: TypeAlias = Callable[[KStream[str, str]], object]


@contextmanager
def in_python() -> Iterator[None]:
    with (
        patch("penstock._engine.kafka.client.bulk._in_c", None),
        patch("penstock._engine.runtime.output.sink.compiled", None),
    ):
        yield


class Continue:
    """A production handler that goes on, with a dead letter if it has a topic for it."""

    def __init__(self, letters: str | None = None) -> None:
        self._letters = letters
        self.asked: list[tuple[ErrorHandlerContext, ProducerRecord, Exception]] = []

    def handle_error(
        self, context: ErrorHandlerContext, record: ProducerRecord, exception: Exception
    ) -> Response:
        self.asked.append((context, record, exception))
        letters = [dead_letter(self._letters, context, exception)] if self._letters else []
        return Response.resume(letters)

    def handle_serialization_error(self, *_: Any) -> Response:
        raise AssertionError

    def about(self, topic: str) -> tuple[set[str], set[bytes | None]]:
        """Return the codes of what it was asked about a topic, and the values of the source."""
        asked = [(context, error) for context, record, error in self.asked if record.topic == topic]
        codes = {error.code for _, error in asked if isinstance(error, ProductionError)}
        return codes, {context.source_raw_value for context, _ in asked}


class Application:
    """A program that reads one topic, in one worker of this process."""

    def __init__(self, broker: LocalBroker, source: str, state_dir: Path) -> None:
        self.broker = broker
        self.source = source
        self._state_dir = state_dir

    def write(self, values: list[str], timestamps: dict[str, int] | None = None) -> None:
        producer = Producer({"bootstrap.servers": self.broker.bootstrap_servers})
        for number, value in enumerate(values):
            time_ms = (timestamps or {}).get(value, 0)
            producer.produce(self.source, value, f"k{number % 3}", timestamp=time_ms)
        producer.flush()

    def run(self, draw: Draw, guarantee: str, handler: object) -> int:
        """Run until all is processed; give how many records were dropped."""
        builder = StreamsBuilder()
        draw(builder.stream(self.source, Consumed(TEXT, TEXT)))
        settings = {
            "application.id": f"refused-{self.source}",
            "bootstrap.servers": self.broker.bootstrap_servers,
            "processing.guarantee": guarantee,
            "commit.interval.ms": 100,
            "state.dir": str(self._state_dir),
            "production.exception.handler": handler,
            # State must not be lost, whatever the time of a record is.
            "topic.message.timestamp.after.max.ms": FOR_EVER,
        }
        blueprint = prepare(builder.build(), StreamsConfig(settings))
        with TaskHost(blueprint) as host:
            worker = open_worker(blueprint, host, lambda outputs: None)
            until = time.monotonic() + PATIENCE_SECONDS
            try:
                while not worker.figures.drained():
                    assert time.monotonic() < until, "it does not come to an end"
                    worker.step()
                dropped = [
                    one["dropped-records-total"] for one in worker.figures.counters().values()
                ]
            except BaseException:
                worker.abandon()
                raise
            worker.close()
        return sum(dropped)

    def read(self, topic: str) -> list[tuple[bytes | None, bytes | None]]:
        reader, rows = TopicReader(self.broker.bootstrap_servers, [topic]), []
        until = time.monotonic() + PATIENCE_SECONDS
        while not reader.caught_up:
            assert time.monotonic() < until
            rows += [(record.key, record.value) for record in reader.read(1.0)]
        reader.close()
        return rows


@pytest.fixture
def application(kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path) -> Application:
    source = kafka_topic("in", config={"message.timestamp.after.max.ms": FOR_EVER})
    return Application(kafka_broker, source, tmp_path)


VALUES = [f"good {number}" if number % 7 else f"bad {number}" for number in range(1, 30)]
GOOD = [(b"k%d" % (at % 3), value.encode()) for at, value in enumerate(VALUES) if "good" in value]
BAD = [(b"k%d" % (at % 3), value.encode()) for at, value in enumerate(VALUES) if "bad" in value]
BAD_VALUES = {value for _, value in BAD}
TOMORROW_MS = int(time.time() + 86_400) * 1000


def test_a_record_of_ten_megabytes_is_given_to_the_handler(
    application: Application, kafka_topic: CreateTopic
) -> None:
    """The client refuses it before it is sent: nothing is doubled, with at-least-once neither."""
    target, other, letters = kafka_topic("out"), kafka_topic("other"), kafka_topic("letters")
    handler = Continue(letters)
    application.write(VALUES)

    def draw(stream: KStream[str, str]) -> None:
        blown_up = stream.map_values(lambda value: "x" * TEN_MEGABYTES if "bad" in value else value)
        blown_up.to(target, Produced(TEXT, TEXT))
        blown_up.repartition(Repartitioned("again", TEXT, TEXT)).to(other, Produced(TEXT, TEXT))

    counted = application.run(draw, "at_least_once", handler)
    assert application.read(target) == application.read(other) == GOOD
    assert application.read(letters) == [row for row in BAD for _ in range(2)]
    assert counted == 2 * len(BAD)
    context, record, error = handler.asked[0]
    assert (context.topic, context.partition, context.offset) == (application.source, 0, 6)
    assert (context.source_raw_key, context.source_raw_value) == BAD[0]
    assert context.processor_node_id.startswith("KSTREAM-SINK")
    assert (record.topic, record.key, len(record.value)) == (target, b"k0", TEN_MEGABYTES)
    assert isinstance(error, ProductionError)
    assert (error.code, error.topic, error.retriable) == ("MSG_SIZE_TOO_LARGE", target, False)


@pytest.mark.parametrize(
    ("guarantee", "form"),
    [
        pytest.param("exactly_once_v2", nullcontext, id="exactly-once in C"),
        pytest.param(
            "exactly_once_v2",
            in_python,
            id="exactly-once in Python",
            marks=pytest.mark.long,
        ),
        pytest.param("at_least_once", nullcontext, id="at-least-once"),
    ],
)
def test_what_the_broker_refuses_is_given_to_the_handler_and_nothing_else_is_lost(
    application: Application,
    kafka_topic: CreateTopic,
    guarantee: str,
    form: Callable[[], AbstractContextManager[None]],
) -> None:
    """Of each batch that the broker refuses, all others are written."""
    for_ever = {"message.timestamp.after.max.ms": FOR_EVER}
    large = kafka_topic("large", config={"max.message.bytes": "2000", **for_ever})
    compacted = kafka_topic("compacted", config={"cleanup.policy": "compact", **for_ever})
    timely = kafka_topic("timely", config={"message.timestamp.after.max.ms": "3600000"})
    counts, letters = kafka_topic("counts", config=for_ever), kafka_topic("l", config=for_ever)
    handler = Continue(letters)
    application.write(VALUES, dict.fromkeys([v for v in VALUES if "bad" in v], TOMORROW_MS))

    def draw(stream: KStream[str, str]) -> None:
        larger = stream.map_values(lambda value: "x" * 5000 if "bad" in value else value)
        larger.to(large, Produced(TEXT, TEXT))
        keyless = stream.select_key(lambda key, value: None if "bad" in value else key)
        keyless.to(compacted, Produced(KEYS, TEXT))
        stream.to(timely, Produced(TEXT, TEXT))
        stream.group_by_key().count().to_stream().to(counts, Produced(TEXT, serdes.long()))

    with form():
        application.run(draw, guarantee, handler)
    assert handler.about(large) == ({"MSG_SIZE_TOO_LARGE"}, BAD_VALUES)
    assert handler.about(compacted) == ({"INVALID_RECORD"}, BAD_VALUES)
    assert handler.about(timely) == ({"INVALID_TIMESTAMP"}, BAD_VALUES)
    if guarantee == "exactly_once_v2":
        assert [application.read(topic) for topic in (large, compacted, timely)] == [GOOD] * 3
        assert sorted(application.read(letters)) == sorted(3 * BAD)
        counted = {(key, int.from_bytes(value or b"")) for key, value in application.read(counts)}
        assert {(b"k0", 10), (b"k1", 10), (b"k2", 9)} <= counted
        assert max(count for _, count in counted) == 10
    else:
        for topic in (large, compacted, timely):
            assert set(application.read(topic)) == set(GOOD)
        assert set(application.read(letters)) == set(BAD)


def test_many_small_records_for_a_topic_that_takes_small_batches_are_written(
    application: Application, kafka_topic: CreateTopic
) -> None:
    """Java splits a batch that is too large; librdkafka does not."""
    target, handler = kafka_topic("out", config={"max.message.bytes": "1000"}), Continue()
    values = [f"{number:0200}" for number in range(100)]
    application.write(values)
    application.run(
        lambda stream: stream.to(target, Produced(TEXT, TEXT)), "exactly_once_v2", handler
    )
    assert handler.asked == []
    assert [value for _, value in application.read(target)] == [v.encode() for v in values]


def test_who_may_not_see_the_settings_of_a_topic_finds_the_refused_records_one_by_one(
    application: Application, kafka_topic: CreateTopic
) -> None:
    target = kafka_topic("out", config={"max.message.bytes": "2000"})
    handler = Continue()
    application.write(VALUES)

    def draw(stream: KStream[str, str]) -> None:
        larger = stream.map_values(lambda value: value * 1000 if "bad" in value else value)
        larger.to(target, Produced(TEXT, TEXT))

    with patch("penstock._engine.kafka.tasks.refused_records.topic_rules", lambda *_: {}):
        application.run(draw, "exactly_once_v2", handler)
    assert application.read(target) == GOOD
    assert handler.about(target) == ({"MSG_SIZE_TOO_LARGE"}, BAD_VALUES)


def test_a_refused_record_that_cannot_be_found_again_ends_the_application(
    application: Application, kafka_topic: CreateTopic
) -> None:
    """A program that writes something else each time it processes the same record."""
    target = kafka_topic("out", config={"max.message.bytes": "2000"})
    made = iter(range(10**9))
    application.write(VALUES)

    def draw(stream: KStream[str, str]) -> None:
        unlike = stream.map_values(lambda value: f"{next(made)} " * 5000)
        unlike.to(target, Produced(TEXT, TEXT))

    with (
        patch("penstock._engine.kafka.tasks.refused_records.topic_rules", lambda *_: {}),
        pytest.raises(StreamsError, match=rf"'{target}'.*not the same"),
    ):
        application.run(draw, "exactly_once_v2", Continue())


def test_the_default_handler_ends_the_application_and_names_the_record(
    application: Application, kafka_topic: CreateTopic
) -> None:
    target = kafka_topic("out", config={"cleanup.policy": "compact"})
    application.write(VALUES)

    def draw(stream: KStream[str, str]) -> None:
        keyless = stream.select_key(lambda key, value: None if "bad" in value else key)
        keyless.to(target, Produced(KEYS, TEXT))

    builtin = "penstock.handlers.DefaultProductionExceptionHandler"
    with pytest.raises(
        ProcessingError,
        match=rf"'{application.source}', partition 0, offset 6.*'{target}'.*without a key"
        r".*'production.exception.handler'",
    ):
        application.run(draw, "exactly_once_v2", builtin)


def test_a_dead_letter_that_is_too_large_itself_ends_the_application(
    application: Application, kafka_topic: CreateTopic
) -> None:
    class Large(Continue):
        def handle_error(
            self, context: ErrorHandlerContext, record: ProducerRecord, exception: Exception
        ) -> Response:
            return Response.resume([DeadLetterRecord("letters", None, record.value, 0)])

    application.write(VALUES)

    def draw(stream: KStream[str, str]) -> None:
        blown_up = stream.map_values(lambda value: "x" * TEN_MEGABYTES if "bad" in value else value)
        blown_up.to(target, Produced(TEXT, TEXT))

    target = kafka_topic("out")
    with pytest.raises(ProcessingError, match=r"dead letter for topic 'letters'.*too large"):
        application.run(draw, "exactly_once_v2", Large())


def test_a_change_of_a_store_that_its_changelog_does_not_take_is_never_passed_over(
    application: Application,
) -> None:
    """State that the changelog does not have would be lost with the worker."""
    application.write(VALUES)
    kept: Materialized[str, str] = Materialized("kept", key=TEXT, value=TEXT)

    def draw(stream: KStream[str, str]) -> None:
        large = stream.map_values(lambda value: "x" * TEN_MEGABYTES)
        large.group_by_key().reduce(lambda old, new: new, kept)

    with pytest.raises(StreamsError, match=r"-kept-changelog' could not be written.*store"):
        application.run(draw, "at_least_once", Continue())


@pytest.mark.parametrize(
    ("key", "headers"),
    [
        (None, []),
        (b"k" * 10, []),
        (None, [("a", b"bc")]),
        (b"k", [("a" * 63, b"b" * 64), ("h", None), ("\u00fc" * 40, b"")]),
    ],
)
def test_the_size_of_a_record_is_counted_as_the_client_counts_it(
    key: bytes | None, headers: Any
) -> None:
    limit = 20_000
    no_broker = {"bootstrap.servers": "127.0.0.1:1", "log_level": 0, "message.max.bytes": limit}
    producer = Producer(no_broker)
    fits = b"x" * (limit - wire_bytes(key, None, headers))
    assert wire_bytes(key, fits, headers) == limit
    producer.produce("t", fits, key, headers=headers)
    with pytest.raises(KafkaException, match="too large"):
        producer.produce("t", fits + b"x", key, headers=headers)
    producer.purge()
