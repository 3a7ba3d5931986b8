"""The stores of one task, built from its plan; `store_kinds.py` builds each kind.

Java: ProcessorStateManager.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice, starmap
from typing import Any, TypeVar

from penstock import serdes
from penstock._clock import monotonic
from penstock._engine.metrics.rows import MetricRow
from penstock._engine.planner.plan import StorePlan
from penstock._engine.runtime.records import ChangelogRecord
from penstock._engine.runtime.stores.metered import metered
from penstock._engine.runtime.stores.row_forms import form_of
from penstock._engine.runtime.stores.store_kinds import (
    MakeEngine,
    StoreSite,
    codec_of,
    open_committed,
    open_store,
)
from penstock._engine.runtime.stores.store_metrics import StoreMetrics
from penstock._engine.state.cache.record_cache import CachedStore
from penstock._engine.state.codec import plain_codec, unreadable
from penstock._engine.state.contract import StoreEngine
from penstock._engine.state.memory.key_value import MemoryStore
from penstock._engine.state.views.table import TableState
from penstock.errors import StreamsError, text_of

__all__ = [
    "MakeEngine",
    "StoreSite",
    "TaskStore",
    "flush_stores",
    "memory_engine",
    "open_stores",
]

S = TypeVar("S")

_BYTES = plain_codec("", serdes.bytes(), serdes.bytes())
"""Queries travel as bytes: the types are known where they are asked."""


_WITHOUT_MEMORY = frozenset(
    {"key_value", "timestamped_key_value", "timestamped_key_value_with_headers"}
)
"""The kinds whose views remember nothing of the rows that they have read."""

_FLUSHES_MAX = 100
"""How often the caches of a task are flushed for one commit before they are said to feed each
other.
"""


def memory_engine(plan: StorePlan) -> StoreEngine:
    """Return an engine in memory, whatever the plan says, for the test driver."""
    return MemoryStore(f"state store {plan.builder.name!r}, in memory,")


class TaskStore:
    """One store of a task, from the view that processors see down to its engine."""

    def __init__(self, plan: StorePlan, site: StoreSite) -> None:
        self.name = plan.builder.name
        self.kind = plan.builder.kind
        self.keeps_headers = form_of(self.kind).keeps_headers
        """Whether it keeps the headers of records."""
        self._plan, self._site = plan, site
        topic = plan.restored_from
        self.changelog = None if topic is None else (topic, site.partition)
        """The partition of the topic that this store is restored from."""
        self._engine = site.make_engine(plan)
        opened, self._overlay = open_store(plan, site, self._engine)
        debug = site.config.records_debug_metrics
        self.metrics = StoreMetrics(plan, self._engine, opened, monotonic(), debug=debug)
        """The metrics of the store."""
        self._flush = self._flush_cache
        if self.metrics.meter is not None:
            opened = metered(opened, self.metrics.meter, site.position)
            if isinstance(opened.cache, CachedStore):
                self._flush = self.metrics.meter.timed("flush", self._flush_cache)
        self._cache = opened.cache
        self._counted: int | None = None
        self._state = opened.state
        self.face = opened.face
        """The store as processors see it."""
        self.values = opened.values
        """The same without the times and headers of values, where it keeps any."""
        self.timed = opened.timed
        """The same with times but without headers; None if it keeps no times."""
        self.table = opened.state if isinstance(opened.state, TableState) else None
        """The store as the operator of a table or an aggregate sees it; None for other stores."""
        self.commit = opened.commit
        """`commit(changelog_offset)` writes all changes to the engine, with the next offset of the
        changelog.
        """
        self._restore = opened.restore
        self._read_as = opened.read_as
        self._committed: Any = None
        """What `reader` returned of the committed content, if that can be used again."""
        self._read_first, self._row_of = opened.read_first, opened.row_of
        self.rows = opened.rows
        """Yields all rows of the store, as bytes; None if it is no store of the user."""

    def reader(self, *, uncommitted: bool) -> Any:
        """Return the store as processors see it, with keys and values as bytes, for a query.

        It is used at once, on the task's thread. What is committed only is a view of its own: the
        cache and what is known of recent rows belong to the task.

        Raises:
            LookupError: a store of this kind cannot be queried.
        """
        if self._read_as is None:
            msg = f"store {self.name!r} belongs to an operator and cannot be queried"
            raise LookupError(msg)
        if uncommitted:
            return self._read_as(_BYTES)
        if self._committed is not None:
            return self._committed
        read_as = open_committed(self._plan, self._site, self._overlay).read_as
        assert read_as is not None
        committed = read_as(_BYTES)
        if self.kind in _WITHOUT_MEMORY:
            self._committed = committed
        return committed

    def state(self, kind: type[S]) -> S:
        """Return the store as the operators of that kind see it."""
        assert isinstance(self._state, kind), f"{self.name} is no {kind.__name__}"
        return self._state

    def flush(self) -> bool:
        """Flush the cache; this may forward records. Return whether there was anything to flush."""
        return self._flushed(self._flush)

    def flush_again(self) -> bool:
        """`flush` what was written since, for the same commit: metrics count one flush."""
        return self._flushed(self._flush_cache)

    def _flushed(self, flush: Callable[[], bool]) -> bool:
        if self._cache is None:
            return False
        try:
            return flush()
        except StreamsError:
            raise
        except Exception as error:
            said = f"{type(error).__name__}: {text_of(error)}"
            msg = f"state store {self.name!r} failed to flush: {said}"
            raise StreamsError(msg) from error

    def _flush_cache(self) -> bool:
        return self._cache is not None and self._cache.flush()

    def restore(self, records: Iterable[ChangelogRecord], offset: int) -> None:
        """Apply changelog records; the store is then complete up to `offset`."""
        try:
            self._restore(records, offset)
        except StreamsError:
            raise
        except Exception as error:
            change = f"a change of {self._plan.own_state or f'state store {self.name!r}'}"
            raise unreadable(change, error) from error

    def read_first(self) -> None:
        """Read a row of the application's own, if there is one: state that cannot be read fails
        before its task runs, not when a record or a timer first meets it.

        Raises:
            StateUnreadableError: it cannot be read.
        """
        if self._read_first is not None:
            self._read_first()
            return
        # An engine of the user's may be far away, and its scan slow.
        is_built_in = isinstance(self._plan.builder.engine, str)
        if self.rows is not None and is_built_in and self._plan.own_state is not None:
            codec = codec_of(self._plan, self._site.config)
            for key, value, *_ in islice(self._rows_in_any_order(), 1):
                codec.decode_key(key)
                codec.decode_value(value)

    def _rows_in_any_order(self) -> Iterator[tuple[Any, ...]]:
        """Yield keys and values, and perhaps times. In memory `rows` would sort all keys, and each
        new key would be put into their order from then on.
        """
        assert self.rows is not None
        if self._row_of is None or not isinstance(self._engine, MemoryStore):
            return self.rows()
        return filter(None, starmap(self._row_of, self._engine.unordered()))

    def forget_reads(self) -> None:
        """Empty the cache when the store is restored: what was read before may be outdated."""
        if isinstance(self._cache, CachedStore):
            self._cache.clear()

    @property
    def is_on_disk(self) -> bool:
        """Whether the engine is RocksDB, in the directory of the task."""
        return self._plan.builder.engine == "rocksdb"

    def changelog_offset(self) -> int | None:
        """Return the changelog offset up to which the engine is complete, None if unknown."""
        return self._engine.changelog_offset()

    def committed_entries(self) -> int:
        """Return about how many entries are committed."""
        self._counted = self._overlay.committed_entries()
        return self._counted

    def metric_rows(self, now: float) -> Iterator[MetricRow]:
        """Yield the metrics of the store and its cache."""
        # Counting looks up hundreds of keys: the last count, of the same report, will do.
        counted = self._overlay.committed_entries() if self._counted is None else self._counted
        return self.metrics.rows(counted, now)

    def close(self) -> None:
        """Discard uncommitted changes and close the engine."""
        if self._cache is not None:
            self._cache.clear()
        self._overlay.discard()
        try:
            self._overlay.write_back()
        finally:
            # The reserve is shared by all stores of the worker.
            self._overlay.drop_unwritten()
            self._engine.close()


def open_stores(plans: dict[str, StorePlan], site: StoreSite) -> dict[str, TaskStore]:
    """Open the stores of a task, in the order in which they are flushed and committed."""
    return {name: TaskStore(plan, site) for name, plan in plans.items()}


def flush_stores(stores: Collection[TaskStore]) -> None:
    """Flush the caches of a task, in the order of its stores, until none has changes.

    What a flush forwards may be written to a store that was flushed before: to leave that for the
    next commit would commit the input without it. Java flushes once, and can lose it.
    """
    flush = TaskStore.flush
    for _ in range(_FLUSHES_MAX):
        failure: StreamsError | None = None
        flushed = []
        for store in stores:
            try:
                if flush(store):
                    flushed.append(store.name)
            except StreamsError as error:
                # As in Java, the other stores are flushed all the same; the first failure is
                # raised.
                failure = failure or error
        if failure is not None:
            raise failure
        if not flushed:
            return
        flush = TaskStore.flush_again
    names = ", ".join(map(repr, flushed))
    msg = (
        f"state stores {names} still have changes after {_FLUSHES_MAX} flushes of their caches: "
        "what is forwarded when one of them is flushed is written to it again, without end; let "
        "the processor behind it write to another store"
    )
    raise StreamsError(msg)
