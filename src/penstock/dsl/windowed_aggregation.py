"""The operation, the store and the key serde of a windowed aggregation, for each kind of windows.

Retention and caching of the store are as in Java: WindowStoreMaterializer,
SlidingWindowStoreMaterializer, SessionStoreMaterializer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeAlias, assert_never, get_args

from penstock._engine.topology.checks import check_option, shown
from penstock._engine.topology.nodes.window_nodes import (
    SessionAggregate,
    SlidingAggregate,
    WindowAggregate,
    WindowedOperation,
)
from penstock.dsl.options import Materialized, check_duration
from penstock.errors import TopologyError
from penstock.serdes import Serde, session_windowed, time_windowed
from penstock.stores import StoreBuilder
from penstock.stores._builders import chosen_by, session_store_builder, window_store_builder
from penstock.windowed import Windowed
from penstock.windows import (
    END_OF_TIME,
    AnyWindows,
    JoinWindows,
    SessionWindows,
    SlidingWindows,
    TimeWindows,
    UnlimitedWindows,
)

Serdes: TypeAlias = tuple[Serde[Any] | None, Serde[Any] | None]
"""(of the key, of the value); None is the default one."""


@dataclass(frozen=True, slots=True)
class AggregateFunctions:
    """Initializer and aggregator of the user; only sessions have a merger."""

    initializer: Callable[..., Any]
    aggregator: Callable[..., Any]
    merger: Callable[..., Any] | None = None


def check_windows(windows: object) -> None:
    """Refuse what a grouped stream cannot be cut into."""
    if isinstance(windows, get_args(AnyWindows)):
        return
    hint = "; JoinWindows are for joins" if isinstance(windows, JoinWindows) else ""
    if isinstance(windows, timedelta | int):
        hint = "; write TimeWindows.of_size(...)"
    msg = (
        "windowed_by takes TimeWindows, SlidingWindows, SessionWindows or UnlimitedWindows; got "
        f"{shown(windows)}{hint}"
    )
    raise TopologyError(msg)


def windowed_option(
    materialized: Materialized[Any, Any] | None, verb: str
) -> Materialized[Any, Any]:
    """Return the option of a windowed aggregation, checked."""
    if materialized is None:
        return Materialized()
    option = check_option(materialized, Materialized, verb)
    if option.history_retention is not None:
        msg = (
            f"{verb} in windows must have a store without versions; got "
            f"Materialized(history_retention={option.history_retention!s}); pass retention= to "
            "keep windows longer"
        )
        raise TopologyError(msg)
    return option


def windowed_operation(
    windows: AnyWindows,
    store: StoreBuilder,
    functions: AggregateFunctions,
    *,
    emits_on_close: bool = False,
    idle_after_ms: int | None = None,
) -> WindowedOperation:
    """Return the operation that folds records in windows of that kind."""
    initializer, aggregator = functions.initializer, functions.aggregator
    match windows:
        case SessionWindows():
            assert functions.merger is not None
            return SessionAggregate(
                store,
                initializer,
                aggregator,
                windows=windows,
                merger=functions.merger,
                emits_on_close=emits_on_close,
                idle_after_ms=idle_after_ms,
            )
        case SlidingWindows():
            return SlidingAggregate(
                store,
                initializer,
                aggregator,
                windows=windows,
                emits_on_close=emits_on_close,
                idle_after_ms=idle_after_ms,
            )
        case TimeWindows() | UnlimitedWindows():
            return WindowAggregate(
                store,
                initializer,
                aggregator,
                windows=windows,
                emits_on_close=emits_on_close,
                idle_after_ms=idle_after_ms,
            )
        case _:
            assert_never(windows)


def windowed_store(
    windows: AnyWindows,
    option: Materialized[Any, Any],
    name: str,
    serdes: Serdes,
    *,
    emits_on_close: bool = False,
) -> StoreBuilder:
    """Return the store of an aggregation in windows of that kind."""
    if option.max_entries is not None:
        msg = (
            f"store {name!r} of windows must not be limited by max_entries; got "
            f"Materialized(max_entries={option.max_entries}); use retention"
        )
        raise TopologyError(msg)
    store = _windowed_store(windows, option, name, serdes, emits_on_close=emits_on_close)
    return chosen_by(store, option.store)


def _windowed_store(
    windows: AnyWindows,
    option: Materialized[Any, Any],
    name: str,
    serdes: Serdes,
    *,
    emits_on_close: bool,
) -> StoreBuilder:
    retention_ms, engine = _retention(windows, option, name), option.store or "rocksdb"
    match windows:
        case SessionWindows():
            return session_store_builder(
                name,
                *serdes,
                retention_ms=retention_ms,
                engine=engine,
                caching=option.caching and not emits_on_close,
                logging=option.logging,
                order="time_indexed" if emits_on_close else "key",
            )
        case SlidingWindows():
            return window_store_builder(
                name,
                *serdes,
                retention_ms=retention_ms,
                window_size_ms=windows.difference_ms,
                engine=engine,
                caching=option.caching and not emits_on_close,
                logging=option.logging,
                order="time_indexed" if emits_on_close else "key",
            )
        case TimeWindows() | UnlimitedWindows():
            return window_store_builder(
                name,
                *serdes,
                retention_ms=retention_ms,
                window_size_ms=windows.size_ms,
                engine=engine,
                caching=option.caching,
                logging=option.logging,
                order="time" if emits_on_close else "key",
            )
        case _:
            assert_never(windows)


def windowed_key_serde(windows: AnyWindows, key: Serde[Any] | None) -> Serde[Windowed[Any]]:
    """Return the serde of the windowed keys that an aggregation sends out.

    Java has none if the key's own is left to the defaults, and then fails at the first sink.
    """
    match windows:
        case SessionWindows():
            return session_windowed(key)
        case SlidingWindows():
            return time_windowed(key, windows.difference_ms)
        case TimeWindows() | UnlimitedWindows():
            return time_windowed(key, windows.size_ms)
        case _:
            assert_never(windows)


def _retention(windows: AnyWindows, option: Materialized[Any, Any], name: str) -> int:
    """Return how long a store keeps its rows: at least as long as it may still change."""
    match windows:
        case SessionWindows():
            least_ms = windows.gap_ms + windows.grace_ms
            what = "the sessions' gap plus their grace"
        case SlidingWindows():
            # A record may need the windows of another that is two windows earlier.
            least_ms = 2 * windows.difference_ms + windows.grace_ms
            what = "twice the windows' time difference plus their grace"
        case TimeWindows() | UnlimitedWindows():
            least_ms = min(windows.size_ms + windows.grace_ms, END_OF_TIME)
            what = "the windows' size plus their grace"
        case _:
            assert_never(windows)
    if option.retention is None:
        return least_ms
    retention_ms = check_duration(option.retention, "Materialized(retention=...)")
    if retention_ms < least_ms:
        msg = (
            f"store {name!r}: retention must be at least {least_ms} ms, {what}; got "
            f"{option.retention!s}; make it longer, or leave it out"
        )
        raise TopologyError(msg)
    return retention_ms
