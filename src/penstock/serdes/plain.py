"""The plain kinds: text, raw bytes, true or false, UUID and nothing at all.

Their bytes are those of Java's serdes of the same name, and so is what they accept, with the
deviations written at each class. `encode` and `decode` run once for each record: they are C
functions or short closures without `self`, and explaining a failure is left to colder functions.
"""

from __future__ import annotations

import re
from typing import NoReturn
from uuid import UUID

import msgspec

from penstock.errors import SerializationError
from penstock.serdes.contract import BuiltInSerde

# UTF-8 that spells half of a surrogate pair, whole or cut short.
_ENCODED_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]?")

_UUID_TEXT = re.compile(
    rb"([0-9a-f]{1,8})-([0-9a-f]{1,4})-([0-9a-f]{1,4})-([0-9a-f]{1,4})-([0-9a-f]{1,12})",
    re.IGNORECASE,
)
_UUID_TEXT_LENGTH = 36


class StringSerde(BuiltInSerde[str], replaceable=True, exact=True):
    """Text as UTF-8. Java: Serdes.StringSerde.

    As in Java, bytes that are not UTF-8 do not fail: each malformed part is read as U+FFFD. Unlike
    Java, which writes "?" for half of a surrogate pair, such text has no bytes: UnicodeEncodeError.
    """

    encode = staticmethod(str.encode)
    decode_good = staticmethod(bytes.decode)

    def __init__(self) -> None:
        super().__init__("string()")

    @staticmethod
    def decode(data: bytes) -> str:
        try:
            return data.decode()
        except UnicodeDecodeError:
            # Java replaces an encoded surrogate as one malformed part, Python each byte of it.
            return _ENCODED_SURROGATE.sub(b"\xff", data).decode("utf-8", "replace")


class BytesSerde(BuiltInSerde[bytes], replaceable=True, exact=True):
    """Bytes as they are. Java: Serdes.ByteArraySerde, BytesSerde and ByteBufferSerde."""

    # Returns the very object, and refuses what is not bytes, in one C call.
    encode = staticmethod(bytes.__bytes__)
    decode = staticmethod(bytes.__bytes__)

    def __init__(self) -> None:
        super().__init__("bytes()")


class BooleanSerde(BuiltInSerde[bool]):
    """True as byte 1 and False as byte 0. Java: Serdes.BooleanSerde."""

    def __init__(self) -> None:
        super().__init__("boolean()")

    @staticmethod
    def encode(value: object) -> bytes:
        if value is True:
            return b"\x01"
        if value is False:
            return b"\x00"
        msg = f"serdes.boolean() writes bool; got {type(value).__qualname__}"
        raise TypeError(msg)

    @staticmethod
    def decode(data: bytes) -> bool:
        if data == b"\x01":
            return True
        if data == b"\x00":
            return False
        msg = f"cannot read boolean: expected the byte 00 or 01, got {_hex(data)}"
        raise SerializationError(msg)


class UuidSerde(BuiltInSerde[UUID]):
    """A UUID as its text of 36 characters. Java: Serdes.UUIDSerde.

    As in Java, letters of either case and groups with leading zeros left out (`1-2-3-4-5`) are
    read, text without hyphens is not. Unlike Java, a group that is too long is refused, not cut.
    """

    def __init__(self) -> None:
        super().__init__("uuid()")

    @staticmethod
    def encode(value: object) -> bytes:
        if isinstance(value, UUID):
            return _quoted_uuid(value)[1:-1]
        msg = f"serdes.uuid() writes uuid.UUID; got {type(value).__qualname__}"
        raise TypeError(msg)

    @staticmethod
    def decode(data: bytes) -> UUID:
        if len(data) == _UUID_TEXT_LENGTH:
            try:
                return msgspec.convert(data.decode(), UUID)
            except (ValueError, msgspec.MsgspecError):
                pass
        return _lenient_uuid(data)


class VoidSerde(BuiltInSerde[None]):
    """Only None, which has no bytes. Java: Serdes.VoidSerde."""

    def __init__(self) -> None:
        super().__init__("void()")

    @staticmethod
    def encode(value: object) -> NoReturn:
        msg = f"serdes.void() writes only None; got {type(value).__qualname__}"
        raise TypeError(msg)

    @staticmethod
    def decode(data: bytes) -> NoReturn:
        msg = f"cannot read void: expected no data (null), got {_hex(data)}"
        raise SerializationError(msg)


_FOREIGN_TYPE = re.compile(
    r"descriptor '\w+' for '(str|bytes)' objects doesn't apply to an? '(.+)'"
)


def said(error: TypeError) -> str:
    """Return the error text for a value that a serde cannot write. The C functions that encode text
    and bytes speak of descriptors, which tells users nothing.

    >>> said(TypeError("descriptor 'encode' for 'str' objects doesn't apply to a 'int' object"))
    'serdes.string() writes str; got int'
    """
    match = _FOREIGN_TYPE.match(str(error))
    if match is None:
        return str(error)
    wanted, got = match.groups()
    return f"serdes.{'string' if wanted == 'str' else wanted}() writes {wanted}; got {got}"


# The text of a UUID comes from msgspec, which writes and reads it in C: a third of the time.
_quoted_uuid = msgspec.json.Encoder().encode


def _lenient_uuid(data: bytes) -> UUID:
    match = _UUID_TEXT.fullmatch(data)
    if match is None:
        msg = (
            "cannot read UUID: expected text like 123e4567-e89b-12d3-a456-426614174000, "
            f"got {data[:80]!r}"
        )
        raise SerializationError(msg)
    widths = (8, 4, 4, 4, 12)
    groups = zip(match.groups(), widths, strict=True)
    return UUID(hex="".join(group.decode().zfill(width) for group, width in groups))


def _hex(data: bytes) -> str:
    length = "1 byte" if len(data) == 1 else f"{len(data)} bytes"
    return f"{length}: {data[:16].hex(' ')}" if data else "0 bytes"
