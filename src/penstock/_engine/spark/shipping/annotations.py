"""What classes of the main script are annotated with, as types that mean the same on a worker.

Annotations that are text (`from __future__ import annotations`, a name in quotes) name things of
the main script, which are unknown in a worker's main module: msgspec and `typing.get_type_hints`
would fail there.
"""

from __future__ import annotations

import inspect
import sys
import typing
from dataclasses import is_dataclass
from enum import Enum
from typing import Any

from penstock._engine.spark.shipping.importable import is_importable

CACHES = frozenset({"__msgspec_cache__"})
"""What libraries keep on the classes of users; it cannot be pickled, and is made again."""


def spelled_annotations(cls: type) -> dict[str, Any]:
    """Return a class's own annotations, those of a document as types. Text stays text that has no
    meaning here, and that names a class which may not be able to travel.
    """
    written = inspect.get_annotations(cls)
    if not is_document(cls):
        return written
    names = vars(sys.modules[cls.__module__]) if cls.__module__ in sys.modules else {}
    return {name: _meant(one, names, dict(vars(cls))) for name, one in written.items()}


def is_document(cls: type) -> bool:
    """Return whether libraries read the annotations of a class to make objects of it."""
    is_named_tuple = issubclass(cls, tuple) and hasattr(cls, "_fields")
    is_struct = hasattr(cls, "__struct_fields__")
    return is_dataclass(cls) or is_named_tuple or is_struct or typing.is_typeddict(cls)


def _meant(written: Any, names: dict[str, Any], own: dict[str, Any]) -> Any:
    # A class of its own for each: one name that is only there for a type checker spoils no other.
    holder = type("holder", (), {"__annotations__": {"it": written}})
    try:
        # The module's names first: a field may have the name of its type.
        meaning = typing.get_type_hints(holder, own, names, include_extras=True)["it"]
    except Exception:  # the text can be anything
        return written
    return meaning if _can_travel(meaning) else written


def _can_travel(meaning: Any) -> bool:
    if isinstance(meaning, type) and not is_importable(meaning, meaning.__qualname__):
        return is_document(meaning) or issubclass(meaning, Enum)
    return all(map(_can_travel, typing.get_args(meaning)))
