"""Store builders: what `Stores` and the DSL's verbs say of a store, checked, as plain data.

Times are milliseconds here. Segment intervals are Java's: a store drops expired rows by whole
segments, and a read of several keys of a store on disk goes segment by segment.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias, get_args

from penstock.errors import TopologyError
from penstock.serdes import Serde
from penstock.stores._open_engine import check_open_engine
from penstock.stores.engine import OpenEngine

BuiltInEngine: TypeAlias = Literal["rocksdb", "in_memory"]
EngineChoice: TypeAlias = BuiltInEngine | OpenEngine
"""Where a store lives: in an engine that is built in, or in one of the user's own.

>>> Materialized("counts", store="in_memory").store
'in_memory'
"""
StoreKind: TypeAlias = Literal[
    "key_value",
    "timestamped_key_value",
    "timestamped_key_value_with_headers",
    "versioned_key_value",
    "window",
    "timestamped_window",
    "timestamped_window_with_headers",
    "session",
    "session_with_headers",
    "outer_join",
    "subscriptions",
    "join_buffer",
    "suppression",
]
ReadOrder: TypeAlias = Literal["key", "time", "time_indexed"]
"""What comes first when several keys of a store of windows or sessions on disk are read: in each
segment the key, or the time, as results that are emitted on close need it. Java has two kinds of
the latter: an index by key makes the difference when a range of keys is read.
"""
Logging: TypeAlias = bool | Mapping[str, str]
"""Whether a store has a changelog topic; a mapping holds settings of that topic.

>>> Materialized("counts", logging={"min.insync.replicas": "2"}).logging
{'min.insync.replicas': '2'}
"""

_SHORTEST_SEGMENT_MS = 60_000


@dataclass(frozen=True, slots=True)
class StoreTimes:
    """How long a store of windows, sessions or versions keeps its rows."""

    retention_ms: int
    """How long a window (by its start), a session (by its end), a version (by when it was
    replaced) is kept after stream time has passed it.
    """
    segment_interval_ms: int
    """The time span of one segment, which expires as a whole."""
    window_size_ms: int = 0
    retain_duplicates: bool = False
    """Whether a put adds to what the window holds, instead of replacing it."""
    order: ReadOrder = "key"


@dataclass(frozen=True, slots=True)
class StoreBuilder:
    """How to make a store; got from `Stores`. Java: StoreBuilder.

    >>> spent = Stores.key_value_store("spent", key=text, value=number)
    >>> spent
    StoreBuilder(name='spent', key=serdes.string(), value=serdes.integer(), logged=True)
    """

    name: str
    key: Serde[Any] | None
    """None means the default serde of the settings."""
    value: Serde[Any] | None
    logged: bool = True
    """Whether each change is also written to a changelog topic, from which the store can be
    restored.
    """
    kind: StoreKind = field(default="key_value", repr=False)
    engine: EngineChoice = field(default="in_memory", repr=False)
    cached: bool = field(default=False, repr=False)
    changelog_settings: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)
    """Settings of the changelog topic."""
    times: StoreTimes | None = field(default=None, repr=False)
    """None for key-value stores without versions."""
    other_value: Serde[Any] | None = field(default=None, repr=False)
    """The right side's, in the store of an outer join."""
    max_entries: int | None = field(default=None, repr=False)
    """How many keys a store may hold; the least recently used one is evicted."""
    follows_settings: bool = field(default=False, repr=False)
    """Whether `engine` is only what there is without settings: `default.dsl.store` and
    `dsl.store.suppliers.class` choose it.
    """
    of_verb: bool = field(default=False, repr=False)
    """Whether a verb made it, so that `dsl.store.format` says what its rows hold."""


def store_builder(
    name: str,
    key: Serde[Any] | None,
    value: Serde[Any] | None,
    *,
    kind: StoreKind = "key_value",
    engine: EngineChoice = "in_memory",
    caching: bool = False,
    logging: Logging = True,
) -> StoreBuilder:
    """Return the builder of a key-value store."""
    check_engine(engine)
    logged, settings = _changelog(logging)
    return StoreBuilder(name, key, value, logged, kind, engine, caching, settings)


def lru_map_builder(
    name: str,
    key: Serde[Any] | None,
    value: Serde[Any] | None,
    *,
    max_entries: int,
    kind: StoreKind = "key_value",
    caching: bool = False,
    logging: Logging = True,
) -> StoreBuilder:
    """Return the builder of a key-value store in memory that holds a limited number of keys."""
    check_max_entries(f"store {name!r}", max_entries)
    logged, settings = _changelog(logging)
    return StoreBuilder(
        name, key, value, logged, kind, "in_memory", caching, settings, max_entries=max_entries
    )


