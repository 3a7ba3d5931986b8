"""Refuse serdes passed to a verb one by one, as in `stream("orders", key, value)`, with an error
that names the option. Python's own error only counts the arguments.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from penstock.errors import TopologyError
from penstock.serdes import Serde

Verb = TypeVar("Verb", bound=Callable[..., Any])


def serdes_belong_in(option: type) -> Callable[[Verb], Verb]:
    """Decorate a verb to refuse serdes that belong in its `option`; its signature stays."""

    def explained(verb: Verb) -> Verb:
        @functools.wraps(verb)
        def checked(*given: Any, **named: Any) -> Any:
            _refuse_loose(verb.__name__, option, given, named)
            return verb(*given, **named)

        return cast(Verb, checked)

    return explained


def _refuse_loose(verb: str, option: type, given: tuple[Any, ...], named: dict[str, Any]) -> None:
    if any(isinstance(value, option) for value in (*given, *named.values())):
        return
    loose = [value for value in given if isinstance(value, Serde)]
    names = ("value",) if len(loose) == 1 else ("key", "value")
    parts = dict(zip(names, loose, strict=False))
    parts |= {_part(key): value for key, value in named.items() if isinstance(value, Serde)}
    if parts:
        listed = ", ".join(map(repr, parts.values()))
        how = ", ".join(f"{part}={serde!r}" for part, serde in parts.items())
        name = option.__name__
        msg = f"{verb} takes a {name}; got {listed}; write {name}({how})"
        raise TopologyError(msg)


def _part(keyword: str) -> str:
    """Return which serde is meant by `key_serde=` and the like."""
    return "key" if "key" in keyword else "value"
