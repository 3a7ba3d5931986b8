"""How many slots a turn has, and which workers may have them.

The number follows what Spark can run at once, unless the user sets it; added and removed threads
come on top. A change takes effect with the next turn.

Spark reuses its Python processes in any order, so a slot may fall to a process without an engine
although there is a worker for every slot: after a removal, or when Spark places a turn elsewhere.
No engine starts there; the worker without a slot works on until it has one again, or its lease
ends. When there are more workers than slots and all slots are taken, the workers without one are
stopped at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable

# Workers report four times a second. A worker that is silent longer may be gone with its machine.
_SILENT_SECONDS = 10.0
# A worker reports each second, however long its step takes, unless its process is stopped.
_HANGS_SECONDS = 5.0


class SlotPlan:
    """The slots of one application. `capacity` returns how many slots Spark can run at once."""

    def __init__(self, wanted: int | None, capacity: Callable[[], int]) -> None:
        self._wanted = wanted
        self._capacity = capacity
        self._added = 0
        self._turn = 0
        self._planned = 0
        self._taken: set[int] = set()
        self._last_reports: dict[Hashable, float] = {}
        self._turn_of: dict[Hashable, int] = {}
        self._none_hangs_before = 0.0
        self._lock = threading.Lock()

    def count(self) -> int:
        """Return how many slots the next turn has."""
        return max(1, (self._wanted or self._capacity()) + self._added)

    def add(self) -> int | None:
        """Add a slot from the next turn on; return how many, None if Spark has no core left."""
        with self._lock:
            if self.count() >= self._capacity():
                return None
            self._added += 1
            return self.count()

    def remove(self) -> int | None:
        """Remove a slot from the next turn on; return how many, None if it is the last one."""
        with self._lock:
            if self.count() <= 1:
                return None
            self._added -= 1
            return self.count()

    def open_turn(self, turn: int) -> int:
        """Begin a turn; return how many slots it has."""
        with self._lock:
            self._planned = self.count()
            self._turn = turn
            self._taken.clear()
            return self._planned

    def may_start(self, now: float) -> bool:
        """Yes if a process that has a slot and no engine may start one."""
        with self._lock:
            living = sum(now - at < _SILENT_SECONDS for at in self._last_reports.values())
            # Before the first turn one engine may start.
            return living < max(1, self._planned)

    def is_surplus(self, worker: Hashable, turn: int, index: int, now: float) -> bool:
        """Record a report of a worker whose last slot was `index` of `turn`; yes if there are more
        workers than slots and this one has none.
        """
        with self._lock:
            self._last_reports[worker] = now
            self._turn_of[worker] = turn
            if turn == self._turn:
                # By slot, not by worker: a replacement takes the slot of the one that died.
                self._taken.add(index)
                return False
            surplus = (
                len(self._last_reports) > self._planned
                and turn < self._turn
                and len(self._taken) >= self._planned
            )
            if surplus:
                self._forget(worker)
            return surplus

    def hanging(self, now: float) -> set[Hashable]:
        """Return the workers that have a slot of this turn and are silent: the turn cannot end."""
        with self._lock:
            if now < self._none_hangs_before:
                return set()
            hanging = {
                worker
                for worker, at in self._last_reports.items()
                if self._turn_of[worker] == self._turn and now - at >= _HANGS_SECONDS
            }
            if not hanging:
                # Reports only put it off, and this is asked at each of them.
                oldest = min(self._last_reports.values(), default=now)
                self._none_hangs_before = oldest + _HANGS_SECONDS
            return hanging

    def worker_gone(self, worker: Hashable) -> None:
        """Remove a worker that has ended or died."""
        with self._lock:
            self._forget(worker)

    def _forget(self, worker: Hashable) -> None:
        self._last_reports.pop(worker, None)
        self._turn_of.pop(worker, None)
