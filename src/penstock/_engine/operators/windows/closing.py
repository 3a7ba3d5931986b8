"""What all windowed aggregations do when windows close: drop late records, emit final results, and
advance their time where no records come.

An operator goes by its own stream time, the largest timestamp it was given. Java:
AbstractKStreamTimeWindowAggregateProcessor.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from penstock._clock import monotonic
from penstock._engine.operators.site import Process, Site
from penstock._engine.operators.windows.window_ends import WindowEnds
from penstock._engine.topology.nodes.window_nodes import WindowedOperation
from penstock.record import HeaderPairs

UNKNOWN: Final = -1
"""A timestamp that is not known yet, as in Java."""

Bounds: TypeAlias = tuple[int, int]
RangeToEmit: TypeAlias = Callable[[int, int], Bounds | None]
"""`range_to_emit(last_close, close)` returns the first and the last time to fetch from the store,
None if no window can have closed in between.
"""
EmitRange: TypeAlias = Callable[[int, int, HeaderPairs], int]
"""`emit(first, last, headers)` forwards the windows of that range and returns their count."""

EmitExpiring: TypeAlias = Callable[[int, HeaderPairs], bool]
"""`emit_expiring(time, headers)`: emit the closed windows whose rows expire in the store when a row
of `time` is put; call it before. Returns whether it forwarded any.
"""

LateRecord: TypeAlias = tuple[object, object, int, HeaderPairs]
"""(key, value, timestamp, headers)."""

LATE_OPERATOR: Final = "__penstock.late.operator"
LATE_WINDOW: Final = "__penstock.late.window"
LATE_STREAM_TIME: Final = "__penstock.late.stream_time"


class OperatorTime:
    """The stream time of one operator."""

    __slots__ = ("_before_idling", "_period", "observed")

    def __init__(self) -> None:
        self.observed = UNKNOWN
        self._period = UNKNOWN
        self._before_idling = UNKNOWN

    def go_on(self, elapsed_ms: int, period: int, task_time_ms: int) -> bool:
        """Advance the time to `elapsed_ms` after what it was when the task's silence of number
        `period` began. False if there is no time to advance from.

        After a restart an operator has seen no record yet: it advances from its task's time.
        """
        if period != self._period:
            self._period = period
            self._before_idling = task_time_ms if self.observed == UNKNOWN else self.observed
        if self._before_idling == UNKNOWN:
            return False
        self.observed = max(self.observed, self._before_idling + elapsed_ms)
        return True


class LateRecords:
    """Counts late records and, if the user wants them, sends them to their stream."""

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
        """Count one window that a record has missed. Return all that it has missed so far, if the
        user wants late records.
        """
        self._drop(
            f"its window {self._shown((start, end))} is closed at stream time {stream_time}", "late"
        )
        if not self._wanted:
            return None
        return [(start, end)] if missed is None else [*missed, (start, end)]

    def send(self, missed: list[Bounds], stream_time: int, record: LateRecord) -> None:
        """Send a late record on, once for all windows that it has missed."""
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
class Expiry:
    """Which windows are not emitted yet, and when their rows expire in the store: what an operator
    needs to lose no final result.
    """

    ends: WindowEnds
    kept_from: Callable[[int], int]
    """`kept_from(time)` returns the first time of the rows that the store still finds when the
    latest row that was put is of `time`.
    """
    closes_after_ms: int
    """The close time is the operator's time minus this."""


