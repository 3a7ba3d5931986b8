"""float and double.

The bytes were written by the Float- and DoubleSerializer of Kafka's Java clients 4.3.1, run once by
hand.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import serdes
from penstock.errors import SerializationError
from penstock.serdes import Serde

WRITTEN_BY_JAVA = [
    (serdes.float(), 0.0, "00000000"),
    (serdes.float(), -0.0, "80000000"),
    (serdes.float(), 1.5, "3fc00000"),
    (serdes.float(), -1.5, "bfc00000"),
    (serdes.float(), 0.1, "3dcccccd"),
    (serdes.float(), 3.4028234663852886e38, "7f7fffff"),
    (serdes.float(), 1.401298464324817e-45, "00000001"),
    (serdes.float(), 16777217.0, "4b800000"),
    (serdes.float(), 1e-46, "00000000"),
    (serdes.float(), math.nan, "7fc00000"),
    (serdes.float(), math.inf, "7f800000"),
    (serdes.float(), -math.inf, "ff800000"),
    (serdes.double(), 0.0, "0000000000000000"),
    (serdes.double(), -0.0, "8000000000000000"),
    (serdes.double(), 1.5, "3ff8000000000000"),
    (serdes.double(), -1.5, "bff8000000000000"),
    (serdes.double(), 0.1, "3fb999999999999a"),
    (serdes.double(), 1.7976931348623157e308, "7fefffffffffffff"),
    (serdes.double(), 5e-324, "0000000000000001"),
    (serdes.double(), math.nan, "7ff8000000000000"),
    (serdes.double(), math.inf, "7ff0000000000000"),
    (serdes.double(), -math.inf, "fff0000000000000"),
]


@pytest.mark.parametrize(("serde", "value", "data"), WRITTEN_BY_JAVA)
def test_bytes_are_those_of_java(serde: Serde[float], value: float, data: str) -> None:
    assert serde.encode(value).hex() == data


@settings(derandomize=True, deadline=None)
@given(st.floats(allow_nan=False))
def test_doubles_come_back(value: float) -> None:
    assert serdes.double().decode(serdes.double().encode(value)) == value


@settings(derandomize=True, deadline=None)
@given(st.floats(width=32, allow_nan=False))
def test_floats_of_32_bits_come_back(value: float) -> None:
    assert serdes.float().decode(serdes.float().encode(value)) == value


def test_nan_comes_back() -> None:
    assert math.isnan(serdes.float().decode(serdes.float().encode(math.nan)))
    assert math.isnan(serdes.double().decode(serdes.double().encode(math.nan)))


def test_int_is_accepted() -> None:
    assert serdes.float().encode(3) == serdes.float().encode(3.0)
    assert serdes.double().encode(3) == serdes.double().encode(3.0)


@pytest.mark.parametrize("value", [True, "1.5", None, Decimal("1.5")])
def test_other_types_are_refused(value: Any) -> None:
    for serde in (serdes.float(), serdes.double()):
        with pytest.raises(TypeError, match="writes float or int; got"):
            serde.encode(value)


def test_a_number_beyond_the_range_is_refused() -> None:
    with pytest.raises(SerializationError) as caught:
        serdes.float().encode(1e39)

    assert str(caught.value) == (
        "cannot write float: 1e+39 does not fit in 32 bits; use serdes.double()"
    )
    with pytest.raises(SerializationError, match="an int of 1329 bits does not fit in 64 bits"):
        serdes.double().encode(10**400)


@pytest.mark.parametrize(("serde", "width"), [(serdes.float(), 4), (serdes.double(), 8)])
def test_a_wrong_length_is_refused(serde: Serde[float], width: int) -> None:
    for length in (0, width - 1, width + 1):
        with pytest.raises(SerializationError, match=f"expected {width} bytes, got {length}"):
            serde.decode(b"\x01" * length)
