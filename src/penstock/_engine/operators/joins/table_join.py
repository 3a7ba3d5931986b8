"""Joins of two tables: each change is joined with the other table's row of its key. Java:
KTableKTableInnerJoin, -LeftJoin, -RightJoin, -OuterJoin and -JoinMerger.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from penstock._engine.operators.getters import value_getter
from penstock._engine.operators.rows import kept_rows
from penstock._engine.operators.site import Process, Site
from penstock._engine.topology.nodes.table_nodes import TableJoinMerge, TableJoinSide
from penstock.record import Change, HeaderPairs

_NO_KEY = "it has no key"
_NOT_THE_LATEST = "its table has a later row of that key"

_JoinOne: TypeAlias = Callable[[Any, Any], Any]
"""`join(own, other)` of the values of one side and the other, None where there is no result."""


def join_change(operation: TableJoinSide, site: Site) -> Process:
    """Join the changes of one table with the rows of the other."""
    get = value_getter(operation.other, site)
    join = _joining(operation)
    forward, failed, drop = site.forward, site.failed, site.drop
    latest_only, sends_old = operation.latest_only, operation.sends_old_values
    keeps_own = operation.keeps_own

    def process(key: Any, change: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            if key is None:
                drop(_NO_KEY)
                return
            if latest_only and not change[2]:
                drop(_NOT_THE_LATEST, "outdated")
                return
            new, old = change[0], change[1]
            row = get(key)
            if row is None:
                if not keeps_own or (new is None and old is None):
                    return
                other, later = None, timestamp
            else:
                other, later = row
                if timestamp > later:
                    later = timestamp
            joined = join(new, other)
            before = join(old, other) if sends_old else None
            forward(key, (joined, before), later, headers)
        except Exception as error:
            failed(error, key, Change(change[0], change[1]), timestamp, headers)

    return process


def merge_results(operation: TableJoinMerge, site: Site) -> Process:
    """Forward the results of both sides, through a store if the join has one."""
    forward, failed, sends_old = site.forward, site.failed, operation.sends_old_values
    if operation.store is not None:
        return _stored_merge(operation, site)

    def process(key: Any, change: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            forward(key, change if sends_old else (change[0], None), timestamp, headers)
        except Exception as error:
            failed(error, key, Change(*change), timestamp, headers)

    return process


def _stored_merge(operation: TableJoinMerge, site: Site) -> Process:
    assert operation.store is not None
    rows = kept_rows(operation, operation.store, site)
    encode_key, keep, failed = rows.encode_key, rows.keep, site.failed
    sends_old = operation.sends_old_values

    def process(key: Any, change: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            # The old value is that of the join, not the one in this store, as in Java.
            old = change[1] if sends_old else None
            keep(key, encode_key(key), change[0], old, timestamp, timestamp, headers)
        except Exception as error:
            failed(rows.explained(error, key), key, Change(*change), timestamp, headers)

    return process


def _joining(operation: TableJoinSide) -> _JoinOne:
    """Return the function that joins a value of this side with the other's.

    A missing value of this side has a result only if the join keeps unmatched rows of the other
    side; the caller has checked a missing value of the other side.
    """
    joiner, is_left, keeps_other = operation.joiner, operation.is_left, operation.keeps_other

    def join(own: Any, other: Any) -> Any:
        if own is None and (not keeps_other or other is None):
            return None
        return joiner(own, other) if is_left else joiner(other, own)

    return join
