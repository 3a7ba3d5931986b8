"""Sends sentinels of importable modules by name, since a copy would not be identical.

`dataclasses.MISSING` and its like carry no data; code compares them by identity. pickle would send
a copy, and `default is MISSING` would be false in the other process: required fields would become
optional. A sentinel is therefore sent as its module and its name there.

Other threads import modules and set attributes during a search, so it goes through copies. A list
of a dict's items is no copy: while its tuples are made, the garbage collector may run, and py4j's
callbacks in it wait for the JVM.
"""

from __future__ import annotations

import copyreg
import sys
from collections.abc import Iterator
from importlib import import_module
from operator import attrgetter
from types import ModuleType
from typing import Any, TypeAlias

from penstock._engine.spark.shipping.importable import is_sent

Place: TypeAlias = tuple[str, str]
"""A module and a dotted name in it."""

_PROTOCOL = 4


def looks_like_sentinel(value: object) -> bool:
    """Return whether `value` is compared by identity, is pickled the usual way and has no data.

    A name is no data: `Sentinel("MISSING")` has nothing else.
    """
    return _texts(value) is not None


class SentinelPlaces:
    """The modules and names of this process's sentinels; searched once, if need be."""

    def __init__(self) -> None:
        self._places: dict[int, Place] | None = None

    def find(self, value: object) -> Place | None:
        """Return where to import a sentinel from, None if it belongs to no importable module."""
        if self._places is None:
            self._places = {}
            for found, module, name in _module_level_sentinels():
                # Other modules may have imported it from the module of its class.
                if module == type(found).__module__:
                    self._places[id(found)] = module, name
                else:
                    self._places.setdefault(id(found), (module, name))
        return self._places.get(id(value))


def find_sentinel(module: str, name: str, kind: type[object]) -> Any:
    """Return this process's sentinel of that module and name; make it if it is missing."""
    holder: Any = import_module(module)
    *path, last = name.split(".")
    if path:
        holder = attrgetter(".".join(path))(holder)
    found = getattr(holder, last, None)
    if type(found) is not kind:
        # The driver's program has set it there; so does this process.
        found = object.__new__(kind)
        setattr(holder, last, found)
    return found


def _texts(value: object) -> list[str] | None:
    """Return the texts in the state of a sentinel, None if it is no sentinel."""
    kind = type(value)
    if (
        value is None
        or kind.__eq__ is not object.__eq__
        or kind.__reduce__ is not object.__reduce__
        or kind.__reduce_ex__ is not object.__reduce_ex__
        or kind.__getstate__ is not object.__getstate__
    ):
        return None
    try:
        reduced: Any = value.__reduce_ex__(_PROTOCOL)
        make, arguments, state, *items = reduced
    except Exception:  # pickle refuses objects of types in C that have data it cannot see
        return None
    makes_new = make is copyreg.__newobj__  # type: ignore[attr-defined]
    if not makes_new or arguments != (kind,) or any(items):
        return None
    parts = state if isinstance(state, tuple) else (state,)
    texts = [text for part in parts if part for text in list(part.values())]
    return texts if all(isinstance(text, str) for text in texts) else None


def _is_called(value: object, name: str, module: str) -> bool:
    """Return whether `value` is a sentinel called `name`.

    If it has texts, each is its name or the name of its module: settings that are all text have
    data, and what the program has changed in them must arrive.
    """
    texts = _texts(value)
    if texts is None:
        return False
    bare, modules = name.strip("_").casefold(), {module, type(value).__module__}
    return all(
        text in modules or text.rpartition(".")[2].strip("<>_ ").casefold() == bare
        for text in texts
    )


def _module_level_sentinels() -> Iterator[tuple[object, str, str]]:
    for module_name, module in sys.modules.copy().items():
        if (
            is_sent(module_name)
            or not isinstance(module, ModuleType)
            or getattr(module, "__spec__", None) is None
        ):
            continue
        for name, value in vars(module).copy().items():
            if isinstance(value, type):
                if value.__module__ == module_name:
                    yield from _sentinels_of(value, module_name, f"{name}.")
            elif _is_called(value, name, module_name):
                yield value, module_name, name


def _sentinels_of(cls: type, module: str, prefix: str) -> Iterator[tuple[object, str, str]]:
    for name, value in vars(cls).copy().items():
        if _is_called(value, name, module):
            yield value, module, f"{prefix}{name}"
