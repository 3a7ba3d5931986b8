"""Values of all kinds as JSON, and keys from text."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
import pydantic
import pytest

from penstock import serdes
from penstock._engine.http.json_values import jsonable, key_of, prefix_of
from penstock._engine.http.replies import Refusal, json_reply
from penstock._engine.state.codec import plain_codec
from penstock.serdes import Serde
from penstock.stores import ValueAndTimestamp
from penstock.windowed import Windowed


@dataclass(frozen=True)
class Order:
    id: int
    at: datetime


class Item(msgspec.Struct):
    name: str
    order: Order


class Model(pydantic.BaseModel):
    name: str
    data: bytes


class Place(NamedTuple):
    row: int
    seat: str


class Name(str): ...


class Amount(float): ...


class Count(int): ...


class Colour(Enum):
    RED = "red"


AT = datetime(2026, 1, 31, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (5, 5),
        (1 << 70, 1 << 70),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (b"\x00\xff", "AP8="),
        (bytearray(b"a"), "YQ=="),
        (AT, "2026-01-31T12:00:00+00:00"),
        (date(2026, 1, 31), "2026-01-31"),
        (timedelta(seconds=1.5), 1.5),
        (Decimal("1.10"), "1.10"),
        (UUID(int=5), "00000000-0000-0000-0000-000000000005"),
        (Colour.RED, "red"),
        (Windowed("a", 1, 2), {"key": "a", "start": 1, "end": 2}),
        (ValueAndTimestamp(b"a", 3), {"value": "YQ==", "timestamp": 3}),
        (Order(1, AT), {"id": 1, "at": "2026-01-31T12:00:00+00:00"}),
        (
            Item("x", Order(1, AT)),
            {"name": "x", "order": {"id": 1, "at": "2026-01-31T12:00:00+00:00"}},
        ),
        (Model(name="x", data=b"a"), {"name": "x", "data": "YQ=="}),
        (Place(1, "a"), {"row": 1, "seat": "a"}),
        ({1: [b"a"], (1, 2): {3}}, {"1": ["YQ=="], "[1, 2]": [3]}),
        (1j, "1j"),
        (Name("a"), "a"),
        ([Amount(1.5), Count(1 << 70), "ü"], [1.5, 1 << 70, "ü"]),
    ],
)
def test_every_value_has_a_json(value: Any, expected: Any) -> None:
    assert jsonable(value) == expected
    assert json.loads(json_reply(jsonable(value)).body) == expected


def test_a_value_that_holds_itself_and_a_lone_surrogate_are_shown() -> None:
    endless: list[Any] = []
    endless.append(endless)
    json.dumps(jsonable(endless))
    assert json.loads(json_reply(jsonable("\ud800")).body) == "\ud800"


class Broken:
    """Nothing of it can be read."""

    def __iter__(self) -> Any:
        raise ValueError("no")

    def __str__(self) -> str:
        raise ValueError("no")


class Pieces:
    """A row that breaks as it is read."""

    def __iter__(self) -> Any:
        yield 1
        raise ValueError("no")

    def __str__(self) -> str:
        return "pieces"


def test_a_value_that_is_nested_too_deeply_has_a_text_where_it_is() -> None:
    deep: Any = "end"
    for _ in range(5000):
        deep = [deep]
    shown = jsonable({"good": 1, "deep": deep})
    assert json.loads(json_reply(shown).body)["good"] == 1
    shown = shown["deep"]
    while isinstance(shown, list):
        (shown,) = shown
    assert shown == "a list that cannot be shown: RecursionError"


def test_an_integer_that_python_does_not_write_is_hexadecimal() -> None:
    assert jsonable([1 << 14_500]) == [hex(1 << 14_500)]
    assert json.loads(json_reply(jsonable([1 << 13_999])).body) == [1 << 13_999]


def test_mappings_of_pairs_in_each_other_are_converted_once() -> None:
    nested: Any = "end"
    for _ in range(90):
        nested = {1: nested, "1": None}
    shown = jsonable(nested)
    for _ in range(90):
        (_, shown), (_, _) = shown
    assert shown == "end"


def test_a_value_that_cannot_be_read_has_a_text_where_it_is() -> None:
    shown = jsonable([1, Broken(), {"a": Broken()}, Pieces(), {Broken(): 2}])
    broken = "a Broken that cannot be shown: ValueError"
    assert shown == [1, broken, {"a": broken}, "pieces", {broken: 2}]
    assert json.loads(json_reply(shown).body) == shown


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({1: "a", "1": "b"}, [[1, "a"], ["1", "b"]]),
        ({None: 1, "null": 2, "x": 3}, [[None, 1], ["null", 2], ["x", 3]]),
        ({(1,): {2: b"a", "2": b"b"}}, {"[1]": [[2, "YQ=="], ["2", "Yg=="]]}),
    ],
)
def test_a_mapping_whose_keys_have_the_same_name_is_pairs(value: Any, expected: Any) -> None:
    assert jsonable(value) == expected


TEXT, LONG, BYTES = serdes.string(), serdes.long(), serdes.bytes()
TIMED, SESSIONS = serdes.time_windowed(TEXT, 1000), serdes.session_windowed(LONG)
PAIRS = serdes.of(lambda pair: f"{pair[0]}{pair[1]}".encode(), bytes.decode)


def _complex(value: complex) -> bytes:
    if not isinstance(value, complex):
        raise TypeError
    return str(value).encode()


COMPLEX = serdes.of(_complex, lambda data: complex(data.decode()))


@pytest.mark.parametrize(
    ("serde", "text", "key"),
    [
        (TEXT, "a", "a"),
        (TEXT, "5", "5"),
        (TEXT, '"a b"', "a b"),
        (TEXT, "null", "null"),
        (TEXT, '"', '"'),
        (LONG, "-5", -5),
        (BYTES, "AP8", b"\x00\xff"),
        (BYTES, "_-8=", b"\xff\xef"),
        (serdes.uuid(), str(UUID(int=5)), UUID(int=5)),
        (serdes.boolean(), "true", True),
        (serdes.json(), '{"a": [1]}', {"a": [1]}),
        (serdes.json(), "bare", "bare"),
        (TIMED, '{"key": "a", "start": 0, "end": 1000}', Windowed("a", 0, 1000)),
        (TIMED, '{"key": "\\"a\\"", "start": 0, "end": 1000}', Windowed('"a"', 0, 1000)),
        (SESSIONS, '{"key": -5, "start": 7, "end": 9}', Windowed(-5, 7, 9)),
        (
            serdes.session_windowed(BYTES),
            '{"key": "AP8=", "start": 7, "end": 9}',
            Windowed(b"\x00\xff", 7, 9),
        ),
        (
            serdes.session_windowed(serdes.json()),
            '{"key": {"a": [1]}, "start": 7, "end": 9}',
            Windowed({"a": [1]}, 7, 9),
        ),
        (PAIRS, '[1, "x"]', [1, "x"]),
        (COMPLEX, "MWo=", 1j),
    ],
)
def test_a_key_is_read_by_its_serde(serde: Serde[Any], text: str, key: Any) -> None:
    assert key_of(text, plain_codec("t", serde, TEXT), serde) == key


@pytest.mark.parametrize(
    ("serde", "text"),
    [
        (LONG, "a"),
        (LONG, "1.0"),
        (LONG, '"5"'),
        (BYTES, "ü"),
        (serdes.uuid(), "5"),
        (serdes.boolean(), "yes"),
        (TIMED, "a"),
        (SESSIONS, '{"key": "a", "start": 0, "end": 1000}'),
        (TIMED, '{"key": "a", "start": 0}'),
        (TIMED, '{"key": "a", "start": true, "end": 1000}'),
        (TIMED, '{"key": "a", "start": 9223372036854775808, "end": 0}'),
        (LONG, "AAAAAAAAAAU="),
        (COMPLEX, "5"),
    ],
)
def test_a_key_that_is_none_is_refused(serde: Serde[Any], text: str) -> None:
    with pytest.raises(Refusal, match="is none of this store"):
        key_of(text, plain_codec("t", serde, TEXT), serde)


@pytest.mark.parametrize(
    ("serde", "text", "reason"),
    [
        (serdes.list_of(TEXT), "[1]", "serdes.string() writes str; got int; write it as JSON"),
        (serdes.list_of(BYTES), '["a"]', "serdes.bytes() writes bytes; got str; write it"),
    ],
)
def test_a_key_of_another_type_is_refused_with_what_its_serde_writes(
    serde: Serde[Any], text: str, reason: str
) -> None:
    with pytest.raises(Refusal, match=re.escape(f"is none of this store: {reason}")):
        key_of(text, plain_codec("t", serde, TEXT), serde)


def test_every_windowed_key_is_read_as_it_is_shown() -> None:
    for serde, key in ((TIMED, Windowed("a b", 0, 1000)), (SESSIONS, Windowed(5, 1, 2))):
        shown = json.dumps(jsonable(key))
        assert key_of(shown, plain_codec("t", serde, TEXT), serde) == key


@pytest.mark.parametrize(
    ("serde", "text", "prefix"),
    [
        (TEXT, "key-2", b"key-2"),
        (TEXT, '"key-2"', b"key-2"),
        (TEXT, '"a \\u00fc"', "a ü".encode()),
        (TEXT, '"', b'"'),
        (LONG, "AAA=", b"\x00\x00"),
        (BYTES, "AP8", b"\x00\xff"),
    ],
)
def test_a_prefix_is_read_as_keys_are(serde: Serde[Any], text: str, prefix: bytes) -> None:
    assert prefix_of(text, serde) == prefix


@pytest.mark.parametrize(
    ("serde", "text", "message"),
    [
        (TEXT, '"a\\q"', "'prefix' must be text, or text in JSON's quotes"),
        (LONG, "-5!", "'prefix' is that of bytes, as keys are by serdes.long.*must be base64"),
    ],
)
def test_a_prefix_that_is_none_is_refused(serde: Serde[Any], text: str, message: str) -> None:
    with pytest.raises(Refusal, match=message):
        prefix_of(text, serde)
