"""NaN and infinity in documents are refused, wherever they are; nothing else is."""

from __future__ import annotations

import struct
import sys
from dataclasses import dataclass, field
from math import inf, nan
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import serdes
from penstock._engine.fast.choice import compiled
from penstock.errors import SerializationError
from penstock.serdes.lost_floats import (
    guarded,
    plainly_guarded,
    refuse_in_plain,
    refuse_lost_floats,
)

ANYTHING = object()


@dataclass
class Total:
    amount: float
    note: str | None = None
    parts: list[Any] = field(default_factory=list)


class Pair(NamedTuple):
    one: float
    other: float


class Point(msgspec.Struct):
    x: float
    y: float | None = None


@pytest.mark.parametrize(
    ("of", "value", "place"),
    [
        (None, nan, "nan at $"),
        (None, inf, "inf at $"),
        (None, -inf, "-inf at $"),
        (None, {"a": [1, {"b": (nan,)}]}, "nan at $.a[1].b[0]"),
        (None, {"a": 10**30, "b": nan}, "nan at $.b"),
        (None, -struct.unpack(">d", bytes.fromhex("fff8000000000000"))[0], "nan at $"),
        (Total, Total(inf), "inf at $.amount"),
        (Total, Total(1.0, parts=[None, Total(nan)]), "nan at $.parts[1].amount"),
        (Pair, Pair(1.0, nan), "nan at $[1]"),
        (Point, Point(1.0, -inf), "-inf at $.y"),
        (set[float], {nan}, "nan at $[0]"),
        (float, nan, "nan at $"),
    ],
)
def test_a_float_that_json_cannot_hold_is_refused(of: Any, value: Any, place: str) -> None:
    serde = serdes.json() if of is None else serdes.json(of)
    with pytest.raises(SerializationError, match="cannot write JSON with serdes") as refused:
        serde.serialize("t", value)
    assert f"JSON has no number for {place};" in str(refused.value)


@pytest.mark.parametrize(
    "value",
    [
        None,
        {"a": None, "b": "null", "c": 1.5e308},
        {nan: None},  # a name: the text "nan"
        [None, b"\xcb\x7f\xf8", struct.unpack(">q", b"\xcb\x7f\xf8aaaaa")[0]],
        [None, 10**30],
    ],
    ids=str,
)
def test_nothing_else_is_refused(value: Any) -> None:
    refuse_lost_floats(value)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)


@given(VALUES)
def test_what_is_written_is_what_is_read_or_refused(value: Any) -> None:
    serde = serdes.json()
    try:
        data = serde.encode(value)
    except SerializationError:
        with pytest.raises(ValueError, match="JSON has no number"):
            refuse_in_plain(value)
    else:
        assert serde.decode(data) == value


def test_a_pydantic_model_decides_itself_what_it_writes() -> None:
    pydantic = pytest.importorskip("pydantic")

    class Total(pydantic.BaseModel):  # type: ignore[misc, name-defined]
        amount: float
        note: str | None = None

    class Text(Total):
        model_config = pydantic.ConfigDict(ser_json_inf_nan="strings")

    class Own(Total):
        @pydantic.field_serializer("amount", when_used="json")  # type: ignore[untyped-decorator]
        def write(self, amount: float) -> str:
            return f"<{amount}>"

    class Whole(pydantic.BaseModel):  # type: ignore[misc, name-defined]
        part: Text

    assert serdes.json(Total).encode(Total(amount=nan)) == b'{"amount":null,"note":null}'
    assert serdes.json(Text).encode(Text(amount=nan)) == b'{"amount":"NaN","note":null}'
    assert serdes.json(Own).encode(Own(amount=nan)) == b'{"amount":"<nan>","note":null}'
    whole = Whole.model_construct(part=Text(amount=nan))
    assert serdes.json(Whole).encode(whole) == whole.model_dump_json().encode()


@pytest.mark.skipif(compiled is None, reason="nothing is compiled")
@given(st.lists(st.sampled_from([b"n", b"u", b"l", b"null", b"nul", b"x"])).map(b"".join))
def test_c_looks_at_the_same_documents(data: bytes) -> None:
    looked: list[list[object]] = [[], []]
    for guard, seen in zip((compiled.guarded, plainly_guarded), looked, strict=True):
        assert guard(lambda value: data, seen.append)(ANYTHING) == data
    assert looked[0] == looked[1] == ([ANYTHING] if b"null" in data else [])


@pytest.mark.skipif(compiled is None, reason="nothing is compiled")
@given(VALUES)
def test_c_refuses_the_same_values(value: Any) -> None:
    encode = msgspec.json.Encoder().encode
    outcomes = []
    for guard in (compiled.guarded, plainly_guarded):
        try:
            outcomes.append(guard(encode, refuse_lost_floats)(value))
        except ValueError as error:
            outcomes.append(str(error).encode())
    assert outcomes[0] == outcomes[1]


def test_a_deep_document_is_looked_at_to_its_end() -> None:
    deep: Any = [None, nan]
    for _ in range(300):
        deep = [deep]
    with pytest.raises(SerializationError, match="JSON has no number for nan"):
        serdes.json().encode(deep)


def test_what_is_raised_goes_through_and_no_reference_stays() -> None:
    value = {"a": nan, "b": object}
    before = sys.getrefcount(value)
    with pytest.raises(SerializationError):
        serdes.json().encode({"a": nan})
    for _ in range(3):
        with pytest.raises(TypeError):
            serdes.json().encode(value)
        with pytest.raises(ZeroDivisionError):
            guarded(lambda value: b"null", lambda value: 1 / 0)(value)  # type: ignore[arg-type]
    assert sys.getrefcount(value) == before
