"""How many slots a turn has, and which workers have none.

The number follows what Spark can run at once, unless the user names one; threads that are added or
removed come on top. It takes effect with the next turn, when the slots are planned anew. When there
are fewer than before, as many workers are too many: those that no slot pays for, although all are
taken. They are told to hand their tasks over at once instead of at the end of their lease. Where
the number stays, a worker without a slot is kept: Spark may place the next turn on it again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable


class Seats:
    """The slots of one application. `capacity` tells how many slots Spark can run at once."""

    def __init__(self, wanted: int | None, capacity: Callable[[], int]) -> None:
        self._wanted = wanted
        self._capacity = capacity
        self._added = 0
        self._turn = 0
        self._planned = self._excess = 0
        self._taken: set[int] = set()
        self._lock = threading.Lock()

    def count(self) -> int:
        """Give how many slots the next turn has."""
        return max(1, (self._wanted or self._capacity()) + self._added)

    def add(self) -> int | None:
        """Have one slot more from the next turn on; None if Spark has no core left for it."""
        with self._lock:
            if self.count() >= self._capacity():
                return None
            self._added += 1
            return self.count()

    def remove(self) -> int | None:
        """Have one slot less from the next turn on; None if it is the last one."""
        with self._lock:
            if self.count() <= 1:
                return None
            self._added -= 1
            return self.count()

    def open_turn(self, turn: int) -> int:
        """Begin a turn; give how many slots it has."""
        with self._lock:
            before, self._planned = self._planned, self.count()
            self._excess = max(0, self._excess + before - self._planned)
            self._turn = turn
            self._taken.clear()
            return self._planned

    def is_surplus(self, turn: int, index: int) -> bool:
        """Hear from a worker that slot `index` of `turn` was the last to pay for; tell whether it
        is one too many.
        """
        with self._lock:
            if turn == self._turn:
                # By slot, not by worker: a replacement takes the slot of the one that died.
                self._taken.add(index)
                return False
            surplus = self._excess > 0 and turn < self._turn and len(self._taken) >= self._planned
            self._excess -= surplus
            return surplus

    def worker_died(self) -> None:
        """Learn that one worker less is there."""
        with self._lock:
            self._excess = max(0, self._excess - 1)
