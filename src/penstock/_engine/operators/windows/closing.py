"""What windowed aggregations of all kinds do when windows close: turn late records away, emit final
results, and let time go on where no records come.

An operator judges by its own stream time, the largest timestamp it was given. Semantics 3.2 and
3.6, Java: AbstractKStreamTimeWindowAggregateProcessor.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from penstock._engine.operators.site import Process, Site
from penstock._engine.operators.windows.window_ends import WindowEnds
from penstock._engine.topology.nodes.window_nodes import WindowedOperation
from penstock.record import HeaderPairs

UNKNOWN: Final = -1
"""A time that is not known yet, as in Java."""

Bounds: TypeAlias = tuple[int, int]
RangeToEmit: TypeAlias = Callable[[int, int], Bounds | None]
"""`range_to_emit(last_close, close)` gives the first and the last time to look for in the store,
None if no window can have closed in between.
"""
LetOut: TypeAlias = Callable[[int, int, HeaderPairs], int]
"""`let_out(first, last, headers)` forwards the windows of that range and gives their count."""

Rescue: TypeAlias = Callable[[int, HeaderPairs], bool]
"""`rescue(time, headers)`: time comes to `time`, nothing of that time has been stored yet; tells
whether anything was forwarded.
"""

LateRecord: TypeAlias = tuple[object, object, int, HeaderPairs]
"""(key, value, timestamp, headers)."""

LATE_OPERATOR: Final = "__penstock.late.operator"
LATE_WINDOW: Final = "__penstock.late.window"
LATE_STREAM_TIME: Final = "__penstock.late.stream_time"


class OperatorTime:
    """The stream time of one operator."""

    __slots__ = ("_before_idling", "_idle_since_ms", "observed")

    def __init__(self) -> None:
        self.observed = UNKNOWN
        self._idle_since_ms = UNKNOWN
        self._before_idling = UNKNOWN

    def go_on(self, elapsed_ms: int, idle_since_ms: int, task_time_ms: int) -> bool:
        """Let time pass with the wall clock: `elapsed_ms` since the last record of the task, which
        came at `idle_since_ms`. False if no time is known to go on from.

        After a restart an operator has seen nothing yet: it goes on from its task's time.
        """
        if idle_since_ms != self._idle_since_ms:
            self._idle_since_ms = idle_since_ms
            self._before_idling = task_time_ms if self.observed == UNKNOWN else self.observed
        if self._before_idling == UNKNOWN:
            return False
        self.observed = max(self.observed, self._before_idling + elapsed_ms)
        return True


class LateRecords:
    """Counts what comes too late and, if the user wants them, sends the records on."""

    __slots__ = ("_closes_with", "_drop", "_name", "_send_on", "_wanted")

    def __init__(self, operation: WindowedOperation, site: Site, closes_with: str) -> None:
        self._name = site.name.encode()
        self._closes_with = closes_with
        self._drop = site.drop
        self._wanted = operation.late_to is not None
        self._send_on: Process | None = (
            None if operation.late_to is None else site.children[operation.late_to]
        )

    def refuse(
        self, missed: list[Bounds] | None, start: int, end: int, stream_time: int
    ) -> list[Bounds] | None:
        """Count one window that a record has missed; give all of the record's so far if they are
        wanted.
        """
        self._drop(f"its window {self._shown((start, end))} is closed at stream time {stream_time}")
        if not self._wanted:
            return None
        return [(start, end)] if missed is None else [*missed, (start, end)]

    def send(self, missed: list[Bounds], stream_time: int, record: LateRecord) -> None:
        """Send a record on, once for all windows it has missed."""
        assert self._send_on is not None
        key, value, timestamp, headers = record
        reasons = (
            (LATE_OPERATOR, self._name),
            (LATE_WINDOW, " ".join(map(self._shown, missed)).encode()),
            (LATE_STREAM_TIME, str(stream_time).encode()),
        )
        self._send_on(key, value, timestamp, (*headers, *reasons))

    def _shown(self, window: Bounds) -> str:
        return f"[{window[0]},{window[1]}{self._closes_with}"


@dataclass(frozen=True, slots=True)
class Keeping:
    """What it takes to lose no final result: which windows may wait, and what their store keeps."""

    ends: WindowEnds
    kept_from: Callable[[int], int]
    """`kept_from(time)` gives the first time of the rows that the store still finds when the latest
    row that was put is of `time`.
    """
    closes_after_ms: int
    """How far the close time is behind the operator's."""


