"""short, integer and long.

The bytes were written by the Short-, Integer- and LongSerializer of Kafka's Java clients 4.3.1, run
once by hand.
"""

from __future__ import annotations

from enum import IntEnum
from numbers import Integral
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import serdes
from penstock.errors import SerializationError
from penstock.serdes import Serde

WRITTEN_BY_JAVA = [
    (serdes.short(), 0, "0000"),
    (serdes.short(), 1, "0001"),
    (serdes.short(), -1, "ffff"),
    (serdes.short(), 258, "0102"),
    (serdes.short(), 32767, "7fff"),
    (serdes.short(), -32768, "8000"),
    (serdes.integer(), 0, "00000000"),
    (serdes.integer(), 1, "00000001"),
    (serdes.integer(), -1, "ffffffff"),
    (serdes.integer(), 16909060, "01020304"),
    (serdes.integer(), 2147483647, "7fffffff"),
    (serdes.integer(), -2147483648, "80000000"),
    (serdes.long(), 0, "0000000000000000"),
    (serdes.long(), 1, "0000000000000001"),
    (serdes.long(), -1, "ffffffffffffffff"),
    (serdes.long(), 72623859790382856, "0102030405060708"),
    (serdes.long(), 9223372036854775807, "7fffffffffffffff"),
    (serdes.long(), -9223372036854775808, "8000000000000000"),
]
WIDTHS = [(serdes.short(), 2), (serdes.integer(), 4), (serdes.long(), 8)]


class Level(IntEnum):
    HIGH = 3


@pytest.mark.parametrize(("serde", "value", "data"), WRITTEN_BY_JAVA)
def test_bytes_are_those_of_java(serde: Serde[int], value: int, data: str) -> None:
    assert serde.encode(value).hex() == data
    assert serde.decode(bytes.fromhex(data)) == value


@settings(derandomize=True, deadline=None)
@given(st.integers(-(2**63), 2**63 - 1))
def test_longs_come_back(value: int) -> None:
    assert serdes.long().decode(serdes.long().encode(value)) == value


@pytest.mark.parametrize(("serde", "width"), WIDTHS)
def test_a_number_just_outside_the_range_is_refused(serde: Serde[int], width: int) -> None:
    limit = 2 ** (width * 8 - 1)

    for value in (limit, -limit - 1):
        with pytest.raises(SerializationError, match=f"{value} does not fit in {width * 8} bits"):
            serde.encode(value)


def test_a_number_out_of_range_is_told_the_wider_kind() -> None:
    with pytest.raises(SerializationError) as caught:
        serdes.integer().encode(3_000_000_000)

    assert str(caught.value) == (
        "cannot write integer: 3000000000 does not fit in 32 bits; use serdes.long()"
    )


def test_a_number_too_long_to_print_is_described() -> None:
    with pytest.raises(SerializationError, match="an int of 16610 bits does not fit in 64 bits"):
        serdes.long().encode(10**5000)


@pytest.mark.parametrize(("serde", "width"), WIDTHS)
def test_a_wrong_length_is_refused(serde: Serde[int], width: int) -> None:
    for length in (0, width - 1, width + 1):
        with pytest.raises(SerializationError, match=f"expected {width} bytes, got {length}"):
            serde.decode(b"\x01" * length)


def test_a_wrong_length_shows_the_bytes() -> None:
    with pytest.raises(SerializationError) as caught:
        serdes.integer().decode(b"abc")

    assert str(caught.value) == (
        "cannot read integer: expected 4 bytes, got 3: 61 62 63; was the topic written as integer?"
    )


@pytest.mark.parametrize("value", [True, 1.0, "1", b"1"])
def test_other_types_are_refused(value: Any) -> None:
    for serde, _ in WIDTHS:
        with pytest.raises(TypeError, match=f"writes int; got {type(value).__name__}"):
            serde.encode(value)


def test_an_int_enum_is_written_as_its_number() -> None:
    assert serdes.short().encode(Level.HIGH) == b"\x00\x03"


def test_integers_of_other_libraries_are_written() -> None:
    class Foreign:
        def __index__(self) -> int:
            return 7

    Integral.register(Foreign)
    value: Any = Foreign()

    assert serdes.short().encode(value) == b"\x00\x07"
