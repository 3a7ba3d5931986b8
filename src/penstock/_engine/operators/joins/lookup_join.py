"""The joins of a stream in which each record looks up one row: of a table, or of a global table.
Java: KStreamKTableJoinProcessor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from penstock._engine.operators.getters import Row, value_getter, versioned_getter
from penstock._engine.operators.site import Process, Site
from penstock._engine.state.views.join_buffer import JoinBuffer
from penstock._engine.topology.nodes.join_nodes import GlobalTableJoin, StreamTableJoin
from penstock._engine.topology.nodes.views import StoredRows
from penstock.errors import StreamsError
from penstock.record import HeaderPairs

Encode: TypeAlias = Callable[[Any], Any]
"""`encode(key)` returns a key in the form that `look` takes."""
Look: TypeAlias = Callable[..., Any]
"""`look(encoded)`, or `look(encoded, timestamp)` of a versioned table, returns the value of a row,
None if there is none.
"""

_NO_KEY_OR_VALUE = "it has no key or no value"


def join_table(operation: StreamTableJoin, site: Site) -> Process:
    """Join each record with the row of its key, at once or after a grace period."""
    if operation.buffer is None:
        return _at_once(operation, site)
    return _buffered(_join_as_of(operation, site), operation, site)


def join_global_table(operation: GlobalTableJoin, site: Site) -> Process:
    """Join each record with the row of the key that the selector makes of it."""
    rows = site.global_table(operation.store)
    encode_key, read, value_of = rows.encode_key, rows.read, rows.value_of
    select, joiner = operation.key_selector, _of_key(operation)
    keeps_own = operation.keeps_own
    forward, failed, drop = site.forward, site.failed, site.drop

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        row_key = None
        try:
            # The selector is called even if there is no value, as in Java.
            row_key = select(key, value)
            if value is None or (row_key is None and not keeps_own):
                drop("its join key or its value is missing")
                return
            found = None if row_key is None else value_of(read(encode_key(row_key)))
            if found is not None or keeps_own:
                forward(key, joiner(key, value, found), timestamp, headers)
        except Exception as error:
            why = error if row_key is None else rows.explained(error, row_key)
            failed(why, key, value, timestamp, headers)

    return process


def _look_in_table(operation: StreamTableJoin, site: Site) -> tuple[Encode, Look]:
    rows = operation.rows
    if rows.is_versioned:
        get_as_of = versioned_getter(rows, site)
        return _as_it_is, lambda key, timestamp: _value_in(get_as_of(key, timestamp))
    if isinstance(rows, StoredRows):
        state = site.table(rows.store)
        return state.encode_key, state.looker()
    get = value_getter(rows, site)
    return _as_it_is, lambda key: _value_in(get(key))


def _as_it_is(key: Any) -> Any:
    return key


def _value_in(row: Row | None) -> Any:
    return None if row is None else row[0]


def _at_once(operation: StreamTableJoin, site: Site) -> Process:
    """Join each record when it comes."""
    encode, look = _look_in_table(operation, site)
    as_of_now = not operation.rows.is_versioned
    joiner, with_key, keeps_own = operation.joiner, operation.with_key, operation.keeps_own
    forward, failed, drop = site.forward, site.failed, site.drop

    # One function: each further call would cost each record.
    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            if value is None or (key is None and not keeps_own):
                drop(_NO_KEY_OR_VALUE)
                return
            if key is None:
                found = None
            else:
                found = look(encode(key)) if as_of_now else look(encode(key), timestamp)
            if found is not None or keeps_own:
                joined = joiner(key, value, found) if with_key else joiner(value, found)
                forward(key, joined, timestamp, headers)
        except Exception as error:
            failed(error, key, value, timestamp, headers)

    return process


def _join_as_of(operation: StreamTableJoin, site: Site) -> Process:
    """Return the function that joins a record that has a value with the row of its time: only
    records of a join with a versioned table wait.
    """
    encode, look = _look_in_table(operation, site)
    joiner, keeps_own, forward = _of_key(operation), operation.keeps_own, site.forward

    def join(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        found = None if key is None else look(encode(key), timestamp)
        if found is not None or keeps_own:
            forward(key, joiner(key, value, found), timestamp, headers)

    return join


def _buffered(join: Process, operation: StreamTableJoin, site: Site) -> Process:
    """Buffer each record for the grace period; one that is later than that is joined at once."""
    assert operation.buffer is not None
    buffer, grace = site.join_buffer(operation.buffer.name), operation.join_grace_ms
    put, join_due = buffer.put, _join_due(join, buffer, site)
    keeps_own, failed, drop = operation.keeps_own, site.failed, site.drop

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            if value is None or (key is None and not keeps_own):
                drop(_NO_KEY_OR_VALUE)
            elif key is None:
                msg = "a record without a key cannot wait for late rows; filter them out first"
                raise StreamsError(msg)
            elif timestamp < buffer.stream_time - grace:
                join(key, value, timestamp, headers)
            else:
                put(key, value, timestamp, headers)
                join_due(buffer.stream_time - grace)
        except Exception as error:
            failed(error, key, value, timestamp, headers)

    return process


def _join_due(join: Process, buffer: JoinBuffer, site: Site) -> Callable[[int], None]:
    """Return the function that joins the records whose wait is over, each as the record in hand."""
    position = site.position

    def join_due(until: int) -> None:
        before = (position.topic, position.partition, position.raw, position.timestamp)
        try:
            for waited in buffer.take(until):
                position.topic, position.partition = waited.topic, waited.partition
                position.raw, position.timestamp = waited.raw, waited.timestamp
                join(waited.key, waited.value, waited.timestamp, waited.headers)
        finally:
            position.topic, position.partition, position.raw, position.timestamp = before

    return join_due


def _of_key(operation: StreamTableJoin | GlobalTableJoin) -> Callable[[Any, Any, Any], Any]:
    """Return the joiner as a function of the key, the stream's and the table's value."""
    joiner = operation.joiner
    return joiner if operation.with_key else lambda key, left, right: joiner(left, right)