class FinalResults:
    """Emits each window once, when it takes no more records.

    It looks for them at most once in an interval of wall clock, as Java does, but also once in such
    an interval of stream time. What has closed in between waits in the store, which forgets what is
    too old: if no result may be lost, `rescue` is called whenever the operator's time moves, before
    anything of the new time is stored, and looks for closed windows if the store might forget one.
    What has been emitted is noted with the offsets.
    """

    __slots__ = (
        "_context",
        "_ends",
        "_interval_ms",
        "_last_close",
        "_let_out",
        "_looked_at",
        "_next_ms",
        "_notes",
        "_range_to_emit",
        "_store",
        "rescue",
    )

    def __init__(
        self,
        operation: WindowedOperation,
        site: Site,
        range_to_emit: RangeToEmit,
        let_out: LetOut,
        keeping: Keeping | None,
    ) -> None:
        self._context = site.context
        self._interval_ms = site.config.window_emit_interval_ms
        self._notes = site.notes
        self._store = operation.store.name
        self._range_to_emit = range_to_emit
        self._let_out = let_out
        self._next_ms = 0
        self._looked_at = UNKNOWN
        self._last_close = UNKNOWN
        self._ends = None if keeping is None else keeping.ends
        self.rescue: Rescue | None = None if keeping is None else self._rescuer(keeping)
        """None if what the store has forgotten may be lost, as in Java."""
        site.on_init(self._go_on_from_last_time)

    def _go_on_from_last_time(self) -> None:
        self._last_close = self._notes.get(self._store, UNKNOWN)
        if self._ends is not None:
            self._ends.start(self._last_close)

    def emit(self, close: int, headers: HeaderPairs) -> bool:
        """Forward what has closed before `close` if it is time to; tell whether there was any."""
        now_ms = self._context.current_system_time_ms
        if now_ms < self._next_ms and close - self._looked_at < self._interval_ms:
            return False
        self._next_ms, self._looked_at = now_ms + self._interval_ms, close
        return self._look(close, headers)

    def _rescuer(self, keeping: Keeping) -> Rescue:
        ends, kept_from, look = keeping.ends, keeping.kept_from, self._look
        closes_after, behind = keeping.closes_after_ms, keeping.ends.behind

        def rescue(time: int, headers: HeaderPairs) -> bool:
            close = time - closes_after
            if close < ends.due or ends.due - behind >= kept_from(time):
                return False
            return look(close, headers)

        return rescue

    def _look(self, close: int, headers: HeaderPairs) -> bool:
        if self._last_close != UNKNOWN and self._last_close >= close:
            return False
        bounds = self._range_to_emit(self._last_close, close)
        if bounds is None:
            return False
        count = self._let_out(*bounds, headers)
        self._last_close = self._notes[self._store] = close
        if self._ends is not None:
            self._ends.passed(close)
        return count > 0


def retention_of(operation: WindowedOperation) -> int:
    """Return for how long the operation's store keeps its rows."""
    assert operation.store.times is not None
    return operation.store.times.retention_ms


def go_on_when_idle(
    operation: WindowedOperation,
    site: Site,
    time: OperatorTime,
    closes_after_ms: int,
    final: FinalResults | None,
) -> None:
    """Let the operator's time go on with the wall clock where the task has no records, if asked,
    and look for closed windows.
    """
    if operation.idle_after_ms is None:
        return
    context = site.context

    def go_on(elapsed_ms: int, idle_since_ms: int) -> bool:
        if not time.go_on(elapsed_ms, idle_since_ms, context.current_stream_time_ms):
            return False
        if final is None:
            return False
        # A record of an earlier time may be the next to be stored: it rescues nothing.
        rescued = final.rescue is not None and final.rescue(time.observed, ())
        return final.emit(time.observed - closes_after_ms, ()) or rescued

    site.watch_idle(operation.idle_after_ms, go_on)
