"""Folding records into the aggregates that a store holds.

Twice: in Python, which works everywhere, and in C (`_entries.c`) for rows that are in a cache of C.
Both do the same, and the same tests are run on both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from penstock._engine.state.cache.record_cache import CachedStore
from penstock._engine.state.codec import NO_ROW, RowCodec
from penstock.record import HeaderPairs
from penstock.serdes.numbers import IntegerSerde

try:
    from penstock._engine.fast import _entries
except ImportError:
    _entries = None  # type: ignore[assignment]

Fold: TypeAlias = Callable[[bytes, Any, Any, int, HeaderPairs], None]
"""`fold(raw_key, key, value, timestamp, headers)`: what is stored under `raw_key` becomes what the
aggregator makes of it and the record; it has the time of the latest record.
"""
Peek: TypeAlias = Callable[[bytes], bytes | None]
PutRow: TypeAlias = Callable[[bytes, Any, int, int, HeaderPairs], None]
Initializer: TypeAlias = Callable[[], Any]
Aggregator: TypeAlias = Callable[[Any, Any, Any], Any]

_LONGS = ">qq"


@dataclass(frozen=True, slots=True)
class Functions:
    """What records are folded with."""

    initializer: Initializer
    aggregator: Aggregator
    count: bool = False
    """Whether the aggregator adds one to whatever it is given: C does so without calling it."""


def make_fold(
    cache: CachedStore | None,
    codec: RowCodec,
    peek: Peek,
    put: PutRow,
    functions: Functions,
) -> Fold:
    """Give the function that folds a record into what `peek` gives and `put` stores, which are
    those of the cache if there is one.
    """
    if _entries is not None and cache is not None and isinstance(cache.entries, _entries.Entries):
        return _entries.Fold(
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
    """Give the same in Python."""
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
