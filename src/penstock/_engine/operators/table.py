"""Tables: their rows from a stream, their views, and back to a stream. Java: KTableSource,
KTableFilter, KTableMapValues.

On the edges between tables the value is a change, a plain pair (new, old); the old value is None
unless the table above was asked to send it. Below a table whose rows have versions it is a triple:
the third part says whether the change is the latest of its key.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from penstock._engine.operators.rows import kept_rows
from penstock._engine.operators.site import Process, Site
from penstock._engine.state.codec import timestamp_of
from penstock._engine.topology.nodes import stream_nodes as nodes
from penstock.record import Change, HeaderPairs

_log = logging.getLogger(__name__)

_NO_KEY = "it has no key"


def table_source(operation: nodes.TableSource, site: Site) -> Process:
    """Turn upserts into changes; rows are stored only if an operator needs them."""
    if not operation.is_materialized:
        return _bare_source(site)
    return (
        _versioned_source(operation, site)
        if operation.is_versioned
        else _stored_source(operation, site)
    )


def table_filter(operation: nodes.TableFilter, site: Site) -> Process:
    """Delete the rows that are not to be kept."""
    predicate, keep_when = operation.predicate, operation.keep_when

    def kept(key: Any, value: Any) -> Any:
        return value if value is not None and (not predicate(key, value)) is not keep_when else None

    # Below a versioned table nothing is left out: an older change may matter to the next operator.
    needs_change = operation.sends_old_values and not operation.is_of_versions
    if operation.store is not None:
        return _stored_view(operation, site, kept, needs_change=needs_change)
    return _bare_view(operation, site, kept, needs_change=needs_change)


def table_map_values(operation: nodes.TableMapValues, site: Site) -> Process:
    """Map the values of rows; deletions stay deletions."""
    mapper = operation.mapper

    def mapped(key: Any, value: Any) -> Any:
        return None if value is None else mapper(value)

    def mapped_with_key(key: Any, value: Any) -> Any:
        return None if value is None else mapper(key, value)

    view = mapped_with_key if operation.with_key else mapped
    if operation.store is not None:
        return _stored_view(operation, site, view, needs_change=False)
    return _bare_view(operation, site, view, needs_change=False)


def to_stream(operation: nodes.ToStream, site: Site) -> Process:
    """Forward the new values."""
    forward, failed = site.forward, site.failed

    def process(key: Any, change: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            forward(key, change[0], timestamp, headers)
        except Exception as error:
            failed(error, key, Change(change[0], change[1]), timestamp, headers)

    return process


def _bare_source(site: Site) -> Process:
    forward, failed, drop = site.forward, site.failed, site.drop

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            if key is None:
                drop(_NO_KEY)
                return
            forward(key, (value, None), timestamp, headers)
        except Exception as error:
            failed(error, key, value, timestamp, headers)

    return process


def _stored_source(operation: nodes.TableSource, site: Site) -> Process:
    name = operation.store.name
    state = site.table(name)
    encode_key, read, value_of, put = state.encode_key, state.read, state.value_of, state.put
    forward, failed, drop = site.forward, site.failed, site.drop
    sends_old = operation.sends_old_values
    at_flush = state.forwards_at_flush(site.forward_at_flush, sends_old_values=sends_old)

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            if key is None:
                drop(_NO_KEY)
                return
            raw_key = encode_key(key)
            row = read(raw_key)
            if row is not None and timestamp < timestamp_of(row):
                _warn_of_order(name, timestamp, timestamp_of(row))
            put(raw_key, value, timestamp, timestamp, headers)
            if not at_flush:
                old = value_of(row) if sends_old else None
                forward(key, (value, old), timestamp, headers)
        except Exception as error:
            failed(state.explained(error, key), key, value, timestamp, headers)

    return process


def _versioned_source(operation: nodes.TableSource, site: Site) -> Process:
    name, sends_old = operation.store.name, operation.sends_old_values
    rows = kept_rows(operation, operation.store, site)
    encode_key, read, keep, failed, drop = (
        rows.encode_key,
        rows.read,
        rows.keep,
        site.failed,
        site.drop,
    )

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            if key is None:
                drop(_NO_KEY)
                return
            raw_key = encode_key(key)
            row = read(raw_key)
            if row is not None and timestamp < row[1]:
                _warn_of_order(name, timestamp, row[1])
            old = row[0] if sends_old and row is not None else None
            keep(key, raw_key, value, old, timestamp, timestamp, headers)
        except Exception as error:
            failed(rows.explained(error, key), key, value, timestamp, headers)

    return process


def _warn_of_order(store: str, timestamp: int, stored_timestamp: int) -> None:
    _log.warning(
        "store=%s an update of time %d follows one of time %d", store, timestamp, stored_timestamp
    )


def _bare_view(
    operation: nodes.TableFilter | nodes.TableMapValues,
    site: Site,
    view: Callable[[Any, Any], Any],
    *,
    needs_change: bool,
) -> Process:
    """Forward the view of each change; with `needs_change`, not one from None to None."""
    forward, failed, sends_old = site.forward, site.failed, operation.sends_old_values

    def process(key: Any, change: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            new = view(key, change[0])
            old = view(key, change[1]) if sends_old else None
            if needs_change and new is None and old is None:
                return
            forward(key, (new, old), timestamp, headers)
        except Exception as error:
            failed(error, key, Change(change[0], change[1]), timestamp, headers)

    def process_versions(key: Any, change: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            new = view(key, change[0])
            old = view(key, change[1]) if sends_old else None
            forward(key, (new, old, change[2]), timestamp, headers)
        except Exception as error:
            failed(error, key, Change(change[0], change[1]), timestamp, headers)

    return process_versions if operation.is_versioned else process


def _stored_view(
    operation: nodes.TableFilter | nodes.TableMapValues,
    site: Site,
    view: Callable[[Any, Any], Any],
    *,
    needs_change: bool,
) -> Process:
    """Store the view of each row; the store also has the old value."""
    assert operation.store is not None
    rows = kept_rows(operation, operation.store, site)
    encode_key, read, value_of, keep = rows.encode_key, rows.read, rows.value_of, rows.keep
    failed, sends_old = site.failed, operation.sends_old_values

    def process(key: Any, change: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            new = view(key, change[0])
            raw_key = encode_key(key)
            old = value_of(read(raw_key)) if sends_old else None
            if needs_change and new is None and old is None:
                return
            keep(key, raw_key, new, old, timestamp, timestamp, headers)
        except Exception as error:
            failed(
                rows.explained(error, key), key, Change(change[0], change[1]), timestamp, headers
            )

    return process
