"""Serdes from two functions."""

from __future__ import annotations

import json
import zlib
from typing import Any

import pytest

from penstock import serdes


def test_the_functions_are_used() -> None:
    serde = serdes.of(zlib.compress, zlib.decompress)

    assert serde.deserialize("t", serde.serialize("t", b"aaaa")) == b"aaaa"


def test_the_functions_are_not_given_none() -> None:
    serde = serdes.of(str.encode, bytes.decode)

    assert serde.serialize("t", None) is None
    assert serde.deserialize("t", None) is None


def test_repr_names_the_functions() -> None:
    def write(value: str) -> bytes:
        return value.encode()

    assert repr(serdes.of(write, bytes.decode)) == "serdes.of(write, bytes.decode)"
    named = serdes.of(write, bytes.decode, name="plain")
    assert repr(named) == "serdes.of(write, bytes.decode, name='plain')"


def test_serdes_of_the_same_functions_are_equal() -> None:
    assert serdes.of(str.encode, bytes.decode) == serdes.of(str.encode, bytes.decode)
    other = serdes.of(str.encode, bytes.decode, name="other")
    assert serdes.of(str.encode, bytes.decode) != other


def test_an_encode_function_that_gives_text_is_refused() -> None:
    dumps: Any = json.dumps
    serde = serdes.of(dumps, json.loads)

    with pytest.raises(TypeError) as caught:
        serde.encode({"a": 1})

    assert str(caught.value) == (
        "the encode function of serdes.of(dumps, loads) must return bytes; got str"
    )


def test_what_is_no_function_is_refused_where_it_is_given() -> None:
    missing: Any = None

    with pytest.raises(TypeError, match=r"serdes\.of\(\) takes two functions; got None as decode"):
        serdes.of(str.encode, missing)


def test_errors_of_the_functions_come_through() -> None:
    with pytest.raises(zlib.error):
        serdes.of(zlib.compress, zlib.decompress).decode(b"not compressed")
