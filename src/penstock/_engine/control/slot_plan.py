"""How many slots a turn has, and which workers may have them.

The number follows what Spark can run at once, unless the user sets it; added and removed threads
come on top. A change takes effect with the next turn. In a session of the user's one core is left
for other jobs. Under dynamic allocation, and only there, a turn has as many slots as its tasks can
use: Spark adds executors only if slots wait for them.

The time of a turn counts from the first slot that starts, by the driver's clock alone: a slow start
loses nothing, and a slot that gets its core when the turn is over ends at once.

Spark reuses its Python processes in any order, so a slot may fall to a process without an engine
although there is a worker for every slot: after a removal, or when Spark places a turn elsewhere.
No engine starts there; the worker without a slot works on until it has one again, or its lease
ends. When there are more workers than slots and all slots are taken, the workers without one are
stopped at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass

# Workers report four times a second. A worker that is silent longer may be gone with its machine.
_SILENT_SECONDS = 10.0
# A worker reports each second, however long its step takes, unless its process is stopped.
_HANGS_SECONDS = 5.0


# Other jobs that wait do not end a turn that has just begun: to plan the next one takes 0.4 s.
_TURN_SECONDS_MIN = 2.0


@dataclass(frozen=True, slots=True)
class Capacity:
    """How many slots Spark can run at once."""

    present: int
    most: int | None = None
    """With all executors that dynamic allocation may add; None: it adds none."""


@dataclass(frozen=True, slots=True)
class SlotRule:
    """How many slots a turn has if the user says no number."""

    leaves_a_core: bool = False
    """Whether other jobs of the session get one."""
    useful: Callable[[], int] = lambda: 1
    """Returns how many slots the tasks can use."""

    def count(self, capacity: Capacity) -> int:
        """Return the number of slots."""
        left = int(self.leaves_a_core)
        if capacity.most is None:
            return max(1, capacity.present - left)
        return max(1, min(self.useful(), capacity.most - left))


class SlotPlan:
    """The slots of one application: as many as `wanted`, else by `rule`."""

    def __init__(
        self,
        wanted: int | None,
        capacity: Callable[[], Capacity],
        rule: SlotRule | None = None,
        turn_seconds: float = 10.0,
    ) -> None:
        self._wanted = wanted
        self._capacity = capacity
        self._rule = rule or SlotRule()
        self._turn_seconds = turn_seconds
        self._added = 0
        self._turn = 0
        self._planned = 0
        self._began: float | None = None
        self._gives_way = False
        self._taken: set[int] = set()
        self._last_reports: dict[Hashable, float] = {}
        self._turn_of: dict[Hashable, int] = {}
        self._none_hangs_before = 0.0
        self._lock = threading.Lock()

    def count(self) -> int:
        """Return how many slots the next turn has."""
        return self._count(self._capacity())

    def _count(self, capacity: Capacity) -> int:
        return max(1, (self._wanted or self._rule.count(capacity)) + self._added)

    def add(self) -> int | None:
        """Add a slot from the next turn on; return how many, None if Spark has no core left."""
        with self._lock:
            capacity = self._capacity()
            if self._count(capacity) >= max(capacity.present, capacity.most or 0):
                return None
            self._added += 1
            return self._count(capacity)

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
            self._began, self._gives_way = None, False
            return self._planned

    def seconds_left(self, turn: int, now: float) -> float:
        """Return how long a slot of `turn` lasts that starts now; 0 if the turn is over."""
        with self._lock:
            if turn != self._turn or self._gives_way:
                return 0.0
            if self._began is None:
                self._began = now
            return max(0.0, self._began + self._turn_seconds - now)

    def give_way(self, now: float) -> bool:
        """End this turn early, because tasks of other jobs wait; return whether that helps them: it
        has begun a while ago, and its slots have all cores.
        """
        with self._lock:
            began, planned, gives_way = self._began, self._planned, self._gives_way
        if gives_way or began is None or now - began < _TURN_SECONDS_MIN:
            return gives_way
        if planned < self._capacity().present:
            return False
        with self._lock:
            self._gives_way = self._began == began
            return self._gives_way

    @property
    def given_way(self) -> int | None:
        """The turn that ends early, None if it lasts as long as others."""
        with self._lock:
            return self._turn if self._gives_way else None

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
                and turn != self._turn
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

    def forget_workers(self) -> None:
        """Forget all workers: turns are counted anew, and a worker of before has no slot."""
        with self._lock:
            self._last_reports.clear()
            self._turn_of.clear()

    def worker_gone(self, worker: Hashable) -> None:
        """Remove a worker that has ended or died."""
        with self._lock:
            self._forget(worker)

    def _forget(self, worker: Hashable) -> None:
        self._last_reports.pop(worker, None)
        self._turn_of.pop(worker, None)
