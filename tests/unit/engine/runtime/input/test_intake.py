"""Bytes become records, or meet their handler."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import Headers, ProcessingError, serdes
from penstock._engine.metrics.counters import TaskCounters
from penstock._engine.runtime.failures import Failures, Handlers
from penstock._engine.runtime.input.intake import Admit, InputPartition, decoders_of, make_admit
from penstock._engine.runtime.output.collector import Collector
from penstock._engine.runtime.position import Position
from penstock._engine.topology.nodes.stream_nodes import SourceNode
from penstock.handlers import (
    DefaultProductionExceptionHandler,
    ErrorHandlerContext,
    LogAndFailProcessingExceptionHandler,
    Response,
)
from penstock.record import ConsumerRecord
from penstock.serdes import HeaderPairs, Serde
from penstock.timestamps import FailOnInvalidTimestamp, TimestampExtractor

SOURCE = SourceNode("source", ("in",), None, None, None, None, None, "app.py:1")


class Decides:
    """A deserialization handler that does as it is told and keeps what it was shown."""

    def __init__(self, response: Response) -> None:
        self.response = response
        self.shown: list[tuple[ErrorHandlerContext, ConsumerRecord, Exception]] = []

    def handle_error(
        self, context: ErrorHandlerContext, record: ConsumerRecord, exception: Exception
    ) -> Response:
        self.shown.append((context, record, exception))
        return self.response


class TopicSerde(Serde[str]):
    """A serde that wants to know topic and headers, and has bytes for None."""

    def deserialize(self, topic: str, data: bytes | None, headers: HeaderPairs = ()) -> str:
        return f"{topic} {data!r} {dict(headers)}"


def place(
    value_serde: Serde[Any],
    extractor: TimestampExtractor | None = None,
    handler: Decides | None = None,
) -> tuple[Admit, TaskCounters]:
    counters = TaskCounters()
    handlers = Handlers(
        handler or Decides(Response.fail()),
        LogAndFailProcessingExceptionHandler(),
        DefaultProductionExceptionHandler(),
    )
    failures = Failures(
        "0_1", handlers, Position(), Collector(lambda topic: 1).send_dead_letters, counters
    )
    time = extractor or FailOnInvalidTimestamp()
    return (
        make_admit(
            InputPartition(SOURCE, "in", 1, serdes.string(), value_serde, time), failures, counters
        ),
        counters,
    )


def test_key_and_value_are_decoded() -> None:
    admit, _ = place(serdes.long())
    assert admit((7, 5, b"k", b"\0\0\0\0\0\0\0\1", ()), -1) == (5, "k", 1)


def test_no_bytes_are_none() -> None:
    admit, _ = place(serdes.long())
    assert admit((7, 5, None, None, ()), -1) == (5, None, None)


def test_a_serde_may_look_at_topic_and_headers() -> None:
    admit, _ = place(TopicSerde())
    assert admit((7, 5, None, None, (("h", b"x"),)), -1) == (5, None, "in None {'h': b'x'}")


def test_the_extractor_is_shown_the_decoded_record_and_the_partition_s_time() -> None:
    shown: list[Any] = []

    def extract(record: ConsumerRecord, partition_time: int) -> int:
        shown.append((record, partition_time))
        return 99

    admit, _ = place(serdes.string(), extract)
    assert admit((7, 5, b"k", b"v", (("h", b"x"),)), 42) == (99, "k", "v")
    record = ConsumerRecord("in", 1, 7, 5, "k", "v", Headers([("h", b"x")]))
    assert shown == [(record, 42)]


def test_a_negative_time_drops_the_record_and_counts_it() -> None:
    admit, counters = place(serdes.string(), lambda record, time: -1)
    assert admit((7, 5, b"k", b"v", ()), -1) is None
    assert counters.dropped_records == 1


def test_bytes_that_cannot_be_read_are_skipped_if_the_handler_says_so() -> None:
    handler = Decides(Response.resume())
    admit, counters = place(serdes.long(), handler=handler)
    assert admit((7, 5, b"k", b"short", (("h", b"x"),)), -1) is None
    assert counters.dropped_records == 1
    ((context, record, exception),) = handler.shown
    assert (context.topic, context.partition, context.offset) == ("in", 1, 7)
    assert (context.processor_node_id, context.task_id, context.timestamp) == ("source", "0_1", 5)
    assert (context.source_raw_key, context.source_raw_value) == (b"k", b"short")
    assert (record.key, record.value, record.headers) == (b"k", b"short", Headers([("h", b"x")]))
    assert "expected 8 bytes" in str(exception)


def test_bytes_that_cannot_be_read_stop_the_task_otherwise() -> None:
    admit, counters = place(serdes.long())
    with pytest.raises(ProcessingError) as caught:
        admit((7, 5, b"k", b"short", ()), -1)
    error = caught.value
    assert (error.task_id, error.node, error.topic, error.partition, error.offset) == (
        "0_1",
        "source",
        "in",
        1,
        7,
    )
    assert counters.dropped_records == 0


def test_the_extractor_is_not_asked_about_bytes_that_cannot_be_read() -> None:
    asked: list[object] = []
    admit, _ = place(
        serdes.long(),
        lambda record, time: asked.append(record) or 0,  # type: ignore[func-returns-value]
        Decides(Response.resume()),
    )
    admit((7, 5, b"k", b"short", ()), -1)
    assert asked == []


@pytest.mark.parametrize("wrong", [None, "5", 1.5])
def test_an_extractor_must_give_whole_milliseconds(wrong: Any) -> None:
    admit, _ = place(serdes.string(), lambda record, time: wrong)
    with pytest.raises(ProcessingError, match="must give whole milliseconds; got"):
        admit((7, 5, b"k", b"v", ()), -1)


class Shouted(type(serdes.string())):  # type: ignore[misc]
    """A serde that the user has derived from one of ours."""

    @staticmethod
    def decode(data: bytes) -> str:
        return data.decode().upper()


@pytest.mark.parametrize(
    ("serde", "is_plain"),
    [
        (serdes.string(), True),
        (serdes.bytes(), True),
        (serdes.long(), True),
        (serdes.double(), True),
        (serdes.json(), True),
        (serdes.of(str.encode, bytes.decode), False),
        (Shouted(), False),
        (TopicSerde(), False),
    ],
    ids=lambda given: None if isinstance(given, bool) else type(given).__name__,
)
def test_only_serdes_without_code_of_the_user_decode_without_being_asked(
    serde: Serde[Any], is_plain: bool
) -> None:
    text = serdes.string()
    for key, value in ((serde, text), (text, serde)):
        place = InputPartition(SOURCE, "in", 0, key, value, FailOnInvalidTimestamp())
        assert (decoders_of(place) is not None) is is_plain


def test_an_extractor_of_the_user_is_asked_for_each_record() -> None:
    text = serdes.string()
    assert decoders_of(InputPartition(SOURCE, "in", 0, text, text, lambda record, time: 1)) is None
