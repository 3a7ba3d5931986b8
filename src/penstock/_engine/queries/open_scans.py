"""Scans that wait for their next page: so many at most, each for a while, each taken once.

Three places keep such scans: the worker, the driver that answers another one, and the HTTP server.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from penstock._clock import monotonic

OPEN_SECONDS = 60.0
"""How long a scan waits for its next page."""

C = TypeVar("C", bound=Hashable)
S = TypeVar("S")


class OpenScans(Generic[C, S]):
    """Scans of type S under cursors of type C, which `new_cursor` makes; any thread may call it."""

    def __init__(self, new_cursor: Callable[[], C], open_max: int) -> None:
        self._new_cursor, self._open_max = new_cursor, open_max
        self._lock = threading.Lock()
        self._scans: dict[C, tuple[float, S]] = {}

    def __len__(self) -> int:
        return len(self._scans)

    def keep(self, scan: S) -> C:
        """Keep a scan; return its cursor. The oldest of too many is dropped."""
        with self._lock:
            self._drop_old()
            while len(self._scans) >= self._open_max:
                del self._scans[next(iter(self._scans))]
            cursor = self._new_cursor()
            self._scans[cursor] = monotonic() + OPEN_SECONDS, scan
            return cursor

    def take(self, cursor: C, fits: Callable[[S], bool]) -> S | None:
        """Return a scan and forget it; None if there is none that fits, which then stays."""
        with self._lock:
            self._drop_old()
            kept = self._scans.get(cursor)
            if kept is None or not fits(kept[1]):
                return None
            del self._scans[cursor]
            return kept[1]

    def drop_old(self) -> None:
        """Forget scans whose time is over."""
        if self._scans:
            with self._lock:
                self._drop_old()

    def clear(self) -> None:
        """Forget all scans."""
        with self._lock:
            self._scans.clear()

    def _drop_old(self) -> None:
        now = monotonic()
        # All wait equally long: the oldest come first.
        while self._scans:
            cursor = next(iter(self._scans))
            if self._scans[cursor][0] > now:
                return
            del self._scans[cursor]


def random_number() -> int:
    """Return a cursor that no other server has, be it the next one of the same process: one that
    counts would take the cursor of another scan for its own.
    """
    return secrets.randbits(63)
