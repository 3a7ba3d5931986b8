"""Serdes: how keys and values become bytes in Kafka, and bytes become keys and values.

Each function here makes one. The plain kinds write the bytes that Java's `Serdes` write, so that
Python and Java programs read each other's topics; None is always the absence of bytes.

>>> from penstock import serdes
>>> serdes.long().serialize("counts", 5)
b'\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x05'
>>> serdes.long().serialize("counts", None) is None
True

Wrong bytes raise `SerializationError`, a value of the wrong Python type raises `TypeError`.
The contract, for a serde of your own, is `Serde`; the shorter way is `serdes.of`.
"""

from __future__ import annotations

import builtins
import uuid as _uuid
from collections.abc import Callable
from typing import Any, TypeVar, overload

from penstock._durations import Duration
from penstock.serdes.contract import HeaderPairs, Serde
from penstock.serdes.document_types import is_pydantic
from penstock.serdes.documents import JsonSerde, PydanticSerde
from penstock.serdes.functions import FunctionSerde
from penstock.serdes.lists import list_serde
from penstock.serdes.names import resolve
from penstock.serdes.numbers import FloatSerde, IntegerSerde
from penstock.serdes.plain import BooleanSerde, BytesSerde, StringSerde, UuidSerde, VoidSerde
from penstock.serdes.windowed import SessionWindowedSerde, TimeWindowedSerde
from penstock.windowed import Windowed

__all__ = [
    "HeaderPairs",
    "Serde",
    "boolean",
    "bytes",
    "double",
    "float",
    "integer",
    "json",
    "list_of",
    "long",
    "of",
    "resolve",
    "session_windowed",
    "short",
    "string",
    "time_windowed",
    "uuid",
    "void",
]

T = TypeVar("T")


def string() -> Serde[str]:
    """Write text as UTF-8. Java: Serdes.String().

    >>> serdes.string().encode("café")
    b'caf\\xc3\\xa9'

    As in Java, bytes that are not UTF-8 are read with U+FFFD in their place, without an error.
    """
    return StringSerde()


def bytes() -> Serde[builtins.bytes]:
    """Leave bytes as they are. Java: Serdes.ByteArray(), Serdes.Bytes().

    >>> serdes.bytes().decode(b"as it was")
    b'as it was'
    """
    return BytesSerde()


def short() -> Serde[int]:
    """Write an int in 2 bytes. Java: Serdes.Short().

    >>> serdes.short().encode(258)
    b'\\x01\\x02'
    """
    return IntegerSerde("short")


def integer() -> Serde[int]:
    """Write an int in 4 bytes. Java: Serdes.Integer().

    >>> serdes.integer().encode(-2)
    b'\\xff\\xff\\xff\\xfe'
    >>> serdes.integer().encode(3_000_000_000)
    Traceback (most recent call last):
    penstock.errors.SerializationError: cannot write integer: 3000000000 does not fit in 32 bits; \
use serdes.long()
    """
    return IntegerSerde("integer")


def long() -> Serde[int]:
    """Write an int in 8 bytes. Java: Serdes.Long().

    >>> serdes.long().decode(b"\\x00\\x00\\x00\\x00\\x00\\x00\\x04\\x00")
    1024
    """
    return IntegerSerde("long")


def float() -> Serde[builtins.float]:
    """Write a float, or an int, in 4 bytes: about 7 digits are kept. Java: Serdes.Float().

    >>> serdes.float().decode(serdes.float().encode(0.1))
    0.10000000149011612
    """
    return FloatSerde("float")


def double() -> Serde[builtins.float]:
    """Write a float, or an int, in 8 bytes: all of a Python float is kept. Java: Serdes.Double().

    >>> serdes.double().decode(serdes.double().encode(0.1))
    0.1
    """
    return FloatSerde("double")


def boolean() -> Serde[bool]:
    """Write True or False in 1 byte. Java: Serdes.Boolean().

    >>> serdes.boolean().encode(True)
    b'\\x01'
    """
    return BooleanSerde()


def uuid() -> Serde[_uuid.UUID]:
    """Write a UUID as its 36 characters of text. Java: Serdes.UUID().

    >>> serdes.uuid().decode(b"123e4567-e89b-12d3-a456-426614174000")
    UUID('123e4567-e89b-12d3-a456-426614174000')
    """
    return UuidSerde()


def void() -> Serde[None]:
    """Write None, and nothing else. Java: Serdes.Void().

    >>> serdes.void().deserialize("no-keys", None) is None
    True
    """
    return VoidSerde()


