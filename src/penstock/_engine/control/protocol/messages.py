"""The messages between workers and the driver: plain data, sent as MessagePack.

Nothing here is pickled, so a message can only become one of these types. The key is part of the
data source's pickled code, never of its options, which Spark shows. `server.py` listens,
`client.py` asks, `wire.py` has the frames.
"""

from __future__ import annotations

import os
import secrets
import traceback
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from penstock._engine.metrics.record_failures import RecordFailure
from penstock._engine.metrics.restore_events import RestoreEvent
from penstock._engine.metrics.rows import MetricRow
from penstock._engine.runtime.failures import exit_called
from penstock.errors import (
    ProcessingError,
    StateUnreadableError,
    StreamsError,
    state_failure,
    text_of,
    user_traceback,
)

_PLACE = ("task_id", "node", "topic", "partition", "offset")

# An exception may quote a record of many megabytes.
_TEXT_CHARACTERS_MAX = 100_000
_LINE_CHARACTERS_MAX = 300

StreamName: TypeAlias = Literal["stdout", "stderr"]
PrintedLine: TypeAlias = tuple[StreamName, str]


@dataclass(frozen=True, slots=True)
class ControlAddress:
    """Where the driver's server listens, and the shared key."""

    host: str
    port: int
    key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class WorkerFailure:
    """An exception of a worker, as text: the exception itself may not be picklable."""

    kind: str
    message: str
    trace: str
    user_trace: str = ""
    """The part of the trace that is the user's own code and libraries."""
    place: dict[str, Any] | None = None
    """Of a ProcessingError: task_id, node, topic, partition, offset."""
    is_final: bool = False
    """Whether it comes from state that cannot be read: no other worker can read it either."""

    @classmethod
    def of(cls, error: BaseException) -> WorkerFailure:
        """Describe an exception."""
        if isinstance(error, SystemExit):
            error = exit_called(error).with_traceback(error.__traceback__)
        trace = "".join(traceback.format_exception(error))
        place = vars(error).copy() if isinstance(error, ProcessingError) else {}
        known = {name: place[name] for name in _PLACE if name in place}
        message, user_trace = _cut(text_of(error)), _cut(user_traceback(error))
        final = isinstance(state_failure(error), StateUnreadableError)
        return cls(type(error).__name__, message, _cut(trace), user_trace, known or None, final)

    @property
    def line(self) -> str:
        """The first line of the message, cut where it is long."""
        line = self.message.partition("\n")[0] or self.kind
        return line if len(line) <= _LINE_CHARACTERS_MAX else f"{line[:_LINE_CHARACTERS_MAX]}…"

    def error(self) -> StreamsError:
        """Return an exception with the same text, to raise in the driver."""
        same = (
            StreamsError(self.message)
            if self.place is None
            else ProcessingError(self.message, **self.place)
        )
        if self.user_trace:
            same.add_note(self.user_trace)
        return same


def process_number() -> int:
    """Return a random number that only this process has, also if it was forked."""
    return _process_numbers.setdefault(os.getpid(), secrets.randbits(63))


_process_numbers: dict[int, int] = {}
"""By process id: a process that was forked has the number of its parent here as well."""


@dataclass(frozen=True, slots=True)
class Report:
    """A worker's report: its id, tasks, counts and failure."""

    member_id: str
    state: str
    """starting, running, restoring, closed or failed; lost, if its connection just ended; silent,
    if it has sent no report for some seconds: then its tasks may be elsewhere.
    """
    tasks: dict[str, str] = field(default_factory=dict)
    counters: dict[str, dict[str, int]] = field(default_factory=dict)
    restored: int = 0
    """How many changelog offsets its tasks have restored."""
    restore_remaining: int = 0
    caught_up: bool = False
    """Whether no record waits; in a bounded run, whether none is left."""
    records_in: int = 0
    """How many records of the user's topics it has processed since its start."""
    records_out: int = 0
    """How many records it has committed to the user's topics since its start."""
    lag: int | None = None
    """How many records of its inputs wait on the broker, None if that is not known yet."""
    printed: tuple[PrintedLine, ...] = ()
    """What user code has printed since the last report."""
    state_entries: dict[str, int] = field(default_factory=dict)
    """About how many entries its part of each store has."""
    restore_events: tuple[RestoreEvent, ...] = ()
    """The restore events since the last report."""
    record_failures: tuple[RecordFailure, ...] = ()
    """Records that failed since the last report, a few of each task."""
    home: str = ""
    """The machine and directory where its state is."""
    executor: str = ""
    """The id of its Spark executor, where that can be seen."""
    slot: tuple[int, int] = (0, 0)
    """The last turn in which it had a slot, and the index of that slot."""
    metrics: tuple[MetricRow, ...] | None = None
    """Its metrics, once a second; None: those of an earlier report still hold."""
    failure: WorkerFailure | None = None
    joined: bool = True
    """Whether the group has assigned its tasks, be it none."""
    broker_away_seconds: float | None = None
    """For how long the cluster has not answered it, None if it answers."""
    number: int = 0
    """Counts the reports of this worker; a report that is sent again keeps its number."""
    repeated: bool = False
    """Whether this is the last report again, from a worker whose step takes long."""
    pid: int = field(default_factory=os.getpid)
    process: int = field(default_factory=process_number)
    """A random number of its process: another one may have the same member id and process id, as in
    containers, where process ids are small.
    """

    @property
    def worker(self) -> tuple[str, int]:
        """The worker's identity; a replacement may have the same member id."""
        return self.member_id, self.pid


@dataclass(frozen=True, slots=True)
class Instruction:
    """The driver's answer to a report."""

    stop: bool = False
    paused: bool = False
    standbys: tuple[str, ...] = ()
    """The tasks of other workers of which this one keeps standby copies."""
    renew: bool = True
    """Whether the lease is renewed: the query runs and needs the worker."""
    hold: bool = False
    """Whether the turn lasts beyond its end: another slot of it hangs, so that no next turn can
    begin, and Spark ends processes that are idle for a minute.
    """
    rejoin: bool = False
    """Whether the worker is to leave the group and join it again, so that it assigns all tasks."""
    give_way: int | None = None
    """The turn that ends before its time, because other jobs of the session wait for its cores. The
    worker goes on without a slot.
    """


def _cut(text: str) -> str:
    left_out = len(text) - _TEXT_CHARACTERS_MAX
    if left_out <= 0:
        return text
    half = _TEXT_CHARACTERS_MAX // 2
    return f"{text[:half]} ... {left_out:,} characters left out ... {text[-half:]}"
