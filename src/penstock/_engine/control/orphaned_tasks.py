"""Tasks that the group has given to no member, and for which one must join it again.

The group moves a task in two steps: its owner gives it up and joins again, then another gets it. If
all workers are killed in between and started again, they are static members with the assignment of
the first step: it is not computed anew, and the one that had to give the task up has forgotten it.
Java has no static members unless a user names them.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Hashable, Sequence

from penstock._engine.control.protocol.messages import Report

# A worker that gives a task up commits first, and joins again then.
_ORPHANED_SECONDS = 5.0


class OrphanedTasks:
    """Chooses a worker that joins again; any thread may call it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: frozenset[str] = frozenset()
        self._since = 0.0
        self._worker: Hashable = None

    def look(self, orphans: Collection[str], alive: Sequence[Report], now: float) -> bool:
        """Take the tasks that have no member now; yes if a worker is to join again: they have been
        the same for a while. It is the one with the fewest tasks.
        """
        found = frozenset(orphans)
        with self._lock:
            if found != self._seen:
                self._seen, self._since = found, now
            if not found or now - self._since < _ORPHANED_SECONDS:
                return False
            self._since = now
            self._worker = min(alive, key=lambda one: (len(one.tasks), one.member_id)).worker
            return True

    def take(self, worker: Hashable) -> bool:
        """Return, once, whether this is the worker that is to join again."""
        with self._lock:
            if self._worker != worker:
                return False
            self._worker = None
            return True