@overload
def json() -> Serde[Any]: ...
@overload
def json(of: type[T], /) -> Serde[T]: ...
@overload
def json(of: Any, /) -> Serde[Any]: ...
def json(of: Any = None, /) -> Serde[Any]:
    """Write JSON: any value, or values of the type `of`, checked as they are read.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Order:
    ...     id: str
    ...     amount: int
    ...     currency: str = "EUR"
    >>> orders = serdes.json(Order)
    >>> orders.encode(Order("o-1", 250))
    b'{"id":"o-1","amount":250,"currency":"EUR"}'
    >>> orders.decode(b'{"id":"o-1","amount":250,"unknown":true}')
    Order(id='o-1', amount=250, currency='EUR')
    >>> orders.decode(b'{"id":"o-1","amount":"much"}')
    Traceback (most recent call last):
    penstock.errors.SerializationError: cannot read JSON as Order: Expected `int`, got `str` \
at $.amount; data: b'{"id":"o-1","amount":"much"}'

    The type may be a dataclass, TypedDict, NamedTuple (an array), msgspec.Struct, attrs class or
    pydantic model, and what these are made of: list[T], dict[str, T], T | None, Enum, Literal,
    datetime, Decimal, UUID, bytes (base64) and so on. Old documents can be read after a field with
    a default is added; fields the type does not have are skipped.

    As a key: the bytes of equal values must be equal, for records to meet. Fields are written in
    the order of their definition and dict keys in the order they were put in, so equal dicts filled
    in another order are different keys; prefer a type with fields. What a type declares as a set
    is sorted, and so are the dict keys of that type.

    Values are checked to be of a class `of`, but their fields are not checked when written. A float
    that is NaN or infinite has no JSON, and is refused with a SerializationError: JSON libraries of
    Python write null or a text that others cannot read. A pydantic model decides itself: by
    `ser_json_inf_nan` of its configuration, which is null unless set, and by its serializers.

    Raises:
        TypeError: here, if the type has no JSON form.
    """
    return PydanticSerde(of) if is_pydantic(of) else JsonSerde(of)


def of(
    encode: Callable[[T], builtins.bytes],
    decode: Callable[[builtins.bytes], T],
    *,
    name: str | None = None,
) -> Serde[T]:
    """Make a serde from two functions; neither is ever given None.

    >>> import zlib
    >>> squeezed = serdes.of(zlib.compress, zlib.decompress, name="squeezed")
    >>> squeezed.decode(squeezed.encode(b"aaaa"))
    b'aaaa'
    >>> squeezed
    serdes.of(compress, decompress, name='squeezed')
    """
    return FunctionSerde(encode, decode, name)


def list_of(inner: Serde[T]) -> Serde[list[T]]:
    """Write lists of what `inner` writes; an entry may be None. Java: Serdes.ListSerde.

    >>> serdes.list_of(serdes.integer()).encode([1, 2])
    b'\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x01\\x00\\x00\\x00\\x02'
    >>> words = serdes.list_of(serdes.string())
    >>> words.decode(words.encode(["a", None, "bc"]))
    ['a', None, 'bc']
    """
    return list_serde(inner)


def time_windowed(
    inner: Serde[T] | None, window_size: Duration, *, changelog: bool = False
) -> Serde[Windowed[T]]:
    """Write keys in time windows or sliding windows: the bytes of `inner`, then the window's start.
    Java: WindowedSerdes.timeWindowedSerdeFrom.

    Only the start is written, so `window_size` (of sliding windows, the time difference) tells
    where a window ends when it is read. With `changelog` keys are read as the changelog of a
    window store has them. Without `inner` the application's default serde is used.

    >>> keys = serdes.time_windowed(serdes.string(), 60_000)
    >>> keys.encode(Windowed("home", 0, 60_000))
    b'home\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00'
    >>> keys.decode(keys.encode(Windowed("home", 0, 60_000)))
    Windowed(key='home', start=0, end=60000)
    """
    return TimeWindowedSerde(inner, window_size, changelog=changelog)


def session_windowed(inner: Serde[T] | None = None) -> Serde[Windowed[T]]:
    """Write keys in session windows: the bytes of `inner`, then the window's end and start. Java:
    WindowedSerdes.sessionWindowedSerdeFrom.

    >>> keys = serdes.session_windowed(serdes.string())
    >>> keys.decode(keys.encode(Windowed("home", 5, 9)))
    Windowed(key='home', start=5, end=9)
    """
    return SessionWindowedSerde(inner)
