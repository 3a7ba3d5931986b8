"""Keys and values as cells of typed columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, NamedTuple, TypedDict
from uuid import UUID

import msgspec
import pyarrow as pa
import pydantic
import pytest

from penstock import serdes
from penstock._engine.spark.state.cells import cell_type, is_kept_as_bytes, time_cell
from penstock.serdes import Serde
from penstock.serdes.wrapping import completed
from penstock.windowed import Windowed
from penstock.windows import END_OF_TIME


class Colour(Enum):
    RED = "red"


class Level(Enum):
    LOW = 1


class Point(NamedTuple):
    x: int
    y: float


class Place(TypedDict):
    city: str


class Tagged(msgspec.Struct, rename="camel", tag=True):
    first_name: str


@dataclass
class Part:
    name: str
    more: Part | None = None


@dataclass
class Order:
    id: int
    price: float
    paid: bool
    at: datetime
    amount: Decimal
    colour: Colour
    level: Level
    kind: Literal["a", "b"]
    point: Point
    place: Place
    tags: list[str]
    sizes: dict[str, int]
    either: int | str
    anything: Any
    note: str | None = None
    new: int = 7
    known: set[int] = field(default_factory=set)


class Model(pydantic.BaseModel):
    n: int


ORDER = Order(
    1,
    2.5,
    True,
    datetime(2026, 1, 31, tzinfo=UTC),
    Decimal("1.20"),
    Colour.RED,
    Level.LOW,
    "a",
    Point(1, 2.0),
    {"city": "Rome"},
    ["x", "y"],
    {"s": 1},
    "text",
    {"a": [1]},
)


def shown(serde: Serde[Any], value: Any) -> tuple[str, Any]:
    """Return the type of a column and what it shows of a value, through Arrow."""
    column = cell_type(serde)
    decoded = serde.decode(serde.encode(value))
    return column.spark, pa.array([column.to_cell(decoded), None], column.arrow).to_pylist()[0]


class Short(msgspec.Struct, omit_defaults=True):
    n: int = 0
    tags: list[str] = []


def test_a_dataclass_is_a_struct() -> None:
    spark, cell = shown(serdes.json(Order), ORDER)
    assert spark == (
        "struct<`id`:bigint,`price`:double,`paid`:boolean,`at`:string,`amount`:string,"
        "`colour`:string,`level`:bigint,`kind`:string,`point`:struct<`x`:bigint,`y`:double>,"
        "`place`:struct<`city`:string>,`tags`:array<string>,`sizes`:map<string,bigint>,"
        "`either`:string,`anything`:string,`note`:string,`new`:bigint,`known`:array<bigint>>"
    )
    assert cell == {
        "id": 1,
        "price": 2.5,
        "paid": True,
        "at": "2026-01-31T00:00:00Z",
        "amount": "1.20",
        "colour": "red",
        "level": 1,
        "kind": "a",
        "point": {"x": 1, "y": 2.0},
        "place": {"city": "Rome"},
        "tags": ["x", "y"],
        "sizes": [("s", 1)],
        "either": '"text"',
        "anything": '{"a":[1]}',
        "note": None,
        "new": 7,
        "known": [],
    }


@pytest.mark.parametrize(
    ("serde", "value", "expected"),
    [
        (serdes.long(), 5, ("bigint", 5)),
        (serdes.integer(), 5, ("int", 5)),
        (serdes.double(), 0.5, ("double", 0.5)),
        (serdes.boolean(), True, ("boolean", True)),
        (serdes.string(), "ü", ("string", "ü")),
        (serdes.uuid(), UUID(int=1), ("string", str(UUID(int=1)))),
        (serdes.json(), {"a": "ü"}, ("string", '{"a":"ü"}')),
        (serdes.json(Model), Model(n=1), ("string", '{"n":1}')),
        (serdes.json(list[int]), [1], ("array<bigint>", [1])),
        (serdes.json(Tagged), Tagged("A"), ("struct<`firstName`:string>", {"firstName": "A"})),
        (serdes.json(dict[int, str]), {1: "a"}, ("string", '{"1":"a"}')),
    ],
)
def test_other_values(serde: Serde[Any], value: Any, expected: tuple[str, Any]) -> None:
    assert shown(serde, value) == expected


def test_a_type_that_contains_itself_ends_as_text() -> None:
    spark, cell = shown(serdes.json(Part), Part("a", Part("b")))
    assert spark == "struct<`name`:string,`more`:string>"
    assert cell == {"name": "a", "more": '{"name":"b","more":null}'}


def test_defaults_that_a_document_leaves_out_are_shown() -> None:
    spark, cell = shown(serdes.json(Short), Short())
    assert (spark, cell) == ("struct<`n`:bigint,`tags`:array<string>>", {"n": 0, "tags": []})


def test_keys_in_windows_are_structs() -> None:
    windowed = serdes.time_windowed(serdes.string(), 1000)
    serde = completed(windowed, serdes.string, serdes.string)
    spark, cell = shown(serde, Windowed("a", 5000, 6000))
    assert spark == "struct<key:string,start:timestamp,end:timestamp>"
    assert cell["key"] == "a"
    assert (cell["start"].timestamp(), cell["end"].timestamp()) == (5, 6)


def test_bytes_of_an_unknown_serde_stay_bytes() -> None:
    assert is_kept_as_bytes(serdes.bytes())
    assert is_kept_as_bytes(serdes.of(lambda value: b"", lambda data: None))
    assert not is_kept_as_bytes(serdes.json(Order))


def test_times_beyond_sparks_are_null() -> None:
    assert time_cell(5) == 5000
    assert time_cell(None) is None
    assert time_cell(END_OF_TIME) is None
