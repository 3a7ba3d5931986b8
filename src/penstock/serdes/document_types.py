"""The types a user describes JSON documents with: what is in them, and how they travel.

`survey` looks through a type once, when its serde is made, so that a type which no document can
have is refused there and not at the first record.

Classes of a main script or a notebook cannot be imported by a worker: they are pickled whole and
rebuilt there. `forget_codecs`, `check_can_travel`, `spelled_out` and `spell_out` keep
them complete.
"""

from __future__ import annotations

import inspect
import sys
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from operator import attrgetter
from pickle import PicklingError
from types import NoneType, UnionType
from typing import Any, Literal, TypeAlias, Union, cast

import msgspec
from msgspec import inspect as look

Annotations: TypeAlias = dict[type, dict[str, Any]]

_RECORDS = (
    look.StructType,
    look.DataclassType,
    look.TypedDictType,
    look.NamedTupleType,
    look.EnumType,
)
_NO_DICT_KEY = (
    look.NoneType,
    look.BoolType,
    look.ListType,
    look.TupleType,
    look.VarTupleType,
    look.SetType,
    look.FrozenSetType,
    look.DictType,
    look.StructType,
    look.DataclassType,
    look.TypedDictType,
    look.NamedTupleType,
)
_UNCHANGING = (
    look.NoneType,
    look.BoolType,
    look.IntType,
    look.FloatType,
    look.StrType,
    look.BytesType,
    look.DateTimeType,
    look.DateType,
    look.TimeType,
    look.TimeDeltaType,
    look.UUIDType,
    look.DecimalType,
    look.EnumType,
    look.LiteralType,
    look.UnionType,
    look.TupleType,
    look.VarTupleType,
    look.FrozenSetType,
    look.NamedTupleType,
)


@dataclass(frozen=True, slots=True)
class Survey:
    """What a look through a type found.

    `root` is the class that values must be of, if the type is a class with instances of its own;
    `classes` are all record and enum classes in it; `problems` say what no document can hold. If it
    `is_frozen`, nothing in a value can be changed. It `has_floats` if a value may have one.
    """

    root: type | None
    classes: tuple[type, ...]
    has_sets: bool
    has_floats: bool
    is_frozen: bool
    problems: tuple[str, ...]


def survey(of: object) -> Survey:
    """Look through a type that msgspec has accepted."""
    found = list(_walk(look.type_info(of), type_name(of)))
    classes = tuple(_class_of(info) for _, info in found if isinstance(info, _RECORDS))
    top = found[0][1]
    # A TypedDict has no instances: its values are plain dicts.
    has_instances = isinstance(top, _RECORDS) and not isinstance(top, look.TypedDictType)
    return Survey(
        root=classes[0] if has_instances else None,
        classes=classes,
        has_sets=any(isinstance(info, look.SetType | look.FrozenSetType) for _, info in found),
        has_floats=any(isinstance(info, look.FloatType | look.AnyType) for _, info in found),
        is_frozen=all(_is_frozen(info) for _, info in found),
        problems=tuple(problem for place, info in found for problem in _problems(place, info)),
    )


def parts_of(info: look.Type) -> list[look.Type]:
    """Return a type and all that it is made of."""
    return [part for _, part in _walk(info, "")]


def type_name(of: object) -> str:
    """Return a type as a user writes it: `Order`, `list[Order]`, `Order | None`."""
    if of is None or of is NoneType:
        return "None"
    if of is ...:
        return "..."
    origin, arguments = typing.get_origin(of), typing.get_args(of)
    if origin in (Union, UnionType):
        return " | ".join(type_name(argument) for argument in arguments)
    if origin is Literal:
        return f"Literal[{', '.join(repr(argument) for argument in arguments)}]"
    if origin is not None:
        return f"{type_name(origin)}[{', '.join(type_name(argument) for argument in arguments)}]"
    name: str = getattr(of, "__qualname__", None) or getattr(of, "__name__", None) or repr(of)
    return name.rpartition("<locals>.")[2]


def forget_codecs(classes: tuple[type, ...]) -> None:
    """Take msgspec's memory off the user's classes: it cannot be pickled, and they must be.

    msgspec notes what it learns on the class itself, and the notes are pickled with the class: with
    each serde and with each lambda that mentions it. The decoder that was built holds what it
    needs.
    """
    for cls in classes:
        if "__msgspec_cache__" in vars(cls):
            del cls.__msgspec_cache__  # type: ignore[attr-defined]


