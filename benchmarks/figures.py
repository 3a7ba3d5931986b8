"""The arithmetic of measurements: windows, medians, spreads, percentiles. No I/O."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

WARM_UP: Final = 0.2
"""The share of the records during which virtual machines and caches become warm; not counted."""


@dataclass(frozen=True, slots=True)
class Sample:
    """How far a contender was at a moment: input records committed, outputs visible."""

    seconds: float
    committed: int
    visible: int
    stolen: float = 0.0
    """Of those seconds, how many were stolen by other machines on the host."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Records per second, and the share of the time that was stolen."""

    measured: float
    stolen: float

    @property
    def own(self) -> float:
        """Return records per second in which the machine was ours."""
        return self.measured / (1 - self.stolen)

    def __str__(self) -> str:
        told = f", with {self.stolen:.0%} of the machine given to others"
        return f"{self.own:,.0f}/s{told if self.stolen >= 0.005 else ''}"


def rate_by_commits(samples: Sequence[Sample], records: int) -> Rate:
    """Return the rate from the first commit after the warm-up to the last effect: the moment after
    which neither the committed offsets nor the visible outputs changed.

    Raises:
        ValueError: not all records were committed, or all in one commit.
    """
    if not samples or samples[-1].committed < records:
        done = samples[-1].committed if samples else 0
        msg = f"all {records} records must be committed; got {done}"
        raise ValueError(msg)
    begin = next(sample for sample in samples if sample.committed >= records * WARM_UP)
    end = _last_change(samples)
    if end.seconds <= begin.seconds:
        msg = "the run must be longer than its warm-up; take more records"
        raise ValueError(msg)
    seconds = end.seconds - begin.seconds
    return Rate((records - begin.committed) / seconds, (end.stolen - begin.stolen) / seconds)


def _last_change(samples: Sequence[Sample]) -> Sample:
    final = samples[-1]
    return next(
        sample
        for sample in samples
        if sample.committed == final.committed and sample.visible == final.visible
    )


def rate_by_arrivals(arrivals_ms: Sequence[int], records: int) -> float:
    """Return records per second of a contender that commits no offsets: from the moment when a
    fifth of its outputs was written to the last output.

    Raises:
        ValueError: there are too few outputs to tell.
    """
    ordered = sorted(arrivals_ms)
    if len(ordered) < 10:
        msg = f"at least 10 outputs are needed to tell a rate; got {len(ordered)}"
        raise ValueError(msg)
    begin = ordered[int(len(ordered) * WARM_UP)]
    if ordered[-1] <= begin:
        msg = "all outputs came at once; take more records"
        raise ValueError(msg)
    return records * (1 - WARM_UP) / (ordered[-1] - begin) * 1000


def median(values: Sequence[float]) -> float:
    """Return the middle one."""
    return statistics.median(values)


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean, and how far the true one may be from it (95 %); infinitely of one value."""
    mean = statistics.fmean(values)
    if len(values) < 2:
        return mean, math.inf
    return mean, 1.96 * statistics.stdev(values) / math.sqrt(len(values))


def spread_percent(values: Sequence[float]) -> float:
    """Return half the distance from the lowest to the highest, in percent of the median."""
    middle = statistics.median(values)
    return (max(values) - min(values)) / 2 / middle * 100 if middle else 0.0


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """Return p50, p95, p99 and max.

    Raises:
        ValueError: there are fewer than two values.
    """
    if len(values) < 2:
        msg = f"percentiles need at least 2 values; got {len(values)}"
        raise ValueError(msg)
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    names = {"p50": cuts[49], "p95": cuts[94], "p99": cuts[98], "max": max(values)}
    return {name: round(value, 1) for name, value in names.items()}


def restoring(intact_s: float, wiped_s: float, changes: int, size: int) -> dict[str, float]:
    """Return the cost of restoring `changes` records of `size` bytes, by the times of a restart
    with state and of one without.

    Raises:
        ValueError: the restart without state took no longer.
    """
    seconds = wiped_s - intact_s
    if seconds <= 0:
        msg = f"too few keys to tell: {intact_s:.2f} s with state, {wiped_s:.2f} s without"
        raise ValueError(msg)
    return {
        "restart_intact_s": round(intact_s, 2),
        "restart_wiped_s": round(wiped_s, 2),
        "restore_s": round(seconds, 2),
        "changelog_records": changes,
        "changelog_mb": round(size / 1e6, 1),
        "records_per_s": round(changes / seconds),
        "mb_per_s": round(size / 1e6 / seconds, 1),
    }


def memory_per_million_keys(memory_mb: dict[int, float]) -> float | None:
    """Return how many MB a million keys take, by the memory at the fewest and at the most keys."""
    few, many = min(memory_mb), max(memory_mb)
    if few == many:
        return None
    return round((memory_mb[many] - memory_mb[few]) / (many - few) * 1e6, 1)
