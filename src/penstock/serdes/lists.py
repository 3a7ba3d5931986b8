"""Lists of values, with the bytes of Java's ListSerde.

```
fixed width:    0x00 | how many nulls | their indexes | how many entries | entries that are not null
any width:      0x01 | how many entries | for each its length, -1 for null, and its bytes
```

Which of the two is written follows from the serde of the entries; both are read.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from penstock.errors import SerializationError
from penstock.serdes.contract import BuiltInSerde, HeaderPairs, Serde
from penstock.serdes.document_shapes import Shape, Side, list_shape
from penstock.serdes.numbers import FloatSerde, IntegerSerde
from penstock.serdes.plain import UuidSerde

T = TypeVar("T")

_FIXED, _VARIABLE = 0, 1
_NULL_LENGTH = -1
_INT = struct.Struct(">i")
_UUID_BYTES = 36

Encode = Callable[[Any], bytes]
Decode = Callable[[bytes], Any]


class ListSerde(BuiltInSerde[list[T]], Generic[T]):
    """Lists whose entries, which may be None, `inner` writes. Java: Serdes.ListSerde."""

    def __init__(self, inner: Serde[T]) -> None:
        if not isinstance(inner, Serde):
            msg = f"serdes.list_of takes the serde of the entries; got {inner!r}"
            raise TypeError(msg)
        super().__init__(f"list_of({inner!r})", inner)
        self.inner = inner
        self._width = _width_of(inner)

    def document_shape(self, side: Side) -> Shape:
        inner = self.inner
        return list_shape(inner.document_shape(side)) if isinstance(inner, BuiltInSerde) else None

    def encode(self, value: list[T], /) -> bytes:
        return self._written(value, self.inner.encode)

    def decode(self, data: bytes, /) -> list[T]:
        return self._read(data, self.inner.decode)

    def _written(self, value: list[T], encode: Encode) -> bytes:
        if not isinstance(value, (list, tuple)):
            msg = f"{self!r} writes list; got {type(value).__qualname__}"
            raise TypeError(msg)
        pack = _INT.pack
        entries = [None if entry is None else encode(entry) for entry in value]
        if self._width is None:
            parts = [bytes([_VARIABLE]), pack(len(entries))]
            for entry in entries:
                parts += [pack(_NULL_LENGTH)] if entry is None else [pack(len(entry)), entry]
            return b"".join(parts)
        nulls = [index for index, entry in enumerate(entries) if entry is None]
        head = [bytes([_FIXED]), pack(len(nulls)), *map(pack, nulls), pack(len(entries))]
        return b"".join([*head, *(entry for entry in entries if entry is not None)])

    def _read(self, data: bytes, decode: Decode) -> list[Any]:
        reader = _Reader(data)
        layout = reader.take(1)[0]
        if layout not in {_FIXED, _VARIABLE}:
            raise _wrong(reader.data, f"the first byte must be 0 or 1; got {layout}")
        width = self._width
        if layout == _FIXED and width is None:
            raise _wrong(
                reader.data, f"its entries have a fixed width, those of {self.inner!r} have none"
            )
        nulls = {reader.number() for _ in range(reader.count())} if layout == _FIXED else set()
        entries: list[Any] = []
        for index in range(reader.count()):
            if index in nulls:
                entries.append(None)
                continue
            length = width if layout == _FIXED and width is not None else reader.number()
            entries.append(None if length == _NULL_LENGTH else decode(reader.take(length)))
        reader.check_end()
        return entries


class TopicListSerde(ListSerde[T]):
    """Lists whose entries have bytes that depend on the topic or the headers."""

    def serialize(
        self, topic: str, value: list[T] | None, headers: HeaderPairs = ()
    ) -> bytes | None:
        serialize = self.inner.serialize
        if value is None:
            return None
        return self._written(value, lambda entry: serialize(topic, entry, headers) or b"")

    def deserialize(
        self, topic: str, data: bytes | None, headers: HeaderPairs = ()
    ) -> list[T] | None:
        deserialize = self.inner.deserialize
        if data is None:
            return None
        return self._read(data, lambda entry: deserialize(topic, entry, headers))


def list_serde(inner: Serde[T]) -> ListSerde[T]:
    """Return the serde of lists of what `inner` writes."""
    plain = not isinstance(inner, Serde) or (
        type(inner).serialize is Serde.serialize and type(inner).deserialize is Serde.deserialize
    )
    return ListSerde(inner) if plain else TopicListSerde(inner)


class _Reader:
    """Takes a list's bytes apart, one part after the other."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._at = 0

    def take(self, length: int) -> bytes:
        part = self.data[self._at : self._at + length]
        if length < 0 or len(part) < length:
            raise _wrong(self.data, f"expected {length} bytes at {self._at}, got {len(part)}")
        self._at += length
        return part

    def number(self) -> int:
        number: int = _INT.unpack(self.take(_INT.size))[0]
        return number

    def count(self) -> int:
        """Return the next number; refuse one that no rest of the data can hold."""
        number = self.number()
        # Nulls of a fixed width take four bytes elsewhere: so do all others, or one at least.
        if number < 0 or number > len(self.data):
            raise _wrong(self.data, f"expected a count at {self._at - _INT.size}, got {number}")
        return number

    def check_end(self) -> None:
        if self._at < len(self.data):
            raise _wrong(self.data, f"expected its end at {self._at}, got {len(self.data)} bytes")


def _wrong(data: bytes, what: str) -> SerializationError:
    return SerializationError(
        f"cannot read list: {what}: {data[:16].hex(' ')}; was the topic written with Java's "
        "ListSerde or serdes.list_of?"
    )


def _width_of(serde: Serde[Any]) -> int | None:
    """Return how many bytes each value has; None if that differs."""
    if type(serde) is UuidSerde:
        return _UUID_BYTES
    if type(serde) in {IntegerSerde, FloatSerde} and isinstance(serde, BuiltInSerde):
        layout = serde.row_layout
        return None if layout is None else layout.size - 8
    return None
