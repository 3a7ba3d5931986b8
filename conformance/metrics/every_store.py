"""A program with every kind of store, and the records that are piped into it. Twin:
MetricNames.java.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from penstock import (
    Consumed,
    EmitStrategy,
    JoinWindows,
    Materialized,
    Processor,
    ProcessorContext,
    Produced,
    Record,
    SessionWindows,
    Stores,
    StreamJoined,
    StreamsBuilder,
    Suppressed,
    TimeWindows,
    Topology,
    serdes,
)
from penstock.windowed import Windowed

INPUT = (
    ("table", "a", "l", 1),
    ("versioned", "a", "v", 1),
    ("other", "a", "o", 2),
    ("in", "a", "1", 3),
    ("in", "b", "2", 4),
    ("in", "a", "3", 5),
    ("in", "a", "4", 50),
    ("in", "c", "5", 45),
)
"""Topic, key, value and timestamp of each record, in order."""

_TEXT = serdes.string()


def last(_one: str, two: str) -> str:
    """Reduce to the last value."""
    return two


def pair(one: str, two: str | None) -> str:
    """Join."""
    return f"{one}{two}"


def topology() -> Topology:
    """Build the program."""
    builder = StreamsBuilder()
    text: Any = {"key": _TEXT, "value": _TEXT}
    for store in (
        Stores.persistent_key_value_store("plain", **text),
        Stores.lru_map("limited", max_entries=10, **text),
        Stores.persistent_window_store("plain-windows", retention=100, window_size=10, **text),
        Stores.persistent_session_store("plain-sessions", retention=100, **text),
    ):
        builder.add_state_store(store)
    consumed = Consumed(key=_TEXT, value=_TEXT)
    stream, other = builder.stream("in", consumed), builder.stream("other", consumed)
    table = builder.table(
        "table", consumed, Materialized("table", store="in_memory", caching=False)
    )
    versioned = builder.table(
        "versioned", consumed, Materialized("versioned", history_retention=100)
    )
    _aggregate(stream.group_by_key())
    stream.left_join(
        other,
        pair,
        JoinWindows.of_time_difference(10, grace=10),
        StreamJoined(name="joined", store_name="joined", key=_TEXT, value=_TEXT, other_value=_TEXT),
    )
    stream.join(table, pair)
    stream.join(versioned, pair)
    stream.process(UsesStores, named="uses", state_stores=UsesStores.STORES)
    return builder.build()


def _aggregate(grouped: Any) -> None:
    uncached: Any = {"store": "in_memory", "caching": False}
    grouped.reduce(last, Materialized("cached")).to_stream().to(
        "out", Produced(key=_TEXT, value=_TEXT)
    )
    grouped.reduce(last, Materialized("in-memory", **uncached), named="reduce-in-memory")
    windows, sessions = TimeWindows.of_size(10), SessionWindows.of_inactivity_gap(10)
    held = grouped.windowed_by(windows).reduce(last, Materialized("windows"))
    held = held.suppress(Suppressed.until_window_closes(name="held"))
    held.to_stream().for_each(lambda key, value: None)
    grouped.windowed_by(windows).emit_strategy(EmitStrategy.on_window_close()).reduce(
        last, Materialized("windows-in-memory", retention=100, **uncached), named="closed"
    )
    grouped.windowed_by(sessions).reduce(last, Materialized("sessions"))
    grouped.windowed_by(sessions).reduce(
        last,
        Materialized("sessions-in-memory", retention=100, **uncached),
        named="sessions-of-memory",
    )


class UsesStores(Processor[str, str, Any, Any]):
    """Calls each operation of its stores, some of them more than once."""

    STORES = ("plain", "limited", "plain-windows", "plain-sessions")

    def init(self, context: ProcessorContext[Any, Any]) -> None:
        super().init(context)
        self.rows, self.limited, self.windows, self.sessions = map(
            context.get_state_store, self.STORES
        )

    def process(self, record: Record[str, str]) -> None:
        key, value, time = record.key, record.value, record.timestamp
        self._use_rows(key, value)
        self.limited.put(key, value)
        self.limited.get(key)
        self.windows.put(key, value, time)
        self.windows.fetch(key, time)
        _drain(self.windows.fetch(key, time - 5, time))
        _drain(self.windows.fetch_range("a", "z", time - 5, time))
        _drain(self.windows.fetch_all(0, time))
        _drain(self.windows.all())
        session = Windowed(key, time, time + 1)
        self.sessions.put(session, value)
        self.sessions.fetch_session(key, time, time + 1)
        _drain(self.sessions.find_sessions(key, 0, time))
        _drain(self.sessions.fetch(key))
        self.sessions.remove(session)

    def _use_rows(self, key: str, value: str) -> None:
        rows = self.rows
        rows.put(key, value)
        rows.put_if_absent("once", "x")
        rows.put_all([("p", "1"), ("q", "2")])
        rows.get(key)
        rows.get("nothing")
        rows.delete("q")
        for found in (rows.range("a", "z"), rows.reverse_range("a", "z")):
            _drain(found)
        for found in (rows.all(), rows.reverse_all(), rows.prefix_scan(b"o")):
            _drain(found)


def _drain(rows: Iterable[object]) -> None:
    for _ in rows:
        pass
