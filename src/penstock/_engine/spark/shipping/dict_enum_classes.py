"""Pickles TypedDict and Enum classes of the main script, of which cloudpickle loses a part.

It cannot rebuild a TypedDict that extends another, and drops the aliases of an Enum, the named
combinations of a Flag and what a member's own `__new__` or `__init__` has set. As with Struct
classes, parts that may refer to the class are set after it is made.
"""

from __future__ import annotations

import types
import typing
from contextlib import suppress
from enum import Enum
from importlib import import_module
from typing import Any, TypeAlias

from penstock._engine.spark.shipping.annotations import CACHES, spelled_annotations
from penstock._engine.spark.shipping.importable import is_importable

Reduced: TypeAlias = tuple[Any, ...]
Names: TypeAlias = tuple[str, str, str, str | None]

_KEYS = (
    "__total__",
    "__required_keys__",
    "__optional_keys__",
    "__readonly_keys__",
    "__mutable_keys__",
    "__closed__",
    "__extra_items__",
)
_MADE_BY_ENUM = frozenset(
    {
        "__dict__",
        "__doc__",
        "__module__",
        "__new__",
        "__qualname__",
        "__weakref__",
        "_generate_next_value_",
        "_hashable_values_",
        "_member_map_",
        "_member_names_",
        "_member_type_",
        "_unhashable_values_",
        "_unhashable_values_map_",
        "_value2member_map_",
    }
)
_MADE_ON_MEMBERS = frozenset({"__objclass__", "_inverted_", "_name_", "_sort_order_"})


def reduce_dict_or_enum(cls: type) -> Reduced | None:
    """Return the reduction of a TypedDict or an Enum, None if `cls` is another class or one that
    workers can import.
    """
    if is_importable(cls, cls.__qualname__):
        return None
    if typing.is_typeddict(cls) or type(cls).__name__ == "_TypedDictMeta":
        return _reduce_typed_dict(cls)
    if issubclass(cls, Enum) and cls.__members__:
        return _reduce_enum(cls)
    return None


def _names(cls: type) -> Names:
    return cls.__name__, cls.__qualname__, cls.__module__, cls.__doc__


def _reduce_typed_dict(cls: Any) -> Reduced:
    # Of its bases a TypedDict keeps only the keys, which are in its own annotations.
    parameters = getattr(cls, "__parameters__", ())
    keys = {name: getattr(cls, name) for name in _KEYS if hasattr(cls, name)}
    state = (spelled_annotations(cls), keys)
    maker = type(cls).__module__
    return _make_typed_dict, (_names(cls), maker, parameters), state, None, None, _complete_keys


def _make_typed_dict(names: Names, maker: str, parameters: tuple[Any, ...]) -> Any:
    name, qualname, module, doc = names
    bases: tuple[Any, ...] = (import_module(maker).TypedDict,)
    if parameters:
        bases = (*bases, typing.Generic[parameters])  # type: ignore[index]
    namespace = {"__module__": module, "__qualname__": qualname, "__doc__": doc}
    return types.new_class(name, bases, {}, lambda body: body.update(namespace))


def _complete_keys(cls: Any, state: tuple[dict[str, Any], dict[str, Any]]) -> None:
    annotations, keys = state
    cls.__annotations__ = annotations
    for name, value in keys.items():
        setattr(cls, name, value)


def _reduce_enum(cls: Any) -> Reduced:
    values = {name: _made_of(cls, member) for name, member in cls.__members__.items()}
    members = {
        name: {key: value for key, value in vars(member).items() if key not in _MADE_ON_MEMBERS}
        for name, member in cls.__members__.items()
    }
    own = {
        name: value
        # msgspec sets its cache on the class when another thread makes a codec.
        for name, value in vars(cls).copy().items()
        if name not in _MADE_BY_ENUM and name not in CACHES and name not in values
    }
    made_from = (_names(cls), cls.__bases__, values, vars(cls).get("_boundary_"))
    return _make_enum, made_from, (own, members), None, None, _complete_enum


def _made_of(cls: Any, member: Any) -> object:
    """Return the argument that makes a member: its value, or what its own `__new__` chose."""
    data = cls._member_type_
    if data is not object and hasattr(data, "__getnewargs__"):
        made_of = data.__getnewargs__(member)
        if len(made_of) == 1 and made_of[0] != member.value:
            return made_of[0]
    return member.value


def _make_enum(
    names: Names, bases: tuple[type, ...], values: dict[str, object], boundary: Any
) -> Any:
    name, qualname, module, doc = names
    kind: Any = type(bases[-1])
    body = kind.__prepare__(name, bases)
    body.update({"__module__": module, "__qualname__": qualname, "__doc__": doc})
    for member, value in values.items():
        body[member] = value
    options = {} if boundary is None else {"boundary": boundary}
    return kind(name, bases, body, **options)


def _complete_enum(cls: Any, state: tuple[dict[str, Any], dict[str, dict[str, Any]]]) -> None:
    own, members = state
    for name, value in own.items():
        setattr(cls, name, value)
    for name, attributes in members.items():
        member = cls.__members__[name]
        vars(member).update(attributes)
        with suppress(TypeError):  # Enum searches for a value without a hash
            cls._value2member_map_[member._value_] = member
