"""The small server in the driver that workers talk to: what to run, whether to go on, how it goes.

Every connection proves that it knows the key (HMAC, by `multiprocessing.connection`) before
anything is read from it. The key and the application travel inside the data source's pickled code,
never in options, which Spark shows.
"""

from __future__ import annotations

import logging
import os
import secrets
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Client, Connection, Listener
from typing import Any

from penstock._engine.metrics.restore_events import RestoreEvent
from penstock._engine.spark.printed import PrintedLine
from penstock.errors import ProcessingError, StreamsError, user_traceback

_log = logging.getLogger(__name__)

Handler = Callable[[Any], Any]

_PLACE = ("task_id", "node", "topic", "partition", "offset")


@dataclass(frozen=True, slots=True)
class ControlAddress:
    """Where the server listens, and the key it wants."""

    host: str
    port: int
    key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class WorkerFailure:
    """An exception of a worker, as text, since the exception itself may not travel."""

    kind: str
    message: str
    trace: str
    user_trace: str = ""
    """The part of the trace that is the user's own code and libraries."""
    place: dict[str, Any] | None = None
    """Of a ProcessingError: task_id, node, topic, partition, offset."""

    @classmethod
    def of(cls, error: BaseException) -> WorkerFailure:
        """Describe an exception."""
        trace = "".join(traceback.format_exception(error))
        place = vars(error).copy() if isinstance(error, ProcessingError) else {}
        known = {name: place[name] for name in _PLACE if name in place}
        return cls(type(error).__name__, str(error), trace, user_traceback(error), known or None)

    def error(self) -> StreamsError:
        """Give an exception that says the same, for whoever waits in the driver."""
        same = (
            StreamsError(self.message)
            if self.place is None
            else ProcessingError(self.message, **self.place)
        )
        if self.user_trace:
            same.add_note(self.user_trace)
        return same


@dataclass(frozen=True, slots=True)
class Report:
    """What a worker tells: who it is, its tasks, its counts, what went wrong."""

    member_id: str
    state: str
    """starting, running, restoring, closed or failed; lost, if it hung up without a word."""
    tasks: dict[str, str] = field(default_factory=dict)
    counters: dict[str, dict[str, int]] = field(default_factory=dict)
    restored: int = 0
    """How many changelog offsets its tasks have been brought forward by."""
    restore_remaining: int = 0
    caught_up: bool = False
    """Whether there is nothing to do; in a bounded run, nothing left to do."""
    records_in: int = 0
    """How many records of the user's topics were processed since it began."""
    records_out: int = 0
    """How many records of the user's topics can be read that it has written since it began."""
    lag: int | None = None
    """How many records of its inputs wait on the broker, None if that is not known yet."""
    printed: tuple[PrintedLine, ...] = ()
    """What user code has printed since the last report."""
    state_entries: dict[str, int] = field(default_factory=dict)
    """About how many entries its part of each store has."""
    restore_events: tuple[RestoreEvent, ...] = ()
    """How restoring has gone since the last report."""
    home: str = ""
    """The machine and directory where its state is."""
    seat: tuple[int, int] = (0, 0)
    """The turn that last paid for it, and its slot in that turn."""
    failure: WorkerFailure | None = None
    pid: int = field(default_factory=os.getpid)

    @property
    def worker(self) -> tuple[str, int]:
        """Which worker it is; one that replaces another may have its member id."""
        return self.member_id, self.pid


@dataclass(frozen=True, slots=True)
class Instruction:
    """What the driver answers to a report."""

    stop: bool = False
    paused: bool = False
    standbys: tuple[str, ...] = ()
    """The tasks of others whose stores it shall keep copies of."""


class ControlServer:
    """Answers requests `(verb, payload)` with what the verb's handler gives.

    A worker that dies says nothing, but its connection ends: `on_hang_up` is given the last report
    that came over a connection when it does.
    """

    def __init__(
        self,
        host: str,
        handlers: dict[str, Handler],
        on_hang_up: Callable[[Report], None] | None = None,
    ) -> None:
        self._handlers = handlers
        self._on_hang_up = on_hang_up
        self._key = secrets.token_bytes(32)
        self._listener = Listener((host, 0), authkey=self._key)
        name, port = self._listener.address
        self.address = ControlAddress(str(name), int(port), self._key)
        self._closed = False
        threading.Thread(target=self._accept, name="penstock-control", daemon=True).start()

    def close(self) -> None:
        """Stop listening."""
        self._closed = True
        self._listener.close()

    def _accept(self) -> None:
        while not self._closed:
            try:
                connection = self._listener.accept()
            except Exception:  # a stranger without the key, or the listener was closed
                continue
            threading.Thread(
                target=self._serve, args=(connection,), name="penstock-control-client", daemon=True
            ).start()

    def _serve(self, connection: Connection[Any, Any]) -> None:
        last_report: Report | None = None
        with suppress(EOFError, OSError), connection:
            while True:
                verb, payload = connection.recv()
                if isinstance(payload, Report):
                    last_report = payload
                try:
                    answer = (True, self._handlers[verb](payload))
                except Exception as error:
                    _log.exception("control request %r failed", verb)
                    answer = (False, f"{type(error).__name__}: {error}")
                connection.send(answer)
        if last_report is not None and self._on_hang_up is not None:
            self._on_hang_up(last_report)


class ControlClient:
    """A worker's connection to the driver; made by the thread that uses it."""

    def __init__(self, address: ControlAddress) -> None:
        self._connection = Client((address.host, address.port), authkey=address.key)

    def ask(self, verb: str, payload: Any = None) -> Any:
        """Send a request and give the answer."""
        self._connection.send((verb, payload))
        succeeded, answer = self._connection.recv()
        if not succeeded:
            msg = f"the driver could not answer {verb!r}: {answer}"
            raise RuntimeError(msg)
        return answer

    def close(self) -> None:
        """Hang up."""
        self._connection.close()
