"""The metrics of one store as rows: read when they are reported, not counted for each record. At
the recording level DEBUG a meter adds what it has measured. Java: StateStoreMetrics, RocksDBMetrics
and NamedCacheMetrics.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from penstock._engine.metrics.rocksdb_figures import RocksDbFigures
from penstock._engine.metrics.rows import CACHE, STATE, MetricRow
from penstock._engine.metrics.samples import Quantity
from penstock._engine.metrics.store_meter import StoreMeter
from penstock._engine.planner.plan import StorePlan
from penstock._engine.runtime.stores.store_kinds import Opened
from penstock._engine.state.cache.record_cache import CachedStore
from penstock._engine.state.contract import StoreEngine
from penstock._engine.state.suppression_buffer import SuppressionBuffer

_SCOPES: Final = {"rocksdb": "rocksdb", "in_memory": "in-memory"}
_KINDS: Final = (("window", "-window"), ("join_buffer", "-window"), ("session", "-session"))


class StoreMetrics:
    """The metrics of one open store; `debug` if its operations are to be measured."""

    def __init__(
        self, plan: StorePlan, engine: StoreEngine, opened: Opened, now: float, *, debug: bool
    ) -> None:
        self._name = plan.builder.name
        self.tag = _tag(plan)
        """The tag of the store: its engine and kind, and its name."""
        # An engine of the user's may have attributes of these names that mean something else.
        self._engine: Any = engine if isinstance(plan.builder.engine, str) else None
        self._cache = opened.cache
        self.meter = StoreMeter(now) if debug else None
        """Measures the operations; None at the level INFO."""
        counts = debug and hasattr(self._engine, "statistics")
        self._statistics = RocksDbFigures(now) if counts else None
        self._hit_ratios = Quantity(now)

    def rows(self, committed_entries: int, now: float) -> Iterator[MetricRow]:
        """Yield the rows of the store and of its cache; about so many entries are committed."""
        yield MetricRow(STATE, self._values(committed_entries, now), dict(self.tag))
        cache = self._cache
        if isinstance(cache, CachedStore) and cache.reads is not None:
            ratio = cache.reads.hit_ratio()
            if ratio is not None:
                self._hit_ratios.add(ratio)
            ratios = self._hit_ratios.values("hit-ratio", now, "avg", "min", "max")
            yield MetricRow(CACHE, dict(ratios), {"record-cache-id": self._name})

    @property
    def cache_bytes(self) -> int:
        """The bytes that the record cache of the store holds."""
        cache = self._cache
        return cache.entries.used_bytes if isinstance(cache, CachedStore) else 0

    def _values(self, committed_entries: int, now: float) -> dict[str, int | float | str]:
        values: dict[str, int | float | str] = {}
        if isinstance(self._cache, SuppressionBuffer):
            values["suppression-buffer-size"] = values["state-bytes"] = self._cache.size_bytes
            values["suppression-buffer-count"] = len(self._cache)
        elif hasattr(self._engine, "properties"):
            values |= self._engine.properties()
            # RocksDB knows what was written to it; what is committed may be written later.
            values["estimate-num-keys"] = committed_entries
            values["state-bytes"] = int(values["total-sst-files-size"]) + int(
                values["size-all-mem-tables"]
            )
        else:
            values["num-keys"] = committed_entries
            if hasattr(self._engine, "approximate_bytes"):
                values["state-bytes"] = self._engine.approximate_bytes()
        if self._statistics is not None:
            values |= self._statistics.values(self._engine.statistics(), now)
        if self.meter is not None:
            values |= self.meter.values(now)
        return values


def _tag(plan: StorePlan) -> dict[str, str]:
    """Return the tag of a store's metrics. Java: StoreSupplier.metricsScope."""
    builder = plan.builder
    scope = _SCOPES.get(str(builder.engine), "custom")
    if builder.kind == "suppression":
        kind, scope = "-suppression", "in-memory"
    elif builder.max_entries is not None:
        kind, scope = "-lru", "in-memory"
    else:
        kind = next((shown for part, shown in _KINDS if part in builder.kind), "")
    return {f"{scope}{kind}-state-id": builder.name}
