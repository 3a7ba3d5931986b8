"""Encodes the keys and values of a store: the serdes of the user, and Java's format of timestamped
values (eight bytes of milliseconds before the value's).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from struct import Struct
from struct import error as StructError
from typing import Any, Final, Generic, TypeAlias, TypeVar

from penstock.errors import (
    SerializationError,
    StateError,
    StateUnreadableError,
    StreamsError,
    text_of,
    undone_work,
)
from penstock.serdes import Serde
from penstock.serdes.contract import replaceable
from penstock.serdes.plain import BytesSerde, StringSerde, said
from penstock.stores import ValueAndTimestamp

TIMESTAMP_BYTES: Final = 8
_TIMESTAMP = Struct(">q")
_NO_TIME = -1
_READ_ANYTHING: Final = frozenset({BytesSerde, StringSerde})
_FAULTS_OF_OTHERS: Final = (StreamsError, OSError, MemoryError)
_FAULTS_OF_BYTES: Final = (SerializationError, StateUnreadableError)

pack_timestamp = _TIMESTAMP.pack
unpack_timestamp: Callable[[bytes], tuple[int]] = _TIMESTAMP.unpack_from
"""`(timestamp,) = unpack_timestamp(row)`: for hot loops, one call less than `timestamp_of`."""


def timestamp_of(stored: bytes) -> int:
    """Return the time of a stored value."""
    return unpack_timestamp(stored)[0]


Encode: TypeAlias = Callable[[Any], bytes | None]
EncodeRow: TypeAlias = Callable[[Any, int], bytes | None]
"""`encode_row(value, timestamp)` returns a timestamped value, None if the value has no bytes."""
DecodeRow: TypeAlias = Callable[[bytes], tuple[int, Any]]
"""`(timestamp, value) = decode_row(row)`: a new value each time."""
NO_ROW: Final = (0, None)
"""Stands for the decoded row of a key that has none."""


@dataclass(frozen=True, slots=True)
class Codec:
    """Encodes and decodes keys and values; a value may have no bytes, a key must have some."""

    encode_key: Callable[[Any], bytes]
    decode_key: Callable[[bytes], Any]
    encode_value: Callable[[Any], bytes | None]
    decode_value: Callable[[bytes], Any]


@dataclass(frozen=True, slots=True)
class RowCodec(Codec):
    """A codec that also encodes rows: timestamped values."""

    encode_row: EncodeRow
    decode_row: DecodeRow
    key_serde: Serde[Any]
    value_serde: Serde[Any]

    def gives_frozen(self) -> bool:
        """Yes if readers can share a decoded value: none of them can change it."""
        serde = replaceable(self.value_serde)
        return serde is not None and serde.gives_frozen


def plain_codec(
    topic: str, key: Serde[Any], value: Serde[Any], state: str | None = None
) -> RowCodec:
    """Return the codec of a store; serdes get the name of its changelog as topic, as in Java.

    `state` names a store that only the application writes: if a row of it cannot be read, its state
    has failed, which no handler may pass over. None: rows may be records of an input, as they came.
    """
    encode = _encoder(value, topic)
    decode_key, decode = _decoder(key, topic), _decoder(value, topic)
    if state is not None:
        decode_key = _decoder_of_state(key, decode_key, f"a key of {state}")
        decode = _decoder_of_state(value, decode, f"a value of {state}")
    encode_row, decode_row = _rows(encode, decode)
    number = replaceable(value)
    if number is not None and number.row_layout is not None:
        layout, usual = number.row_layout, number.number_type
        encode_row, decode_row = _rows_of_numbers(layout, usual, encode_row, decode_row)
    return RowCodec(
        _encoder(key, topic),
        decode_key,
        encode,
        decode,
        encode_row,
        decode_row,
        key,
        value,
    )


def _rows(encode: Encode, decode: Callable[[bytes], Any]) -> tuple[EncodeRow, DecodeRow]:
    def encode_row(value: Any, timestamp: int) -> bytes | None:
        data = encode(value)
        return None if data is None else pack_timestamp(timestamp) + data

    def decode_row(row: bytes) -> tuple[int, Any]:
        return unpack_timestamp(row)[0], decode(row[TIMESTAMP_BYTES:])

    return encode_row, decode_row


def _rows_of_numbers(
    layout: Struct, usual: type, encode_plainly: EncodeRow, decode_plainly: DecodeRow
) -> tuple[EncodeRow, DecodeRow]:
    """Return the same for numbers of fixed width: timestamp and number in one step. Anything
    unusual takes the plain way, which explains what is wrong.
    """
    pack = layout.pack
    unpack: Callable[[bytes], tuple[Any, Any]] = layout.unpack

    def encode_row(value: Any, timestamp: int) -> bytes | None:
        if type(value) is usual:
            try:
                return pack(timestamp, value)
            except (OverflowError, StructError):
                pass
        return encode_plainly(value, timestamp)

    def decode_row(row: bytes) -> tuple[int, Any]:
        try:
            return unpack(row)
        except StructError:
            return decode_plainly(row)

    return encode_row, decode_row


def _decoder_of_state(
    serde: Serde[Any], decode: Callable[[bytes], Any], what: str
) -> Callable[[bytes], Any]:
    """Return `decode`, which raises StateUnreadableError for bytes that it cannot read, and
    StateError for faults of others, which may pass.
    """
    if type(serde) in _READ_ANYTHING:
        return decode

    def decode_or_explain(data: bytes) -> Any:
        try:
            return decode(data)
        except StateUnreadableError:
            raise
        except Exception as error:
            raise unreadable(what, error) from error

    built_in = replaceable(serde)
    if built_in is None:
        return decode_or_explain
    if built_in.row_layout is not None:
        return _decoder_of_numbers(built_in.row_layout, decode_or_explain)
    decode_good = built_in.decode_good

    def decode_good_or_explain(data: bytes) -> Any:
        try:
            return decode_good(data)
        except Exception:
            return decode_or_explain(data)

    return decode_good_or_explain


def _decoder_of_numbers(
    row_layout: Struct, decode_plainly: Callable[[bytes], Any]
) -> Callable[[bytes], Any]:
    """Return the decoder of numbers of fixed width: one call, as that of their serde."""
    unpack = Struct(row_layout.format.replace("q", "", 1)).unpack

    def decode_number(data: bytes) -> Any:
        try:
            return unpack(data)[0]
        except StructError:
            return decode_plainly(data)

    return decode_number


def unreadable(what: str, error: Exception) -> StateError:
    """Return the error to raise for a part of a store that cannot be read: state outlives the
    program that wrote it. A fault of something else, which may pass, does not make it unreadable.
    """
    kind = "" if isinstance(error, StreamsError) else f"{type(error).__name__}: "
    if isinstance(error, _FAULTS_OF_OTHERS) and not isinstance(error, _FAULTS_OF_BYTES):
        return StateError(f"{what} cannot be read now: {kind}{text_of(error)}")
    return StateUnreadableError(
        f"{what} cannot be read: {kind}{text_of(error)}; if its type has changed, a field that is "
        "new must have a default, and one that was there must keep its type: change the type so "
        "that it reads both, or begin anew: penstock reset"
    )


def timestamped_codec(plain: RowCodec) -> Codec:
    """Return the codec whose values are ValueAndTimestamp."""
    encode_row, decode_row = plain.encode_row, plain.decode_row

    def encode_with_time(pair: Any) -> bytes | None:
        if not isinstance(pair, tuple) or len(pair) != 2:
            msg = f"a timestamped store takes ValueAndTimestamp(value, timestamp); got {pair!r}"
            raise StreamsError(msg)
        value, timestamp = pair
        return None if value is None else encode_row(value, timestamp)

    def decode_with_time(stored: bytes) -> ValueAndTimestamp[Any]:
        timestamp, value = decode_row(stored)
        return ValueAndTimestamp(value, timestamp)

    return Codec(plain.encode_key, plain.decode_key, encode_with_time, decode_with_time)


def untimed_codec(plain: RowCodec) -> Codec:
    """Return the codec that shows a store without times as ValueAndTimestamp, each with the time
    -1; what is put loses its time.
    """
    encode, decode = plain.encode_value, plain.decode_value
    return Codec(
        plain.encode_key,
        plain.decode_key,
        lambda pair: encode(pair.value),
        lambda stored: ValueAndTimestamp(decode(stored), _NO_TIME),
    )


def values_of_timestamped_codec(plain: RowCodec) -> Codec:
    """Return the codec that shows a timestamped store as plain values; it writes no timestamp."""
    encode_row, decode = plain.encode_row, plain.decode_value
    return Codec(
        plain.encode_key,
        plain.decode_key,
        lambda value: encode_row(value, _NO_TIME),
        lambda stored: decode(stored[TIMESTAMP_BYTES:]),
    )


C = TypeVar("C", bound=Codec)


class CodedState(Generic[C]):
    """What all kinds of stores have for their operators: the codec as functions, called for each
    record, and better errors.
    """

    __slots__ = ("_name", "codec", "decode_key", "decode_value", "encode_key")

    def __init__(self, name: str, codec: C) -> None:
        self._name = name
        self.codec = codec
        self.encode_key = codec.encode_key
        self.decode_key = codec.decode_key
        self.decode_value = codec.decode_value
        """`decode_value(data)` returns a new value each time."""

    def copy(self, value: Any) -> Any:
        """Return a value as it would come back from the store: encoded and decoded."""
        data = None if value is None else self.codec.encode_value(value)
        try:
            return None if data is None else self.codec.decode_value(data)
        except StateError as error:
            # It was never stored: the value is wrong, not the state.
            raise error.__cause__ or error from None

    def explained(self, error: Exception, key: Any) -> Exception:
        """Return the error, or a better one if the store's serde does not fit the key."""
        return explained(error, key, self._name, self.codec)


