"""Exception handlers: what happens to a record that cannot be read, processed or written.

Each of the three handlers answers with a `Response`: resume (drop the record, count it), fail (stop
the task) or, for writes, retry. All built-in ones also write the record to the topic named by
`errors.dead.letter.queue.topic.name`, if it is set, whether they resume or fail. Java: KIP-1033,
KIP-1034.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal, Protocol

from penstock.errors import text_of
from penstock.record import (
    ConsumerRecord,
    HeaderPairs,
    Headers,
    ProducerRecord,
    Record,
    check_sendable,
)

__all__ = [
    "DeadLetterRecord",
    "DefaultProductionExceptionHandler",
    "DeserializationExceptionHandler",
    "ErrorHandlerContext",
    "LogAndContinueExceptionHandler",
    "LogAndContinueProcessingExceptionHandler",
    "LogAndFailExceptionHandler",
    "LogAndFailProcessingExceptionHandler",
    "ProcessingExceptionHandler",
    "ProductionExceptionHandler",
    "Response",
    "Result",
    "SerializationOrigin",
    "dead_letter",
]

_log = logging.getLogger(__name__)

_DEAD_LETTER_TOPIC = "errors.dead.letter.queue.topic.name"

SerializationOrigin = Literal["key", "value"]
"""Which part of a record its serde cannot write.

