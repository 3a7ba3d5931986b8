"""The operations of windowed aggregations: each has a store with a row for each key and window, and
a time at which a window closes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from penstock._engine.topology.nodes.stream_nodes import AnyFunction, TableOperation
from penstock._engine.topology.nodes.views import SessionRows, View, WindowRows
from penstock.stores import StoreBuilder
from penstock.windows import AlignedWindows, SessionWindows, SlidingWindows


def partition_by_key_alone(topic: str, key: object, value: object, partitions: int) -> None:
    """Placeholder for the partitioner of a sink with windowed keys: all windows of a key go to one
    partition. Java: WindowedStreamPartitioner.

    It needs the sink's serde, so `runtime/output/sink.py` replaces it by the real one.
    """


@dataclass(frozen=True, slots=True)
class WindowedOperation(TableOperation):
    """Fold the records of each key and window: `aggregator(key, value, aggregate)`, begun with
    `initializer()`.
    """

    store: StoreBuilder
    initializer: AnyFunction
    aggregator: AnyFunction
    emits_on_close: bool = field(default=False, kw_only=True)
    """Whether a window is forwarded only once, when it closes."""
    late_to: str | None = field(default=None, kw_only=True)
    """The child that gets the late records."""
    idle_after_ms: int | None = field(default=None, kw_only=True)
    """How long a task is idle before the wall clock advances its stream time."""

    def own_stores(self) -> tuple[StoreBuilder, ...]:
        return (self.store,)

    def side_outputs(self) -> tuple[str, ...]:
        return () if self.late_to is None else (self.late_to,)


@dataclass(frozen=True, slots=True)
class WindowAggregate(WindowedOperation):
    """Aggregate in windows that are aligned to the epoch. Java: KStreamWindowAggregate."""

    windows: AlignedWindows = field(kw_only=True)

    def grace_ms(self) -> int | None:
        return self.windows.grace_ms

    def rows(self) -> View | None:
        return WindowRows(self.store.name)


@dataclass(frozen=True, slots=True)
class SlidingAggregate(WindowedOperation):
    """Aggregate in windows that begin and end with records. Java: KStreamSlidingWindowAggregate."""

    windows: SlidingWindows = field(kw_only=True)

    def grace_ms(self) -> int | None:
        return self.windows.grace_ms

    def rows(self) -> View | None:
        return WindowRows(self.store.name)


@dataclass(frozen=True, slots=True)
class SessionAggregate(WindowedOperation):
    """Aggregate in sessions; `merger(key, one, other)` merges two that meet. Java:
    KStreamSessionWindowAggregate.
    """

    windows: SessionWindows = field(kw_only=True)
    merger: AnyFunction = field(kw_only=True)

    def grace_ms(self) -> int | None:
        return self.windows.grace_ms + self.windows.gap_ms

    def rows(self) -> View | None:
        return SessionRows(self.store.name)


@dataclass(frozen=True, slots=True)
class CogroupMerge(TableOperation):
    """Forward the changes of several aggregations that share one store. Java: KTablePassThrough."""

    of: View

    def rows(self) -> View | None:
        return self.of
