"""What the nodes of a stream's joins do: with another stream, a table, a global table."""

from __future__ import annotations

from dataclasses import dataclass

from penstock._engine.topology.nodes.stream_nodes import AnyFunction, Operation
from penstock._engine.topology.nodes.views import View
from penstock.stores import StoreBuilder


@dataclass(frozen=True, slots=True)
class KeepForJoin(Operation):
    """Forward each record, then keep it for the records of the other stream that are to come."""

    store: StoreBuilder

    def own_stores(self) -> tuple[StoreBuilder, ...]:
        return (self.store,)


@dataclass(frozen=True, slots=True)
class StreamJoinSide(Operation):
    """Join each record of one stream with those of the other's `store` that are from `before_ms`
    before it to `after_ms` after it.

    A side that `keeps_own` gives records without a match too, once their window is closed; until
    then they wait in `waiting`, which both sides share. `left_reach_ms` and `right_reach_ms` say
    how long a record of each side waits for the other, before the grace.
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
    """Join each record of a stream with the others of that stream, both ways, and with itself:
    what both sides of an inner join would give, from one store.

    As in Java, one that stands for a left or outer join (`keeps_own`) drops records without a key,
    but lets them come so far.
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
    """Join each record with the row that a table has for its key, now, or as of the record's time
    if the table keeps versions.

    With a `buffer` records wait there until stream time is `join_grace_ms` past theirs, so that
    rows of their time that come late are seen.
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
    """Join each record with the row that a global table has for `key_selector(key, value)`."""

    store: str
    key_selector: AnyFunction
    joiner: AnyFunction
    with_key: bool
    keeps_own: bool
