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
        window = self._current
        if now - window.since >= _WINDOW_SECONDS:
            window = self._roll(now)
        window.count += count
        window.total += value
        each = value / count if count else value
        if each < window.least:  # noqa: PLR1730  # min() would take longer, several times a step
            window.least = each
        if each > window.largest:  # noqa: PLR1730
            window.largest = each

    def take(self, total: float, count: float, extremes: tuple[float, float], now: float) -> None:
        """Take `count` things that are `total` together, the least and the largest of which are
        `extremes`.
        """
        window = self._roll(now)
        window.count += count
        window.total += total
        window.least = min(window.least, extremes[0])
        window.largest = max(window.largest, extremes[1])

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


class Quantity:
    """Measurements that are many: they are added up here, and become samples when they are read.

    A step of a worker makes several after a thousand records, when nothing of this is in the
    processor's caches any more: so a measurement touches one object.
    """

    __slots__ = ("_at", "_count", "_largest", "_least", "_samples", "_sum", "_taken")

    def __init__(self, now: float) -> None:
        self._samples = Samples(now)
        self._at = now
        self._taken = self._count = 0
        self._sum, self._least, self._largest = 0.0, math.inf, -math.inf

    def add(self, value: float, count: int = 1) -> None:
        """Take a measurement of `count` things that are `value` together."""
        self._count += count
        self._sum += value
        each = value / count if count > 1 else value
        if each > self._largest:  # noqa: PLR1730  # max() would take longer, for each record
            self._largest = each
        if each < self._least:  # noqa: PLR1730
            self._least = each

    @property
    def total(self) -> int:
        """How many things were measured."""
        return self._taken + self._count

    def samples(self, now: float) -> Samples:
        """Return the measurements of the last minute."""
        if self._count:
            # What is read late is of all the time since the last look.
            at = now if now - self._at < _WINDOW_SECONDS else self._at
            self._samples.take(self._sum, self._count, (self._least, self._largest), at)
            self._taken += self._count
            self._count, self._sum = 0, 0.0
            self._least, self._largest = math.inf, -math.inf
        self._at = now
        return self._samples

    def values(self, name: str, now: float, *stats: str, factor: float = 1.0) -> dict[str, float]:
        """Return the statistics `<name>-avg`, `-min` or `-max` that are asked for, times `factor`;
        none if there was no measurement in the last minute.
        """
        samples = self.samples(now)
        known = {"avg": samples.mean, "min": samples.least, "max": samples.largest}
        found = {f"{name}-{stat}": known[stat](now) for stat in stats}
        return {stat: value * factor for stat, value in found.items() if value is not None}


class Latency:
    """An operation: how often, how long, and how large a part of the time."""

    __slots__ = ("_times", "record")

    def __init__(self, now: float) -> None:
        self._times = Quantity(now)
        self.record = self._times.add
        """`record(seconds, count)` takes `count` operations that lasted `seconds` together."""

    def values(self, operation: str, now: float) -> dict[str, float]:
        """Return rate, total, latencies in milliseconds and ratio; no latencies if there was no
        operation in the last minute.
        """
        times = self._times
        samples = times.samples(now)
        return {
            f"{operation}-rate": samples.rate(now),
            f"{operation}-total": times.total,
            f"{operation}-ratio": min(1.0, samples.total_rate(now)),
            **times.values(f"{operation}-latency", now, "avg", "max", factor=1000.0),
        }


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
