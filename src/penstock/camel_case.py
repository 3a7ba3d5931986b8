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


def snake_case(name: str) -> str:
    """Spell a Java name our way.

    >>> snake_case("flatMapValues")
    'flat_map_values'
    """
    return _BETWEEN_WORDS.sub("_", name).lower()


def _explain(subject: object, name: str) -> str:
    kind = type(subject)
    spoken = getattr(kind, "_spoken_name", kind.__name__)
    known = [attribute for attribute in dir(kind) if not attribute.startswith("_")]
    ours = _RENAMED.get(name, snake_case(name))
    if ours != name and ours in known:
        return f"{spoken} has no {name!r}; in Python it is spelled {ours!r}"
    near = difflib.get_close_matches(ours, known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"{spoken} has no {name!r}{hint}"