def window_store_builder(
    name: str,
    key: Serde[Any] | None,
    value: Serde[Any] | None,
    *,
    retention_ms: int,
    window_size_ms: int,
    engine: EngineChoice = "rocksdb",
    caching: bool = True,
    logging: Logging = True,
    timestamped: bool = True,
    headers: bool = False,
    retain_duplicates: bool = False,
    order: ReadOrder = "key",
) -> StoreBuilder:
    """Return the builder of a window store; with duplicates it is never cached, as in Java."""
    check_engine(engine)
    _check_not_negative(name, "retention", retention_ms)
    _check_not_negative(name, "window_size", window_size_ms)
    if window_size_ms > retention_ms:
        msg = (
            f"store {name!r}: retention must not be shorter than the window size; got retention="
            f"{retention_ms} ms, window_size={window_size_ms} ms; a window must be kept at least "
            "as long as it lasts"
        )
        raise TopologyError(msg)
    logged, settings = _changelog(logging)
    times = StoreTimes(
        retention_ms, _segment_interval(retention_ms), window_size_ms, retain_duplicates, order
    )
    kind: StoreKind = "timestamped_window" if timestamped else "window"
    if headers:
        kind = "timestamped_window_with_headers"
    cached = caching and not retain_duplicates
    return StoreBuilder(name, key, value, logged, kind, engine, cached, settings, times)


def session_store_builder(
    name: str,
    key: Serde[Any] | None,
    value: Serde[Any] | None,
    *,
    retention_ms: int,
    engine: EngineChoice = "rocksdb",
    caching: bool = True,
    logging: Logging = True,
    headers: bool = False,
    order: ReadOrder = "key",
) -> StoreBuilder:
    """Return the builder of a session store."""
    check_engine(engine)
    _check_not_negative(name, "retention", retention_ms)
    logged, settings = _changelog(logging)
    times = StoreTimes(retention_ms, _segment_interval(retention_ms), order=order)
    kind: StoreKind = "session_with_headers" if headers else "session"
    return StoreBuilder(name, key, value, logged, kind, engine, caching, settings, times)


def versioned_store_builder(
    name: str,
    key: Serde[Any] | None,
    value: Serde[Any] | None,
    *,
    history_retention_ms: int,
    segment_interval_ms: int | None = None,
    engine: EngineChoice = "rocksdb",
    logging: Logging = True,
) -> StoreBuilder:
    """Return the builder of a versioned key-value store, which is never cached."""
    check_engine(engine)
    _check_not_negative(name, "history_retention", history_retention_ms)
    if segment_interval_ms is None:
        segment_interval_ms = _versioned_segment_interval(history_retention_ms)
    elif segment_interval_ms < 1:
        msg = (
            f"store {name!r}: segment_interval must be at least 1 ms; got {segment_interval_ms} "
            "ms; leave it out for one that fits the history"
        )
        raise TopologyError(msg)
    logged, settings = _changelog(logging)
    times = StoreTimes(history_retention_ms, segment_interval_ms)
    return StoreBuilder(
        name, key, value, logged, "versioned_key_value", engine, False, settings, times
    )


def join_store_builder(
    name: str,
    key: Serde[Any] | None,
    value: Serde[Any] | None,
    *,
    retention_ms: int,
    window_size_ms: int,
    engine: EngineChoice = "rocksdb",
    logging: Logging = True,
) -> StoreBuilder:
    """Return the builder of the store of one side of a stream-stream join."""
    if logging is not False:
        # Its keys never repeat, so that nothing could be compacted; and the user cannot change it.
        given = logging if isinstance(logging, Mapping) else {}
        logging = {**given, "cleanup.policy": "delete"}
    return window_store_builder(
        name,
        key,
        value,
        retention_ms=retention_ms,
        window_size_ms=window_size_ms,
        engine=engine,
        caching=False,
        logging=logging,
        timestamped=False,
        retain_duplicates=True,
    )


def outer_join_store_builder(
    name: str,
    key: Serde[Any] | None,
    left: Serde[Any] | None,
    right: Serde[Any] | None,
    *,
    engine: EngineChoice = "rocksdb",
    logging: Logging = True,
) -> StoreBuilder:
    """Return the builder of the unmatched records of a left or outer stream-stream join."""
    check_engine(engine)
    logged, settings = _changelog(logging)
    return StoreBuilder(
        name, key, left, logged, "outer_join", engine, False, settings, other_value=right
    )


