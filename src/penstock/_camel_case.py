"""Errors for attributes that a class does not have: that of `stream.mapValues` names `map_values`,
that of `stream.count` says what to do first.
"""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, NoReturn

_BETWEEN_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_RENAMED = {"foreach": "for_each", "print_": "print"}

_GROUP_FIRST = "group the stream first: group_by_key().{}(...)"
_AGGREGATE_FIRST = "aggregate first, as with count(): {}(...) is a verb of what comes of it"
_AS_A_STREAM = "write to_stream().{}(...)"
_INSTEAD: dict[str, dict[str, str]] = {
    "KStream": {
        **dict.fromkeys(("count", "reduce", "aggregate", "cogroup", "windowed_by"), _GROUP_FIRST),
        "branch": "write split().branch(...)",
        "through": "write to(topic), and builder.stream(topic) to go on; or repartition(...)",
        "transform": "write process(...)",
        "transform_values": "write process_values(...)",
        "to_stream": "it is a stream already",
        "suppress": "suppress(...) is a verb of tables: group and aggregate first",
    },
    "KTable": {
        **dict.fromkeys(("count", "reduce", "aggregate"), "group the table first: group_by(...)"),
        **dict.fromkeys(("to", "peek", "for_each", "print", "process", "merge"), _AS_A_STREAM),
        **dict.fromkeys(("map", "flat_map", "flat_map_values", "select_key"), _AS_A_STREAM),
        **dict.fromkeys(("split", "branch", "repartition", "windowed_by"), _AS_A_STREAM),
        "group_by_key": "write group_by(...), which says the new key",
    },
    "ReadOnlySessionStore": {
        **dict.fromkeys(("all", "fetch_all"), "write fetch_range(None, None)"),
        **dict.fromkeys(
            ("backward_all", "backward_fetch_all"), "write backward_fetch_range(None, None)"
        ),
    },
    **dict.fromkeys(
        ("KGroupedStream", "TimeWindowedKStream", "SessionWindowedKStream"),
        dict.fromkeys(
            ("to", "to_stream", "filter", "map", "map_values", "suppress"), _AGGREGATE_FIRST
        ),
    ),
}
"""What to write instead of a verb that is there in older Kafka Streams, or on another class."""


class ExplainsCamelCase:
    """Mixed into public classes; type checkers do not see it, so they still report unknown
    names.
    """

    __slots__ = ()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            # Python would look in the object for a suggestion of its own.
            raise AttributeError(_explain(self, name), name=name, obj=None)


class ExplainsJavaNames(type):
    """The type of public classes whose factories have other names in Java: `_java_names` says
    what to write for each.
    """

    if not TYPE_CHECKING:

        def __getattr__(cls, name: str) -> NoReturn:
            msg = _by_java_name(cls, name) or f"{cls.__name__} has no {name!r}"
            raise AttributeError(msg, name=name, obj=cls)


def snake_case(name: str) -> str:
    """Return a Java name in snake case.

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
    instead = _INSTEAD.get(kind.__name__, {}).get(ours)
    if instead is not None:
        return f"{spoken} has no {name!r}; {instead.format(ours)}"
    near = difflib.get_close_matches(ours, known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"{spoken} has no {name!r}{hint}"


def _by_java_name(kind: type, name: str) -> str | None:
    renamed = kind.__dict__.get("_java_names", {})
    ours = renamed.get(name) or {snake_case(java): ours for java, ours in renamed.items()}.get(name)
    if ours is None:
        return None
    return f"{kind.__name__} has no {name!r}; in Python it is spelled {kind.__name__}.{ours}"
