"""The earliest time at which a window can end: before it, no closed window waits in the store.

Tumbling and hopping windows end at known times. Sliding windows and sessions end anywhere: their
ends are counted in buckets of time as they are put and removed.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Final, Protocol

from penstock.windows import END_OF_TIME

_BUCKET_COUNT: Final = 1_024
"""About how many buckets the retention of a store is divided into."""


class WindowEnds(Protocol):
    """The ends of the windows that are not emitted yet."""

    due: int
    """The earliest close time at which one of them can be closed."""
    row_to_due_ms: int
    """From the time of a window's row in the store to the earliest close time at which the window
    is closed.
    """

    def start(self, last_close: int) -> None:
        """Begin with the rows in the store; those closed at `last_close` have been emitted."""

    def passed(self, close: int) -> None:
        """Remove the windows closed at `close`: they have been emitted."""


class AlignedEnds:
    """The ends of tumbling and hopping windows, whether there are records in them or not."""

    __slots__ = ("_advance_ms", "_size_ms", "due", "row_to_due_ms")

    def __init__(self, size_ms: int, advance_ms: int) -> None:
        self._size_ms = self.row_to_due_ms = size_ms
        self._advance_ms = advance_ms
        self.due = size_ms

    def start(self, last_close: int) -> None:
        self.passed(last_close)

    def passed(self, close: int) -> None:
        last_start = close - self._size_ms
        if last_start >= 0:
            self.due = self._size_ms + (last_start // self._advance_ms + 1) * self._advance_ms


class CountedEnds:
    """The ends of windows that may end at any time and are closed when they end before the close
    time.

    Rows that were stored before the operator started are not counted: up to the latest end that the
    store may hold then, windows may end at any time. A count may be too high, which costs a useless
    fetch, but never too low.
    """

    __slots__ = (
        "_bucket_ms",
        "_buckets",
        "_counts",
        "_known_from",
        "_latest_end",
        "due",
        "row_to_due_ms",
    )

    def __init__(
        self, retention_ms: int, row_to_end_ms: int, *, latest_end: Callable[[], int]
    ) -> None:
        """`row_to_end_ms` is from the time of a window's row to its end; `latest_end()` returns the
        latest end that the store may hold.
        """
        self._latest_end = latest_end
        self.row_to_due_ms = row_to_end_ms + 1
        self._bucket_ms = max(1, retention_ms // _BUCKET_COUNT)
        self._counts: dict[int, int] = {}
        """How many windows end in each bucket of `_buckets`."""
        self._buckets: list[int] = []
        """A heap."""
        self._known_from = -1
        self.due = 0

    def start(self, last_close: int) -> None:
        self._known_from = self._latest_end()
        self.due = last_close + 1

    def add(self, end: int) -> None:
        """Count a window that is put."""
        bucket = end // self._bucket_ms
        counts = self._counts
        if bucket in counts:
            counts[bucket] += 1
        else:
            counts[bucket] = 1
            heappush(self._buckets, bucket)
        if end < self.due:
            self.due = end + 1

    def remove(self, end: int) -> None:
        """Subtract a window that is removed, if it was counted."""
        bucket = end // self._bucket_ms
        if end > self._known_from and self._counts.get(bucket, 0) > 0:
            self._counts[bucket] -= 1

    def passed(self, close: int) -> None:
        self.due = max(close, self._earliest(close)) + 1

    def _earliest(self, close: int) -> int:
        """Return a time before which no window ends that is not closed at `close`."""
        if close <= self._known_from:
            return close
        buckets, counts = self._buckets, self._counts
        while buckets:
            bucket = buckets[0]
            if counts[bucket] > 0 and (bucket + 1) * self._bucket_ms > close:
                return bucket * self._bucket_ms
            del counts[heappop(buckets)]
        return END_OF_TIME
