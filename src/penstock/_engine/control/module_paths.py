"""The driver's module search path, and how a worker takes it over.

What the driver looks in before the standard library are the user's own folders: a worker looks in
them before its own packages too, in the driver's order, or it would import another module of the
same name. The rest, which belongs to the driver's interpreter, comes last.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

_STANDARD_LIBRARY = os.path.dirname(os.__file__)

_taken_over: set[str] = set()


@dataclass(frozen=True, slots=True)
class WithPaths:
    """Pickled, a value that a process opens with the modules of the process that pickled it in
    reach: paths are a part of the pickle that is opened first.
    """

    value: object

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _open, (_Paths(), self.value)


class _Paths:
    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        own, rest = _cut(list(map(_absolute, sys.path)))
        return take_over, (tuple(own), tuple(rest))


def _open(_paths: object, value: object) -> object:
    return value


def take_over(own: Sequence[str], rest: Sequence[str]) -> None:
    """Look for modules in the driver's paths that exist on this machine: in those of the user's
    `own` before the packages of this interpreter, in the `rest` at last.

    What only this process has before its standard library stays first: files that Spark has
    brought are meant for workers. The folder where it was started and paths that another program
    had come after the driver's.
    """
    here: dict[str, str] = {}
    for path in sys.path:
        here.setdefault(_absolute(path), path)
    first = [path for path in own if path in here or os.path.exists(path)]
    last = [path for path in rest if path not in here and os.path.exists(path)]
    front, back = ([path for path in part if path not in first] for part in _cut(list(here)))
    not_brought = {_absolute(""), *_taken_over}
    brought = [path for path in front if path not in not_brought]
    others = [path for path in front if path in not_brought]
    _taken_over.update(first)
    merged = [here.get(path, path) for path in (*brought, *first, *others, *back, *last)]
    if merged != sys.path:
        sys.path[:] = merged


def _cut(paths: list[str]) -> tuple[list[str], list[str]]:
    """Return what comes before the standard library, and the rest."""
    at = paths.index(_STANDARD_LIBRARY) if _STANDARD_LIBRARY in paths else 0
    return paths[:at], paths[at:]


def _absolute(path: str) -> str:
    with suppress(FileNotFoundError):  # the folder where the process was started is gone
        return os.path.abspath(path)
    return path
