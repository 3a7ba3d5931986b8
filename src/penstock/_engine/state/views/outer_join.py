"""The values that a left or outer stream-stream join has not matched yet: lists under a time, a
side and a key. Java: ListValueStore, TimestampedKeyAndJoinSideSerializer.

```
key:     time | 1 if left, 0 if right | key
value:   1 | how many values | for each of them: length | 1 if left, 0 if right | value
```
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from struct import Struct
from typing import Any, TypeAlias

from penstock._engine.state.codec import Codec, explained, wrong_type
from penstock._engine.state.logged import RecordStore
from penstock.record import HeaderPairs

Unmatched: TypeAlias = tuple[int, bool, bytes, bytes]
"""(time, whether it is of the left side, raw key, its bytes)"""

_KEY = Struct(">qB")
_HEAD = Struct(">Bi")
_LENGTHS_DIFFER = 1
_LENGTH = Struct(">i")
_SIDES = (b"\x00", b"\x01")


class OuterJoinState:
    """The store of unmatched values as the join's operators see it."""

    __slots__ = ("_left", "_name", "_right", "_store", "decode_key", "encode_key")

    def __init__(self, name: str, left: Codec, right: Codec, store: RecordStore) -> None:
        self._name = name
        self._left = left
        self._right = right
        self._store = store
        self.encode_key = left.encode_key
        self.decode_key = left.decode_key

    def put(  # noqa: PLR0917  # keywords would cost each record something
        self,
        raw_key: bytes,
        time: int,
        is_left: bool,
        value: Any,
        timestamp: int,
        headers: HeaderPairs,
    ) -> None:
        """Add a value to those of its time, side and key."""
        codec = self._left if is_left else self._right
        try:
            data = codec.encode_value(value)
        except TypeError as error:
            raise wrong_type(self._name, "value", value, error) from error
        key = _KEY.pack(time, is_left) + raw_key
        if data is None:
            self._store.write(key, None, timestamp, headers)
            return
        before = self._store.get(key)
        item = _LENGTH.pack(len(data) + 1) + _SIDES[is_left] + data
        values = _HEAD.pack(_LENGTHS_DIFFER, 1) + item if before is None else _longer(before) + item
        self._store.write(key, values, timestamp, headers)

    def delete(
        self, raw_key: bytes, time: int, is_left: bool, timestamp: int, headers: HeaderPairs
    ) -> None:
        """Delete all values of a time, side and key; there may be none."""
        self._store.write(_KEY.pack(time, is_left) + raw_key, None, timestamp, headers)

    def discard(
        self, raw_key: bytes, time: int, is_left: bool, timestamp: int, headers: HeaderPairs
    ) -> None:
        """Delete all values of a time, side and key, if there are any."""
        key = _KEY.pack(time, is_left) + raw_key
        if self._store.get(key) is not None:
            self._store.write(key, None, timestamp, headers)

    def all(self) -> Iterator[Unmatched]:
        """Yield all values in order: by time, the right side before the left, by key, by arrival.
        Later writes do not show.
        """
        entries = self._store.scan(None, None, reverse=False)
        return self._each(entries)

    def decode_left(self, data: bytes) -> Any:
        """Decode a value of the left side."""
        return self._left.decode_value(data)

    def decode_right(self, data: bytes) -> Any:
        """Decode a value of the right side."""
        return self._right.decode_value(data)

    def read_first(self) -> None:
        """Read the first value, if there is one."""
        for _, is_left, raw_key, data in islice(self.all(), 1):
            self.decode_key(raw_key)
            (self.decode_left if is_left else self.decode_right)(data)

    def explained(self, error: Exception, key: Any) -> Exception:
        """Return the error, or a better one if the store's serde does not fit the key."""
        return explained(error, key, self._name, self._left)

    @staticmethod
    def _each(entries: Iterator[tuple[bytes, bytes]]) -> Iterator[Unmatched]:
        for key, values in entries:
            time, side = _KEY.unpack_from(key)
            raw_key = key[_KEY.size :]
            at = _HEAD.size
            while at < len(values):
                begin = at + _LENGTH.size + 1
                at += _LENGTH.size + _LENGTH.unpack_from(values, at)[0]
                yield time, bool(side), raw_key, values[begin:at]


def _longer(values: bytes) -> bytes:
    """Return a list with its count increased by one."""
    _, count = _HEAD.unpack_from(values)
    return _HEAD.pack(_LENGTHS_DIFFER, count + 1) + values[_HEAD.size :]
