"""Pickles msgspec.Struct classes of the main script, which cloudpickle rebuilds without fields.

A class is sent as its definition and made anew in the worker. Its methods and the types of its
fields are set afterwards, since they may refer to it (msgspec issue 394); msgspec reads the types
when a codec is made.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import msgspec

from penstock._engine.spark.shipping.annotations import spelled_annotations
from penstock._engine.spark.shipping.importable import is_importable

_MADE_BY_MSGSPEC = frozenset(
    {
        "__annotations__",
        "__dict__",
        "__doc__",
        "__match_args__",
        "__module__",
        "__orig_bases__",
        "__parameters__",
        "__qualname__",
        "__slots__",
        "__struct_config__",
        "__struct_defaults__",
        "__struct_encode_fields__",
        "__struct_fields__",
        "__weakref__",
    }
)
_OPTIONS = (
    "array_like",
    "cache_hash",
    "dict",
    "eq",
    "forbid_unknown_fields",
    "frozen",
    "gc",
    "omit_defaults",
    "order",
    "repr_omit_defaults",
    "weakref",
)


def must_be_sent(value: Any) -> bool:
    """Return whether `value` is a Struct class that a worker cannot import."""
    is_struct = isinstance(value, type) and issubclass(value, msgspec.Struct)
    return is_struct and not is_importable(value, value.__qualname__)


def reduce_struct(cls: type[msgspec.Struct]) -> tuple[Any, ...]:
    """Return the reduction of `cls`: how to make it, and what to set afterwards."""
    config = cls.__struct_config__
    options = {name: getattr(config, name) for name in _OPTIONS if hasattr(config, name)}
    if config.tag is not None:
        options |= {"tag": config.tag, "tag_field": config.tag_field}
    own = spelled_annotations(cls)
    fields = [entry for entry in msgspec.structs.fields(cls) if entry.name in own]
    # Not among the options: fields that are not positional are keyword-only.
    options["kw_only"] = any(entry.name not in cls.__match_args__ for entry in fields)
    members = {
        name: member
        for name, member in vars(cls).items()
        if name not in _MADE_BY_MSGSPEC and not isinstance(member, types.MemberDescriptorType)
    }
    at_birth = {name: members.pop(name) for name in ("__post_init__",) if name in members}
    names = (cls.__name__, cls.__qualname__, cls.__module__, cls.__doc__)
    bases = vars(cls).get("__orig_bases__", cls.__bases__)
    made_from = (names, [_field(entry) for entry in fields], bases, at_birth, options)
    # Annotations also have the class variables, which are no fields.
    kinds = {**own, **{entry.name: entry.type for entry in fields}}
    return _make, made_from, (members, kinds), None, None, _complete


def _field(entry: msgspec.structs.FieldInfo) -> tuple[str, dict[str, Any]]:
    settings: dict[str, Any] = {}
    if entry.encode_name != entry.name:
        settings["name"] = entry.encode_name
    if entry.default is not msgspec.NODEFAULT:
        settings["default"] = entry.default
    elif entry.default_factory is not msgspec.NODEFAULT:
        settings["default_factory"] = entry.default_factory
    return entry.name, settings


def _make(
    names: tuple[str, str, str, str | None],
    fields: list[tuple[str, dict[str, Any]]],
    bases: tuple[Any, ...],
    at_birth: dict[str, Callable[..., Any]],
    options: dict[str, Any],
) -> type[msgspec.Struct]:
    name, qualname, module, doc = names
    defaults = {field: msgspec.field(**settings) for field, settings in fields if settings}
    namespace = {
        **at_birth,
        **defaults,
        "__annotations__": dict.fromkeys([field for field, _ in fields], Any),
        "__module__": module,
        "__qualname__": qualname,
        "__doc__": doc,
    }
    made: type[msgspec.Struct] = types.new_class(
        name, bases, options, lambda ns: ns.update(namespace)
    )
    return made


def _complete(cls: type[msgspec.Struct], state: tuple[dict[str, Any], dict[str, Any]]) -> None:
    members, kinds = state
    cls.__annotations__ = kinds
    for name, member in members.items():
        setattr(cls, name, member)
