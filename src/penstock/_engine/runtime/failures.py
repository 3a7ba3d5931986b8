"""Failed records: ask the user's handler, write its dead letters, then resume or raise.

Java: ProcessorNode.process, RecordDeserializer and RecordCollectorImpl, whose order of events this
keeps.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from penstock._engine.metrics.counters import DropReason, TaskCounters
from penstock._engine.metrics.record_failures import (
    TEXT_CHARACTERS_MAX,
    RecordFailure,
    cut,
    preview,
    preview_headers,
)
from penstock._engine.operators.site import Drop, Failed
from penstock._engine.runtime.position import UNKNOWN, Position, RawScope
from penstock._engine.runtime.records import (
    HEADERS,
    KEY,
    OFFSET,
    TIMESTAMP,
    VALUE,
    Output,
    RawRecord,
)
from penstock._engine.topology.nodes.stream_nodes import Node, title_of
from penstock.errors import (
    ProcessingError,
    ProductionError,
    StreamsError,
    failure_location,
    state_failure,
    text_of,
    undone_work,
)
from penstock.handlers import (
    DeadLetterRecord,
    DeserializationExceptionHandler,
    ErrorHandlerContext,
    ProcessingExceptionHandler,
    ProductionExceptionHandler,
    Response,
    Result,
    SerializationOrigin,
)
from penstock.record import ConsumerRecord, HeaderPairs, Headers, ProducerRecord, Record
from penstock.serdes.plain import said
from penstock.windowed import Windowed

_log = logging.getLogger(__name__)

_SILENT_MS = 10_000


@dataclass(frozen=True, slots=True)
class Handlers:
    """The three handlers of an application."""

    deserialization: DeserializationExceptionHandler
    processing: ProcessingExceptionHandler
    production: ProductionExceptionHandler


class Failures:
    """Applies the handlers for one task."""

    def __init__(
        self,
        task_id: str,
        handlers: Handlers,
        position: Position,
        send_dead_letters: Callable[[tuple[DeadLetterRecord, ...]], None],
        counters: TaskCounters,
    ) -> None:
        self._task_id = task_id
        self._handlers = handlers
        self._position = position
        self._send_dead_letters = send_dead_letters
        self._counters = counters

    def of_node(self, node: Node, scope: RawScope) -> Failed:
        """Return the function that `node` calls with an exception of its own."""

        def failed(
            error: Exception, key: Any, value: Any, timestamp: int, headers: HeaderPairs
        ) -> None:
            if _is_settled(error):
                raise error  # already handled by the node that raised it
            if state_failure(error) is not None:
                # No handler may skip it: the disk failed, not the record.
                raise self._error(node, f"failed on the record {self._place()}", error) from error
            context = self._context(node.name, timestamp, headers, scope)
            record, raised = Record(key, value, timestamp, headers), _raised(error)
            response = self._ask(
                lambda: self._handlers.processing.handle_error(context, record, raised),
                "processing",
                node,
            )
            shown = key, value, headers
            if self._skips(response, node, "processing-error", context, (error, *shown)):
                return
            raise self._final(node, f"failed on the record {self._place()}", error)

        return failed

    def drop_in(self, node: Node) -> Drop:
        """Return the function that `node` calls to drop the record in hand, with the reason.

        All are counted, but only one in ten seconds is logged: late records come by the million.
        """
        counters, position = self._counters, self._position
        silent_until_ms, unlogged = UNKNOWN, 0

        def drop(reason: str, kind: DropReason = "missing-key-or-value") -> None:
            nonlocal silent_until_ms, unlogged
            counters.drop_at(node.name, kind)
            now_ms = position.wall_clock_ms
            if now_ms < silent_until_ms:
                unlogged += 1
                return
            others = f"; {unlogged} others since the last message" if unlogged else ""
            silent_until_ms, unlogged = now_ms + _SILENT_MS, 0
            _log.warning(
                "node=%s dropped the record %s: %s%s", node.name, self._place(), reason, others
            )

        return drop

    def count_dropped(self) -> None:
        """Count the record in hand as dropped, without a log message."""
        self._counters.drop("outdated")

    def fail_in_source(self, node: Node, error: Exception) -> NoReturn:
        """Raise for what a sink below source `node` raised: there is no node between them to ask a
        handler.
        """
        raise self._error(node, f"failed on the record {self._place()}", error) from error

    def of_timer(self, node: Node, timestamp: int, error: Exception) -> None:
        """Handle an exception that a punctuator of `node` raised."""
        if _is_settled(error):
            raise error
        if state_failure(error) is not None:
            raise self._error(
                node, f"failed in a timer at {timestamp} in task {self._task_id}", error
            ) from error
        context, raised = self._context(node.name, timestamp, (), None), _raised(error)
        response = self._ask(
            lambda: self._handlers.processing.handle_error(context, None, raised),
            "processing",
            node,
        )
        if self._skips(response, node, "punctuation-error", context, (error, None, None, ())):
            return
        raise self._final(node, f"failed in a timer at {timestamp} in task {self._task_id}", error)

    def of_input(
        self, node: Node, topic: str, partition: int, raw: RawRecord, error: Exception
    ) -> None:
        """Handle a record that the serdes of source `node` cannot read; returns if it is to be
        skipped.
        """
        context = ErrorHandlerContext(
            topic=topic,
            partition=partition,
            offset=raw[OFFSET],
            headers=Headers(raw[HEADERS]),
            processor_node_id=node.name,
            task_id=self._task_id,
            timestamp=raw[TIMESTAMP],
            source_raw_key=raw[KEY],
            source_raw_value=raw[VALUE],
        )
        record = ConsumerRecord(
            topic,
            partition,
            raw[OFFSET],
            raw[TIMESTAMP],
            raw[KEY],
            raw[VALUE],
            Headers(raw[HEADERS]),
        )
        response = self._ask(
            lambda: self._handlers.deserialization.handle_error(context, record, error),
            "deserialization",
            node,
        )
        shown = raw[KEY], raw[VALUE], raw[HEADERS]
        if self._skips(response, node, "deserialization-error", context, (error, *shown)):
            return
        raise self._input_error(
            node,
            record,
            f"cannot read the record {self._at(record)}: {_text(error)}; to skip such records set "
            "'deserialization.exception.handler' to LogAndContinueExceptionHandler",
        ) from error

    def fail_to_extract(self, node: Node, record: ConsumerRecord, error: Exception) -> NoReturn:
        """Raise for a record of source `node` whose timestamp extractor raised."""
        raise self._input_error(
            node,
            record,
            f"cannot tell the time of the record {self._at(record)}: {_text(error)}",
        ) from error

    def of_output(
        self,
        node: Node,
        scope: RawScope,
        record: ProducerRecord,
        error: Exception,
        origin: SerializationOrigin,
    ) -> None:
        """Handle a record that the serdes of sink `node` cannot write; returns if it is to be
        skipped.
        """
        if isinstance(error, TypeError):
            raise self._wrong_type(node, record, error, origin) from error
        context = self._context(node.name, record.timestamp, tuple(record.headers), scope)
        response = self._ask(
            lambda: self._handlers.production.handle_serialization_error(
                context, record, error, origin
            ),
            "production",
            node,
        )
        shown = record.key, record.value, tuple(record.headers)
        if self._skips(response, node, "serialization-error", context, (error, *shown)):
            return
        raise self._unsettled(
            node,
            f"cannot write the {origin} of a record to topic {record.topic!r} {self._place()}: "
            f"{_text(error)}; to skip such records set 'production.exception.handler'",
        ) from error

    def of_choice(self, node: Node, error: Exception) -> ProcessingError:
        """Make the error of sink `node` whose partitioner or topic extractor raised."""
        what = f"failed on the record {self._place()}: {_text(error)}"
        made = self._located(node, what, _ChoiceFailed)
        made.__cause__ = error
        return made

    def of_refused(self, node: Node, output: Output, error: ProductionError) -> None:
        """Handle a record of sink `node` that Kafka refuses; returns if it is to be skipped."""
        topic, partition, key, value, timestamp, headers = output
        time_ms = UNKNOWN if timestamp is None else timestamp
        context = self._context(node.name, time_ms, headers, RawScope())
        record = ProducerRecord(topic, partition, time_ms, key, value, Headers(headers))
        response = self._ask(
            lambda: self._handlers.production.handle_error(context, record, error),
            "production",
            node,
        )
        if self._skips(response, node, "production-error", context, (error, key, value, headers)):
            return
        raise self._located(
            node,
            f"cannot write a record {self._place()}: {error}; to skip such records set "
            "'production.exception.handler' to one that answers Response.resume()",
        ) from error

    def _wrong_type(
        self, node: Node, record: ProducerRecord, error: TypeError, origin: SerializationOrigin
    ) -> ProcessingError:
        got = record.key if origin == "key" else record.value
        undone = undone_work(got)
        if undone is not None:
            return self._unsettled(
                node,
                f"cannot write the {origin} of a record to topic {record.topic!r} "
                f"{self._place()}: a function above it gave {undone}",
            )
        return self._unsettled(
            node,
            f"writes to topic {record.topic!r} with a {origin} serde that does not fit: got "
            f"{type(got).__name__} {got!r} {self._place()}; {said(error)}; "
            f"{_fitting_serde(got, origin)}",
        )

    def _ask(self, handler: Callable[[], Response], kind: str, node: Node) -> Response:
        try:
            response = handler()
            if not isinstance(response, Response):
                msg = f"a {kind} exception handler must give a Response; got {response!r}"
                raise TypeError(msg)
        except Exception as error:
            raise self._error(
                node, f"failed in its {kind} exception handler {self._place()}", error
            ) from error
        return response

    def _skips(
        self,
        response: Response,
        node: Node,
        reason: DropReason,
        context: ErrorHandlerContext,
        shown: tuple[Exception, Any, Any, HeaderPairs],
    ) -> bool:
        """Write the dead letters; yes if the record is skipped, which is counted. `shown` are the
        exception, and key, value and headers of the record that failed.
        """
        skipped = self._apply(response, node) is Result.RESUME
        if skipped:
            self._counters.drop_at(node.name, reason)
        failed, key, value, headers = shown
        error = _raised(failed)
        where = failed.node if isinstance(failed, ProcessingError) else node.name
        exception, location = type(error).__name__, failure_location(error)

        def describe() -> RecordFailure:
            return RecordFailure(
                task_id=self._task_id,
                node=where,
                reason=reason,
                error=cut(f"{exception}: {text_of(error)}", TEXT_CHARACTERS_MAX),
                location=location,
                topic=context.topic,
                partition=context.partition,
                offset=context.offset,
                at_ms=self._position.wall_clock_ms,
                key=preview(key),
                value=preview(value),
                headers=preview_headers(headers),
                skipped=skipped,
                dead_letters=tuple(letter.topic for letter in response.dead_letters),
            )

        kind = where, context.topic, reason, exception, location, skipped
        self._counters.failures.add(kind, describe)
        return skipped

    def _apply(self, response: Response, node: Node) -> Result:
        try:
            self._send_dead_letters(response.dead_letters)
        except ProductionError as error:
            raise self._located(
                node,
                f"has a dead letter for topic {error.topic!r} that cannot be written either, of "
                f"the record {self._place()}: {error}",
            ) from error
        # RETRY is for sends that may succeed later; here it counts as FAIL, as in Java.
        return Result.RESUME if response.result is Result.RESUME else Result.FAIL

    def _context(
        self, node: str, timestamp: int, headers: HeaderPairs, scope: RawScope | None
    ) -> ErrorHandlerContext:
        position = self._position
        raw = None if scope is None or scope.released() else position.raw
        return ErrorHandlerContext(
            topic=position.topic,
            partition=position.partition,
            offset=position.offset,
            headers=Headers(headers),
            processor_node_id=node,
            task_id=self._task_id,
            timestamp=timestamp,
            source_raw_key=None if raw is None else raw[KEY],
            source_raw_value=None if raw is None else raw[VALUE],
        )

    def _error(self, node: Node, what: str, cause: Exception) -> ProcessingError:
        return self._located(node, f"{what}: {_text(cause)}")

    def _final(self, node: Node, what: str, error: Exception) -> ProcessingError:
        """Make what ends the task. What a sink below `node` raised names the sink already."""
        if isinstance(error, ProcessingError):
            error.settled = True
            return error
        made = self._error(node, what, error)
        made.__cause__ = error
        return made

    def _unsettled(self, node: Node, what: str) -> ProcessingError:
        """Make what a sink raises: as in Java, the node above it still asks its own handler."""
        error = self._located(node, what)
        error.settled = False
        return error

    def _located(
        self, node: Node, what: str, kind: type[ProcessingError] = ProcessingError
    ) -> ProcessingError:
        """Make an error at the record in hand."""
        position = self._position
        return kind(
            f"{title_of(node)} {what}",
            task_id=self._task_id,
            node=node.name,
            topic=position.topic,
            partition=position.partition,
            offset=position.offset,
        )

    def _input_error(self, node: Node, record: ConsumerRecord, what: str) -> ProcessingError:
        """Make an error at a record that is not in hand yet."""
        return ProcessingError(
            f"{title_of(node)} {what}",
            task_id=self._task_id,
            node=node.name,
            topic=record.topic,
            partition=record.partition,
            offset=record.offset,
        )

    def _at(self, record: ConsumerRecord) -> str:
        return (
            f"at topic {record.topic!r}, partition {record.partition}, offset {record.offset} in "
            f"task {self._task_id}"
        )

    def _place(self) -> str:
        position = self._position
        if position.topic is None:
            return f"in a timer of task {self._task_id}"
        return (
            f"at topic {position.topic!r}, partition {position.partition}, offset "
            f"{position.offset} "
            f"in task {self._task_id}"
        )


def lifecycle_error(task_id: str, node: Node, what: str, error: Exception) -> ProcessingError:
    """Make the error for a processor whose `init` or `close` raised."""
    msg = f"{title_of(node)} failed to {what} in task {task_id}: {_text(error)}"
    return ProcessingError(msg, task_id=task_id, node=node.name)


def exit_called(called: SystemExit) -> StreamsError:
    """Make the error for a function that called `sys.exit`."""
    place = failure_location(called)
    where = f" (at {place})" if place else ""
    msg = f"sys.exit({called.code!r}) was called{where}; a function must not end its process"
    return StreamsError(msg)


class _ChoiceFailed(ProcessingError):
    """A partitioner or a topic extractor raised: as in Java, the handler of the node above its sink
    is given what it raised.
    """

    settled = False


def _raised(error: Exception) -> Exception:
    """Return what a handler is given."""
    cause = error.__cause__
    return cause if isinstance(error, _ChoiceFailed) and isinstance(cause, Exception) else error


def _is_settled(error: Exception) -> bool:
    return isinstance(error, ProcessingError) and error.settled


def _text(error: Exception) -> str:
    location = failure_location(error)
    kind = "" if isinstance(error, StreamsError) else f"{type(error).__name__}: "
    return f"{kind}{text_of(error)}{f' (at {location})' if location else ''}"


def _fitting_serde(got: object, origin: SerializationOrigin) -> str:
    """Return how to write a key or value of this type."""
    if isinstance(got, Windowed):
        return (
            "a key in a window is written by serdes.time_windowed(KEY_SERDE, WINDOW_SIZE), in a "
            "session by serdes.session_windowed(KEY_SERDE): to(..., Produced(key=...)); or write "
            "the plain key: select_key(lambda windowed, value: windowed.key)"
        )
    return f"pass the right one: to(..., Produced({origin}=...)), or set 'default.{origin}.serde'"
