"""A record leaves: topic, bytes, partitions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from math import inf, nan
from typing import Any
from unittest.mock import patch

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import ProcessingError, StreamsError, Windowed, serdes
from penstock._engine.fast.choice import compiled
from penstock._engine.metrics.counters import TaskCounters
from penstock._engine.operators.site import Process
from penstock._engine.runtime.failures import Failures, Handlers
from penstock._engine.runtime.output.collector import Acceptance, Collector
from penstock._engine.runtime.output.murmur2 import partition_of
from penstock._engine.runtime.output.sink import SinkBuilder, SinkSite
from penstock._engine.runtime.position import Position, RawScope
from penstock._engine.runtime.records import Output
from penstock._engine.topology.nodes.stream_nodes import SinkNode
from penstock._engine.topology.nodes.window_nodes import partition_by_key_alone
from penstock.errors import ProductionError
from penstock.handlers import (
    DeadLetterRecord,
    DefaultProductionExceptionHandler,
    ErrorHandlerContext,
    LogAndFailExceptionHandler,
    LogAndFailProcessingExceptionHandler,
    Response,
)
from penstock.record import ProducerRecord
from penstock.serdes import HeaderPairs, Serde
from penstock.serdes.plain import StringSerde
from penstock.serdes.wrapping import completed

TEXT = serdes.string()


class TopicSerde(Serde[str]):
    """A serde that wants to know topic and headers, and has bytes for None."""

    def serialize(self, topic: str, value: str | None, headers: HeaderPairs = ()) -> bytes:
        return f"{topic} {value} {dict(headers)}".encode()


class Pair(msgspec.Struct):
    """A document."""

    left: Any
    right: int = 0


@pytest.fixture(params=["in Python"] if compiled is None else ["in Python", "in C"], autouse=True)
def form(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "in C":
        yield request.param
    else:
        with patch("penstock._engine.runtime.output.sink.compiled", None):
            yield request.param


class Mouth:
    """A sink and what came out of it."""

    def __init__(
        self,
        topic: str | Callable[..., Any] = "out",
        partitioner: Callable[..., Any] | None = None,
        value_serde: Serde[Any] | None = None,
        key_serde: Serde[Any] | None = None,
        production: Any = None,
        *,
        acceptance: Acceptance | None = None,
    ) -> None:
        self.collector = Collector(lambda topic: 4, acceptance)
        self.counters = TaskCounters()
        self.scope = RawScope()
        position = Position()
        handlers = Handlers(
            LogAndFailExceptionHandler(),
            LogAndFailProcessingExceptionHandler(),
            production or DefaultProductionExceptionHandler(),
        )
        failures = Failures(
            "0_0", handlers, position, self.collector.send_dead_letters, self.counters
        )
        node = SinkNode("sink", topic, (), None, None, partitioner, None)
        keys = completed(key_serde or TEXT, lambda: TEXT, lambda: TEXT)
        site = SinkSite(node, keys, value_serde or TEXT, self.scope)
        builder = SinkBuilder(self.collector, failures, position, self.counters)
        self.send: Process = builder.build(site)

    def outputs(self) -> list[Output]:
        return self.collector.drain()


def test_key_and_value_become_bytes_for_a_partition_of_kafka_s_choice() -> None:
    mouth = Mouth()
    mouth.send("k", "v", 5, (("h", b"x"),))
    assert mouth.outputs() == [("out", None, b"k", b"v", 5, (("h", b"x"),))]


def test_none_becomes_no_bytes() -> None:
    mouth = Mouth()
    mouth.send(None, None, 5, ())
    assert mouth.outputs() == [("out", None, None, None, 5, ())]


def test_a_serde_may_look_at_topic_and_headers() -> None:
    mouth = Mouth(value_serde=TopicSerde())
    mouth.send("k", None, 5, (("h", b"x"),))
    assert mouth.outputs()[0][3] == b"out None {'h': b'x'}"


@pytest.mark.parametrize(
    ("chosen", "partitions"),
    [
        (2, [2]),
        (None, [None]),
        ([3, 1, 3], [1, 3]),
        ({0}, [0]),
        (lambda: iter([1]), [1]),
        (range(2), [0, 1]),
    ],
)
def test_a_partitioner_chooses(chosen: Any, partitions: list[int | None]) -> None:
    answer = chosen if callable(chosen) else lambda: chosen
    mouth = Mouth(partitioner=lambda topic, key, value, count: answer())
    mouth.send("k", "v", 5, ())
    assert [output[1] for output in mouth.outputs()] == partitions


def test_no_partition_at_all_drops_the_record_and_counts_it() -> None:
    mouth = Mouth(partitioner=lambda topic, key, value, count: [])
    mouth.send("k", "v", 5, ())
    assert mouth.outputs() == []
    assert mouth.counters.dropped_records == 1


def test_the_partitioner_is_asked_with_the_values_before_they_are_bytes() -> None:
    asked: list[Any] = []
    mouth = Mouth(partitioner=lambda *question: asked.append(question))
    mouth.send("k", "v", 5, ())
    assert asked == [("out", "k", "v", 4)]


@pytest.mark.parametrize("wrong", ["0", -1, 1.0, [0, -1], [None]])
def test_anything_else_is_refused(wrong: Any) -> None:
    with pytest.raises(StreamsError, match="must give a partition, several or None; got"):
        Mouth(partitioner=lambda topic, key, value, count: wrong).send("k", "v", 5, ())


def test_a_function_chooses_the_topic_and_the_partitioner_hears_of_it() -> None:
    asked: list[str] = []
    mouth = Mouth(
        topic=lambda key, value, context: f"to-{value}",
        partitioner=lambda topic, key, value, count: asked.append(topic) or 1,  # type: ignore[func-returns-value]
    )
    for value in "aba":
        mouth.send("k", value, 5, ())
    assert [output[0] for output in mouth.outputs()] == asked == ["to-a", "to-b", "to-a"]


@pytest.mark.parametrize("wrong", [None, 5, ["out"]])
def test_a_topic_must_be_a_name(wrong: Any) -> None:
    message = "^sink 'sink' .*: a topic extractor must give a name; got"
    with pytest.raises(StreamsError, match=message):
        Mouth(topic=lambda key, value, context: wrong).send("k", "v", 5, ())


def test_raw_bytes_are_let_go_once_the_record_is_out() -> None:
    mouth = Mouth()
    assert not mouth.scope.sent
    mouth.send("k", "v", 5, ())
    assert mouth.scope.sent


def test_all_windows_of_a_key_go_to_the_partition_of_the_key() -> None:
    mouth = Mouth(partitioner=partition_by_key_alone, key_serde=serdes.time_windowed(TEXT, 10))
    for start in (0, 10, 20):
        mouth.send(Windowed("21", start, start + 10), "v", 0, ())
    mouth.send(Windowed("foobar", 0, 10), "v", 0, ())
    assert [partition for _, partition, *_ in mouth.outputs()] == [
        *[partition_of(b"21", 4)] * 3,
        partition_of(b"foobar", 4),
    ]


class Noting:
    """A handler that goes on and remembers why."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def handle_error(
        self, _context: ErrorHandlerContext, record: Any, error: Exception
    ) -> Response:
        self.seen.append((record, str(error)))
        return Response.resume()

    def handle_serialization_error(
        self, _context: ErrorHandlerContext, record: Any, error: Exception, origin: str
    ) -> Response:
        self.seen.append((record, str(error), origin))
        return Response.resume()


