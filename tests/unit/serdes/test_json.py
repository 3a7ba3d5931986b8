"""JSON, through msgspec. Pydantic models have their own file, and so does pickling."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, NotRequired, TypedDict, TypeVar, assert_type
from uuid import UUID

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import serdes
from penstock.errors import SerializationError
from penstock.serdes import Serde
from penstock.serdes.documents import JsonSerde

T = TypeVar("T")


class Status(Enum):
    OPEN = "open"
    PAID = "paid"


@dataclass
class Item:
    sku: str
    count: int = 1


@dataclass
class Order:
    id: str
    amount: int
    currency: str = "EUR"
    items: list[Item] = field(default_factory=list)


class Payment(msgspec.Struct):
    id: str
    amount: Decimal
    paid_at: datetime
    reference: UUID


class Reading(TypedDict):
    sensor: str
    value: float
    unit: NotRequired[str]


class Point(NamedTuple):
    x: int
    y: int


class Tree(msgspec.Struct):
    name: str
    children: list[Tree] = []


class Box(msgspec.Struct, Generic[T]):
    content: T


class Card(msgspec.Struct, tag=True):
    number: str


class Cash(msgspec.Struct, tag=True):
    currency: str


class Unannotated:
    pass


@dataclass
class WithPath:
    where: Path


@dataclass
class Tags:
    names: set[str]


@dataclass
class Percentage:
    value: int

    def __post_init__(self) -> None:
        if self.value > 100:
            msg = "must be at most 100"
            raise ValueError(msg)


PAYMENT = Payment(
    "p-1",
    Decimal("12.50"),
    datetime(2024, 5, 1, 12, 30, tzinfo=UTC),
    UUID("123e4567-e89b-12d3-a456-426614174000"),
)

DOCUMENTS: list[tuple[Any, Any, bytes]] = [
    (None, {"b": [1, 2.5, None], "a": "x"}, b'{"b":[1,2.5,null],"a":"x"}'),
    (None, "text", b'"text"'),
    (None, 2**70, b"1180591620717411303424"),
    (
        Order,
        Order("o-1", 250, items=[Item("s")]),
        b'{"id":"o-1","amount":250,"currency":"EUR","items":[{"sku":"s","count":1}]}',
    ),
    (
        Payment,
        PAYMENT,
        b'{"id":"p-1","amount":"12.50","paid_at":"2024-05-01T12:30:00Z",'
        b'"reference":"123e4567-e89b-12d3-a456-426614174000"}',
    ),
    (Reading, {"sensor": "s", "value": 1.5}, b'{"sensor":"s","value":1.5}'),
    (Point, Point(1, 2), b"[1,2]"),
    (Tree, Tree("a", [Tree("b")]), b'{"name":"a","children":[{"name":"b","children":[]}]}'),
    (Status, Status.PAID, b'"paid"'),
    (list[Item], [Item("a", 2)], b'[{"sku":"a","count":2}]'),
    (dict[str, Point], {"home": Point(1, 2)}, b'{"home":[1,2]}'),
    (dict[int, str], {1: "a"}, b'{"1":"a"}'),
    (Item | None, Item("a"), b'{"sku":"a","count":1}'),
    (Box[int], Box(5), b'{"content":5}'),
    (Card | Cash, Cash("EUR"), b'{"type":"Cash","currency":"EUR"}'),
    (tuple[int, str], (1, "a"), b'[1,"a"]'),
    (Literal["a", "b"], "b", b'"b"'),
    (datetime, PAYMENT.paid_at, b'"2024-05-01T12:30:00Z"'),
    (bytes, b"\x00\xff", b'"AP8="'),
    (float, 3, b"3"),
    (set[str], {"b", "a", "c"}, b'["a","b","c"]'),
]


def refusal(of: object) -> str:
    with pytest.raises(TypeError) as caught:
        serdes.json(of)
    return str(caught.value)


def failure(serde: Serde[Any], data: bytes) -> str:
    with pytest.raises(SerializationError) as caught:
        serde.decode(data)
    return str(caught.value)


@pytest.mark.parametrize(("of", "value", "data"), DOCUMENTS)
def test_values_are_written_compactly_and_read_back(of: Any, value: Any, data: bytes) -> None:
    assert serdes.json(of).encode(value) == data
    assert serdes.json(of).decode(data) == value


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@pytest.mark.slow
@settings(derandomize=True, deadline=None)
@given(JSON_VALUES)
def test_any_json_value_comes_back(value: Any) -> None:
    assert serdes.json().decode(serdes.json().encode(value)) == value


@pytest.mark.slow
@settings(derandomize=True, deadline=None)
@given(st.builds(Order, items=st.lists(st.builds(Item))))
def test_any_order_comes_back(order: Order) -> None:
    assert serdes.json(Order).decode(serdes.json(Order).encode(order)) == order


def test_the_type_of_the_values_is_known_to_the_type_checker() -> None:
    assert_type(serdes.json(Order), Serde[Order])
    assert_type(serdes.json(list[Order]), Serde[list[Order]])
    assert_type(serdes.json(), Serde[Any])


class TestEvolution:
    def test_old_documents_are_read_after_a_field_with_a_default_is_added(self) -> None:
        old = b'{"id":"o-1","amount":250}'

        assert serdes.json(Order).decode(old) == Order("o-1", 250, "EUR", [])

    def test_unknown_fields_are_skipped(self) -> None:
        new = b'{"sku":"a","colour":{"r":1},"count":3}'

        assert serdes.json(Item).decode(new) == Item("a", 3)


class TestKeys:
    def test_fields_are_in_the_order_of_their_definition(self) -> None:
        order = Order(amount=1, id="a")

        assert serdes.json(Order).encode(order).startswith(b'{"id":"a","amount":1,')

    def test_dict_keys_are_in_the_order_they_were_put_in(self) -> None:
        assert serdes.json().encode({"b": 1, "a": 2}) == b'{"b":1,"a":2}'

    def test_declared_sets_are_sorted(self) -> None:
        names = {f"name-{number}" for number in range(50)}
        written = serdes.json(Tags).encode(Tags(names))

        assert msgspec.json.decode(written) == {"names": sorted(names)}


class TestBadDocuments:
    def test_the_message_has_type_reason_place_and_data(self) -> None:
        data = b'[{"sku":"a"},{"sku":5}]'

        assert failure(serdes.json(list[Item]), data) == (
            "cannot read JSON as list[Item]: Expected `str`, got `int` at $[1].sku; "
            'data: b\'[{"sku":"a"},{"sku":5}]\''
        )

    def test_a_missing_field_is_named(self) -> None:
        assert failure(serdes.json(Item), b"{}").startswith(
            "cannot read JSON as Item: Object missing required field `sku`; "
        )

    def test_only_the_start_of_a_long_document_is_shown(self) -> None:
        data = b'"' + b"x" * 500 + b'"'

        assert failure(serdes.json(int), data).endswith(f"; data: {data[:80]!r}...")

    @pytest.mark.parametrize(
        "data", [b"", b"{", b"nul", b'{"a":1}x', b"\xff", b'"\xff"', b"[" * 100_000, b"NaN"]
    )
    def test_what_is_no_json_is_refused(self, data: bytes) -> None:
        assert failure(serdes.json(), data).startswith("cannot read JSON as a value: ")

    def test_a_value_error_of_the_class_is_explained(self) -> None:
        assert "must be at most 100" in failure(serdes.json(Percentage), b'{"value":101}')


class TestBadValues:
    def test_an_object_of_another_class_is_refused(self) -> None:
        other: Any = {"sku": "a"}

        with pytest.raises(TypeError) as caught:
            serdes.json(Item).encode(other)

        assert str(caught.value) == "serdes.json(Item) writes Item; got dict"

    def test_an_object_without_json_form_is_refused(self) -> None:
        with pytest.raises(TypeError, match="Unannotated"):
            serdes.json().encode({"a": Unannotated()})

    def test_text_that_is_no_unicode_is_refused(self) -> None:
        with pytest.raises(
            SerializationError, match=r"cannot write JSON with serdes\.json\(Item\)"
        ):
            serdes.json(Item).encode(Item("\ud800"))

    def test_a_document_that_contains_itself_is_refused(self) -> None:
        endless: list[Any] = []
        endless.append(endless)

        with pytest.raises(SerializationError, match="cannot write JSON"):
            serdes.json().encode(endless)

    def test_nan_and_infinity_are_refused(self) -> None:
        with pytest.raises(SerializationError, match="JSON has no number for nan at"):
            serdes.json().encode([math.nan, math.inf])


class TestTypesWithoutJson:
    def test_a_plain_class_is_refused_with_what_to_use(self) -> None:
        assert refusal(Unannotated) == (
            "serdes.json(Unannotated) cannot be made: Unannotated has no JSON form; "
            "use a dataclass, TypedDict, NamedTuple or msgspec.Struct, "
            "or make a serde with serdes.of(encode, decode)"
        )

    def test_the_field_is_named(self) -> None:
        assert "Path in WithPath.where has no JSON form" in refusal(list[WithPath])

    def test_a_union_that_a_document_cannot_tell_apart_is_refused(self) -> None:
        assert "use msgspec.Struct classes with tag=True" in refusal(Order | Item)

    def test_keys_that_cannot_be_text_are_refused(self) -> None:
        assert "has keys that cannot be text; use str keys" in refusal(dict[tuple[int, int], str])

    def test_object_is_told_any(self) -> None:
        assert "use typing.Any" in refusal(list[object])

    def test_an_annotation_that_names_nothing_is_refused(self) -> None:
        @dataclass
        class Broken:
            field: Missing  # type: ignore[name-defined]  # noqa: F821

        assert "serdes.json(Broken) cannot be made: name 'Missing' is not defined" in refusal(
            Broken
        )

    @pytest.mark.parametrize("of", [5, "Order", Unannotated()])
    def test_what_is_no_type_is_refused(self, of: object) -> None:
        assert "cannot be made" in refusal(of)


@pytest.mark.parametrize(
    ("of", "call"),
    [
        (Order, "serdes.json(Order)"),
        (Order | None, "serdes.json(Order | None)"),
        (dict[str, list[Order]], "serdes.json(dict[str, list[Order]])"),
        (tuple[int, ...], "serdes.json(tuple[int, ...])"),
        (Literal["a", "b"], "serdes.json(Literal['a', 'b'])"),
        (Box[Item], "serdes.json(Box[Item])"),
        (Any, "serdes.json(Any)"),
    ],
)
def test_repr_is_the_call(of: Any, call: str) -> None:
    assert repr(serdes.json(of)) == call


@pytest.mark.slow
def test_pydantic_is_not_imported() -> None:
    code = "import sys; from penstock import serdes; sys.exit('pydantic' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@dataclass(frozen=True)
class FrozenItem:
    sku: str
    tags: tuple[str, ...] = ()
    status: Status = Status.OPEN


class FrozenPoint(msgspec.Struct, frozen=True):
    at: datetime
    item: FrozenItem | None = None


class FrozenWithList(msgspec.Struct, frozen=True):
    items: list[int]


class FrozenWithDict(msgspec.Struct, frozen=True, dict=True):
    id: int


class FrozenThatSpeaks(msgspec.Struct, frozen=True):
    id: int

    def __post_init__(self) -> None:
        """What it does is the user's business."""


class FrozenPair(NamedTuple):
    left: int
    right: FrozenItem


@pytest.mark.parametrize(
    "of", [FrozenItem, FrozenPoint, FrozenPair, FrozenItem | None, tuple[int, str], Decimal, Status]
)
def test_a_serde_knows_immutable_values(of: Any) -> None:
    assert JsonSerde(of).gives_frozen


@pytest.mark.parametrize(
    "of",
    [
        None,
        Any,
        dict[str, int],
        list[FrozenItem],
        tuple[FrozenItem, list[int]],
        Item,
        Payment,
        FrozenWithList,
        FrozenWithDict,
        FrozenThatSpeaks,
    ],
)
def test_a_serde_knows_what_can_be_changed(of: Any) -> None:
    assert not JsonSerde(of).gives_frozen
