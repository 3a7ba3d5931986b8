"""Sending msgspec.Struct classes of the main script: cloudpickle would rebuild them without fields.

A class is sent as its definition and made anew where it arrives; its methods follow when it exists,
since they may speak of it (msgspec issue 394).
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

import msgspec

_MADE_BY_MSGSPEC = frozenset(
    {
        "__annotations__",
        "__doc__",
        "__match_args__",
        "__module__",
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
    "kw_only",
    "omit_defaults",
    "order",
    "repr_omit_defaults",
    "weakref",
)


def must_be_sent(value: object) -> bool:
    """Tell whether `value` is a Struct class that a worker cannot import."""
    if not isinstance(value, type) or not issubclass(value, msgspec.Struct):
        return False
    found: Any = sys.modules.get(value.__module__) if value.__module__ != "__main__" else None
    for name in value.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is not value


def reduce_struct(cls: type[msgspec.Struct]) -> tuple[Any, ...]:
    """Give what pickle needs to send `cls`: how to make it, and what to add once it is there."""
    config = cls.__struct_config__
    options = {name: getattr(config, name) for name in _OPTIONS if hasattr(config, name)}
    if config.tag is not None:
        options |= {"tag": config.tag, "tag_field": config.tag_field}
    own = vars(cls).get("__annotations__", {})
    fields = [_field(entry) for entry in msgspec.structs.fields(cls) if entry.name in own]
    members = {
        name: member
        for name, member in vars(cls).items()
        if name not in _MADE_BY_MSGSPEC and not isinstance(member, types.MemberDescriptorType)
    }
    at_birth = {name: members.pop(name) for name in ("__post_init__",) if name in members}
    names = (cls.__name__, cls.__qualname__, cls.__module__, cls.__doc__)
    made_from = (names, fields, cls.__bases__, at_birth, options)
    return _make, made_from, members, None, None, _add_members


def _field(entry: msgspec.structs.FieldInfo) -> tuple[str, Any, Any]:
    settings: dict[str, Any] = {}
    if entry.encode_name != entry.name:
        settings["name"] = entry.encode_name
    if entry.default is not msgspec.NODEFAULT:
        settings["default"] = entry.default
    elif entry.default_factory is not msgspec.NODEFAULT:
        settings["default_factory"] = entry.default_factory
    return entry.name, entry.type, settings


def _make(
    names: tuple[str, str, str, str | None],
    fields: list[tuple[str, Any, dict[str, Any]]],
    bases: tuple[type, ...],
    namespace: dict[str, Callable[..., Any]],
    options: dict[str, Any],
) -> type[msgspec.Struct]:
    name, qualname, module, doc = names
    drawn = [
        (field, kind, msgspec.field(**settings)) if settings else (field, kind)
        for field, kind, settings in fields
    ]
    made = msgspec.defstruct(
        name, drawn, bases=bases, module=module, namespace=dict(namespace), **options
    )
    made.__qualname__ = qualname
    made.__doc__ = doc
    return made


def _add_members(cls: type[msgspec.Struct], members: dict[str, Any]) -> None:
    for name, member in members.items():
        setattr(cls, name, member)
