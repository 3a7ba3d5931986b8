"""count, reduce and aggregate of a grouped stream. Java: KStreamAggregate and KStreamReduce.

The user's functions may change and return the aggregate they are given: it is decoded anew for each
record, and the old value that is forwarded is another copy.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any, TypeAlias

from penstock._engine.operators.rows import kept_rows
from penstock._engine.operators.site import Process, Site
from penstock._engine.state.cache.fold import Fold, Functions, Peek, PutRow
from penstock._engine.state.codec import NO_ROW
from penstock._engine.state.views.table import TableState
from penstock._engine.state.views.window import WindowState
from penstock._engine.topology.nodes import stream_nodes as nodes
from penstock._engine.topology.nodes.counting import count_one
from penstock._engine.topology.nodes.window_nodes import WindowAggregate
from penstock.record import HeaderPairs

ForwardRow: TypeAlias = Callable[[bytes, Any, tuple[Any, Any], int, HeaderPairs], None]
"""`forward(raw_key, key, (new, old), timestamp, headers)`."""

_NO_KEY_OR_VALUE = "it has no key or no value"


def aggregate_records(operation: nodes.Aggregate, site: Site) -> Process:
    """Fold each record into the aggregate of its key; the initializer supplies the first one."""
    if operation.is_versioned:
        return _aggregate_with_versions(operation, site)
    state = site.table(operation.store.name)
    encode_key, forward, failed, drop = state.encode_key, site.forward, site.failed, site.drop
    at_flush = state.forwards_at_flush(
        site.forward_at_flush, sends_old_values=operation.sends_old_values
    )
    if at_flush:
        fold = state.folder(functions_of(operation))
    else:
        fold = fold_and_forward(
            operation,
            state,
            (state.peek, state.put),
            lambda _, key, change, timestamp, headers: forward(key, change, timestamp, headers),
        )

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            if key is None or value is None:
                drop(_NO_KEY_OR_VALUE)
            else:
                fold(encode_key(key), key, value, timestamp, headers)
        except Exception as error:
            failed(state.explained(error, key), key, value, timestamp, headers)

    return process


def functions_of(operation: nodes.Aggregate | WindowAggregate) -> Functions:
    """Return the functions that fold records, for a store's `folder`."""
    aggregator = operation.aggregator
    return Functions(always_new(operation.initializer), aggregator, count=aggregator is count_one)


def fold_and_forward(
    operation: nodes.Aggregate | WindowAggregate,
    state: TableState | WindowState,
    row: tuple[Peek, PutRow],
    forward: ForwardRow,
) -> Fold:
    """Return the function that folds a record into a stored aggregate and forwards the change."""
    initializer, aggregator = always_new(operation.initializer), operation.aggregator
    (peek, put), decode, sends_old = row, state.decode_row, operation.sends_old_values

    def fold(raw_key: bytes, key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        row = peek(raw_key)
        stored_timestamp, aggregate = NO_ROW if row is None else decode(row)
        new_timestamp, old = timestamp, None
        if aggregate is None:
            aggregate = initializer()
            if sends_old:
                # As in Java, the first record replaces what the initializer gave.
                old = state.copy(aggregate)
        else:
            if stored_timestamp > timestamp:
                new_timestamp = stored_timestamp
            if sends_old:
                old = state.value_of(row)
        new = aggregator(key, value, aggregate)
        put(raw_key, new, new_timestamp, timestamp, headers)
        forward(raw_key, key, (new, old), new_timestamp, headers)

    return fold


def reduce_records(operation: nodes.Reduce, site: Site) -> Process:
    """Fold each record into the aggregate of its key; the first value is the first aggregate."""
    if operation.is_versioned:
        return _reduce_with_versions(operation, site)
    state = site.table(operation.store.name)
    reducer = operation.reducer
    encode_key, read, decode, put = state.encode_key, state.peek, state.decode_row, state.put
    forward, failed, drop = site.forward, site.failed, site.drop
    sends_old = operation.sends_old_values
    at_flush = state.forwards_at_flush(site.forward_at_flush, sends_old_values=sends_old)

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            if key is None or value is None:
                drop(_NO_KEY_OR_VALUE)
                return
            raw_key = encode_key(key)
            row = read(raw_key)
            stored_timestamp, aggregate = NO_ROW if row is None else decode(row)
            new_timestamp = timestamp
            if aggregate is None:
                new = value
            else:
                new = reducer(aggregate, value)
                if stored_timestamp > timestamp:
                    new_timestamp = stored_timestamp
            put(raw_key, new, new_timestamp, timestamp, headers)
            if not at_flush:
                old = state.value_of(row) if sends_old else None
                forward(key, (new, old), new_timestamp, headers)
        except Exception as error:
            failed(state.explained(error, key), key, value, timestamp, headers)

    return process


def _aggregate_with_versions(operation: nodes.Aggregate, site: Site) -> Process:
    """Fold records into aggregates of which older versions are kept."""
    initializer, aggregator = always_new(operation.initializer), operation.aggregator
    rows = kept_rows(operation, operation.store, site)
    encode_key, read, keep = rows.encode_key, rows.read, rows.keep
    copy, drop, failed = site.versioned(operation.store.name).copy, site.drop, site.failed
    sends_old = operation.sends_old_values

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            if key is None or value is None:
                drop(_NO_KEY_OR_VALUE)
                return
            raw_key = encode_key(key)
            row = read(raw_key)
            aggregate, later = (initializer(), timestamp) if row is None else row
            old = copy(aggregate) if sends_old else None
            new = aggregator(key, value, aggregate)
            later = max(later, timestamp)
            keep(key, raw_key, new, old, later, timestamp, headers)
        except Exception as error:
            failed(rows.explained(error, key), key, value, timestamp, headers)

    return process


def _reduce_with_versions(operation: nodes.Reduce, site: Site) -> Process:
    """Reduce records to aggregates of which older versions are kept."""
    reducer = operation.reducer
    rows = kept_rows(operation, operation.store, site)
    encode_key, read, value_of, keep = rows.encode_key, rows.read, rows.value_of, rows.keep
    drop, failed, sends_old = site.drop, site.failed, operation.sends_old_values

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            if key is None or value is None:
                drop(_NO_KEY_OR_VALUE)
                return
            raw_key = encode_key(key)
            row = read(raw_key)
            old = value_of(row) if sends_old else None
            new = value if row is None else reducer(row[0], value)
            later = timestamp if row is None else max(row[1], timestamp)
            keep(key, raw_key, new, old, later, timestamp, headers)
        except Exception as error:
            failed(rows.explained(error, key), key, value, timestamp, headers)

    return process


def always_new(initializer: Callable[[], Any]) -> Callable[[], Any]:
    """Return an initializer that copies the object of one that always returns the same: aggregators
    may change it.
    """
    first: Any = None
    as_it_was: Any = None

    def initial() -> Any:
        nonlocal first, as_it_was
        given = initializer()
        if first is None:
            first, as_it_was = given, _copy(given)
        elif given is first and as_it_was is not first:
            return _copy(as_it_was)
        return given

    return initial


def _copy(value: Any) -> Any:
    """Copy a value; one that cannot change, or be copied, is its own copy."""
    try:
        return deepcopy(value)
    except Exception:
        return value
