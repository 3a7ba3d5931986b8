"""The store of a table or an aggregate as its operator sees it: bytes are decoded as late as
possible. An operator encodes a key once, and decodes a value only if it needs it.

A *row* is a stored value with its timestamp. Readers never share a mutable value: each decodes its
own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from penstock._engine.state.cache.fold import Fold, Functions, make_fold
from penstock._engine.state.cache.record_cache import CachedStore
from penstock._engine.state.codec import TIMESTAMP_BYTES, CodedState, RowCodec, wrong_type
from penstock._engine.state.logged import RecordStore
from penstock.record import HeaderPairs

Forward: TypeAlias = Callable[[Any, Any, int, HeaderPairs], None]


class TableState(CodedState[RowCodec]):
    """Rows by key. Attributes that an operator calls for each record are plain functions."""

    KEY_MARGINS: Final = (0, 0)
    """How many bytes of a row's key stand before and behind those of its record's key."""

    __slots__ = ("cache", "decode_row", "peek", "put", "read", "scan")

    def __init__(self, name: str, codec: RowCodec, store: RecordStore) -> None:
        super().__init__(name, codec)
        self.cache = store if isinstance(store, CachedStore) else None
        self.decode_row = codec.decode_row
        """`(timestamp, value) = decode_row(row)`."""
        self.read = store.get
        """`read(raw_key)` returns the row, None if there is none."""
        self.scan = store.scan
        """`scan(first, end, reverse=False)` yields keys and rows in the order of the keys' bytes.
        """
        self.peek = store.get if self.cache is None else self.cache.peek
        """`read` for an operator that is about to put the same row."""
        self.put = row_putter(name, codec, store)
        """`put(raw_key, value, value_timestamp, timestamp, headers)` stores a row, or deletes it
        (None), on behalf of a record of `timestamp` and `headers`.
        """

    def looker(self) -> Callable[[bytes], Any]:
        """Return `look(raw_key)`, which returns the value of a key, None if there is none."""
        read, value_of = self.read, self.value_of
        if self.cache is not None and self.codec.gives_frozen():
            return self.cache.entries.decoding(value_of)
        return lambda raw_key: value_of(read(raw_key))

    def value_of(self, row: bytes | None) -> Any:
        """Return the value of a row, a new one each time."""
        return None if row is None else self.codec.decode_value(row[TIMESTAMP_BYTES:])

    def forwards_at_flush(self, forward: Forward, *, sends_old_values: bool) -> bool:
        """Forward changes when the cache is flushed; False if there is no cache: then the operator
        must forward each change itself.
        """
        if self.cache is None:
            return False
        decode_key, value_of = self.codec.decode_key, self.value_of
        decode_row = self.codec.decode_row

        def forward_row(
            raw_key: bytes,
            new: bytes | None,
            old: bytes | None,
            timestamp: int,
            headers: HeaderPairs,
        ) -> None:
            # The old value is None unless the listener asks for it; most rows are new ones.
            old_value = None if old is None else value_of(old)
            if new is None:
                forward(decode_key(raw_key), (None, old_value), timestamp, headers)
            else:
                own_timestamp, value = decode_row(new)
                forward(decode_key(raw_key), (value, old_value), own_timestamp, headers)

        self.cache.listen(forward_row, sends_old_values=sends_old_values)
        return True

    def folder(self, functions: Functions) -> Fold:
        """Return the function that folds a record into the aggregate of its key."""
        return make_fold(self.cache, self.codec, self.peek, self.put, functions)


def row_putter(
    name: str, codec: RowCodec, store: RecordStore
) -> Callable[[bytes, Any, int, int, HeaderPairs], None]:
    """Return `put(raw_key, value, value_timestamp, timestamp, headers)` of a store."""
    encode, write = codec.encode_row, store.write

    def put(
        raw_key: bytes, value: Any, value_timestamp: int, timestamp: int, headers: HeaderPairs
    ) -> None:
        row = None
        if value is not None:
            try:
                row = encode(value, value_timestamp)
            except TypeError as error:
                raise wrong_type(name, "value", value, error) from error
        write(raw_key, row, timestamp, headers)

    return put
