"""The store of a table or an aggregate, as its operator sees it: bytes up to the last moment, so
that an operator encodes a key once and decodes a value only if it looks at it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from penstock._engine.state.layers.cache import CachedStore
from penstock._engine.state.layers.codec import (
    TIMESTAMP_BYTES,
    Codec,
    pack_timestamp,
    timestamp_of,
)
from penstock._engine.state.layers.logged import RecordStore
from penstock.record import HeaderPairs

Forward: TypeAlias = Callable[[Any, Any, int, HeaderPairs], None]


class TableState:
    """Rows of (value, time), of which no two readers share a value."""

    __slots__ = ("_cache", "_codec", "_write", "encode_key", "read")

    def __init__(self, codec: Codec, store: RecordStore) -> None:
        self._codec = codec
        self._write = store.write
        self._cache = store if isinstance(store, CachedStore) else None
        self.encode_key = codec.encode_key
        self.read = store.get
        """`read(raw_key)` gives the stored row, None if there is none."""

    def value_of(self, row: bytes | None) -> Any:
        """Give a new value each time: what a user does to one, no other sees."""
        return None if row is None else self._codec.decode_value(row[TIMESTAMP_BYTES:])

    def copy(self, value: Any) -> Any:
        """Give the value as it comes back from the store."""
        data = None if value is None else self._codec.encode_value(value)
        return None if data is None else self._codec.decode_value(data)

    def put(
        self,
        raw_key: bytes,
        value: Any,
        value_timestamp: int,
        timestamp: int,
        headers: HeaderPairs,
    ) -> None:
        """Store a row, or delete it (None), on behalf of a record of `timestamp` and `headers`."""
        data = None if value is None else self._codec.encode_value(value)
        row = None if data is None else pack_timestamp(value_timestamp) + data
        self._write(raw_key, row, timestamp, headers)

    def forwards_at_flush(self, forward: Forward, *, sends_old_values: bool) -> bool:
        """Let changes be forwarded when the cache is flushed; False if there is no cache, so that
        whoever makes a change must forward it.
        """
        if self._cache is None:
            return False
        decode_key, value_of = self._codec.decode_key, self.value_of

        def let_out(
            raw_key: bytes,
            new: bytes | None,
            old: bytes | None,
            timestamp: int,
            headers: HeaderPairs,
        ) -> None:
            value_timestamp = timestamp if new is None else timestamp_of(new)
            change = (value_of(new), value_of(old))
            forward(decode_key(raw_key), change, value_timestamp, headers)

        self._cache.listen(let_out, sends_old_values=sends_old_values)
        return True
