"""A program of one file with every kind of type that a JSON serde takes.

It runs as a main script and as a module that workers can import; `observe` tells all that its
serdes do, so that it can be told here and in another process.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from dataclasses import KW_ONLY, InitVar, dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum, Flag, IntEnum, StrEnum, auto
from functools import partial
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Generic,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    Required,
    TypedDict,
    TypeVar,
    get_type_hints,
)
from uuid import UUID

import msgspec
import pydantic

from penstock import serdes
from tests.unit.engine.spark.shipping.shipping_trip import send

if TYPE_CHECKING:
    from penstock._clock import Clock

T = TypeVar("T")
UserId = NewType("UserId", str)
Amount = Annotated[int, msgspec.Meta(ge=0)]


class Status(Enum):
    OPEN = "open"
    NEW = "open"  # noqa: PIE796 - an alias
    SHUT = "shut"


class Level(IntEnum):
    LOW = auto()
    HIGH = auto()


class Colour(StrEnum):
    RED = auto()
    BLUE = auto()


class Rights(Flag):
    READ = auto()
    WRITE = auto()
    BOTH = READ | WRITE


class Planet(Enum):
    EARTH = (1, 2.0)
    MARS = (3, 4.0)

    def __init__(self, number: int, mass: float) -> None:
        self.number = number
        self.mass = mass

    def heavier(self) -> Planet:
        return Planet.MARS


class Plan(Enum):
    FREE = (1, "free")
    PAID = (2, "paid")

    label: str

    def __new__(cls, number: int, label: str) -> Plan:
        made = object.__new__(cls)
        made._value_ = number
        made.label = label
        return made


class Tolerant(Enum):
    A = "a"
    OTHER = "other"

    @classmethod
    def _missing_(cls, _value: object) -> Tolerant:
        return cls.OTHER


@dataclass
class Item:
    sku: str
    price: Decimal


@dataclass
class Plain:
    id: str
    count: int
    tags: list[str] = field(default_factory=list)
    note: str = "none"


@dataclass(frozen=True, slots=True)
class Slotted:
    id: str
    amount: Decimal
    status: Status = Status.OPEN


@dataclass(kw_only=True)
class Keyed:
    id: str
    size: int = 1
    user: UserId


@dataclass
class Half:
    id: str
    _: KW_ONLY
    user: str
    flag: bool = False


@dataclass
class Parent:
    id: str
    kind: ClassVar[str] = "parent"


@dataclass
class Child(Parent):
    extra: int
    items: list[Item] = field(default_factory=list)


@dataclass
class Checked:
    id: str
    size: int

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError("size must not be negative")


@dataclass
class Seeded:
    id: str
    seed: InitVar[int] = 3


@dataclass
class Tree:
    name: str
    children: list[Tree] = field(default_factory=list)


@dataclass
class Linked:
    name: str
    next: Linked | None = None


@dataclass
class Box(Generic[T]):
    content: T
    label: str = "box"


@dataclass
class Many:
    when: datetime
    day: date
    wait: timedelta
    price: Decimal
    id: UUID
    mode: Literal["a", "b"]
    maybe: int | None
    either: int | str
    level: Level
    colour: Colour
    name: Annotated[str, msgspec.Meta(min_length=1)]
    amount: Amount
    pairs: dict[str, list[Item]]


class Reading(TypedDict):
    value: Decimal
    unit: NotRequired[str]


class Partial(TypedDict, total=False):
    id: Required[str]
    note: str


class Deeper(Partial):
    depth: int


class Pair(TypedDict, Generic[T]):
    left: T
    right: T


class Point(NamedTuple):
    x: int
    y: int = 0


class Event(msgspec.Struct):
    id: str
    size: int = 1
    maybe: int | msgspec.UnsetType = msgspec.UNSET


class Strict(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True, rename="camel"):
    tags: list[str] = []
    user_id: str
    item_count: int


class Cat(msgspec.Struct, tag=True):
    name: str


class Dog(msgspec.Struct, tag=True):
    name: str
    age: int


class Grown(Event, kw_only=True):
    more: str


class Holder(msgspec.Struct, Generic[T]):
    content: T
    label: str = "x"


class Nested(msgspec.Struct, array_like=True):
    pet: Cat | Dog
    plain: Plain


class StructTree(msgspec.Struct):
    name: str
    children: list[StructTree] = []


class Greeting:
    def greet(self) -> str:
        return "hello"


class Mixed(msgspec.Struct, Greeting, frozen=True):
    kind: ClassVar[int] = 9
    names: list[str] = msgspec.field(default_factory=list)


class Open(msgspec.Struct, dict=True, weakref=True):
    a: int


@dataclass
class Checkable:
    """One annotation names what only a type checker knows; the others have a meaning."""

    item: Item
    when: ClassVar[Clock | None] = None


class Line(pydantic.BaseModel):
    sku: str
    count: int = pydantic.Field(gt=0)


class Invoice(pydantic.BaseModel):
    id: str
    lines: list[Line] = []
    status: Status = Status.SHUT
    before: Invoice | None = None


_MANY = (
    b'{"when":"2026-01-02T03:04:05Z","day":"2026-01-02","wait":"PT1S","price":"1.5",'
    b'"id":"12345678-1234-5678-1234-567812345678","mode":"a","maybe":null,"either":"x","level":2,'
    b'"colour":"blue","name":"m","amount":0,"pairs":{"k":[{"sku":"a","price":"2"}]}}'
)

CASES: list[tuple[Any, list[bytes]]] = [
    (Status, [b'"open"', b'"none"', b"1"]),
    (Level, [b"1", b"7", b'"x"']),
    (Colour, [b'"red"', b'"green"']),
    (Plan, [b"1", b"3"]),
    (Tolerant, [b'"a"', b'"zzz"']),
    (Item, [b'{"sku":"a","price":"1.50"}', b'{"sku":"a"}', b'{"price":"1"}', b"{}", b"[]", b"x"]),
    (Item, [b'{"sku":1,"price":"1"}', b'{"sku":"a","price":"b"}', b'{"sku":null,"price":"1"}']),
    (Plain, [b'{"id":"a","count":1}', b'{"id":"a","count":1,"tags":["t"],"note":"n"}']),
    (Plain, [b'{"id":"a"}', b'{"count":1}', b'{"id":"a","count":"1"}', b"{}"]),
    (Slotted, [b'{"id":"a","amount":"1"}', b'{"id":"a"}', b'{"id":"","amount":"1","status":"?"}']),
    (Keyed, [b'{"id":"a","user":"u"}', b'{"id":"a"}', b'{"user":"u"}', b'{"id":"a","user":2}']),
    (Half, [b'{"id":"a","user":"u"}', b'{"id":"a"}']),
    (Parent, [b'{"id":"a"}', b"{}"]),
    (Child, [b'{"id":"a","extra":1}', b'{"id":"a"}', b'{"extra":1}']),
    (Child, [b'{"id":"a","extra":1,"items":[{"sku":"s"}]}']),
    (Checked, [b'{"id":"a","size":1}', b'{"id":"a","size":-1}', b'{"id":"a"}']),
    (Tree, [b'{"name":"a","children":[{"name":"b"}]}', b'{"name":"a","children":[{}]}', b"{}"]),
    (Linked, [b'{"name":"a","next":{"name":"b","next":null}}', b'{"name":"a","next":{}}']),
    (Box[int], [b'{"content":1}', b'{"content":"a"}', b"{}"]),
    (Box[Item], [b'{"content":{"sku":"a","price":"1"}}', b'{"content":{"sku":"a"}}', b"{}"]),
    (Many, [_MANY, _MANY.replace(b'"a",', b'"c",'), _MANY.replace(b":0", b":-1"), b'{"maybe":1}']),
    (Reading, [b'{"value":"1"}', b'{"value":"1","unit":"m"}', b'{"unit":"m"}', b"{}"]),
    (Partial, [b'{"id":"a"}', b'{"note":"n"}', b"{}"]),
    (Deeper, [b'{"id":"a","depth":1}', b'{"id":"a"}', b'{"depth":1}']),
    (Pair[int], [b'{"left":1,"right":2}', b'{"left":1}', b'{"left":1,"right":"x"}']),
    (Point, [b"[1,2]", b"[1]", b"[]", b'["a"]']),
    (Event, [b'{"id":"a"}', b'{"id":"a","maybe":2}', b"{}", b'{"id":1}']),
    (
        Strict,
        [b'{"userId":"a","itemCount":1}', b'{"userId":""}', b'{"userId":"","itemCount":1,"z":1}'],
    ),
    (Cat | Dog, [b'{"type":"Cat","name":"a"}', b'{"type":"Dog","name":"a","age":1}']),
    (Cat | Dog, [b'{"type":"Dog","name":"a"}', b'{"type":"Cow"}', b"{}"]),
    (Grown, [b'{"id":"a","more":"m"}', b'{"id":"a"}', b'{"more":"m"}']),
    (Holder[int], [b'{"content":1}', b'{"content":"a"}', b"{}"]),
    (Nested, [b'[{"type":"Cat","name":"a"},{"id":"a","count":1}]', b'[{"type":"Cat"},{}]']),
    (Nested, [b'[{"type":"Cat","name":"a"},{"id":"a"}]']),
    (StructTree, [b'{"name":"a","children":[{"name":"b"}]}', b'{"name":"a","children":[{}]}']),
    (list[Plain], [b'[{"id":"a","count":1}]', b'[{"id":"a"}]']),
    (dict[str, Item], [b'{"k":{"sku":"a","price":"1"}}', b'{"k":{"sku":"a"}}']),
    (Plain | None, [b"null", b'{"id":"a","count":1}', b'{"id":"a"}']),
    (tuple[Item, Status], [b'[{"sku":"a","price":"1"},"open"]', b'[{"sku":"a"},"open"]']),
    (Invoice, [b'{"id":"a"}', b'{"id":"a","lines":[{"sku":"s","count":1}],"before":{"id":"b"}}']),
    (Invoice, [b"{}", b'{"id":1}', b'{"id":"a","lines":[{"sku":"s"}]}', b'{"id":"","before":{}}']),
    (Invoice, [b'{"id":"a","lines":[{"sku":"s","count":0}]}', b'{"id":"a","status":"?"}']),
]
# Made before they travel, as a program makes them.
SERDES = [(serdes.json(of), documents) for of, documents in CASES]


def _any(of: Any) -> Any:
    return of


_CHILD = b'{"id":"a","extra":1,"items":[{"sku":"s","price":"1.5"}]}'
_ASKED: list[Callable[[], object]] = [
    lambda: msgspec.json.decode(_CHILD, type=Child),
    lambda: msgspec.json.decode(b'[{"type":"Cat","name":"a"},{"id":"a","count":1}]', type=Nested),
    lambda: msgspec.json.decode(b'{"value":"1"}', type=Reading),
    lambda: msgspec.json.decode(b'"open"', type=Status),
    lambda: [get_type_hints(each) for each in (Child, Slotted, Reading, Point, Mixed, Tree)],
    lambda: (Checkable(Item("s", Decimal(1))), Checkable.__annotations__["item"] in (Item, "Item")),
    lambda: (Mixed().greet(), Mixed.kind, Mixed(["a"]), msgspec.json.decode(b"{}", type=Mixed)),
    lambda: (vars(Open(1)), msgspec.json.decode(b'{"a":1}', type=Open)),
    lambda: list(Status.__members__.items()),
    lambda: (Status["NEW"] is Status.OPEN, Status("shut") is Status.SHUT),
    lambda: (list(Rights.__members__), Rights.BOTH, Rights(3), Rights["BOTH"].name, ~Rights.READ),
    lambda: (
        Planet.EARTH.heavier().mass,
        _any(Planet)((1, 2.0)) is Planet.EARTH,
        Planet.MARS.number,
    ),
    lambda: (_any(Plan)(2).label, Plan["FREE"].value, Plan.PAID.label),
    lambda: (Level.HIGH > Level.LOW, f"{Colour.RED}", Colour.RED, Tolerant("q")),
    lambda: (
        Point._fields,
        Point._field_defaults,
        Point(1)._replace(y=3),
        isinstance(Point(1), tuple),
    ),
    lambda: [
        (each.default is dataclasses.MISSING, each.default_factory is dataclasses.MISSING)
        for each in dataclasses.fields(Plain)
    ],
    lambda: (dataclasses.replace(Plain("a", 1), count=2), dataclasses.asdict(Plain("a", 1))),
    lambda: (Seeded("a", 4), Parent.kind, dataclasses.replace(Slotted("a", Decimal(1)), id="b")),
    lambda: [sorted(each.__required_keys__) for each in (Reading, Partial, Deeper)],
    lambda: [sorted(each.__optional_keys__) for each in (Reading, Partial, Deeper)],
    lambda: (UserId("x"), Event.__struct_defaults__, Event("a").maybe is msgspec.UNSET),
    lambda: (Holder.__parameters__ == (T,), Box.__parameters__ == (T,)),  # type: ignore[attr-defined]
    lambda: [(name, field.is_required()) for name, field in Invoice.model_fields.items()],
    lambda: _any(Plain)("a"),
    lambda: _any(Keyed)(id="a"),
    lambda: _any(Slotted)("a"),
    lambda: _any(Child)("a"),
    lambda: _any(Half)("a"),
    _any(Point),
    _any(Event),
    lambda: _any(Strict)("a", 1),
    _any(Invoice),
    lambda: setattr(Slotted("a", Decimal(1)), "id", "b"),
]


def observe() -> list[str]:
    """Return what the serdes make of good and of bad documents, and what is known of the types."""
    told = [
        f"{serde!r} {document!r}: {_outcome(partial(_there_and_back, serde, document))}"
        for serde, documents in SERDES
        for document in documents
    ]
    return [*told, *(_outcome(asked) for asked in _ASKED)]


def _there_and_back(serde: Any, document: bytes) -> tuple[object, bytes]:
    value = serde.decode(document)
    return value, serde.encode(value)


def _outcome(asked: Callable[[], object]) -> str:
    try:
        return repr(asked())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    observe()  # libraries keep caches on the classes that they have seen
    send(observe, sys.argv[1])
