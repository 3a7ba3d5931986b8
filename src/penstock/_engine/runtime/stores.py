"""The stores of one task, made from its plan: types, cache, changelog, uncommitted changes, engine.

Java: ProcessorStateManager and the store builders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from penstock._engine.planner.plan import StorePlan
from penstock._engine.runtime.collector import Collector
from penstock._engine.runtime.position import Position
from penstock._engine.state.contract import StoreEngine
from penstock._engine.state.layers.cache import CacheBudget, CachedStore
from penstock._engine.state.layers.codec import (
    Codec,
    pack_timestamp,
    plain_codec,
    timestamped_codec,
    values_of_timestamped_codec,
)
from penstock._engine.state.layers.key_value import TypedKeyValueStore
from penstock._engine.state.layers.logged import Log, LoggedStore, log_with_own_time
from penstock._engine.state.layers.table import TableState
from penstock._engine.state.memory.key_value import MemoryStore
from penstock._engine.state.overlay import Overlay
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

MakeEngine: TypeAlias = Callable[[StorePlan], StoreEngine]
"""Opens the engine of a store; the host knows where it lives."""

ChangelogRecord: TypeAlias = tuple[bytes, bytes | None, int]
"""(key, value, timestamp) as read from a changelog; a value of None deletes."""


def memory_engine(plan: StorePlan) -> StoreEngine:
    """Keep every store in memory, whatever its plan says: what the test driver does."""
    return MemoryStore()


@dataclass(frozen=True, slots=True)
class StoreSite:
    """Where the stores of a task stand: what they need to be opened."""

    partition: int
    config: StreamsConfig
    collector: Collector
    position: Position
    make_engine: MakeEngine
    budget: CacheBudget


class TaskStore:
    """One store of a task, from the face that processors see down to its engine."""

    def __init__(self, plan: StorePlan, site: StoreSite) -> None:
        builder = plan.builder
        self.name = builder.name
        self.changelog = None if plan.changelog is None else (plan.changelog, site.partition)
        """The partition of the changelog topic that this store is restored from."""
        self._is_timestamped = builder.kind == "timestamped_key_value"
        self._engine = site.make_engine(plan)
        self._overlay = Overlay(self._engine)
        log = None if plan.changelog is None else _log_to(plan.changelog, site)
        if log is not None and self._is_timestamped:
            log = log_with_own_time(log)
        logged = LoggedStore(self._overlay, log)
        self._cache = (
            CachedStore(logged, site.budget, site.position)
            if builder.cached and site.budget.limit_bytes > 0
            else None
        )
        store = self._cache or logged
        codec = _codec(plan, site)
        self.table = TableState(self.name, codec, store) if self._is_timestamped else None
        """What the operator of a table or an aggregate uses; None if this is no store of one."""
        face_codec = timestamped_codec(codec) if self._is_timestamped else codec
        self.face = TypedKeyValueStore(self.name, face_codec, store, site.position)
        """What processors see."""
        values_codec = values_of_timestamped_codec(codec) if self._is_timestamped else codec
        self.values = TypedKeyValueStore(self.name, values_codec, store, site.position)
        """The same without the times of values, where it keeps any."""

    def flush(self) -> None:
        """Let out what the cache holds back; this may forward records."""
        if self._cache is None:
            return
        try:
            self._cache.flush()
        except StreamsError:
            raise
        except Exception as error:
            msg = f"state store {self.name!r} failed to flush: {type(error).__name__}: {error}"
            raise StreamsError(msg) from error

    def commit(self, changelog_offset: int | None) -> None:
        """Make all changes part of the engine, with the offset at which the changelog goes on."""
        self._overlay.apply(changelog_offset)

    def restore(self, records: Iterable[ChangelogRecord], offset: int) -> None:
        """Take in records of the changelog; the store is then complete up to `offset`."""
        changes: dict[bytes, bytes | None]
        if self._is_timestamped:
            changes = {
                key: None if value is None else pack_timestamp(timestamp) + value
                for key, value, timestamp in records
            }
        else:
            changes = {key: value for key, value, _ in records}
        self._engine.write(changes, offset)

    def changelog_offset(self) -> int | None:
        """Give the offset of the changelog up to which the engine is complete, None if unknown."""
        return self._engine.changelog_offset()

    def committed_entries(self) -> int:
        """Give about how many entries the engine has."""
        return self._engine.approximate_num_entries()

    def close(self) -> None:
        """Forget what is not committed and close the engine."""
        if self._cache is not None:
            self._cache.clear()
        self._overlay.discard()
        self._engine.close()


def open_stores(plans: dict[str, StorePlan], site: StoreSite) -> dict[str, TaskStore]:
    """Open the stores of a task, in the order in which they are flushed and committed."""
    return {name: TaskStore(plan, site) for name, plan in plans.items()}


def _codec(plan: StorePlan, site: StoreSite) -> Codec:
    builder, config = plan.builder, site.config
    title = f"state store {builder.name!r}"
    return plain_codec(
        plan.serde_topic,
        builder.key or config.required_key_serde(title),
        builder.value or config.required_value_serde(title),
    )


def _log_to(topic: str, site: StoreSite) -> Log:
    send, partition = site.collector.send, site.partition
    return lambda key, value, timestamp: send((topic, partition, key, value, timestamp, ()))
