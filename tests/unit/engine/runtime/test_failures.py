"""What happens when a record fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from penstock import Headers, ProcessingError, Record, SerializationError
from penstock._engine.metrics.counters import TaskCounters
from penstock._engine.runtime.failures import Failures, Handlers
from penstock._engine.runtime.output.collector import Collector
from penstock._engine.runtime.position import Position, RawScope
from penstock._engine.topology.nodes.stream_nodes import PassThrough, ProcessorNode, SinkNode
from penstock.errors import StateClosedError, StateCorruptedError, StateError
from penstock.handlers import (
    DeadLetterRecord,
    ErrorHandlerContext,
    LogAndFailExceptionHandler,
    Response,
)
from penstock.record import ProducerRecord

NODE = ProcessorNode("map", PassThrough(), ("source",), "app.py:5")
SINK = SinkNode("sink", "out", ("map",), None, None, None, "app.py:6")
LETTER = DeadLetterRecord("dead", b"k", b"v", 5)
HEADERS = (("h", b"x"),)


class Decides:
    """A processing and production handler that does as it is told and keeps what it was shown."""

    def __init__(self, response: Any) -> None:
        self.response = response
        self.shown: list[tuple[Any, ...]] = []

    def handle_error(self, context: ErrorHandlerContext, record: Any, error: Exception) -> Response:
        self.shown.append((context, record, error))
        return self.response  # type: ignore[no-any-return]

    def handle_serialization_error(
        self, context: ErrorHandlerContext, record: Any, error: Exception, origin: str
    ) -> Response:
        self.shown.append((context, record, error, origin))
        return self.response  # type: ignore[no-any-return]


class Place:
    """A task's failures with one record in hand, and all that they may touch."""

    def __init__(self, response: Any) -> None:
        self.handler = Decides(response)
        self.counters = TaskCounters()
        self.collector = Collector(lambda topic: 1)
        self.scope = RawScope()
        self.position = Position()
        self.position.topic, self.position.partition = "in", 1
        self.position.raw = (7, 5, b"raw key", b"raw value", HEADERS)
        handlers = Handlers(LogAndFailExceptionHandler(), self.handler, self.handler)
        self.failures = Failures(
            "0_1", handlers, self.position, self.collector.send_dead_letters, self.counters
        )

    def fail(self, error: Exception) -> None:
        self.failures.of_node(NODE, self.scope)(error, "k", "v", 6, HEADERS)


def test_the_handler_sees_the_record_where_it_failed_and_its_origin() -> None:
    place, error = Place(Response.resume()), ValueError("boom")
    place.fail(error)
    ((context, record, seen),) = place.handler.shown
    assert (record, seen) == (Record("k", "v", 6, HEADERS), error)
    assert context == ErrorHandlerContext(
        topic="in",
        partition=1,
        offset=7,
        headers=Headers(HEADERS),
        processor_node_id="map",
        task_id="0_1",
        timestamp=6,
        source_raw_key=b"raw key",
        source_raw_value=b"raw value",
    )


def test_resume_drops_the_record_counts_it_and_writes_the_letters() -> None:
    place = Place(Response.resume([LETTER]))
    place.fail(ValueError("boom"))
    assert place.counters.dropped_records == 1
    assert place.collector.drain() == [("dead", None, b"k", b"v", 5, ())]


@pytest.mark.parametrize(
    "response", [Response.fail([LETTER]), Response(Response.retry().result, (LETTER,))]
)
def test_fail_raises_after_writing_the_letters(response: Response) -> None:
    place, cause = Place(response), ValueError("boom")
    with pytest.raises(ProcessingError) as caught:
        place.fail(cause)
    assert caught.value.__cause__ is cause
    assert str(caught.value) == (
        "processor 'map' (defined at app.py:5) failed on the record at topic 'in', partition 1, "
        "offset 7 in task 0_1: ValueError: boom"
    )
    assert place.counters.dropped_records == 0
    assert len(place.collector.drain()) == 1


def test_what_was_decided_below_is_not_asked_again() -> None:
    place = Place(Response.resume())
    error = ProcessingError("below", task_id="0_1", node="below")
    with pytest.raises(ProcessingError) as caught:
        place.fail(error)
    assert caught.value is error
    assert place.handler.shown == []


@pytest.mark.parametrize("kind", [StateCorruptedError, StateError])
def test_no_handler_may_pass_over_a_disk_that_fails(kind: type[StateError]) -> None:
    """A handler that resumes would lose a record for each read of a damaged store."""
    place = Place(Response.resume())
    wrapped = RuntimeError("the user's own")
    wrapped.__cause__ = kind("damaged", Path("state"))
    for error in (kind("damaged", Path("state")), wrapped):
        with pytest.raises(ProcessingError, match="failed on the record"):
            place.fail(error)
        with pytest.raises(ProcessingError, match="failed in a timer at 30"):
            place.failures.of_timer(NODE, 30, error)
    assert (place.handler.shown, place.counters.dropped_records) == ([], 0)


