"""Java's spelling, answered: `stream.mapValues` raises an error that names `map_values`."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, NoReturn

_BETWEEN_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_RENAMED = {"foreach": "for_each", "print_": "print"}


class ExplainsCamelCase:
    """Mixed into public classes; type checkers do not see it, so they still report unknown
    names.
    """

    __slots__ = ()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            raise AttributeError(_explain(self, name), name=name, obj=self)


class ExplainsJavaNames(type):
    """The type of public classes whose factories are called otherwise in Java: `_java_names` says
    what to write for each.
    """

    if not TYPE_CHECKING:

        def __getattr__(cls, name: str) -> NoReturn:
            msg = _by_java_name(cls, name) or f"{cls.__name__} has no {name!r}"
            raise AttributeError(msg, name=name, obj=cls)


def snake_case(name: str) -> str:
    """Spell a Java name our way.

    >>> snake_case("flatMapValues")
    'flat_map_values'
    """
    return _BETWEEN_WORDS.sub("_", name).lower()


def _explain(subject: object, name: str) -> str:
    kind = type(subject)
    if java := _by_java_name(kind, name):
        return java
    spoken = getattr(kind, "_spoken_name", kind.__name__)
    known = [attribute for attribute in dir(kind) if not attribute.startswith("_")]
    ours = _RENAMED.get(name, snake_case(name))
    if ours != name and ours in known:
        return f"{spoken} has no {name!r}; in Python it is spelled {ours!r}"
    near = difflib.get_close_matches(ours, known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"{spoken} has no {name!r}{hint}"


def _by_java_name(kind: type, name: str) -> str | None:
    ours = kind.__dict__.get("_java_names", {}).get(name)
    if ours is None:
        return None
    return f"{kind.__name__} has no {name!r}; in Python it is spelled {kind.__name__}.{ours}"
