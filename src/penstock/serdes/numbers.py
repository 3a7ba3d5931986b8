"""Numbers of fixed width, big-endian two's complement or IEEE 754, as Java writes them.

Each serde builds its two closures once, around one C struct codec: no attribute is looked up while
records flow. bool is an int to Python and a mistake here, so it is refused; numbers of other
libraries are taken if they are registered as `numbers.Integral` or `numbers.Real`, as NumPy's are.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from numbers import Integral, Real
from typing import Literal, TypeAlias, cast

from penstock.errors import SerializationError
from penstock.serdes.contract import BuiltInSerde

IntegerKind: TypeAlias = Literal["short", "integer", "long"]
FloatKind: TypeAlias = Literal["float", "double"]

_LAYOUTS = {
    "short": struct.Struct(">h"),
    "integer": struct.Struct(">i"),
    "long": struct.Struct(">q"),
    "float": struct.Struct(">f"),
    "double": struct.Struct(">d"),
}
_ROWS = {kind: struct.Struct(f">q{layout.format[-1]}") for kind, layout in _LAYOUTS.items()}
_NEXT_WIDER = {
    "short": "serdes.integer()",
    "integer": "serdes.long()",
    "long": "serdes.string() or serdes.json()",
    "float": "serdes.double()",
    "double": "serdes.string() or serdes.json()",
}


class IntegerSerde(BuiltInSerde[int], replaceable=True, exact=True):
    """Whole numbers of 16, 32 or 64 bits. Java: Serdes.ShortSerde, IntegerSerde, LongSerde."""

    encode: Callable[[int], bytes]
    decode: Callable[[bytes], int]
    row_layout: struct.Struct

    def __init__(self, kind: IntegerKind) -> None:
        super().__init__(f"{kind}()", kind)
        self.encode = _integer_encoder(kind)
        self.number_type, self.row_layout = int, _ROWS[kind]
        self.decode = cast("Callable[[bytes], int]", _decoder(kind))


class FloatSerde(BuiltInSerde[float], replaceable=True, exact=True):
    """Floating-point numbers of 32 or 64 bits. Java: Serdes.FloatSerde, DoubleSerde."""

    encode: Callable[[float], bytes]
    decode: Callable[[bytes], float]
    row_layout: struct.Struct

    def __init__(self, kind: FloatKind) -> None:
        super().__init__(f"{kind}()", kind)
        self.encode = _float_encoder(kind)
        self.number_type, self.row_layout = float, _ROWS[kind]
        self.decode = cast("Callable[[bytes], float]", _decoder(kind))


def _integer_encoder(kind: IntegerKind) -> Callable[[int], bytes]:
    pack = _LAYOUTS[kind].pack

    def encode(value: object) -> bytes:
        given = type(value)
        if given is int or (given is not bool and isinstance(value, Integral)):
            try:
                return pack(value)
            except struct.error as error:
                raise _out_of_range(kind, value) from error
        raise _wrong_type(kind, "int", value)

    return encode


def _float_encoder(kind: FloatKind) -> Callable[[float], bytes]:
    pack = _LAYOUTS[kind].pack

    def encode(value: object) -> bytes:
        given = type(value)
        if given is float or (given is not bool and isinstance(value, Real)):
            try:
                return pack(value)
            except (OverflowError, struct.error) as error:
                raise _out_of_range(kind, value) from error
        raise _wrong_type(kind, "float or int", value)

    return encode


def _decoder(kind: IntegerKind | FloatKind) -> Callable[[bytes], object]:
    unpack = _LAYOUTS[kind].unpack

    def decode(data: bytes) -> object:
        try:
            return unpack(data)[0]
        except struct.error as error:
            raise _wrong_length(kind, data) from error

    return decode


def _out_of_range(kind: str, value: object) -> SerializationError:
    bits = _LAYOUTS[kind].size * 8
    return SerializationError(
        f"cannot write {kind}: {_shown(value)} does not fit in {bits} bits; use {_NEXT_WIDER[kind]}"
    )


def _wrong_type(kind: str, expected: str, value: object) -> TypeError:
    return TypeError(f"serdes.{kind}() writes {expected}; got {type(value).__qualname__}")


def _wrong_length(kind: str, data: bytes) -> SerializationError:
    got = f"{len(data)}: {data[:16].hex(' ')}" if data else "0"
    return SerializationError(
        f"cannot read {kind}: expected {_LAYOUTS[kind].size} bytes, got {got}; "
        f"was the topic written as {kind}?"
    )


def _shown(value: object) -> str:
    # Python refuses to print the longest ints.
    if isinstance(value, int) and value.bit_length() > 128:
        return f"an int of {value.bit_length()} bits"
    return repr(value)