def join_buffer_builder(
    name: str, key: Serde[Any] | None, value: Serde[Any] | None
) -> StoreBuilder:
    """Return the builder of the buffer of a stream-table join with a grace period."""
    return StoreBuilder(name, key, value, kind="join_buffer", engine="rocksdb")


def suppression_buffer_builder(
    name: str, key: Serde[Any] | None, value: Serde[Any] | None, *, logging: Logging = True
) -> StoreBuilder:
    """Return the builder of the buffer of suppress."""
    logged, settings = _changelog(logging)
    return StoreBuilder(name, key, value, logged, "suppression", "in_memory", False, settings)


def chosen_by(builder: StoreBuilder, choice: EngineChoice | None) -> StoreBuilder:
    """Return the builder of a verb's store; without a choice of the user's, settings choose where
    it lives.
    """
    return replace(builder, follows_settings=choice is None, of_verb=True)


def keeping_headers(builder: StoreBuilder) -> StoreBuilder:
    """Return the builder of the same store with rows that hold headers, as Java makes it: only of
    tables and aggregates on RocksDB, without versions. The stores of joins and of suppress hold the
    same either way.
    """
    kind = _WITH_HEADERS.get(builder.kind)
    if kind is None or not builder.of_verb or builder.engine != "rocksdb":
        return builder
    return replace(builder, kind=kind)


_WITH_HEADERS: Final[Mapping[StoreKind, StoreKind]] = {
    "timestamped_key_value": "timestamped_key_value_with_headers",
    "timestamped_window": "timestamped_window_with_headers",
    "session": "session_with_headers",
}


def check_max_entries(what: str, max_entries: object) -> None:
    """Refuse anything but a count of at least one."""
    if not isinstance(max_entries, int) or isinstance(max_entries, bool) or max_entries < 1:
        msg = (
            f"{what}: max_entries must be a whole number, at least 1; got "
            f"{max_entries!r}; pass how many keys the store may hold"
        )
        raise TopologyError(msg)


def check_engine(engine: object) -> None:
    """Refuse anything but the engines there are, and what opens one of the user's own."""
    built_in = get_args(BuiltInEngine)
    if isinstance(engine, str) and engine in built_in:
        return
    if callable(engine):
        check_open_engine(engine)
        return
    known = ", ".join(map(repr, built_in))
    msg = f"a store must live in {known} or an engine of your own; got {engine!r}"
    if not isinstance(engine, str):
        msg += "; pass an engine's class, not an object of it: each task opens its own"
    raise TopologyError(msg)


def check_logging(logging: object) -> None:
    """Refuse anything but yes, no, and the settings of a changelog topic."""
    if isinstance(logging, bool):
        return
    if not isinstance(logging, Mapping):
        msg = f"logging must be True, False or the changelog topic's settings; got {logging!r}"
        raise TopologyError(msg)
    for key, value in logging.items():
        if not isinstance(key, str) or not isinstance(value, str):
            msg = f"a changelog topic's settings must be str: str; got {key!r}: {value!r}"
            raise TopologyError(msg)


def _changelog(logging: Logging) -> tuple[bool, dict[str, str]]:
    check_logging(logging)
    return logging is not False, dict(logging) if isinstance(logging, Mapping) else {}


def _check_not_negative(name: str, what: str, duration_ms: int) -> None:
    if duration_ms < 0:
        msg = (
            f"store {name!r}: {what} must not be negative; got {duration_ms} ms; pass a timedelta "
            "or whole milliseconds"
        )
        raise TopologyError(msg)


def _segment_interval(retention_ms: int) -> int:
    return max(retention_ms // 2, _SHORTEST_SEGMENT_MS)


def _versioned_segment_interval(history_retention_ms: int) -> int:
    """Java chooses more segments the longer the history is. Java:
    RocksDbVersionedKeyValueBytesStoreSupplier.
    """
    minute = 60_000
    if history_retention_ms <= minute:
        return max(history_retention_ms // 3, 2_000)
    if history_retention_ms <= 5 * minute:
        return max(history_retention_ms // 5, 20_000)
    if history_retention_ms <= 60 * minute:
        return max(history_retention_ms // 12, minute)
    return max(history_retention_ms // 24, 5 * minute)