class Loud(StringSerde):
    """A serde of the user, derived from one of ours."""

    encode = staticmethod(lambda value: value.upper().encode())  # type: ignore[assignment]


SERDES = st.sampled_from(
    [TEXT, serdes.bytes(), serdes.long(), serdes.json(), serdes.json(Pair), serdes.json(set[int])]
)
THINGS = st.sampled_from(
    [
        None,
        "text",
        "\ud800",
        b"bytes",
        7,
        2**70,
        1.5,
        nan,
        [None, inf],
        Pair(1),
        Pair({1, 2}),
        Pair(1j),
        {3, 1, 2},
    ]
)
RECORDS = st.lists(st.tuples(THINGS, THINGS, st.none() | st.integers(0, 3)), max_size=8)


@pytest.mark.skipif(compiled is None, reason="nothing is compiled")
@given(SERDES, SERDES, RECORDS)
def test_c_changes_neither_outputs_nor_what_handlers_hear(
    key_serde: Serde[Any], value_serde: Serde[Any], records: list[tuple[Any, Any, int | None]]
) -> None:
    def events() -> list[Any]:
        handler = Noting()
        mouth = Mouth(key_serde=key_serde, value_serde=value_serde, production=handler)
        seen: list[Any] = []
        for key, value, partition in records:
            mouth.scope.sent = False
            place = () if partition is None else (partition,)
            try:
                mouth.send(key, value, 5, (("h", b"x"),), *place)
            except StreamsError as error:
                seen.append((str(error), type(error.__cause__), str(error.__cause__)))
            seen += [mouth.outputs(), mouth.scope.sent, handler.seen[:]]
        return [*seen, mouth.counters.by_name()]

    with patch("penstock._engine.runtime.output.sink.compiled", None):
        expected = events()
    assert events() == expected