class FinalResults:
    """Emits each window once, when it takes no more records.

    It looks for them at most once in an interval of wall-clock time, as Java does, but also once in
    such an interval of stream time. Windows that close in between wait in the store, which drops
    expired rows: if no result may be lost, `emit_expiring` is called whenever the operator's time
    moves, before a row of the new time is stored. The last close time is noted with the offsets.
    """

    __slots__ = (
        "_context",
        "_emit_range",
        "_ends",
        "_interval_ms",
        "_last_close",
        "_looked_at",
        "_next_ms",
        "_notes",
        "_range_to_emit",
        "_store",
        "emit_expiring",
    )

    def __init__(
        self,
        operation: WindowedOperation,
        site: Site,
        range_to_emit: RangeToEmit,
        emit_range: EmitRange,
        expiry: Expiry | None,
    ) -> None:
        self._context = site.context
        self._interval_ms = site.config.window_emit_interval_ms
        self._notes = site.notes
        self._store = operation.store.name
        self._range_to_emit = range_to_emit
        self._emit_range = _counting(emit_range, site)
        self._next_ms = 0
        self._looked_at = UNKNOWN
        self._last_close = UNKNOWN
        self._ends = None if expiry is None else expiry.ends
        self.emit_expiring: EmitExpiring | None = (
            None if expiry is None else self._expiring_emitter(expiry)
        )
        """None if windows that the store has dropped may be lost, as in Java."""
        site.on_init(self._go_on_from_last_time)

    def _go_on_from_last_time(self) -> None:
        self._last_close = self._notes.get(self._store, UNKNOWN)
        if self._ends is not None:
            self._ends.start(self._last_close)

    def emit(self, close: int, headers: HeaderPairs) -> bool:
        """Forward the windows closed before `close`, if it is time to. Return whether there were
        any.
        """
        now_ms = self._context.current_system_time_ms
        if now_ms < self._next_ms and close - self._looked_at < self._interval_ms:
            return False
        self._next_ms, self._looked_at = now_ms + self._interval_ms, close
        return self._look(close, headers)

    def _expiring_emitter(self, expiry: Expiry) -> EmitExpiring:
        ends, kept_from, look = expiry.ends, expiry.kept_from, self._look
        closes_after, row_to_due = expiry.closes_after_ms, expiry.ends.row_to_due_ms

        def emit_expiring(time: int, headers: HeaderPairs) -> bool:
            close = time - closes_after
            if close < ends.due or ends.due - row_to_due >= kept_from(time):
                return False
            return look(close, headers)

        return emit_expiring

    def _look(self, close: int, headers: HeaderPairs) -> bool:
        if self._last_close != UNKNOWN and self._last_close >= close:
            return False
        bounds = self._range_to_emit(self._last_close, close)
        if bounds is None:
            return False
        count = self._emit_range(*bounds, headers)
        self._last_close = self._notes[self._store] = close
        if self._ends is not None:
            self._ends.passed(close)
        return count > 0


def _counting(emit_range: EmitRange, site: Site) -> EmitRange:
    """Return `emit_range`; at the recording level DEBUG its windows are counted, and it is timed.
    Java: ProcessorNodeMetrics.emitFinalLatencySensor.
    """
    if not site.config.records_debug_metrics:
        return emit_range
    emitted = site.context.metrics.add_latency_rate_total_sensor(
        "processor-node", site.name, "window-aggregate-final-emit", level="DEBUG"
    )

    def emit_counted(first: int, last: int, headers: HeaderPairs) -> int:
        begin = monotonic()
        count = emit_range(first, last, headers)
        lasted_ms = (monotonic() - begin) * 1000
        for _ in range(count):
            emitted.record(lasted_ms / count)
        return count

    return emit_counted


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
    """Advance the operator's time while the task has no records, if the user asks for it, and emit
    closed windows.
    """
    if operation.idle_after_ms is None:
        return
    context = site.context

    def go_on(elapsed_ms: int, period: int) -> bool:
        if not time.go_on(elapsed_ms, period, context.current_stream_time_ms):
            return False
        if final is None:
            return False
        # The next record may be of an earlier time: what expires now would not be emitted then.
        emit_expiring = final.emit_expiring
        emitted = emit_expiring is not None and emit_expiring(time.observed, ())
        return final.emit(time.observed - closes_after_ms, ()) or emitted

    site.watch_idle(operation.idle_after_ms, go_on)