def explained(error: Exception, key: object, store: str, codec: Codec) -> Exception:
    """Return the error, or a better one if the store's serde does not fit the key."""
    if isinstance(error, TypeError):
        try:
            codec.encode_key(key)
        except TypeError as wrong:
            better = wrong_type(store, "key", key, wrong)
            better.__cause__ = error
            return better
    return error


def wrong_type(store: str, part: str, value: object, error: TypeError) -> StreamsError:
    """Return the error of a serde that does not fit the type of a key or value."""
    undone = undone_work(value)
    if undone is not None:
        return StreamsError(f"state store {store!r} cannot hold a {part}: a function gave {undone}")
    return StreamsError(
        f"state store {store!r} has a {part} serde that does not fit: got {type(value).__name__} "
        f"{value!r}; {said(error)}; pass the right one: Materialized({part}=...), or set "
        f"'default.{part}.serde'"
    )


def _encoder(serde: Serde[Any], topic: str) -> Callable[[Any], Any]:
    # Most serdes need neither topic nor headers: their encode is called directly.
    if type(serde).serialize is Serde.serialize:
        return serde.encode
    return lambda value: serde.serialize(topic, value)


def _decoder(serde: Serde[Any], topic: str) -> Callable[[bytes], Any]:
    if type(serde).deserialize is Serde.deserialize:
        return serde.decode
    return lambda data: serde.deserialize(topic, data)
