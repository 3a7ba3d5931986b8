"""The serdes of the answer topic of a foreign-key join, whose keys and values travel as bytes."""

from __future__ import annotations

from typing import Any

from penstock.serdes.contract import Serde
from penstock.serdes.plain import BytesSerde
from penstock.serdes.wrapping import DefaultSerde, WrappingSerde, completed


def keys_stay_bytes(serde: Serde[Any]) -> bool:
    """Yes if keys need not be decoded only to be encoded again for another topic."""
    same = type(serde).serialize is Serde.serialize
    return same and type(serde).deserialize is Serde.deserialize


class AnswerKeySerde(WrappingSerde[Any]):
    """Write the left keys of answers; they arrive as bytes where `keys_stay_bytes` allows it."""

    def __init__(self, inner: Serde[Any] | None) -> None:
        self.inner = inner

    def completed(self, key: DefaultSerde, value: DefaultSerde) -> Serde[Any]:
        inner = completed(key() if self.inner is None else self.inner, key, value)
        return BytesSerde() if keys_stay_bytes(inner) else inner


class AnswerSerde(Serde[Any]):
    """Write answers, pairs of bytes and the partition they go to; read the bytes alone."""

    def encode(self, value: Any, /) -> bytes:
        data: bytes = value[0]
        return data

    def decode(self, data: bytes, /) -> bytes:
        return data