>>> from penstock.handlers import Response
>>> class TellPart:
...     def handle_error(self, context, record, exception):
...         return Response.fail()
...     def handle_serialization_error(self, context, record, exception, origin):
...         print(f"the {origin} does not fit")
...         return Response.resume()
>>> SETTINGS["production.exception.handler"] = TellPart()
>>> orders.map_values(lambda amount: amount * 2**29).to("huge", Produced(text, number))
>>> show("huge")
the value does not fit
[('bob', 1073741824), ('ann', 1610612736)]
"""


class Result(Enum):
    """What a handler decided.

    >>> from penstock.handlers import Response, Result
    >>> Response.resume().result is Result.RESUME
    True
    """

    RESUME = "resume"
    FAIL = "fail"
    RETRY = "retry"


@dataclass(frozen=True, slots=True)
class DeadLetterRecord:
    """A record a handler wants written besides its decision.

    >>> from penstock.handlers import DeadLetterRecord
    >>> DeadLetterRecord("dead-orders", b"ann", b"?", timestamp=0).topic
    'dead-orders'
    """

    topic: str
    key: bytes | None
    value: bytes | None
    timestamp: int
    headers: HeaderPairs = ()

    def __post_init__(self) -> None:
        for part, data in (("key", self.key), ("value", self.value)):
            if data is not None and not isinstance(data, bytes):
                msg = f"a dead letter's {part} must be bytes or None; got {data!r}"
                raise TypeError(msg)
        check_sendable(self.timestamp, self.headers)


@dataclass(frozen=True, slots=True)
class Response:
    """A handler's decision, and the records to write with it.

    >>> from penstock.handlers import Response
    >>> class SkipZeros:
    ...     def handle_error(self, context, record, exception):
    ...         zero = isinstance(exception, ZeroDivisionError)
    ...         return Response.resume() if zero else Response.fail()
    >>> SETTINGS["processing.exception.handler"] = SkipZeros()
    >>> show(orders.map_values(lambda amount: 6 // (amount - 2)))
    [('ann', 2), ('ann', 6)]
    """

    result: Result
    dead_letters: tuple[DeadLetterRecord, ...] = ()

    @classmethod
    def resume(cls, dead_letters: Iterable[DeadLetterRecord] = ()) -> Response:
        """Drop the record and go on.

        >>> from penstock.handlers import Response
        >>> Response.resume().result
        <Result.RESUME: 'resume'>
        """
        return cls(Result.RESUME, tuple(dead_letters))

    @classmethod
    def fail(cls, dead_letters: Iterable[DeadLetterRecord] = ()) -> Response:
        """Stop.

        >>> from penstock.handlers import Response
        >>> Response.fail().result
        <Result.FAIL: 'fail'>
        """
        return cls(Result.FAIL, tuple(dead_letters))

    @classmethod
    def retry(cls) -> Response:
        """Try the write again; only for faults that may pass.

        >>> from penstock.handlers import Response
        >>> Response.retry().result
        <Result.RETRY: 'retry'>
        """
        return cls(Result.RETRY)


@dataclass(frozen=True, slots=True)
class ErrorHandlerContext:
    """Where it failed. In a timer topic is None, partition and offset are -1.

    >>> from penstock.handlers import Response
    >>> class Tell:
    ...     def handle_error(self, context, record, exception):
    ...         print(f"offset {context.offset} of {context.topic}: {exception}")
    ...         return Response.resume()
    >>> SETTINGS["processing.exception.handler"] = Tell()
    >>> show(orders.map_values(lambda amount: 6 // (amount - 2)))
    offset 1 of orders: integer division or modulo by zero
    [('ann', 2), ('ann', 6)]
    """

    topic: str | None
    partition: int
    offset: int
    headers: Headers
    processor_node_id: str
    task_id: str
    timestamp: int
    source_raw_key: bytes | None
    source_raw_value: bytes | None


class DeserializationExceptionHandler(Protocol):
    """Called with a record whose bytes its serde cannot read.

    >>> from penstock.handlers import Response
    >>> class Skip:
    ...     def handle_error(self, context, record, exception):
    ...         return Response.resume()
    >>> SETTINGS["deserialization.exception.handler"] = Skip()
    >>> show(builder.stream("cities-again", Consumed(text, number)))
    []
    """

    def handle_error(
        self, context: ErrorHandlerContext, record: ConsumerRecord, exception: Exception
    ) -> Response:
        """Return whether to stop or to go on without the record.

        >>> from penstock.handlers import LogAndContinueExceptionHandler
        >>> SETTINGS["deserialization.exception.handler"] = LogAndContinueExceptionHandler()
        >>> orders.to("copies")
        >>> show("copies")
        [('ann', 5), ('bob', 2), ('ann', 3)]
        """


class ProcessingExceptionHandler(Protocol):
    """Called with the record (None in a timer) on which a node raised.

    >>> from penstock.handlers import Response
    >>> class Skip:
    ...     def handle_error(self, context, record, exception):
    ...         return Response.resume()
    >>> SETTINGS["processing.exception.handler"] = Skip()
    >>> show(orders.map_values(lambda amount: 6 // (amount - 2)))
    [('ann', 2), ('ann', 6)]
    """

    def handle_error(
        self, context: ErrorHandlerContext, record: Record[Any, Any] | None, exception: Exception
    ) -> Response:
        """Return whether to stop or to go on without the record.

        >>> from penstock.handlers import LogAndContinueProcessingExceptionHandler
        >>> SETTINGS["processing.exception.handler"] = LogAndContinueProcessingExceptionHandler()
        >>> show(orders.map_values(lambda amount: 6 // (amount - 2)))
        [('ann', 2), ('ann', 6)]
        """


class ProductionExceptionHandler(Protocol):
    """Called with a record that cannot be sent, or that its serde cannot write.

    >>> from penstock.handlers import Response
    >>> class Skip:
    ...     def handle_error(self, context, record, exception):
    ...         return Response.resume()
    ...     def handle_serialization_error(self, context, record, exception, origin):
    ...         return Response.resume()
    >>> SETTINGS["production.exception.handler"] = Skip()
    >>> huge = orders.map_values(lambda amount: amount * 2**29)  # too large: ann, 5
    >>> huge.to("huge", Produced(text, number))
    >>> show("huge")
    [('bob', 1073741824), ('ann', 1610612736)]
    """

    def handle_error(
        self, context: ErrorHandlerContext, record: ProducerRecord, exception: Exception
    ) -> Response:
        """Return whether to stop, to go on without the record, or to send it again.

        >>> from penstock.handlers import DefaultProductionExceptionHandler
        >>> SETTINGS["production.exception.handler"] = DefaultProductionExceptionHandler()
        >>> orders.to("copies")
        >>> show("copies")
        [('ann', 5), ('bob', 2), ('ann', 3)]
        """

    def handle_serialization_error(
        self,
        context: ErrorHandlerContext,
        record: ProducerRecord,
        exception: Exception,
        origin: SerializationOrigin,
    ) -> Response:
        """Return whether to stop or to go on without the record.

        >>> from penstock.handlers import DefaultProductionExceptionHandler
        >>> SETTINGS["production.exception.handler"] = DefaultProductionExceptionHandler()
        >>> orders.to("copies")
        >>> show("copies")
        [('ann', 5), ('bob', 2), ('ann', 3)]
        """


class _WithDeadLetters:
    """What the built-in handlers share: the dead letter topic from the settings."""

    def __init__(self) -> None:
        self._topic: str | None = None

    def configure(self, configs: Mapping[str, Any]) -> None:
        """Take the settings; called once, before the first record."""
        self._topic = configs.get(_DEAD_LETTER_TOPIC)

    def _dead_letters(
        self, context: ErrorHandlerContext, exception: Exception
    ) -> tuple[DeadLetterRecord, ...]:
        return () if self._topic is None else (dead_letter(self._topic, context, exception),)


class LogAndFailExceptionHandler(_WithDeadLetters):
    """A record that cannot be read stops the task. The default.

    >>> from penstock.handlers import LogAndFailExceptionHandler
    >>> SETTINGS["deserialization.exception.handler"] = LogAndFailExceptionHandler()
    >>> orders.to("copies")
    >>> show("copies")
    [('ann', 5), ('bob', 2), ('ann', 3)]
    """

    def handle_error(
        self, context: ErrorHandlerContext, record: ConsumerRecord, exception: Exception
    ) -> Response:
        """Log the record and stop."""
        _log.error("record cannot be deserialized at %s", _place(context), exc_info=exception)
        return Response.fail(self._dead_letters(context, exception))


class LogAndContinueExceptionHandler(_WithDeadLetters):
    """A record that cannot be read is dropped and counted.

    >>> from penstock.handlers import LogAndContinueExceptionHandler
    >>> SETTINGS["deserialization.exception.handler"] = LogAndContinueExceptionHandler()
    >>> orders.to("copies")
    >>> show("copies")
    [('ann', 5), ('bob', 2), ('ann', 3)]
    """

    def handle_error(
        self, context: ErrorHandlerContext, record: ConsumerRecord, exception: Exception
    ) -> Response:
        """Log the record and go on without it."""
        _log.warning(
            "record cannot be deserialized, skipped, at %s", _place(context), exc_info=exception
        )
        return Response.resume(self._dead_letters(context, exception))


class LogAndFailProcessingExceptionHandler(_WithDeadLetters):
    """A record on which a node raises stops the task. The default.

    >>> from penstock.handlers import LogAndFailProcessingExceptionHandler
    >>> SETTINGS["processing.exception.handler"] = LogAndFailProcessingExceptionHandler()
    >>> try:
    ...     show(orders.map_values(lambda amount: 6 // (amount - 2)))
    ... except ProcessingError as error:
    ...     print(repr(error.__cause__))
    ZeroDivisionError('integer division or modulo by zero')
    """

    def handle_error(
        self, context: ErrorHandlerContext, record: Record[Any, Any] | None, exception: Exception
    ) -> Response:
        """Log the record and stop."""
        _log.error("processing failed at %s", _place(context), exc_info=exception)
        return Response.fail(self._dead_letters(context, exception))


class LogAndContinueProcessingExceptionHandler(_WithDeadLetters):
    """A record on which a node raises is dropped at that node and counted; its siblings still get
    it.

    >>> from penstock.handlers import LogAndContinueProcessingExceptionHandler
    >>> SETTINGS["processing.exception.handler"] = LogAndContinueProcessingExceptionHandler()
    >>> show(orders.map_values(lambda amount: 6 // (amount - 2)))
    [('ann', 2), ('ann', 6)]
    """

    def handle_error(
        self, context: ErrorHandlerContext, record: Record[Any, Any] | None, exception: Exception
    ) -> Response:
        """Log the record and go on without it."""
        _log.warning(
            "processing failed, record skipped, at %s", _place(context), exc_info=exception
        )
        return Response.resume(self._dead_letters(context, exception))


class DefaultProductionExceptionHandler(_WithDeadLetters):
    """A write that cannot be made stops the task; one that may succeed later is tried again.

    >>> from penstock.handlers import DefaultProductionExceptionHandler
    >>> SETTINGS["production.exception.handler"] = DefaultProductionExceptionHandler()
    >>> orders.to("copies")
    >>> show("copies")
    [('ann', 5), ('bob', 2), ('ann', 3)]
    """

    def handle_error(
        self, context: ErrorHandlerContext, record: ProducerRecord, exception: Exception
    ) -> Response:
        """Send the record again if that can succeed, otherwise stop."""
        if getattr(exception, "retriable", False):
            return Response.retry()
        return Response.fail(self._dead_letters(context, exception))

    def handle_serialization_error(
        self,
        context: ErrorHandlerContext,
        record: ProducerRecord,
        exception: Exception,
        origin: SerializationOrigin,
    ) -> Response:
        """Stop: the serde refuses the same record again."""
        return Response.fail(self._dead_letters(context, exception))


_MESSAGE_CHARACTERS_MAX = 10_000
_STACK_CHARACTERS_MAX = 50_000
"""An exception may quote a whole record: a dead letter that held it twice could be too large to be
written.
"""


def dead_letter(topic: str, context: ErrorHandlerContext, exception: Exception) -> DeadLetterRecord:
    """Make Kafka's dead letter of a failed record: its raw bytes, its headers, and six that say
    what happened. Of a message longer than 10,000 characters and of a stack trace longer than
    50,000 the middle is left out.

    >>> from penstock.handlers import ErrorHandlerContext, dead_letter
    >>> at = ErrorHandlerContext("orders", 0, 7, Headers(), "map", "0_0", 60_000, b"ann", b"5")
    >>> dead_letter("dead-orders", at, ValueError("too much")).value
    b'5'
    """
    stack = "".join(traceback.format_exception(exception))
    said = text_of(exception)
    kind = type(exception)
    facts = (
        ("exception", f"{kind.__module__}.{kind.__qualname__}"),
        ("message", _shortened(said, _MESSAGE_CHARACTERS_MAX) or None),
        ("stacktrace", _shortened(stack, _STACK_CHARACTERS_MAX)),
        ("topic", context.topic),
        ("partition", str(context.partition)),
        ("offset", str(context.offset)),
    )
    headers = tuple(
        (
            f"__streams.errors.{name}",
            None if text is None else text.encode(errors="backslashreplace"),
        )
        for name, text in facts
    )
    return DeadLetterRecord(
        topic=topic,
        key=context.source_raw_key,
        value=context.source_raw_value,
        timestamp=context.timestamp,
        headers=(*context.headers, *headers),
    )


def _shortened(text: str, characters_max: int) -> str:
    """Return a text without its middle if it is too long: the end of a stack trace says most."""
    if len(text) <= characters_max:
        return text
    half = characters_max // 2
    return f"{text[:half]}\n... {len(text) - 2 * half} characters left out ...\n{text[-half:]}"


def _place(context: ErrorHandlerContext) -> str:
    return (
        f"node={context.processor_node_id} task={context.task_id} "
        f"topic={context.topic} partition={context.partition} offset={context.offset}"
    )
