"""The operations of tables other than source, filter and map (`stream_nodes.py`): group, join,
transform, suppress.
"""

from __future__ import annotations

from dataclasses import dataclass

from penstock._engine.topology.nodes.stream_nodes import AnyFunction, Operation, TableOperation
from penstock._engine.topology.nodes.views import JoinedRows, StoredRows, View
from penstock.stores import StoreBuilder


@dataclass(frozen=True, slots=True)
class TableTransformValues(TableOperation):
    """Replace the value of each row by the result of a transformer of `supplier()`."""

    supplier: AnyFunction
    store: StoreBuilder | None

    def own_stores(self) -> tuple[StoreBuilder, ...]:
        return () if self.store is None else (self.store,)

    def rows(self) -> View | None:
        return None if self.store is None else StoredRows(self.store.name, self.is_versioned)


@dataclass(frozen=True, slots=True)
class TableRepartitionMap(Operation):
    """Turn each change of a row into changes under the keys of `mapper(key, value)`, a pair; if
    `latest_only`, drop changes that are older than the row.
    """

    mapper: AnyFunction
    latest_only: bool


@dataclass(frozen=True, slots=True)
class GroupedTableAggregate(TableOperation):
    """Subtract the old value of each change from the aggregate of its key, then add the new one."""

    store: StoreBuilder
    initializer: AnyFunction
    adder: AnyFunction
    subtractor: AnyFunction

    def own_stores(self) -> tuple[StoreBuilder, ...]:
        return (self.store,)

    def rows(self) -> View | None:
        return StoredRows(self.store.name, self.is_versioned)


@dataclass(frozen=True, slots=True)
class GroupedTableReduce(TableOperation):
    """The same with values of one type, starting with the first: `adder(aggregate, value)`."""

    store: StoreBuilder
    adder: AnyFunction
    subtractor: AnyFunction

    def own_stores(self) -> tuple[StoreBuilder, ...]:
        return (self.store,)

    def rows(self) -> View | None:
        return StoredRows(self.store.name, self.is_versioned)


@dataclass(frozen=True, slots=True)
class TableJoinSide(Operation):
    """Join each change of one table with the other's row of that key: `joiner(left, right)`.

    A missing row on one side counts as None if the other side is kept; if `latest_only`, drop
    changes that are older than their row.
    """

    other: View
    joiner: AnyFunction
    is_left: bool
    keeps_own: bool
    keeps_other: bool
    latest_only: bool
    sends_old_values: bool = False


@dataclass(frozen=True, slots=True)
class TableJoinMerge(TableOperation):
    """Merge the results of both sides of a join, and store them if there is a store."""

    joined: JoinedRows
    store: StoreBuilder | None

    def own_stores(self) -> tuple[StoreBuilder, ...]:
        return () if self.store is None else (self.store,)

    def rows(self) -> View | None:
        if self.store is None:
            return self.joined
        return StoredRows(self.store.name, self.is_versioned)


@dataclass(frozen=True, slots=True)
class TableSuppress(TableOperation):
    """Buffer the changes of rows in `store`: for `wait_ms` of stream time after the first, or after
    the end of their window. None: no limit.
    """

    store: StoreBuilder
    wait_ms: int
    until_window_closes: bool
    max_records: int | None
    max_bytes: int | None
    emits_early_when_full: bool
    idle_after_ms: int | None

    def own_stores(self) -> tuple[StoreBuilder, ...]:
        return (self.store,)
