"""The metrics that are made of RocksDB's statistics, at the recording level DEBUG. Java:
RocksDBMetricsRecorder.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Final, Protocol

from penstock._engine.metrics.samples import CounterRate, Samples

_RATES: Final = {
    "bytes-written-rate": "bytes.written",
    "bytes-read-rate": "bytes.read",
    "memtable-bytes-flushed-rate": "flush.write.bytes",
    "bytes-read-compaction-rate": "compact.read.bytes",
    "bytes-written-compaction-rate": "compact.write.bytes",
}
_TOTALS: Final = {
    "bytes-written-total": "bytes.written",
    "bytes-read-total": "bytes.read",
    "memtable-bytes-flushed-total": "flush.write.bytes",
    "number-file-errors-total": "no.file.errors",
}
_RATIOS: Final = {
    "memtable-hit-ratio": "memtable",
    "block-cache-data-hit-ratio": "block.cache.data",
    "block-cache-index-hit-ratio": "block.cache.index",
    "block-cache-filter-hit-ratio": "block.cache.filter",
}
_TIMES: Final = {
    "memtable-flush-time": "db.flush.micros",
    "compaction-time": "compaction.times.micros",
    "write-stall-duration": "db.write.stall",
}
_MICROS_IN_MS: Final = 1000.0
_UNKNOWN_FILES: Final = -1.0
"""As in Java: RocksDB has no counter of closed files any more."""


class Statistic(Protocol):
    """One number of RocksDB since the database was opened."""

    @property
    def count(self) -> int: ...
    @property
    def sum(self) -> int: ...
    @property
    def largest(self) -> float: ...


class _Times:
    """Durations of which RocksDB gives the count and the sum."""

    def __init__(self, now: float) -> None:
        self._count = self._sum = 0
        self._samples = Samples(now)
        self.least_ms = inf
        """The shortest since the database was opened; of several between two looks, their mean."""

    def mean_ms(self, known: Statistic, now: float) -> float | None:
        """Return the mean duration of the last minute, None if there was none."""
        added, count = known.sum - self._sum, known.count - self._count
        self._samples.record(added, now, count)
        if count:
            self.least_ms = min(self.least_ms, added / count / _MICROS_IN_MS)
        self._count, self._sum = known.count, known.sum
        mean = self._samples.mean(now)
        return None if mean is None else mean / _MICROS_IN_MS


class RocksDbFigures:
    """Rates, ratios and times of one store, of the last minute."""

    def __init__(self, now: float) -> None:
        self._began = now
        self._rates: dict[str, CounterRate] = {}
        self._times = {name: _Times(now) for name in _TIMES}

    def values(self, statistics: Mapping[str, Statistic], now: float) -> dict[str, float]:
        """Return the metrics; no ratio and no time where there was nothing in the last minute."""
        rates = {
            name: self._rates.setdefault(name, CounterRate(self._began)).rate(known.count, now)
            for name, known in statistics.items()
        }
        values: dict[str, float] = {"number-open-files": _UNKNOWN_FILES}
        values |= {name: rates.get(key, 0.0) for name, key in _RATES.items()}
        values |= {
            name: statistics[key].count for name, key in _TOTALS.items() if key in statistics
        }
        if (stalled := statistics.get("stall.micros")) is not None:
            values["write-stall-duration-total"] = stalled.count / _MICROS_IN_MS
        for name, key in _RATIOS.items():
            hits, misses = rates.get(f"{key}.hit", 0.0), rates.get(f"{key}.miss", 0.0)
            if hits or misses:
                values[name] = hits / (hits + misses)
        for name, key in _TIMES.items():
            known = statistics.get(key)
            mean = None if known is None else self._times[name].mean_ms(known, now)
            if known is not None and mean is not None:
                values[f"{name}-avg"] = mean
                if name != "write-stall-duration":
                    values[f"{name}-min"] = self._times[name].least_ms
                    values[f"{name}-max"] = known.largest / _MICROS_IN_MS
        return values
