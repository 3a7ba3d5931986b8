"""The rows that a table's operator stores, with versions or without: read the old row, write the
new one, forward the change.

The kind of the store, and whether it has a cache, is decided once, when the operator is built.
Java: KeyValueStoreWrapper and TimestampedTupleForwarder.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from penstock._engine.operators.site import Process, Site
from penstock._engine.state.codec import timestamp_of
from penstock._engine.state.segments.versioned import VersionedState
from penstock._engine.state.views.table import TableState
from penstock._engine.topology.nodes.stream_nodes import TableOperation
from penstock.record import HeaderPairs
from penstock.stores import NEWEST, NOT_PUT, StoreBuilder

Keep: TypeAlias = Callable[[Any, bytes, Any, Any, int, int, HeaderPairs], None]
"""`keep(key, raw_key, new, old, value_timestamp, timestamp, headers)`: store the new value with its
time, or delete the row (None), on behalf of a record, and forward the change.
"""


@dataclass(frozen=True, slots=True)
class KeptRows:
    """The operations on an operator's rows: plain functions, to be bound once."""

    encode_key: Callable[[Any], bytes]
    read: Callable[[bytes], Any]
    """`read(raw_key)` returns the row, None if there is none."""
    value_of: Callable[[Any], Any]
    """`value_of(row)` returns its value, another copy each time; None if there is no row."""
    time_of: Callable[[Any], int]
    keep: Keep
    explained: Callable[[Exception, Any], Exception]


def kept_rows(operation: TableOperation, store: StoreBuilder, site: Site) -> KeptRows:
    """Return the rows of an operation, in `store`."""
    if operation.is_versioned:
        return _with_versions(site.versioned(store.name), site.forward)
    return _without_versions(site.table(store.name), operation, site)


def _without_versions(state: TableState, operation: TableOperation, site: Site) -> KeptRows:
    put, forward = state.put, site.forward
    at_flush = state.forwards_at_flush(
        site.forward_at_flush, sends_old_values=operation.sends_old_values
    )

    def keep(  # noqa: PLR0917  # keywords would cost each record something
        key: Any,
        raw_key: bytes,
        new: Any,
        old: Any,
        value_timestamp: int,
        timestamp: int,
        headers: HeaderPairs,
    ) -> None:
        put(raw_key, new, value_timestamp, timestamp, headers)
        if not at_flush:
            forward(key, (new, old), value_timestamp, headers)

    return KeptRows(
        state.encode_key, state.read, state.value_of, timestamp_of, keep, state.explained
    )


def _with_versions(state: VersionedState, forward: Process) -> KeptRows:
    put, copy = state.put, state.copy

    def keep(  # noqa: PLR0917  # keywords would cost each record something
        key: Any,
        raw_key: bytes,
        new: Any,
        old: Any,
        value_timestamp: int,
        timestamp: int,
        headers: HeaderPairs,
    ) -> None:
        valid_to = put(raw_key, new, value_timestamp, timestamp, headers)
        if valid_to != NOT_PUT:
            forward(key, (new, old, valid_to == NEWEST), value_timestamp, headers)

    def value_of(row: tuple[Any, int] | None) -> Any:
        return None if row is None else copy(row[0])

    return KeptRows(
        state.encode_key, state.get, value_of, lambda row: int(row[1]), keep, state.explained
    )
