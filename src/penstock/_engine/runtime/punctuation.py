"""Timers: which are due, and when each is due next. Java: PunctuationQueue, PunctuationSchedule."""

from __future__ import annotations

from collections.abc import Callable

from penstock._engine.runtime.input.java_heap import JavaHeap
from penstock._engine.topology.nodes.stream_nodes import Node
from penstock.processor import Punctuator


class Schedule:
    """One timer; `cancel` also works from inside its own callback."""

    __slots__ = ("_cancelled", "callback", "interval_ms", "node", "timestamp")

    def __init__(self, node: Node, timestamp: int, interval_ms: int, callback: Punctuator) -> None:
        self.node = node
        self.timestamp = timestamp
        """When it is due."""
        self.interval_ms = interval_ms
        self.callback = callback
        self._cancelled = False

    def cancel(self) -> None:
        """Stop the timer."""
        self._cancelled = True

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    def skip_to_after(self, now_ms: int) -> None:
        """Set the next due time after `now_ms`: missed ticks are skipped, the phase is kept."""
        next_ms = self.timestamp + self.interval_ms
        if now_ms >= next_ms:
            next_ms = (
                self.timestamp
                + ((now_ms - self.timestamp) // self.interval_ms + 1) * self.interval_ms
            )
        self.timestamp = next_ms


class Punctuations:
    """The timers of one clock."""

    def __init__(self, fire: Callable[[Schedule, int], None]) -> None:
        self._fire = fire
        self._schedules: JavaHeap[Schedule] = JavaHeap()

    def add(self, schedule: Schedule, *, anchored_now_ms: int | None) -> None:
        """Start a timer; an anchored one whose start has passed begins with its next tick after
        now.
        """
        if anchored_now_ms is not None and schedule.timestamp < anchored_now_ms:
            schedule.skip_to_after(anchored_now_ms)
        self._schedules.push(schedule)

    def fire_due(self, now_ms: int) -> int:
        """Fire the due timers, each once, and return their count. Callbacks get `now_ms`, not the
        due time.
        """
        fired = 0
        while (schedule := self._schedules.peek()) is not None and schedule.timestamp <= now_ms:
            self._schedules.pop()
            if schedule.cancelled:
                continue
            self._fire(schedule, now_ms)
            fired += 1
            if not schedule.cancelled:
                schedule.skip_to_after(now_ms)
                self._schedules.push(schedule)
        return fired