def test_a_serde_of_the_user_is_asked() -> None:
    mouth = Mouth(value_serde=Loud())
    mouth.send("k", "v", 5, ())
    assert mouth.outputs() == [("out", None, b"k", b"V", 5, ())]


def test_nothing_of_a_record_stays() -> None:
    """A reference too many, and a worker would grow with each record."""
    mouth = Mouth(value_serde=serdes.json(Pair))
    records = [(f"key {number}", Pair(number), 10**6 + number) for number in range(100)]
    before = [[*map(sys.getrefcount, record)] for record in records]
    for record in records:
        mouth.send(*record, ())
    with pytest.raises(StreamsError, match="serde that does not fit"):
        mouth.send("key", before, 5, ())
    mouth.outputs()
    assert [[*map(sys.getrefcount, record)] for record in records] == before


def test_what_is_no_error_goes_through() -> None:
    class Rude(msgspec.Struct):
        """A document that cannot be asked for its class."""

        @property  # type: ignore[misc]
        def __class__(self) -> type:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Mouth(value_serde=serdes.json(Pair)).send("k", Rude(), 5, ())


class Small:
    """Takes six bytes of key and value; some topics it looks at more closely, some are missing."""

    suspicious_bytes = 6

    def __init__(self) -> None:
        self.asked: list[Output] = []
        self.watched: set[str] = set()
        self.absent: set[str] = set()

    def watches(self, topic: str) -> bool:
        return topic in self.watched

    def missing(self, topic: str) -> ProductionError | None:
        return _refusal(topic) if topic in self.absent else None

    def refusal_of(self, output: Output) -> ProductionError | None:
        self.asked.append(output)
        return _refusal(output[0]) if len(output[3] or b"") > 6 else None


def _refusal(topic: str) -> ProductionError:
    return ProductionError("too large", topic=topic, code="MSG_SIZE_TOO_LARGE")


class Resuming:
    """Goes on, with a dead letter."""

    def __init__(self, letter: bytes = b"lost") -> None:
        self.letter = letter
        self.asked: list[ProducerRecord] = []

    def handle_error(
        self, context: ErrorHandlerContext, record: ProducerRecord, exception: Exception
    ) -> Response:
        assert isinstance(exception, ProductionError)
        assert (context.processor_node_id, context.task_id) == ("sink", "0_0")
        self.asked.append(record)
        return Response.resume([DeadLetterRecord("letters", None, self.letter, 7)])


def test_only_large_records_are_looked_at_closely() -> None:
    small = Small()
    mouth = Mouth(acceptance=small)
    mouth.send("k", "v", 5, ())
    assert small.asked == []
    mouth.send("k", "valued", 5, ())
    assert [output[3] for output in small.asked] == [b"valued"]
    assert [output[3] for output in mouth.outputs()] == [b"v", b"valued"]


def test_a_record_that_kafka_refuses_is_given_to_the_handler() -> None:
    handler = Resuming()
    mouth = Mouth(acceptance=Small(), production=handler)
    mouth.send("k", "too long", 5, (("h", b"x"),))
    mouth.send("k", "v", 6, ())
    assert [(record.key, record.value, record.timestamp) for record in handler.asked] == [
        (b"k", b"too long", 5)
    ]
    assert mouth.outputs() == [
        ("letters", None, None, b"lost", 7, ()),
        ("out", None, b"k", b"v", 6, ()),
    ]
    assert mouth.counters.dropped_records == 1


def test_a_record_that_kafka_refuses_ends_the_task_by_default() -> None:
    with pytest.raises(ProcessingError, match=r"^sink 'sink' cannot write a record .*: too large"):
        Mouth(acceptance=Small()).send("k", "too long", 5, ())


def test_a_dead_letter_that_kafka_refuses_ends_the_task() -> None:
    mouth = Mouth(acceptance=Small(), production=Resuming(b"too long as well"))
    with pytest.raises(ProcessingError, match=r"dead letter for topic 'letters' that cannot"):
        mouth.send("k", "too long", 5, ())


def test_all_records_of_a_watched_topic_are_looked_at() -> None:
    small = Small()
    small.watched.add("out")
    mouth = Mouth(acceptance=small)
    mouth.send(None, None, 5, ())
    assert len(small.asked) == 1


def test_a_topic_that_is_missing_is_written_to_once_it_is_there() -> None:
    small, handler = Small(), Resuming()
    small.absent.add("out")
    mouth = Mouth(lambda key, value, context: "out", acceptance=small, production=handler)
    mouth.send("k", "1", 5, ())
    small.absent.clear()
    mouth.send("k", "2", 5, ())
    assert [record.value for record in handler.asked] == [b"1"]
    assert [output[3] for output in mouth.outputs()] == [b"lost", b"2"]
