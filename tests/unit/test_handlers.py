"""Exception handlers and the dead letters they write."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from penstock import Headers
from penstock.handlers import (
    DeadLetterRecord,
    DefaultProductionExceptionHandler,
    ErrorHandlerContext,
    LogAndContinueExceptionHandler,
    LogAndContinueProcessingExceptionHandler,
    LogAndFailExceptionHandler,
    LogAndFailProcessingExceptionHandler,
    Response,
    Result,
    dead_letter,
)

CONTEXT = ErrorHandlerContext(
    topic="in",
    partition=2,
    offset=7,
    headers=Headers([("trace", b"1")]),
    processor_node_id="map",
    task_id="0_2",
    timestamp=5,
    source_raw_key=b"k",
    source_raw_value=None,
)
ANY_RECORD: Any = object()

CONTINUE = [LogAndContinueExceptionHandler, LogAndContinueProcessingExceptionHandler]
FAIL = [
    LogAndFailExceptionHandler,
    LogAndFailProcessingExceptionHandler,
    DefaultProductionExceptionHandler,
]


class Retriable(Exception):
    """Something that may pass."""

    retriable = True


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)


@pytest.mark.parametrize("kind", CONTINUE)
def test_continue_handlers_resume_and_log_where(
    kind: type[Any], caplog: pytest.LogCaptureFixture
) -> None:
    assert kind().handle_error(CONTEXT, ANY_RECORD, ValueError("x")) == Response.resume()
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert record.getMessage().endswith("at node=map task=0_2 topic=in partition=2 offset=7")


@pytest.mark.parametrize("kind", FAIL)
def test_fail_handlers_fail(kind: type[Any]) -> None:
    assert kind().handle_error(CONTEXT, ANY_RECORD, ValueError("x")) == Response.fail()


def test_a_production_fault_that_may_pass_is_tried_again() -> None:
    handler = DefaultProductionExceptionHandler()
    assert handler.handle_error(CONTEXT, ANY_RECORD, Retriable()).result is Result.RETRY


def test_a_record_that_cannot_be_serialized_fails_even_if_retriable() -> None:
    response = DefaultProductionExceptionHandler().handle_serialization_error(
        CONTEXT, ANY_RECORD, Retriable(), "value"
    )
    assert response == Response.fail()


@pytest.mark.parametrize("kind", [*CONTINUE, *FAIL])
def test_every_built_in_handler_writes_a_dead_letter_if_there_is_a_topic(kind: type[Any]) -> None:
    handler = kind()
    handler.configure({"errors.dead.letter.queue.topic.name": "dead"})
    (letter,) = handler.handle_error(CONTEXT, ANY_RECORD, ValueError("x")).dead_letters
    assert letter.topic == "dead"


def test_a_dead_letter_holds_the_raw_record_and_what_happened() -> None:
    letter = dead_letter("dead", CONTEXT, ValueError("too big"))
    assert (letter.key, letter.value, letter.timestamp) == (b"k", None, 5)
    headers = dict(letter.headers)
    stack = headers.pop("__streams.errors.stacktrace")
    assert stack is not None
    assert stack.endswith(b"ValueError: too big\n")
    assert headers == {
        "trace": b"1",
        "__streams.errors.exception": b"builtins.ValueError",
        "__streams.errors.message": b"too big",
        "__streams.errors.topic": b"in",
        "__streams.errors.partition": b"2",
        "__streams.errors.offset": b"7",
    }


def test_an_error_without_a_text_has_a_null_message() -> None:
    assert (
        dict(dead_letter("dead", CONTEXT, ValueError()).headers)["__streams.errors.message"] is None
    )


def test_responses_take_any_iterable_of_letters() -> None:
    letter = DeadLetterRecord("dead", None, None, 0)
    assert Response.resume(iter([letter])) == Response(Result.RESUME, (letter,))
    assert Response.fail([letter, letter]).dead_letters == (letter, letter)
    assert Response.retry() == Response(Result.RETRY)


class Wordless(Exception):
    def __str__(self) -> str:
        msg = "no text"
        raise ValueError(msg)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ValueError("bad \ud83d"), b"bad \\ud83d"),
        (Wordless(), b"<no text: its __str__ raised ValueError>"),
    ],
)
def test_a_dead_letter_can_be_written_whatever_the_error_says(
    error: Exception, message: bytes
) -> None:
    headers = dict(dead_letter("dead", CONTEXT, error).headers)
    assert headers["__streams.errors.message"] == message


def test_an_error_that_quotes_a_large_record_does_not_make_a_larger_dead_letter() -> None:
    headers = dict(dead_letter("dead", CONTEXT, ValueError("x" * 600_000 + "end")).headers)
    message, stack = (headers[f"__streams.errors.{name}"] for name in ("message", "stacktrace"))
    assert message is not None
    assert stack is not None
    assert message.endswith(b"590003 characters left out ...\n" + b"x" * 4997 + b"end")
    assert (len(message) < 10_100, len(stack) < 50_100) == (True, True)


def test_a_dead_letter_must_be_bytes() -> None:
    wrong: Any = "text"
    with pytest.raises(TypeError, match="a dead letter's value must be bytes or None; got 'text'"):
        DeadLetterRecord("dead", None, wrong, 0)
