"""Rows that keep headers: eight bytes of time if the store is timestamped, a varint with the size
of the headers, the headers, the value.

The parts are Java's (KIP-1271), so that a row takes as much of the cache; Java has the time behind
the headers, here it is first as in rows without headers, whose operators read both. The headers are
their number and for each the size of its key, the key, the size of its value (-1 for none) and the
value; of no headers nothing is written. Sizes are zigzag varints.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from penstock._engine.state.codec import (
    TIMESTAMP_BYTES,
    Codec,
    RowCodec,
    pack_timestamp,
    plain_codec,
    timestamp_of,
)
from penstock.errors import StreamsError
from penstock.record import HeaderPairs, Headers
from penstock.serdes import Serde
from penstock.stores.headers import AggregationWithHeaders, ValueTimestampHeaders

_NO_HEADERS = b"\x00"
_NO_TIME = -1


def pack_headers(headers: Iterable[tuple[str, bytes | None]]) -> bytes:
    """Return the bytes before the time or value of a row: the size of the headers, and these."""
    pairs = tuple(headers)
    if not pairs:
        return _NO_HEADERS
    parts = [_varint(len(pairs))]
    for key, value in pairs:
        name = key.encode()
        parts += (_varint(len(name)), name)
        parts += (_varint(-1),) if value is None else (_varint(len(value)), value)
    packed = b"".join(parts)
    return _varint(len(packed)) + packed


def end_of_headers(row: bytes, start: int = 0) -> int:
    """Return where the headers end that begin at `start`."""
    size, at = _read_varint(row, start)
    return at + size


def headers_of(row: bytes, start: int = 0) -> HeaderPairs:
    """Return the headers that begin at `start`."""
    size, at = _read_varint(row, start)
    if not size:
        return ()
    count, at = _read_varint(row, at)
    pairs: list[tuple[str, bytes | None]] = []
    for _ in range(count):
        length, at = _read_varint(row, at)
        key, at = row[at : at + length].decode(), at + length
        length, at = _read_varint(row, at)
        value = None if length < 0 else row[at : at + length]
        at += max(length, 0)
        pairs.append((key, value))
    return tuple(pairs)


class ValueBehindHeaders(Serde[Any]):
    """The serde of what operators see of such rows: values, written without headers and read
    whatever headers they have. As in Java, no verb keeps headers of its own.
    """

    def __init__(self, plain: RowCodec) -> None:
        self._encode, self._decode = plain.encode_value, plain.decode_value

    def encode(self, value: Any) -> Any:
        data = self._encode(value)
        return None if data is None else _NO_HEADERS + data

    def decode(self, data: bytes) -> Any:
        return self._decode(data[end_of_headers(data) :])


def values_behind_headers(topic: str, plain: RowCodec) -> RowCodec:
    """Return the codec that operators use on such rows, with a time or without."""
    codec = plain_codec(topic, plain.key_serde, ValueBehindHeaders(plain))
    return replace(codec, decode_key=plain.decode_key)


def timed_headers_codec(plain: RowCodec) -> Codec:
    """Return the codec whose values are ValueTimestampHeaders."""
    encode, decode = plain.encode_value, plain.decode_value

    def encode_row(entry: Any) -> bytes | None:
        if not isinstance(entry, tuple) or len(entry) != 3 or not isinstance(entry[1], int):
            msg = (
                "a timestamped store with headers takes ValueTimestampHeaders(value, timestamp, "
                f"headers); got {entry!r}"
            )
            raise StreamsError(msg)
        value, timestamp, headers = entry
        data = None if value is None else encode(value)
        return None if data is None else pack_timestamp(timestamp) + _packed(headers) + data

    def decode_row(row: bytes) -> ValueTimestampHeaders[Any]:
        value = decode(row[end_of_headers(row, TIMESTAMP_BYTES) :])
        headers = Headers(headers_of(row, TIMESTAMP_BYTES))
        return ValueTimestampHeaders(value, timestamp_of(row), headers)

    return Codec(plain.encode_key, plain.decode_key, encode_row, decode_row)


def headers_codec(plain: RowCodec) -> Codec:
    """Return the codec whose values are AggregationWithHeaders."""
    encode, decode = plain.encode_value, plain.decode_value

    def encode_row(entry: Any) -> bytes | None:
        if not isinstance(entry, tuple) or len(entry) != 2:
            msg = (
                "a session store with headers takes AggregationWithHeaders(aggregation, headers); "
                f"got {entry!r}"
            )
            raise StreamsError(msg)
        aggregation, headers = entry
        data = None if aggregation is None else encode(aggregation)
        return None if data is None else _packed(headers) + data

    def decode_row(row: bytes) -> AggregationWithHeaders[Any]:
        value = decode(row[end_of_headers(row) :])
        return AggregationWithHeaders(value, Headers(headers_of(row)))

    return Codec(plain.encode_key, plain.decode_key, encode_row, decode_row)


def values_of_timed_headers_codec(plain: RowCodec) -> Codec:
    """Return the codec that shows such rows as plain values, written without time and headers."""
    encode, decode = plain.encode_value, plain.decode_value

    def encode_row(value: Any) -> bytes | None:
        data = encode(value)
        return None if data is None else pack_timestamp(_NO_TIME) + _NO_HEADERS + data

    return Codec(
        plain.encode_key,
        plain.decode_key,
        encode_row,
        lambda row: decode(row[end_of_headers(row, TIMESTAMP_BYTES) :]),
    )


def values_of_headers_codec(plain: RowCodec) -> Codec:
    """Return the codec that shows such rows as plain values; it writes no headers."""
    encode, decode = plain.encode_value, plain.decode_value

    def encode_row(value: Any) -> bytes | None:
        data = encode(value)
        return None if data is None else _NO_HEADERS + data

    return Codec(
        plain.encode_key,
        plain.decode_key,
        encode_row,
        lambda row: decode(row[end_of_headers(row) :]),
    )


def _packed(headers: Any) -> bytes:
    """Return `pack_headers` of what a user gave."""
    try:
        pairs = tuple((key, value) for key, value in headers)
    except (TypeError, ValueError):
        pairs = None
    if pairs is None or not all(
        isinstance(key, str) and (value is None or isinstance(value, bytes)) for key, value in pairs
    ):
        msg = (
            "the headers of a stored value must be Headers, or pairs of a str key with bytes or "
            f"None; got {headers!r}"
        )
        raise StreamsError(msg)
    return pack_headers(pairs)


def _varint(number: int) -> bytes:
    left = number << 1 if number >= 0 else (-number << 1) - 1
    written = bytearray()
    while left > 0x7F:
        written.append(left & 0x7F | 0x80)
        left >>= 7
    written.append(left)
    return bytes(written)


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a number and where it ends."""
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number >> 1 ^ -(number & 1), at
        shift += 7
