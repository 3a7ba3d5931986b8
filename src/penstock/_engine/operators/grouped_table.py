"""A table grouped by other keys: its changes under their new keys, and the aggregates they change.
Java: KTableRepartitionMap, KTableAggregate and KTableReduce.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from penstock._engine.operators.aggregate import always_new
from penstock._engine.operators.rows import kept_rows
from penstock._engine.operators.site import Process, Site
from penstock._engine.topology.nodes.table_nodes import (
    GroupedTableAggregate,
    GroupedTableReduce,
    TableRepartitionMap,
)
from penstock.errors import StreamsError
from penstock.record import Change, HeaderPairs

_EXACT = frozenset({str, int, bytes, bool, UUID})
"""Types whose equal values have equal bytes."""

_TOLD_APART: dict[type, Callable[[Any], object]] = {
    float: float.hex,  # 0.0 and -0.0 differ, as in Double.equals
    Decimal: Decimal.as_tuple,
    datetime: datetime.isoformat,
}
"""Types with equal values of different bytes, and what tells them apart."""


def repartition_map(operation: TableRepartitionMap, site: Site) -> Process:
    """Forward each change under its new key; if the key changes, as two records: a removal from the
    old group, then an addition to the new one.
    """
    mapped, latest_only = _mapping(operation.mapper), operation.latest_only
    forward, failed = site.forward, site.failed

    def process(key: Any, change: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            if key is None:
                msg = "a row of a table that is grouped must have a key; got None"
                raise StreamsError(msg)
            if latest_only and not change[2]:
                return
            new_key, new = mapped(key, change[0])
            old_key, old = mapped(key, change[1])
            leaves = old_key is not None and old is not None
            comes = new_key is not None and new is not None
            if leaves and comes and (old_key is new_key or same_key(old_key, new_key)):
                forward(old_key, (new, old), timestamp, headers)
                return
            if leaves:
                forward(old_key, (None, old), timestamp, headers)
            if comes:
                forward(new_key, (new, None), timestamp, headers)
        except Exception as error:
            failed(error, key, Change(change[0], change[1]), timestamp, headers)

    return process


def aggregate_changes(operation: GroupedTableAggregate, site: Site) -> Process:
    """Subtract the old value, then add the new one."""
    initializer = always_new(operation.initializer)
    adder, subtractor = operation.adder, operation.subtractor
    rows = kept_rows(operation, operation.store, site)
    encode_key, read, value_of, time_of = rows.encode_key, rows.read, rows.value_of, rows.time_of
    keep, failed, sends_old = rows.keep, site.failed, operation.sends_old_values

    def process(key: Any, change: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            _check_key(key)
            raw_key = encode_key(key)
            row = read(raw_key)
            new, old = change[0], change[1]
            aggregate = value_of(row)
            stored = None if aggregate is None else time_of(row)
            new_timestamp = timestamp
            if old is not None and stored is not None:
                aggregate = subtractor(key, old, aggregate)
                if stored > timestamp:
                    new_timestamp = stored
            if new is not None:
                aggregate = adder(key, new, initializer() if aggregate is None else aggregate)
                if stored is not None and stored > timestamp:
                    new_timestamp = stored
            before = value_of(row) if sends_old else None
            keep(key, raw_key, aggregate, before, new_timestamp, timestamp, headers)
        except Exception as error:
            failed(rows.explained(error, key), key, Change(*change), timestamp, headers)

    return process


def reduce_changes(operation: GroupedTableReduce, site: Site) -> Process:
    """Subtract the old value, then add the new one; the first value is the first aggregate."""
    adder, subtractor = operation.adder, operation.subtractor
    rows = kept_rows(operation, operation.store, site)
    encode_key, read, value_of, time_of = rows.encode_key, rows.read, rows.value_of, rows.time_of
    keep, failed, sends_old = rows.keep, site.failed, operation.sends_old_values

    def process(key: Any, change: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            _check_key(key)
            raw_key = encode_key(key)
            row = read(raw_key)
            new, old = change[0], change[1]
            aggregate = value_of(row)
            stored = timestamp if aggregate is None else time_of(row)
            new_timestamp = timestamp
            if old is not None and aggregate is not None:
                aggregate = subtractor(aggregate, old)
                new_timestamp = max(timestamp, stored)
            if new is not None:
                if aggregate is None:
                    aggregate = new
                else:
                    aggregate = adder(aggregate, new)
                    new_timestamp = max(timestamp, stored)
            before = value_of(row) if sends_old else None
            keep(key, raw_key, aggregate, before, new_timestamp, timestamp, headers)
        except Exception as error:
            failed(rows.explained(error, key), key, Change(*change), timestamp, headers)

    return process


def _mapping(mapper: Callable[..., Any]) -> Callable[[Any, Any], tuple[Any, Any]]:
    """Return the function that makes the new key and value of one half of a change; None in either
    leaves this half out.
    """

    def mapped(key: Any, value: Any) -> tuple[Any, Any]:
        if value is None:
            return None, None
        pair = mapper(key, value)
        if type(pair) is tuple and len(pair) == 2:
            return pair
        return _checked(pair)

    return mapped


def _check_key(key: Any) -> None:
    if key is None:
        msg = "a change of a grouped table must have a key; got None"
        raise StreamsError(msg)


def _checked(pair: Any) -> tuple[Any, Any]:
    """Return a pair, also a named tuple; None stands for no group."""
    if pair is None:
        return None, None
    if isinstance(pair, tuple) and len(pair) == 2:
        return pair
    msg = f"group_by's mapper must give a (key, value) pair, or None; got {pair!r}"
    raise StreamsError(msg)


def same_key(old: Any, new: Any) -> bool:
    """Return whether two keys are one group: equal, and of equal types all through.

    Python holds 1, True and 1.0 for equal, and `Decimal("1.0")` and `Decimal("1.00")`; their bytes
    are not, so they are different groups. Java: equals.
    """
    kind = type(old)
    if kind is not type(new):
        return False
    if kind in _EXACT:
        return bool(old == new)
    if isinstance(old, (list, tuple)):
        return len(old) == len(new) and all(map(same_key, old, new))
    if isinstance(old, dict):
        return len(old) == len(new) and all(map(same_key, old.items(), new.items()))
    told_apart = _TOLD_APART.get(kind)
    if told_apart is not None:
        return bool(told_apart(old) == told_apart(new))
    return bool(old == new) and _same_fields(old, new)


def _same_fields(old: Any, new: Any) -> bool:
    """Return whether the fields of two equal documents are one group each; of other classes their
    `==` decides alone.
    """
    compared: Iterable[str] = getattr(old, "__struct_fields__", ())
    if is_dataclass(old):
        compared = [part.name for part in fields(old) if part.compare]
    return all(same_key(getattr(old, part), getattr(new, part)) for part in compared)
