"""Folding records into the aggregates that a store holds.

In Python and, for rows in a compiled cache, in C (`fast/entries.c`): the same tests run on both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from penstock._engine.fast.choice import compiled
from penstock._engine.state.cache.record_cache import CachedStore
from penstock._engine.state.codec import NO_ROW, RowCodec
from penstock.record import HeaderPairs
from penstock.serdes.numbers import IntegerSerde

Fold: TypeAlias = Callable[[bytes, Any, Any, int, HeaderPairs], None]
"""`fold(raw_key, key, value, timestamp, headers)` replaces the aggregate under `raw_key` by what
the aggregator makes of it and the record; its time is that of the latest record.
"""
Peek: TypeAlias = Callable[[bytes], bytes | None]
PutRow: TypeAlias = Callable[[bytes, Any, int, int, HeaderPairs], None]
Initializer: TypeAlias = Callable[[], Any]
Aggregator: TypeAlias = Callable[[Any, Any, Any], Any]

_LONGS = ">qq"


@dataclass(frozen=True, slots=True)
class Functions:
    """The functions that fold a record into an aggregate."""

    initializer: Initializer
    aggregator: Aggregator
    count: bool = False
    """Whether the aggregator adds one to the aggregate: C does so without calling it."""


def make_fold(
    cache: CachedStore | None,
    codec: RowCodec,
    peek: Peek,
    put: PutRow,
    functions: Functions,
) -> Fold:
    """Return the function that folds a record into the aggregate that `peek` reads and `put`
    writes, through the cache if there is one.
    """
    if compiled is not None and cache is not None and isinstance(cache.entries, compiled.Entries):
        return compiled.Fold(
            cache.entries,
            codec.decode_row,
            put,
            functions.initializer,
            functions.aggregator,
            _is_of_longs(codec),
            functions.count,
        ).fold
    return plain_fold(codec, peek, put, functions)


def plain_fold(codec: RowCodec, peek: Peek, put: PutRow, functions: Functions) -> Fold:
    """Return the same in Python."""
    decode, initializer, aggregator = codec.decode_row, functions.initializer, functions.aggregator

    def fold(raw_key: bytes, key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        row = peek(raw_key)
        stored_timestamp, aggregate = NO_ROW if row is None else decode(row)
        new_timestamp = timestamp
        if aggregate is None:
            aggregate = initializer()
        elif stored_timestamp > timestamp:
            new_timestamp = stored_timestamp
        put(raw_key, aggregator(key, value, aggregate), new_timestamp, timestamp, headers)

    return fold


def _is_of_longs(codec: RowCodec) -> bool:
    serde = codec.value_serde
    return type(serde) is IntegerSerde and serde.row_layout.format == _LONGS