def test_a_store_that_is_used_after_its_end_is_the_program_s_mistake() -> None:
    place = Place(Response.resume())
    place.fail(StateClosedError("closed", Path("state")))
    assert len(place.handler.shown) == 1


def test_raw_bytes_are_gone_once_something_was_sent() -> None:
    place = Place(Response.resume())
    place.scope.sent = True
    place.fail(ValueError("boom"))
    context = place.handler.shown[0][0]
    assert (context.source_raw_key, context.source_raw_value) == (None, None)


def test_a_timer_has_no_record() -> None:
    place = Place(Response.resume())
    place.position.enter_timer(30)
    place.failures.of_timer(NODE, 30, ValueError("boom"))
    ((context, record, _),) = place.handler.shown
    assert record is None
    assert (context.topic, context.partition, context.offset, context.timestamp) == (
        None,
        -1,
        -1,
        30,
    )
    assert place.counters.dropped_records == 1


def test_a_timer_that_fails_says_when() -> None:
    place = Place(Response.fail())
    place.position.enter_timer(30)
    with pytest.raises(
        ProcessingError, match="failed in a timer at 30 in task 0_1: ValueError: boom"
    ):
        place.failures.of_timer(NODE, 30, ValueError("boom"))


@pytest.mark.parametrize("answer", [None, "resume"])
def test_a_handler_must_answer(answer: Any) -> None:
    with pytest.raises(ProcessingError, match="must give a Response; got"):
        Place(answer).fail(ValueError("boom"))


RECORD = ProducerRecord("out", None, 6, "k", 5, Headers(HEADERS))


def test_a_value_that_cannot_be_written_meets_the_production_handler() -> None:
    place, error = Place(Response.resume()), SerializationError("too big")
    place.failures.of_output(SINK, place.scope, RECORD, error, "value")
    ((context, record, seen, origin),) = place.handler.shown
    assert (context.processor_node_id, record, seen, origin) == ("sink", RECORD, error, "value")
    assert place.counters.dropped_records == 1


def test_a_value_of_the_wrong_type_is_a_mistake_and_nobody_is_asked() -> None:
    place = Place(Response.resume())
    with pytest.raises(ProcessingError, match="value serde that does not fit: got int 5") as caught:
        place.failures.of_output(SINK, place.scope, RECORD, TypeError("no str"), "value")
    assert place.handler.shown == []
    assert caught.value.node == "sink"


def test_what_a_sink_raises_is_still_shown_to_the_handler_above() -> None:
    place = Place(Response.fail())
    with pytest.raises(ProcessingError) as caught:
        place.failures.of_output(SINK, place.scope, RECORD, SerializationError("big"), "key")
    above = Place(Response.resume())
    above.fail(caught.value)
    assert above.handler.shown[0][2] is caught.value


def test_all_drops_are_counted_and_some_are_told(caplog: pytest.LogCaptureFixture) -> None:
    place = Place(Response.resume())
    drop = place.failures.drop_in(NODE)
    for now_ms in (0, 1, 9_999, 10_000, 10_001):
        place.position.wall_clock_ms = now_ms
        drop("it has no key")
    assert place.counters.dropped_records == 5
    first, second = caplog.messages
    assert first.startswith("node=map dropped the record ")
    assert first.endswith(": it has no key")
    assert second.endswith(": it has no key; 2 others since the last message")


def test_many_failures_of_a_kind_hide_no_other() -> None:
    place = Place(Response.resume())
    for number in range(40):
        place.fail(KeyError(number))
    place.fail(ValueError("once"))
    many, once = place.counters.failures.take()
    assert (many.error, many.count) == ("KeyError: 0", 40)
    assert (once.error, once.count) == ("ValueError: once", 1)


class Wordless(Exception):
    def __str__(self) -> str:
        msg = "no text"
        raise ValueError(msg)


def test_a_record_is_skipped_though_its_error_has_no_text() -> None:
    place = Place(Response.resume())
    place.fail(Wordless())
    (kept,) = place.counters.failures.take()
    assert kept.error == "Wordless: <no text: its __str__ raised ValueError>"


def test_a_failure_whose_error_has_no_text_still_says_where() -> None:
    with pytest.raises(ProcessingError, match="offset 7 in task 0_1: Wordless: <no text"):
        Place(Response.fail()).fail(Wordless())
