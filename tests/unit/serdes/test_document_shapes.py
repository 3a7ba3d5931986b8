"""Which fields of stored documents a changed type has lost."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from types import ModuleType
from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, TypedDict, TypeVar, Union

import msgspec
import pytest
import typing_extensions
from pydantic import AliasChoices, AliasPath, BaseModel, ConfigDict, Field, RootModel

from penstock import serdes
from penstock.serdes.contract import BuiltInSerde
from penstock.serdes.document_shapes import lost_fields, shape_of

T = TypeVar("T")


def lost(before: Any, now: Any) -> list[str]:
    return lost_of(serdes.json(before), serdes.json(now))


def lost_of(before: Any, now: Any) -> list[str]:
    return lost_fields(before.document_shape("written"), now.document_shape("read"), "store")


@dataclass
class Street:
    name: str
    number: int = 1


@dataclass
class Account:
    cents: int
    owner: str = "?"
    street: Street | None = None


Holder = NewType("Holder", Account)


@dataclass
class Fewer:
    cents: int
    more: int = 0


@dataclass
class Name:
    name: str


@dataclass
class Moved:
    cents: int
    owner: str
    street: Name | None = None


class AccountDict(TypedDict, total=False):
    cents: int
    owner: str


class FewerDict(TypedDict):
    cents: int


class AccountTuple(NamedTuple):
    cents: int
    owner: str


class AccountStruct(msgspec.Struct, rename={"owner": "o"}):
    cents: int
    owner: str


class FewerStruct(msgspec.Struct):
    cents: int


class AccountModel(BaseModel):
    cents: int
    owner: str = Field("?", alias="o")


class FewerModel(BaseModel):
    cents: int


@pytest.mark.parametrize(
    ("before", "now", "fields"),
    [
        (Account, Account, []),
        (Fewer, Account, ["store.more"]),
        (Account, Fewer, ["store.owner", "store.street"]),
        (Account, Moved, ["store.street.number"]),
        (Holder, Fewer, ["store.owner", "store.street"]),
        (AccountDict, FewerDict, ["store.owner"]),
        (FewerDict, AccountDict, []),
        (AccountTuple, FewerStruct, []),  # an array is no document
        (FewerStruct, AccountTuple, []),
        (AccountStruct, FewerStruct, ["store.o"]),
        (AccountModel, FewerModel, ["store.o"]),
        (AccountModel, AccountStruct, []),
        # Whatever is read as any document is kept.
        (Account, None, []),
        (Account, dict[str, Any], []),
        (Account, dict, []),
        (Account, Any, []),
        # What was written as any document has no fields that could be named.
        (None, Fewer, []),
        (dict[str, int], Fewer, ["store.*"]),
        # These cannot read it, and say so.
        (Account, int, []),
        (Account, list[int], []),
        (list[Account], Fewer, []),
    ],
    ids=repr,
)
def test_a_type_that_has_lost_fields(before: Any, now: Any, fields: list[str]) -> None:
    assert lost(before, now) == fields


class Point(NamedTuple):
    x: AccountStruct
    y: int


class Moved2(NamedTuple):
    lat: AccountStruct
    lon: int


class Shorter(NamedTuple):
    x: AccountStruct


class FewerIn(NamedTuple):
    x: FewerStruct
    y: int


class PointArray(msgspec.Struct, array_like=True):
    x: AccountStruct
    y: int


class ShorterArray(msgspec.Struct, array_like=True):
    lat: AccountStruct


@pytest.mark.parametrize(
    ("before", "now", "fields"),
    [
        (Point, Point, []),
        (Point, Moved2, []),
        (Point, PointArray, []),
        (PointArray, Moved2, []),
        (Point, FewerIn, ["store[0].o"]),
        (Point, list[FewerStruct | int], ["store[0].o"]),
        (Point, dict[str, FewerStruct], []),
        # Of another length it cannot be read as a tuple, and loses its end as a struct.
        (Point, Shorter, []),
        (Shorter, Point, []),
        (PointArray, ShorterArray, ["store[1]"]),
        (Point, ShorterArray, ["store[1]"]),
        (list[Point], list[ShorterArray], ["store[][1]"]),
        (PointArray, FewerStruct, []),
        (FewerStruct, PointArray, []),
        (Point | None, Moved2 | None, []),
    ],
    ids=repr,
)
def test_records_that_are_written_as_arrays(before: Any, now: Any, fields: list[str]) -> None:
    assert lost(before, now) == fields


class ExtensionsDict(typing_extensions.TypedDict):
    cents: int
    owner: str


def test_a_typed_dict_of_typing_extensions() -> None:
    assert lost(ExtensionsDict, AccountDict) == []
    assert lost(ExtensionsDict, FewerDict) == ["store.owner"]
    assert lost(AccountDict, ExtensionsDict) == []
    # It is made by another class than those of `typing` in some versions of Python.
    of_its_own = type("Own", (dict,), {"__total__": True, "__annotations__": {"cents": int}})
    assert lost_fields({"cents": None, "owner": None}, shape_of(of_its_own, "read"), "store") == [
        "store.owner"
    ]


class Tree(RootModel[dict[str, "Tree"]]):
    pass


def test_a_name_of_a_type_that_refers_to_itself() -> None:
    class Alias:
        """`type Json = dict[str, Json] | list[Json] | str`, of Python 3.12 and later."""

        __value__: Any

    alias = Alias()
    alias.__value__ = Union[dict[str, alias], list[alias], str]  # type: ignore[valid-type]  # noqa: UP007
    assert shape_of(alias, "read") == {"*": None, "[]": None}
    assert shape_of(Tree, "read") == {"*": None}


@pytest.mark.parametrize(
    ("before", "now", "path"),
    [
        (list[AccountStruct], list[FewerStruct], "store[]"),
        (set[AccountStruct], list[FewerStruct], "store[]"),
        (tuple[AccountStruct, ...], tuple[FewerStruct, ...], "store[]"),
        (tuple[int, AccountStruct], tuple[int, FewerStruct], "store[]"),
        (dict[str, AccountStruct], dict[str, FewerStruct], "store.*"),
        (AccountStruct | None, FewerStruct | None, "store"),
        (Annotated[AccountStruct, "note"], Annotated[FewerStruct, "note"], "store"),
        (dict[str, list[AccountStruct | None]], dict[str, list[FewerStruct]], "store.*[]"),
    ],
    ids=repr,
)
def test_a_record_inside_something(before: Any, now: Any, path: str) -> None:
    assert lost(before, now) == [f"{path}.o"]


class Created(msgspec.Struct, tag=True):
    id: int
    by: str


class Deleted(msgspec.Struct, tag=True):
    id: int
    why: str


class Created2(msgspec.Struct, tag="Created"):
    id: int


class Changed(msgspec.Struct, tag=True):
    id: int
    by: str
    why: str


@pytest.mark.parametrize(
    ("before", "now", "fields"),
    [
        (Created | Deleted, Created | Deleted | Changed, []),
        (Created | Deleted, Created2 | Deleted, ["store.<Created>.by"]),
        (Created | Deleted, Deleted | Changed | int, []),
        (Created, Created | Deleted, []),
        (Created, Deleted | Changed, []),
        (Created | Deleted, Created, ["store.<Deleted>.why"]),
        (list[Created] | int, list[Created2] | int, ["store[].by"]),
    ],
    ids=repr,
)
def test_one_of_several_records(before: Any, now: Any, fields: list[str]) -> None:
    assert lost(before, now) == fields


@dataclass
class Node:
    name: str
    left: Node | None = None
    rest: list[Node] = field(default_factory=list)


@dataclass
class Leaf:
    name: str


def test_a_record_that_holds_others_of_its_kind() -> None:
    assert lost(Node, Node) == []
    assert lost(Node, Leaf) == ["store.left", "store.rest"]


class Page(msgspec.Struct, Generic[T]):
    of: T


def test_the_parameter_of_a_record() -> None:
    assert lost(Page[AccountStruct], Page[FewerStruct]) == ["store.of.o"]


class Renamed(BaseModel):
    cents: int
    holder: str = Field("?", validation_alias=AliasChoices("holder", "o"))


class Unpacked(BaseModel):
    cents: int
    owner: str = Field("?", validation_alias=AliasPath("o", "name"))


class ByName(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    cents: int
    o: str = Field("?", alias="holder")


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    cents: int


class Hidden(BaseModel):
    cents: int
    secret: str = Field("", exclude=True)


class Many(RootModel[list[AccountModel]]):
    pass


class Few(RootModel[list[FewerModel]]):
    pass


class Shape1(BaseModel):
    kind: Literal["one"] = "one"
    area: int = 0


class Shape2(BaseModel):
    kind: Literal["two"] = "two"


class Shapes(BaseModel):
    of: list[Annotated[Shape1 | Shape2, Field(discriminator="kind")]] = []


class Shape1b(BaseModel):
    kind: Literal["one"] = "one"


Shape1b.__name__ = "Shape1"


class ShapesB(BaseModel):
    of: list[Shape1b | Shape2] = []


@pytest.mark.parametrize(
    ("before", "now", "fields"),
    [
        (AccountModel, Renamed, []),
        (AccountModel, Unpacked, []),
        (AccountModel, ByName, []),
        (AccountModel, Open, []),
        (Open, FewerModel, ["store.*"]),
        (Hidden, FewerModel, []),
        (Many, Few, ["store[].o"]),
        (Shapes, ShapesB, ["store.of[].<Shape1>.area"]),
    ],
    ids=repr,
)
def test_models_read_by_other_names_than_they_write(
    before: Any, now: Any, fields: list[str]
) -> None:
    assert lost(before, now) == fields


def test_serdes_around_others_and_serdes_without_fields() -> None:
    before, now = serdes.json(AccountStruct), serdes.json(FewerStruct)
    assert lost_of(serdes.list_of(before), serdes.list_of(now)) == ["store[].o"]
    others = (
        serdes.string(),
        serdes.list_of(serdes.long()),
        serdes.list_of(serdes.of(str.encode, bytes.decode)),
    )
    for other in others:
        assert isinstance(other, BuiltInSerde)
        assert other.document_shape("written") is None
        assert lost_of(before, other) == lost_of(other, now) == []


def test_names_in_annotations_are_looked_up_when_the_serde_is_made() -> None:
    """A main script is gone when its application starts."""
    names: dict[str, Any] = {"__name__": "gone", "Account": Account}
    module = ModuleType("gone")
    vars(module).update(names)
    sys.modules["gone"] = module
    program = (
        "from __future__ import annotations\n"
        "from dataclasses import dataclass\n"
        "@dataclass\nclass Holder:\n    account: Account\n"
    )
    exec(program, vars(module))
    serde = serdes.json(module.Holder)
    del sys.modules["gone"]
    assert lost_of(serde, serdes.json(dict[str, FewerStruct])) == [
        "store.account.owner",
        "store.account.street",
    ]


def test_types_that_all_refer_to_each_other_are_not_compared() -> None:
    names = [f"T{number}" for number in range(12)]
    fields = {name.lower(): f"'{name} | None'" for name in names}
    lines = "".join(f"    {name}: {type_} = None\n" for name, type_ in fields.items())
    module = ModuleType("crowd")
    sys.modules["crowd"] = module
    program = "".join(f"@dataclass\nclass {name}:\n{lines}" for name in names)
    exec(f"from dataclasses import dataclass\n{program}", vars(module))
    serde: Any = serdes.json(module.T0)
    assert serde.document_shape("written") is None
    del sys.modules["crowd"]
