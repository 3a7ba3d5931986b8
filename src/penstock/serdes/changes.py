"""The serde of the changes of a grouped table on their way through a repartition topic, with the
bytes of Java's: ChangedSerializer and ChangedDeserializer.

A change is a plain pair (new, old), at least one of them not None. The last byte says what is
there: the old value alone (0), the new one alone (1), or both (2: the length of the new one, the
new one, the old one). Java may also write 3, 4 and 5: the same with one byte more, which says
whether the change is the latest of its key.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from penstock.errors import SerializationError
from penstock.serdes.contract import HeaderPairs, Serde
from penstock.serdes.wrapping import DefaultSerde, WrappingSerde, completed

Pair: TypeAlias = tuple[Any, Any]

_OLD: Final = 0
_NEW: Final = 1
_BOTH: Final = 2
_FLAGGED: Final = 3
"""What is added if a byte before the last says whether the change is the latest."""


class ChangeSerde(WrappingSerde[Pair]):
    """The serde of changes whose values `inner` writes; None stands for the default one."""

    def __init__(self, inner: Serde[Any] | None) -> None:
        self.inner = inner

    def completed(self, key: DefaultSerde, value: DefaultSerde) -> Serde[Pair]:
        inner = completed(value() if self.inner is None else self.inner, key, value)
        plain = (
            type(inner).serialize is Serde.serialize
            and type(inner).deserialize is Serde.deserialize
        )
        return _PlainChangeSerde(inner) if plain else _TopicChangeSerde(inner)

    def __repr__(self) -> str:
        return f"ChangeSerde({self.inner!r})"


class _PlainChangeSerde(Serde[Pair]):
    """Values whose bytes do not depend on topic and headers."""

    def __init__(self, inner: Serde[Any]) -> None:
        self._inner = inner
        self._encode, self._decode = inner.encode, inner.decode

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self._inner,)

    def encode(self, value: Pair, /) -> bytes:
        new, old = value
        return _joined(
            None if new is None else self._encode(new), None if old is None else self._encode(old)
        )

    def decode(self, data: bytes, /) -> Pair:
        return _split(data, self._decode)

    def deserialize(
        self,
        topic: str,
        data: bytes | None,
        headers: HeaderPairs = (),  # noqa: ARG002
    ) -> Pair:
        return self.decode(_there(topic, data))


class _TopicChangeSerde(Serde[Pair]):
    """Values whose bytes depend on topic or headers."""

    def __init__(self, inner: Serde[Any]) -> None:
        self._inner = inner

    def serialize(self, topic: str, value: Pair | None, headers: HeaderPairs = ()) -> bytes | None:
        new, old = value or (None, None)
        serialize = self._inner.serialize
        new_data, old_data = serialize(topic, new, headers), serialize(topic, old, headers)
        return _joined(None if new is None else new_data, None if old is None else old_data)

    def deserialize(self, topic: str, data: bytes | None, headers: HeaderPairs = ()) -> Pair:
        inner = self._inner
        return _split(_there(topic, data), lambda part: inner.deserialize(topic, part, headers))


def _joined(new: bytes | None, old: bytes | None) -> bytes:
    if old is None:
        if new is None:
            msg = "a change must have a new or an old value; got neither"
            raise SerializationError(msg)
        return new + b"\x01"
    if new is None:
        return old + b"\x00"
    return b"%b%b%b\x02" % (_varint(len(new)), new, old)


def _split(data: bytes, decode: Callable[[bytes], Any]) -> Pair:
    kind = data[-1]
    end = len(data) - 1
    if kind > _BOTH + _FLAGGED:
        msg = f"the last byte of a change must be 0 to 5; got {kind}"
        raise SerializationError(msg)
    if kind >= _FLAGGED:
        kind -= _FLAGGED
        end -= 1
        if data[end] > 1:
            msg = f"a change must be the latest (1) or not (0); got {data[end]}"
            raise SerializationError(msg)
    if kind == _NEW:
        return decode(data[:end]), None
    if kind == _OLD:
        return None, decode(data[:end])
    length, start = _read_varint(data)
    middle = start + length
    if not start <= middle <= end:
        msg = f"the new value of a change must fit into it; got {length} of {end - start} bytes"
        raise SerializationError(msg)
    return decode(data[start:middle]), decode(data[middle:end])


def _there(topic: str, data: bytes | None) -> bytes:
    if not data:
        msg = f"a record of {topic!r} must hold a change; got {data!r}"
        raise SerializationError(msg)
    return data


def _varint(length: int) -> bytes:
    """Write a length as Java's ByteUtils.writeVarint does: zigzag, seven bits a byte."""
    rest = length << 1
    if rest < 0x80:
        return bytes((rest,))
    written = bytearray()
    while rest >= 0x80:
        written.append(rest & 0x7F | 0x80)
        rest >>= 7
    written.append(rest)
    return bytes(written)


def _read_varint(data: bytes) -> tuple[int, int]:
    """Return a length and where it ends."""
    value = shift = 0
    for position, byte in enumerate(data):
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return (value >> 1) ^ -(value & 1), position + 1
        shift += 7
    msg = f"the length in a change must end; got {data!r}"
    raise SerializationError(msg)
