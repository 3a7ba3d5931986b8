"""The fields of the documents of a type, as plain data: a later type may have lost some.

A shape is None where a type says nothing of fields: a number, or any document. Otherwise it has
what is inside: of a record its fields, as documents name them; of one that is written as an array
"[0]", "[1]"; of a list "[]", of a dict "*", of a union of several records each of them as "<Tag>".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    TypeAlias,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec

from penstock.serdes.document_types import is_pydantic

Shape: TypeAlias = "Mapping[str, Shape] | None"
Side: TypeAlias = Literal["written", "read"]
"""Whether the names are those that are written, or those that are understood: pydantic has aliases
for each.
"""

_STEPS_MAX = 1_000
_ITEM, _ANY_KEY, _MEMBER = "[]", "*", "<"
_IN_ARRAY = "["


def shape_of(of: Any, side: Side) -> Shape:
    """Return the shape of the documents of a type; None if that cannot be told."""
    try:
        return _shape(of, _Walk(side), ())
    except (OverflowError, RecursionError):
        return None


def list_shape(entry: Shape) -> Shape:
    """Return the shape of lists of documents."""
    return None if entry is None else {_ITEM: entry}


def lost_fields(before: Shape, now: Shape, path: str) -> list[str]:
    """Return the fields of documents written `before` that a type drops that reads as `now`.

    What it cannot read at all is not among them: that fails, and loses nothing.
    """
    if before is None or now is None:
        return []
    members = [part for name, part in now.items() if name.startswith(_MEMBER)]
    if members and not any(name.startswith(_MEMBER) for name in before):
        return _fewest_lost(before, members, path)
    lost: list[str] = []
    for name, part in before.items():
        in_array = name.startswith(_IN_ARRAY)
        here = f"{path}{name}" if in_array else f"{path}.{name}"
        others = _ITEM if in_array else _ANY_KEY
        if name in now:
            lost += lost_fields(part, now[name], here)
        elif name.startswith(_MEMBER):
            lost += _fewest_lost(part, members or [now], here)
        elif others in now:
            lost += lost_fields(part, now[others], here)
        elif name != _ITEM and in_array is any(other.startswith(_IN_ARRAY) for other in now):
            lost.append(here)
    return lost


def _fewest_lost(before: Shape, candidates: Iterable[Shape], path: str) -> list[str]:
    """Return what the candidate loses that fits best: documents do not say which it will be."""
    losses: list[list[str]] = [lost_fields(before, now, path) for now in candidates]
    return min(losses, key=len)


class _Walk:
    """A walk through a type: many that refer to each other have no end of paths."""

    def __init__(self, side: Side) -> None:
        self.side: Side = side
        self._steps = 0

    def count_step(self) -> None:
        self._steps += 1
        if self._steps > _STEPS_MAX:
            raise OverflowError


def _shape(of: Any, walk: _Walk, within: tuple[object, ...]) -> Shape:
    if hasattr(of, "__value__"):  # `type Name = ...`
        walk.count_step()
        return None if of in within else _shape(of.__value__, walk, (*within, of))
    of = getattr(of, "__supertype__", of)  # NewType
    origin, arguments = get_origin(of), get_args(of)
    if origin is Annotated:
        return _shape(arguments[0], walk, within)
    if origin in {Union, UnionType}:
        return _union([each for each in arguments if each is not NoneType], walk, within)
    cls = origin or of
    # A type inside itself is compared where it is met first.
    return _of_class(of, cls, walk, within) if isinstance(cls, type) and cls not in within else None


def _of_class(of: Any, cls: Any, walk: _Walk, within: tuple[object, ...]) -> Shape:
    if getattr(cls, "__pydantic_root_model__", False):
        walk.count_step()
        return _shape(cls.model_fields["root"].annotation, walk, (*within, cls))
    found = _fields(of, cls, walk.side)
    if found is not None:
        walk.count_step()
        shape = {name: _shape(type_, walk, (*within, cls)) for name, type_ in found}
        # An array of another length cannot be read as a NamedTuple: it has no items to lose.
        return {**shape, _ITEM: None} if _is_named_tuple(cls) else shape
    arguments = get_args(of)
    if issubclass(cls, Mapping):
        return {_ANY_KEY: _shape(arguments[1], walk, within) if len(arguments) > 1 else None}
    if issubclass(cls, Iterable) and arguments:
        return {_ITEM: _union([each for each in arguments if each is not ...], walk, within)}
    return None


def _union(parts: list[Any], walk: _Walk, within: tuple[object, ...]) -> Shape:
    shapes = [(part, shape) for part in parts if (shape := _shape(part, walk, within)) is not None]
    if len(shapes) < 2:
        return shapes[0][1] if shapes else None
    merged: dict[str, Shape] = {}
    for part, shape in shapes:
        if _ITEM in shape or _ANY_KEY in shape:
            merged.update(shape)
        else:
            merged[f"{_MEMBER}{_tag(part)}>"] = shape
    return merged


def _tag(of: Any) -> str:
    cls = get_origin(of) or of
    config = getattr(cls, "__struct_config__", None)
    tag = None if config is None else config.tag
    return str(getattr(cls, "__name__", cls) if tag is None else tag)


def _fields(of: Any, cls: type, side: Side) -> list[tuple[str, Any]] | None:
    """Return the names and the types of the fields of a record; None if it is none."""
    if is_pydantic(cls):
        return list(_of_model(cls, side))
    if issubclass(cls, msgspec.Struct):
        of_struct = msgspec.structs.fields(of)
        return (
            _by_position(each.type for each in of_struct)
            if cls.__struct_config__.array_like
            else [(each.encode_name, each.type) for each in of_struct]
        )
    is_typed_dict = issubclass(cls, dict) and hasattr(cls, "__total__")
    if not (is_dataclass(cls) or is_typed_dict or _is_named_tuple(cls)):
        return None
    try:
        hints = get_type_hints(cls)
    except NameError:  # within a pydantic model, which looks them up in its own way
        return None
    if is_dataclass(cls):
        return [(each.name, hints[each.name]) for each in fields(cls)]
    return _by_position(hints.values()) if _is_named_tuple(cls) else [*hints.items()]


def _is_named_tuple(cls: type) -> bool:
    return issubclass(cls, tuple) and hasattr(cls, "_fields")


def _by_position(types: Iterable[Any]) -> list[tuple[str, Any]]:
    return [(f"[{index}]", type_) for index, type_ in enumerate(types)]


def _of_model(model: Any, side: Side) -> Iterator[tuple[str, Any]]:
    config = model.model_config
    by_name = config.get("populate_by_name") or config.get("validate_by_name")
    for name, info in model.model_fields.items():
        if info.exclude:
            continue
        if side == "written":
            yield info.serialization_alias or info.alias or name, info.annotation
            continue
        alias = info.validation_alias or info.alias or name
        for choice in (*getattr(alias, "choices", (alias,)), *((name,) if by_name else ())):
            path = getattr(choice, "path", None)
            yield (choice, info.annotation) if path is None else (str(path[0]), Any)
    if config.get("extra") == "allow":
        yield _ANY_KEY, Any