def check_can_travel(classes: tuple[type, ...]) -> None:
    """Refuse to pickle a msgspec.Struct that workers cannot import.

    cloudpickle rebuilds such a class without its fields and without an error (msgspec issue 394):
    every value would be written as {}.
    """
    for cls in classes:
        if issubclass(cls, msgspec.Struct) and not _is_importable(cls):
            msg = (
                f"msgspec.Struct {cls.__qualname__} cannot be sent to workers: it is not at the "
                f"top level of a module they can import (it is in {cls.__module__}); "
                "move it to a module, or make it a dataclass"
            )
            raise PicklingError(msg)


def spelled_out(classes: tuple[type, ...]) -> Annotations:
    """Return, for each class that has annotations written as text, its own annotations as types.

    The names in such text (`from __future__ import annotations`) are those of the main script, and
    mean nothing in the main module of a worker.
    """
    travelling: Annotations = {}
    # The annotations of an enum say nothing about its members, and may name what is not there.
    ancestry = [
        ancestor for cls in classes if not issubclass(cls, Enum) for ancestor in cls.__mro__
    ]
    for cls in dict.fromkeys(ancestry):
        written = inspect.get_annotations(cls)
        if not written:
            continue
        meant = typing.get_type_hints(cls, include_extras=True)
        own = {name: meant[name] for name in written}
        if own != written:
            travelling[cls] = own
    return travelling


def spell_out(annotations: Annotations) -> None:
    """Put the annotations that travelled with a serde on the classes that travelled with it."""
    for cls, own in annotations.items():
        cls.__annotations__ = own


def _walk(root: look.Type, place: str) -> Iterator[tuple[str, look.Type]]:
    pending = [(place, root)]
    seen: dict[int, look.Type] = {}  # by identity: a recursive type contains itself
    while pending:
        place, info = pending.pop()
        if id(info) in seen:
            continue
        seen[id(info)] = info
        yield place, info
        pending.extend(_parts(place, info))


def _parts(place: str, info: look.Type) -> Iterator[tuple[str, look.Type]]:
    for name in info.__struct_fields__:
        value = getattr(info, name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, look.Field):
                yield f"{type_name(_class_of(info))}.{part.name}", part.type
            elif isinstance(part, look.Type):
                yield place, part


def _is_frozen(info: look.Type) -> bool:
    """Yes if a value of this type is immutable, but for what is in it.

    A class with code that runs when an instance is made may count on that each time.
    """
    if isinstance(info, look.StructType | look.DataclassType):
        cls = _class_of(info)
        is_frozen = (
            cls.__struct_config__.frozen and not cls.__struct_config__.dict
            if issubclass(cls, msgspec.Struct)
            else cast("Any", cls).__dataclass_params__.frozen
        )
        return bool(is_frozen) and not hasattr(cls, "__post_init__")
    return isinstance(info, _UNCHANGING)


def _problems(place: str, info: look.Type) -> Iterator[str]:
    if isinstance(info, look.CustomType):
        name = type_name(info.cls)
        yield f"{name if name == place else f'{name} in {place}'} {_remedy(info.cls)}"
    elif isinstance(info, look.DictType) and isinstance(info.key_type, _NO_DICT_KEY):
        yield f"a dict in {place} has keys that cannot be text; use str keys, or a list of pairs"


def _remedy(cls: object) -> str:
    if is_pydantic(cls):
        return (
            "is a pydantic model inside another type; "
            "make the whole type a pydantic model or RootModel"
        )
    if cls is object:
        return "says nothing about the document; use typing.Any"
    return (
        "has no JSON form; use a dataclass, TypedDict, NamedTuple or msgspec.Struct, "
        "or make a serde with serdes.of(encode, decode)"
    )


def is_pydantic(of: object) -> bool:
    """Yes if a class is a pydantic model, by its methods; pydantic itself is never imported."""
    return (
        isinstance(of, type)
        and hasattr(of, "model_validate_json")
        and hasattr(of, "model_dump_json")
    )


def _class_of(info: look.Type) -> type:
    cls = info.cls  # type: ignore[attr-defined]
    return cast("type", typing.get_origin(cls) or cls)


def _is_importable(cls: type) -> bool:
    module = sys.modules.get(cls.__module__)
    try:
        return cls.__module__ != "__main__" and attrgetter(cls.__qualname__)(module) is cls
    except AttributeError:
        return False
