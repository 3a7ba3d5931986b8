"""Timers: what is due, and when it is due next. Semantics 6.6, Java: PunctuationQueue and
PunctuationSchedule.
"""

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
        """Let it never fire again."""
        self._cancelled = True

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    def skip_to_after(self, now_ms: int) -> None:
        """Be due next after `now_ms`: missed ticks are left out, the phase is kept."""
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
        """Fire what is due, each timer once; the callback is given `now_ms`, not the due time. Give
        the count.
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
