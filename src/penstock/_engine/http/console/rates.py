"""Rates from totals that are looked at about once a second."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

WINDOW_SECONDS = 1.9
"""Workers report their totals once a second, so that a shorter look would see none or two."""


@dataclass(slots=True)
class _Counter:
    since: float
    total: float
    rate: float = 0.0
    moved: float = 0.0
    """When the total last changed."""
    seen: float = 0.0


class Rates:
    """The rates of many totals, each under a key."""

    def __init__(self) -> None:
        self._counters: dict[Hashable, _Counter] = {}

    def rate(self, key: Hashable, total: float, now: float) -> float:
        """Take a total; return how fast it grows each second."""
        counter = self._counters.get(key)
        if counter is None or total < counter.total:  # another process counts anew
            self._counters[key] = _Counter(now, total, moved=now, seen=now)
            return 0.0
        counter.seen = now
        if total != counter.total and counter.moved < now:
            counter.moved = now
        if now - counter.since >= WINDOW_SECONDS:
            counter.rate = (total - counter.total) / (now - counter.since)
            counter.since, counter.total = now, total
        return counter.rate

    def idle_seconds(self, key: Hashable, now: float) -> float:
        """Return for how long a total has not changed."""
        counter = self._counters.get(key)
        return 0.0 if counter is None else now - counter.moved

    def forget(self, now: float) -> None:
        """Forget the totals that were not taken at `now`."""
        self._counters = {key: one for key, one in self._counters.items() if one.seen == now}
