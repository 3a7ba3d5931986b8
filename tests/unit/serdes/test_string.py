"""Text.

The bytes were written by the StringSerializer of Kafka's Java clients 4.3.1, and the text of
malformed bytes was read by its StringDeserializer (JDK 17), both run once by hand.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import serdes

WRITTEN_BY_JAVA = [
    ("", ""),
    ("a", "61"),
    ("kafka", "6b61666b61"),
    ("h\u00e9llo", "68c3a96c6c6f"),
    ("\u20ac", "e282ac"),
    ("\U0001f600", "f09f9880"),
    ("\x00", "00"),
    ("\ufeffa", "efbbbf61"),
]
READ_BY_JAVA = [
    ("ff", "\ufffd"),
    ("c328", "\ufffd("),
    ("c080", "\ufffd\ufffd"),
    ("e282", "\ufffd"),
    ("eda080", "\ufffd"),
    ("eda0", "\ufffd"),
    ("eda041", "\ufffdA"),
    ("edbf80edbf80", "\ufffd\ufffd"),
    ("f4908080", "\ufffd\ufffd\ufffd\ufffd"),
    ("f09f98", "\ufffd"),
    ("e080af", "\ufffd\ufffd\ufffd"),
]


@pytest.mark.parametrize(("text", "data"), WRITTEN_BY_JAVA)
def test_bytes_are_those_of_java(text: str, data: str) -> None:
    assert serdes.string().encode(text).hex() == data
    assert serdes.string().decode(bytes.fromhex(data)) == text


@pytest.mark.parametrize(("data", "text"), READ_BY_JAVA)
def test_malformed_bytes_are_read_as_java_reads_them(data: str, text: str) -> None:
    assert serdes.string().decode(bytes.fromhex(data)) == text


@settings(derandomize=True, deadline=None)
@given(st.text())
def test_text_comes_back(text: str) -> None:
    assert serdes.string().decode(serdes.string().encode(text)) == text


def test_half_a_surrogate_pair_has_no_bytes() -> None:
    with pytest.raises(UnicodeEncodeError):
        serdes.string().encode("\ud800")


@pytest.mark.parametrize("value", [5, b"bytes", ["list"]])
def test_other_types_are_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        serdes.string().encode(value)
