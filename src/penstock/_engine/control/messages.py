"""What workers and the driver tell each other: plain data, sent as MessagePack.

Nothing here is pickled, so a message can only become one of these types. The key travels inside the
data source's pickled code, never in options, which Spark shows. `control_server.py` listens,
`control_client.py` asks, `control_wire.py` has the frames.
"""

from __future__ import annotations

import os
import traceback
from dataclasses import dataclass, field
from typing import Any

from penstock._engine.control.printed_lines import PrintedLine
from penstock._engine.metrics.restore_events import RestoreEvent
from penstock._engine.runtime.failures import exit_called
from penstock.errors import ProcessingError, StreamsError, user_traceback

_PLACE = ("task_id", "node", "topic", "partition", "offset")

# An exception may quote a record of many megabytes.
_TEXT_CHARACTERS_MAX = 100_000


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
        if isinstance(error, SystemExit):
            error = exit_called(error).with_traceback(error.__traceback__)
        trace = "".join(traceback.format_exception(error))
        place = vars(error).copy() if isinstance(error, ProcessingError) else {}
        known = {name: place[name] for name in _PLACE if name in place}
        message, user_trace = _cut(str(error)), _cut(user_traceback(error))
        return cls(type(error).__name__, message, _cut(trace), user_trace, known or None)

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
    joined: bool = True
    """Whether the group has given it tasks, or told it that there are none for it."""
    broker_away_seconds: float | None = None
    """For how long the cluster has not answered it, None if it answers."""
    number: int = 0
    """Counts the reports of this worker; one that is sent again has its number."""
    repeated: bool = False
    """Whether this is the last report once more, from a worker whose step takes long."""
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
    renew: bool = True
    """Whether the lease begins anew: the query runs and the worker is wanted."""
    hold: bool = False
    """Whether the turn shall go on after its end: another slot of it hangs, so that no next turn
    can begin, and Spark ends processes that have had no turn for a minute.
    """


def _cut(text: str) -> str:
    left_out = len(text) - _TEXT_CHARACTERS_MAX
    if left_out <= 0:
        return text
    half = _TEXT_CHARACTERS_MAX // 2
    return f"{text[:half]} ... {left_out:,} characters left out ... {text[-half:]}"
