"""The only module that asks for the time, or for chance; all others take a `Clock`."""

from __future__ import annotations

import time
import uuid
from typing import Protocol


class Clock(Protocol):
    """Wall-clock time in milliseconds since the epoch."""

    def now_ms(self) -> int: ...


class SystemClock:
    """The machine's clock."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000


class ManualClock:
    """A clock that moves only by `advance`: for tests and for `TopologyTestDriver`."""

    def __init__(self, now_ms: int = 0) -> None:
        self._now_ms = now_ms

    def now_ms(self) -> int:
        return self._now_ms

    def advance(self, milliseconds: int) -> None:
        """Move forward by `milliseconds`."""
        if milliseconds < 0:
            msg = f"a clock must not move backwards; got {milliseconds} ms"
            raise ValueError(msg)
        self._now_ms += milliseconds


def perf_counter() -> float:
    """Return seconds for measuring durations."""
    return time.perf_counter()


def monotonic() -> float:
    """Return seconds that never go back, for leases and intervals."""
    return time.monotonic()


def new_id() -> str:
    """Return a globally unique id."""
    return uuid.uuid4().hex
