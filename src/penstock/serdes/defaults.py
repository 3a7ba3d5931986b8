"""Fields that a document does not have: their defaults become part of the value that was read.

msgspec leaves a plain default of a dataclass on the class and does not write it again: equal values
would have different bytes, and what an old document lacks would be missing in the new one, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, TypeAlias

from msgspec import inspect as look

Complete: TypeAlias = Callable[[Any], Any]

_EACH = (list, tuple, set, frozenset)


def completer(of: Any, walk: Callable[[look.Type], Iterable[look.Type]]) -> Complete | None:
    """Return the function that puts defaults into a value that was read; None if it lacks none.

    `walk` yields a type and all that it is made of.
    """
    found = list(walk(look.type_info(of)))
    lacking = {
        info.cls: info
        for info in found
        if isinstance(info, look.DataclassType) and _leaves_defaults(info.cls)
    }
    if not lacking:
        return None
    holders = {
        info.cls: tuple(
            field.name
            for field in info.fields
            if any(getattr(part, "cls", None) in lacking for part in walk(field.type))
        )
        for info in found
        if isinstance(info, look.DataclassType | look.StructType)
    }
    wanted = {cls: fields(cls) for cls in lacking}

    def complete(value: Any) -> Any:
        kind = type(value)
        if kind in wanted and len(vars(value)) < len(wanted[kind]):
            _fill(vars(value), wanted[kind])
        if kind in holders:
            for name in holders[kind]:
                complete(getattr(value, name))
        elif isinstance(value, _EACH):
            for part in value:
                complete(part)
        elif isinstance(value, dict):
            for part in value.values():
                complete(part)
        return value

    return complete


def _leaves_defaults(cls: Any) -> bool:
    # A class with slots has no attribute that could stand for the default.
    return (
        is_dataclass(cls)
        and not hasattr(cls, "__slots__")
        and any(field.default is not MISSING for field in fields(cls))
    )


def _fill(there: dict[str, Any], wanted: Iterable[Field[Any]]) -> None:
    for field in wanted:
        if field.default is not MISSING:
            there.setdefault(field.name, field.default)
