"""What a read shows can be written with the same serde, and nothing is lost on the way."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Literal, NamedTuple, TypedDict
from uuid import UUID

import msgspec
import pyarrow as pa
import pytest
from pyspark.sql import types as T

from penstock import serdes
from penstock._engine.spark.batch.document_cells import check_cells
from penstock._engine.spark.batch.typed_cells import encoded_cells
from penstock._engine.spark.state.cells import cell_type
from penstock.errors import StreamsError
from penstock.serdes import Serde
from penstock.settings import StreamsConfig
from penstock.windowed import Windowed


class Point(NamedTuple):
    x: int
    y: int = 0


class Circle(msgspec.Struct, tag=True):
    radius: int


class Square(msgspec.Struct, tag=True):
    side: int


class Pair(msgspec.Struct, array_like=True):
    left: int
    right: str


class Sparse(TypedDict, total=False):
    count: int
    name: str


class Colour(enum.Enum):
    RED = "red"


@dataclass
class Order:
    item: str
    grams: int = 0


@dataclass
class Tree:
    name: str
    children: list[Tree] = field(default_factory=list)


@dataclass
class Whole:
    any: Any
    point: Point
    points: dict[str, Point]
    shape: Circle | Square | None
    colour: Colour
    size: Literal["s", "m"]
    number: Literal["all", 1]
    orders: list[Order]
    at: datetime
    price: Decimal
    id: UUID
    pair: Pair
    next: Whole | None = None


PART = Whole(
    {"a": [1, "x"]},
    Point(1, 2),
    {"p": Point(3)},
    Circle(5),
    Colour.RED,
    "m",
    1,
    [Order("tea", 3)],
    datetime(2026, 1, 2, tzinfo=UTC),
    Decimal("1.50"),
    UUID(int=7),
    Pair(1, "r"),
)


def read_and_written(serde: Serde[Any], data: bytes) -> bytes | None:
    """Return the bytes of a record that was read as a typed column and written again."""
    ready = StreamsConfig({"application.id": "a"}).key_serde(serde, "source")
    shown = cell_type(ready)
    column = pa.array([shown.to_cell(ready.decode(data))], shown.arrow)
    (written,) = encoded_cells(column, serde, ["orders"], "column 'value'")
    return written


@pytest.mark.parametrize(
    ("of", "value"),
    [
        (None, {"a": 1, "b": [None, "x"]}),
        (None, "tea"),
        (None, 1.5),
        (str, "tea"),
        (Order, Order("tea", 3)),
        (Point, Point(1, 2)),
        (list[Point], [Point(1), Point(2, 3)]),
        (Circle | Square, Square(2)),
        (Circle | Square, Circle(2)),
        (int | str, "5"),
        (dict[int, str], {5: "five"}),
        (dict[str, int | None], {"a": 1, "b": None}),
        (Sparse, {"name": "x"}),
        (Colour, Colour.RED),
        (Pair, Pair(1, "r")),
        (Whole, PART),
        (list[Order | None], [Order("tea"), None]),
    ],
)
def test_a_document_that_was_read_is_written_as_it_was(of: Any, value: Any) -> None:
    serde: Serde[Any] = serdes.json() if of is None else serdes.json(of)
    data = serde.encode(value)
    assert read_and_written(serde, data) == data


def test_a_document_within_itself_is_text_there() -> None:
    serde = serdes.json(Tree)
    data = serde.encode(Tree("a", [Tree("b")]))
    assert read_and_written(serde, data) == data
    shown = T.StructType().add("name", STRING).add("children", T.ArrayType(STRING))
    check_cells("column 'value'", shown, serde)


def test_a_model_that_was_read_is_written_as_it_was() -> None:
    pydantic = pytest.importorskip("pydantic")
    model = pydantic.create_model("Sale", item=(str, ...), price=(Decimal, ...))
    serde = serdes.json(model)
    data = serde.encode(model(item="tea", price=Decimal("1.5")))
    assert read_and_written(serde, data) == data


def test_a_windowed_key_that_was_read_is_written_as_it_was() -> None:
    serde = serdes.time_windowed(serdes.json(Point), 5000)
    data = serde.encode(Windowed(Point(1, 2), 5000, 10_000))
    assert read_and_written(serde, data) == data


def test_a_map_of_numbers_is_a_dict_of_them() -> None:
    column = pa.array([[(5, "five")]], pa.map_(pa.int64(), pa.string()))
    serde = serdes.json(dict[int, str])
    assert encoded_cells(column, serde, ["orders"], "column 'value'") == [b'{"5":"five"}']


def test_text_that_is_no_document_is_refused() -> None:
    with pytest.raises(StreamsError, match=r"cannot be written with serdes.json\(\): cannot read"):
        encoded_cells(pa.array(["tea"]), serdes.json(), ["orders"], "column 'value'")


STRING, LONG = T.StringType(), T.LongType()
ORDER = T.StructType().add("item", STRING).add("grams", LONG)
TINTED = T.StructType().add("item", STRING).add("colour", STRING)
WINDOW = T.StructType().add("key", ORDER).add("start", LONG).add("end", LONG)


@pytest.mark.parametrize(
    ("type_", "serde"),
    [
        (ORDER, serdes.json(Order)),
        (T.StructType().add("item", STRING), serdes.json(Order)),
        (T.MapType(STRING, STRING), serdes.json(Order)),
        (T.ArrayType(ORDER), serdes.json(list[Order])),
        (T.NullType(), serdes.json(Order)),
        (STRING, serdes.json(Circle | Square)),
        (TINTED, serdes.json()),
        (STRING, serdes.json()),
        (WINDOW, serdes.time_windowed(serdes.json(Order), 5)),
    ],
)
def test_columns_that_fit_documents(type_: T.DataType, serde: Serde[Any]) -> None:
    check_cells("column 'value'", type_, serde)


@pytest.mark.parametrize(
    ("type_", "serde", "message"),
    [
        (
            TINTED,
            serdes.json(Order),
            "'colour', which would be lost; fields of the type: 'item', 'g",
        ),
        (T.StructType().add("grams", LONG), serdes.json(Order), "must have the field 'item'"),
        (T.ArrayType(TINTED), serdes.json(list[Order]), "an element must have the fields"),
        (T.MapType(STRING, TINTED), serdes.json(dict[str, Order]), "a value must have the fields"),
        (STRING, serdes.json(Order), "must be a struct for serdes.json"),
        (STRING, serdes.time_windowed(serdes.string(), 5), "must be struct<key,start,end> for"),
        (
            T.StructType().add("key", TINTED).add("start", LONG).add("end", LONG),
            serdes.session_windowed(serdes.json(Order)),
            "column 'value': field 'key' must have the fields",
        ),
    ],
)
def test_columns_that_do_not_fit_documents(
    type_: T.DataType, serde: Serde[Any], message: str
) -> None:
    with pytest.raises(StreamsError) as refused:
        check_cells("column 'value'", type_, serde)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("type_", "serde", "expected"),
    [
        (T.DoubleType(), serdes.long(), "bigint"),
        (LONG, serdes.integer(), "int"),
        (LONG, serdes.double(), "double"),
        (T.DateType(), serdes.string(), "string"),
        (LONG, serdes.uuid(), "string"),
        (T.IntegerType(), serdes.boolean(), "boolean"),
        (STRING, serdes.bytes(), "binary"),
    ],
)
def test_types_that_a_plain_serde_does_not_write(
    type_: T.DataType, serde: Serde[Any], expected: str
) -> None:
    with pytest.raises(StreamsError) as refused:
        check_cells("column 'value'", type_, serde)
    assert str(refused.value) == (
        f"column 'value' must be {expected} for {serde!r}; got {type_.simpleString()}; cast it, or "
        "pass the serde of what it holds"
    )


@pytest.mark.parametrize(
    ("type_", "serde", "cell"),
    [
        (T.ShortType(), serdes.long(), 5),
        (T.IntegerType(), serdes.double(), 5),
        (T.BinaryType(), serdes.bytes(), b"5"),
        (T.NullType(), serdes.long(), None),
    ],
)
def test_types_that_a_plain_serde_writes(
    type_: T.DataType, serde: Serde[Any], cell: object
) -> None:
    check_cells("column 'value'", type_, serde)
    [data] = encoded_cells(pa.array([cell]), serde, ["orders"], "column 'value'")
    assert data == (None if cell is None else serde.encode(cell))
