"""Measurements of the last minute: their rate, mean, least and largest.

Two windows of 30 s each, as in Java (SampledStat with `metrics.num.samples` 2). One measurement is
a few additions: it is meant for each step of a worker, not for each record.
"""

from __future__ import annotations

import math

_WINDOW_SECONDS = 30.0
# A rate over the first moments would be noise.
_ELAPSED_SECONDS_MIN = 1.0


class _Window:
    __slots__ = ("count", "largest", "least", "since", "total")

    def __init__(self, since: float) -> None:
        self.since = since
        self.count = self.total = 0.0
        self.least, self.largest = math.inf, -math.inf


class Samples:
    """Measurements, each of which may stand for many things."""

    __slots__ = ("_before", "_current")

    def __init__(self, now: float) -> None:
        self._current = _Window(now)
        self._before: _Window | None = None

    def record(self, value: float, now: float, count: float = 1.0) -> None:
        """Take a measurement of `count` things that are `value` together."""
        window = self._roll(now)
        window.count += count
        window.total += value
        each = value / count if count else value
        window.least = min(window.least, each)
        window.largest = max(window.largest, each)

    def rate(self, now: float) -> float:
        """Return how many things there were each second."""
        return self._sum("count", now) / self._elapsed(now)

    def total_rate(self, now: float) -> float:
        """Return what the measurements are together, for each second."""
        return self._sum("total", now) / self._elapsed(now)

    def mean(self, now: float) -> float | None:
        """Return the mean of a thing, None if there was none."""
        count = self._sum("count", now)
        return self._sum("total", now) / count if count else None

    def largest(self, now: float) -> float | None:
        """Return the largest measurement of a thing, None if there was none."""
        found = max(window.largest for window in self._windows(now))
        return found if math.isfinite(found) else None

    def least(self, now: float) -> float | None:
        """Return the least measurement of a thing, None if there was none."""
        found = min(window.least for window in self._windows(now))
        return found if math.isfinite(found) else None

    def _sum(self, what: str, now: float) -> float:
        return sum(float(getattr(window, what)) for window in self._windows(now))

    def _elapsed(self, now: float) -> float:
        return max(_ELAPSED_SECONDS_MIN, now - self._windows(now)[0].since)

    def _windows(self, now: float) -> list[_Window]:
        current = self._roll(now)
        return [current] if self._before is None else [self._before, current]

    def _roll(self, now: float) -> _Window:
        current = self._current
        if now - current.since < _WINDOW_SECONDS:
            return current
        # After a pause of a window or more, nothing of the last minute is left.
        recent = now - current.since < 2 * _WINDOW_SECONDS
        self._before = current if recent else _Window(now - _WINDOW_SECONDS)
        self._current = _Window(now)
        return self._current


class Latency:
    """An operation: how often, how long, and how large a part of the time."""

    __slots__ = ("_samples", "total")

    def __init__(self, now: float) -> None:
        self.total = 0
        self._samples = Samples(now)

    def record(self, seconds: float, now: float, count: int = 1) -> None:
        """Take `count` operations that lasted `seconds` together."""
        self.total += count
        self._samples.record(seconds, now, count)

    def values(self, operation: str, now: float) -> dict[str, float]:
        """Return rate, total, latencies in milliseconds and ratio; no latencies if there was no
        operation in the last minute.
        """
        samples = self._samples
        mean, largest = samples.mean(now), samples.largest(now)
        values = {
            f"{operation}-rate": samples.rate(now),
            f"{operation}-total": self.total,
            f"{operation}-ratio": min(1.0, samples.total_rate(now)),
        }
        if mean is not None and largest is not None:
            values[f"{operation}-latency-avg"] = mean * 1000
            values[f"{operation}-latency-max"] = largest * 1000
        return values


class CounterRate:
    """The rate of a counter that is read now and then."""

    __slots__ = ("_last", "_samples")

    def __init__(self, now: float) -> None:
        self._last = 0
        self._samples = Samples(now)

    def rate(self, count: int, now: float) -> float:
        """Return the rate of a counter that is at `count` now."""
        self._samples.record(0.0, now, count - self._last)
        self._last = count
        return self._samples.rate(now)
