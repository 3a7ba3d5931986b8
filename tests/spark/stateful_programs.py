"""A program for each stateful verb, with records for before and after a restart.

What an operator has seen of stream time is forgotten by a restart, in Java as here; so the first
record after it is one that moves stream time on, and only then come late ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from penstock import (
    Consumed,
    EmitStrategy,
    Grouped,
    Joined,
    JoinWindows,
    KGroupedStream,
    KStream,
    KTable,
    Materialized,
    Processor,
    Produced,
    Record,
    SessionWindows,
    SlidingWindows,
    Stores,
    StreamJoined,
    StreamsBuilder,
    TableJoined,
    TimeWindows,
    TransformerContext,
    ValueTransformerWithKey,
    VersionedKeyValueStore,
    Windowed,
    WindowStore,
    serdes,
)
from penstock.dsl.suppressed import BufferConfig, Suppressed

TEXT, LONG = serdes.string(), serdes.long()
READ, GROUP = Consumed(TEXT, TEXT), Grouped("by-key", TEXT, TEXT)

Row: TypeAlias = tuple[str, str, str | None, int]
"""(which input, key, value, timestamp)."""


class Topics:
    """A builder, and the topics and stores of one program, named after it."""

    def __init__(self, builder: StreamsBuilder, name: str) -> None:
        self.builder, self.name = builder, name

    def stream(self, end: str) -> KStream[str, str]:
        """Read an input."""
        return self.builder.stream(f"{self.name}-{end}", READ)

    def table(self, end: str, **options: Any) -> KTable[str, str]:
        """Read an input as a table with a store."""
        kept = Materialized(self.store(end), TEXT, TEXT, **options)
        return self.builder.table(f"{self.name}-{end}", READ, kept)

    def grouped(self, end: str) -> KGroupedStream[str, str]:
        """Read an input, grouped by key."""
        return self.stream(end).group_by_key(GROUP)

    def store(self, end: str) -> str:
        """Name a store."""
        return f"{self.name}-{end}-store"

    def counts(self, **options: Any) -> Materialized[str, int]:
        """Say how counts are kept."""
        return Materialized(self.store("counts"), TEXT, LONG, **options)


Say: TypeAlias = Callable[[Topics], "KStream[Any, Any] | KTable[Any, Any]"]


@dataclass(frozen=True)
class Program:
    """What a program does, and what it is fed before and after the restart."""

    say: Say
    before: list[Row]
    after: list[Row]
    read_whole: frozenset[str] = frozenset()
    """Inputs of global tables: it is not known when they have been read, so all their records of
    one run are written before it.
    """
    partitions: dict[str, int] = field(default_factory=dict)
    """Of the inputs; one, unless the result does not depend on the stream time of a task."""

    def inputs(self) -> set[str]:
        """Return the inputs by their ends."""
        return {end for end, *_ in [*self.before, *self.after]}

    def draw(self, builder: StreamsBuilder, name: str) -> None:
        """Draw the program; its results go to `<name>-out`."""
        result = self.say(Topics(builder, name))
        changes = result.to_stream() if isinstance(result, KTable) else result
        changes.map(_shown).to(f"{name}-out", Produced(TEXT, TEXT))


def _shown(key: object, value: object) -> tuple[str, Any]:
    return str(key), None if value is None else str(value)


EVENTS_BEFORE: list[Row] = [
    ("in", "a", "1", 1_000),
    ("in", "b", "2", 3_000),
    ("in", "a", "3", 4_500),
    ("in", "a", "4", 12_000),
    ("in", "b", "5", 9_000),
]
EVENTS_AFTER: list[Row] = [
    ("in", "a", "6", 13_500),
    ("in", "b", "7", 9_500),
    ("in", "a", "late", 1_500),
    ("in", "b", "8", 21_000),
    ("in", "a", "9", 16_500),
    ("in", "b", "late", 5_000),
    ("in", "c", "10", 60_000),
    ("in", "c", "11", 90_000),
]
PAIRS_BEFORE: list[Row] = [
    ("left", "a", "l1", 1_000),
    ("right", "a", "r1", 2_000),
    ("left", "b", "l2", 3_000),
    ("right", "c", "r2", 4_000),
    ("left", "a", "l3", 5_000),
]
PAIRS_AFTER: list[Row] = [
    ("right", "a", "r3", 6_000),
    ("right", "b", "r4", 6_500),
    ("left", "d", "l4", 7_000),
    ("left", "c", "l5", 30_000),
    ("right", "d", "r5", 31_000),
    ("left", "a", "l6", 60_000),
    ("right", "a", "r6", 61_000),
    ("left", "z", "end", 120_000),
]
ROWS_BEFORE: list[Row] = [
    ("left", "a", "x1", 1_000),
    ("right", "a", "y1", 1_500),
    ("left", "b", "x2", 2_000),
    ("right", "c", "y2", 2_500),
    ("left", "b", "x3", 3_000),
]
ROWS_AFTER: list[Row] = [
    ("right", "b", "y3", 4_000),
    ("left", "a", None, 5_000),
    ("left", "c", "x4", 6_000),
    ("right", "b", None, 7_000),
    ("left", "a", "x5", 8_000),
    ("right", "a", "y4", 9_000),
]


def _windowed(t: Topics, windows: TimeWindows | SlidingWindows) -> KTable[Windowed[str], int]:
    return t.grouped("in").windowed_by(windows).count(t.counts())


def _sessions(t: Topics) -> KTable[Windowed[str], int]:
    gap = SessionWindows.of_inactivity_gap(4_000, grace=5_000)
    return t.grouped("in").windowed_by(gap).count(t.counts())


TUMBLING = TimeWindows.of_size(10_000, grace=5_000)
NEAR = JoinWindows.of_time_difference(5_000, grace=1_000)


def _on_close(t: Topics) -> KTable[Windowed[str], int]:
    windowed = t.grouped("in").windowed_by(TUMBLING)
    # Longer than needed: as in Java, what stream time jumps over is gone before it is emitted.
    return windowed.emit_strategy(EmitStrategy.on_window_close()).count(t.counts(retention=60_000))


def _kept(t: Topics) -> StreamJoined[str, str, str]:
    return StreamJoined(store_name=t.name, key=TEXT, value=TEXT, other_value=TEXT)


def _cogrouped(t: Topics) -> KTable[str, str]:
    return (
        t.grouped("left")
        .cogroup(lambda key, value, all_so_far: f"{all_so_far}+{value}")
        .cogroup(t.grouped("right"), lambda key, value, all_so_far: f"{all_so_far}-{value}")
        .aggregate(str, Materialized(t.store("all"), TEXT, TEXT))
    )


def _regrouped(t: Topics) -> KTable[str, str]:
    regrouped = t.table("left").group_by(
        lambda key, value: (value[:1], value), Grouped(f"{t.name}-regrouped", TEXT, TEXT)
    )
    return regrouped.aggregate(
        str,
        lambda key, value, held: ",".join(sorted([*filter(None, held.split(",")), value])),
        lambda key, value, held: ",".join(part for part in held.split(",") if part != value),
        Materialized(t.store("held"), TEXT, TEXT),
    )


def _versioned(t: Topics) -> KStream[str, str]:
    rows = t.table("right", history_retention=60_000)
    waits = Joined(f"{t.name}-join", TEXT, TEXT, TEXT, grace=2_000)
    return t.stream("left").left_join(rows, _both, waits)


class Numbered(ValueTransformerWithKey[str, str, str]):
    """Counts the changes of each row in a store."""

    def __init__(self, store: str) -> None:
        self._store = store

    def init(self, context: TransformerContext) -> None:
        self._changes = context.get_state_store(self._store)

    def transform(self, key: str, value: str | None) -> str:
        number = (self._changes.get(key) or 0) + 1
        self._changes.put(key, number)
        return f"{value} ({number})"


def _transformed(t: Topics) -> KTable[str, str]:
    store = t.store("changes")
    t.builder.add_state_store(Stores.persistent_key_value_store(store, key=TEXT, value=LONG))
    kept = Materialized(t.store("numbered"), TEXT, TEXT)
    return t.table("left").transform_values(lambda: Numbered(store), kept, state_stores=[store])


class Remembering(Processor[str, str, str, str]):
    """Keeps each record in its window and tells what windows its key still has."""

    def __init__(self, store: str) -> None:
        self._store = store

    def process(self, record: Record[str, str]) -> None:
        windows: WindowStore[str, str] = self.context.get_state_store(self._store)
        windows.put(record.key, record.value, record.timestamp)
        told = [f"{start}:{value}" for start, value in windows.fetch(record.key, 0, 10**9)]
        self.context.forward(record.with_value(" ".join(told)))


def _remembered(t: Topics) -> KStream[str, str]:
    store = t.store("windows")
    t.builder.add_state_store(
        Stores.persistent_window_store(
            store, retention=70_000, window_size=1_000, key=TEXT, value=TEXT
        )
    )
    return t.stream("in").process(lambda: Remembering(store), state_stores=[store])


class Looking(Processor[str, str, str, str]):
    """Keeps versions of each key and tells the one of a while ago."""

    def __init__(self, store: str) -> None:
        self._store = store

    def process(self, record: Record[str, str]) -> None:
        versions: VersionedKeyValueStore[str, str] = self.context.get_state_store(self._store)
        replaced = versions.put(record.key, record.value, record.timestamp)
        earlier = versions.get(record.key, record.timestamp - 25_000)
        told = "nothing" if earlier is None else f"{earlier.value} of {earlier.timestamp}"
        self.context.forward(record.with_value(f"{replaced}, {told}"))


def _looked_at(t: Topics) -> KStream[str, str]:
    store = t.store("versions")
    t.builder.add_state_store(
        Stores.versioned_key_value_store(store, history_retention=70_000, key=TEXT, value=TEXT)
    )
    return t.stream("in").process(lambda: Looking(store), state_stores=[store])


def _both(left: str | None, right: str | None) -> str:
    return f"{left} & {right}"


def _events(say: Say) -> Program:
    return Program(say, EVENTS_BEFORE, EVENTS_AFTER)


def _long(say: Say) -> Program:
    """Over a time in which stores let go of what is old."""
    before: list[Row] = [
        ("in", "a", "1", 1_000),
        ("in", "b", "2", 20_000),
        ("in", "a", "3", 50_000),
        ("in", "a", "4", 100_000),
        ("in", "b", "5", 130_000),
    ]
    after: list[Row] = [
        ("in", "a", "6", 131_000),
        ("in", "a", "7", 70_000),
        ("in", "b", "8", 20_500),
        ("in", "a", "9", 200_000),
        ("in", "b", "10", 131_500),
        ("in", "b", "11", 220_000),
        ("in", "a", "12", 221_000),
    ]
    return Program(say, before, after)


def _pairs(say: Say) -> Program:
    return Program(say, PAIRS_BEFORE, PAIRS_AFTER)


def _rows(say: Say, left: int = 2, right: int = 2) -> Program:
    return Program(say, ROWS_BEFORE, ROWS_AFTER, partitions={"left": left, "right": right})


def _one_table(say: Say) -> Program:
    before, after = (
        [row for row in rows if row[0] == "left"] for rows in (ROWS_BEFORE, ROWS_AFTER)
    )
    return Program(say, before, after, partitions={"left": 2})


def _orders(say: Say) -> Program:
    before: list[Row] = [
        ("right", "ada", "Ada", 1_000),
        ("left", "o1", "ada", 2_000),
        ("left", "o2", "ada", 2_500),
        ("left", "o3", "bob", 3_000),
    ]
    after: list[Row] = [
        ("right", "bob", "Bob", 4_000),
        ("right", "ada", "Lady Ada", 5_000),
        ("left", "o1", "bob", 6_000),
        ("left", "o2", None, 7_000),
        ("right", "ada", None, 8_000),
        ("left", "o4", "ada", 9_000),
        ("right", "ada", "Ada again", 10_000),
    ]
    return Program(say, before, after, partitions={"left": 2, "right": 3})


PROGRAMS: dict[str, Program] = {
    "tumbling": _events(lambda t: _windowed(t, TUMBLING)),
    "hopping": _events(
        lambda t: _windowed(t, TimeWindows.of_size(10_000, grace=5_000, advance=4_000))
    ),
    "sliding": _events(
        lambda t: _windowed(t, SlidingWindows.of_time_difference(5_000, grace=5_000))
    ),
    "sessions": _events(_sessions),
    "on-close": _events(_on_close),
    "until-close": _events(
        lambda t: _windowed(t, TUMBLING).suppress(
            Suppressed.until_window_closes(BufferConfig.unbounded(), name=f"{t.name}-buffer")
        )
    ),
    "until-limit": _events(
        lambda t: (
            t.grouped("in")
            .count(t.counts())
            .suppress(Suppressed.until_time_limit(8_000, name=f"{t.name}-buffer"))
        )
    ),
    "cogroup": _pairs(_cogrouped),
    "regrouped": _one_table(_regrouped),
    "table-table": _rows(lambda t: t.table("left").join(t.table("right"), _both)),
    "table-table-outer": _rows(
        lambda t: t.table("left").outer_join(
            t.table("right"), _both, Materialized(t.store("both"), TEXT, TEXT)
        )
    ),
    "foreign-key": _orders(
        lambda t: t.table("left").join(
            t.table("right"),
            lambda order: order,
            _both,
            TableJoined(t.name),
            Materialized(t.store("joined"), TEXT, TEXT),
        )
    ),
    "foreign-key-left": _orders(
        lambda t: t.table("left").left_join(
            t.table("right"), lambda order: order, _both, TableJoined(t.name)
        )
    ),
    "stream-stream": _pairs(
        lambda t: t.stream("left").join(t.stream("right"), _both, NEAR, _kept(t))
    ),
    "stream-stream-left": _pairs(
        lambda t: t.stream("left").left_join(t.stream("right"), _both, NEAR, _kept(t))
    ),
    "stream-stream-outer": _pairs(
        lambda t: t.stream("left").outer_join(t.stream("right"), _both, NEAR, _kept(t))
    ),
    "stream-table": _rows(lambda t: t.stream("left").left_join(t.table("right"), _both), 3, 3),
    "global": Program(
        lambda t: t.stream("left").join(
            t.builder.global_table(
                f"{t.name}-right", READ, Materialized(t.store("right"), TEXT, TEXT)
            ),
            lambda key, value: key,
            _both,
        ),
        [row for row in ROWS_BEFORE if row[2]],
        [row for row in ROWS_AFTER if row[2]],
        read_whole=frozenset({"right"}),
        partitions={"left": 2, "right": 3},
    ),
    "versioned": _pairs(_versioned),
    "transformed": _one_table(_transformed),
    "window-store": _long(_remembered),
    "versioned-store": _long(_looked_at),
}
