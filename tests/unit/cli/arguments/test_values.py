"""Keys and values as text."""

from __future__ import annotations

import pytest

from penstock.cli.arguments.values import (
    TYPES,
    as_line,
    decode,
    encode,
    encode_text,
    serde_of,
)
from penstock.errors import SerializationError

TEXTS = {
    "string": "café",
    "json": '{"a": [1, null]}',
    "long": "-5",
    "integer": "7",
    "short": "9",
    "double": "0.5",
    "float": "0.25",
    "boolean": "true",
    "uuid": "00112233-4455-6677-8899-aabbccddeeff",
    "bytes": "00ff",
    "void": "",
}


@pytest.mark.parametrize("name", TYPES)
def test_what_is_typed_is_what_is_shown(name: str) -> None:
    data = encode_text(name, "t", TEXTS[name])
    assert as_line(decode(serde_of(name), "t", data)) == (TEXTS[name] or "null")


def test_null_is_the_absence_of_bytes() -> None:
    assert encode("long", "t", None) is None
    assert as_line(decode(serde_of("long"), "t", None)) == "null"


def test_a_text_in_json_is_read_as_if_it_was_typed_unless_json_is_wanted() -> None:
    assert encode("long", "t", "5") == encode_text("long", "t", "5") == bytes(7) + b"\5"
    assert encode("json", "t", "5") == b'"5"'
    assert encode_text("json", "t", "5") == b"5"


def test_json_values_need_no_text() -> None:
    assert encode("long", "t", 5) == bytes(7) + b"\5"


def test_windowed_keys_show_their_windows() -> None:
    key = b"home" + (60_000).to_bytes(8, "big")
    shown = decode(serde_of("time-windowed:string", 1000), "t", key)
    assert shown == {"key": "home", "start": 60_000, "end": 61_000}


def test_sessions_show_their_bounds() -> None:
    key = b"ada" + (9).to_bytes(8, "big") + (3).to_bytes(8, "big")
    shown = decode(serde_of("session-windowed:string"), "t", key)
    assert shown == {"key": "ada", "start": 3, "end": 9}


def test_void_has_no_value() -> None:
    with pytest.raises(SerializationError, match="'x' is no void: it must be empty"):
        encode("void", "t", "x")
