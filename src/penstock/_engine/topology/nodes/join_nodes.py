"""The operations of a stream's joins: with another stream, a table, a global table."""

from __future__ import annotations

from dataclasses import dataclass

from penstock._engine.topology.nodes.stream_nodes import AnyFunction, Operation
from penstock._engine.topology.nodes.views import View
from penstock.stores import StoreBuilder


@dataclass(frozen=True, slots=True)
class KeepForJoin(Operation):
    """Forward each record, then store it for later records of the other stream."""

    store: StoreBuilder

    def own_stores(self) -> tuple[StoreBuilder, ...]:
        return (self.store,)


@dataclass(frozen=True, slots=True)
class StreamJoinSide(Operation):
    """Join each record of one stream with those of the other's `store` that are from `before_ms`
    before it to `after_ms` after it.

    A side that `keeps_own` also forwards records without a match, once their window is closed;
    until then they are in the store `waiting`, which both sides share. `left_reach_ms` and
    `right_reach_ms` are how long a record of each side waits for the other, before the grace.
    """

    store: StoreBuilder
    waiting: StoreBuilder | None
    joiner: AnyFunction
    with_key: bool
    is_left: bool
    keeps_own: bool
    keeps_other: bool
    before_ms: int
    after_ms: int
    join_grace_ms: int

    def own_stores(self) -> tuple[StoreBuilder, ...]:
        return (self.store,) if self.waiting is None else (self.store, self.waiting)

    @property
    def left_reach_ms(self) -> int:
        return self.after_ms if self.is_left else self.before_ms

    @property
    def right_reach_ms(self) -> int:
        return self.before_ms if self.is_left else self.after_ms


@dataclass(frozen=True, slots=True)
class SelfJoin(Operation):
    """Join each record of a stream with the others of that stream, both ways, and with itself: the
    results of both sides of an inner join, from one store.

    As in Java, one that replaces a left or outer join (`keeps_own`) gets records without a key, and
    drops them.
    """

    store: StoreBuilder
    joiner: AnyFunction
    with_key: bool
    before_ms: int
    after_ms: int
    join_grace_ms: int
    keeps_own: bool

    def own_stores(self) -> tuple[StoreBuilder, ...]:
        return (self.store,)


@dataclass(frozen=True, slots=True)
class StreamTableJoin(Operation):
    """Join each record with the row of its key in a table: the latest, or that of the record's time
    if the table keeps versions.

    With a `buffer`, records wait there until stream time is `join_grace_ms` past theirs, so that
    they see late rows of their time.
    """

    rows: View
    joiner: AnyFunction
    with_key: bool
    keeps_own: bool
    buffer: StoreBuilder | None = None
    join_grace_ms: int = 0

    def own_stores(self) -> tuple[StoreBuilder, ...]:
        return () if self.buffer is None else (self.buffer,)


@dataclass(frozen=True, slots=True)
class GlobalTableJoin(Operation):
    """Join each record with the row of `key_selector(key, value)` in a global table."""

    store: str
    key_selector: AnyFunction
    joiner: AnyFunction
    with_key: bool
    keeps_own: bool
