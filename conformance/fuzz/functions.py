"""The functions that described programs are made of, by name; `FuzzFunctions.java` is their twin.

They are pure, take whatever a key or a value may be (a string, a number, a windowed key, None) and
keep strings short and numbers small, so that any chain of verbs stays readable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_LONGEST = 20
_LARGEST = 1000


def text(item: Any) -> str:
    """Write a key or value; windowed keys as Java does."""
    if item is None:
        return "-"
    if isinstance(item, str):
        return item
    if isinstance(item, int):
        return str(item)
    return f"[{text(item.key)}@{item.start}/{item.end}]"


def hashed(item: Any) -> int:
    """Make a small number of anything."""
    number = 7
    for character in text(item):
        number = (number * 31 + ord(character)) % 1009
    return number


def number(item: Any) -> int:
    """Give a number as it is, None as 0, anything else hashed."""
    if item is None:
        return 0
    return item if isinstance(item, int) else hashed(item)


def cut(written: str) -> str:
    """Keep the end of a text that has become long."""
    return written[-_LONGEST:]


def _even(*items: Any) -> bool:
    return sum(map(hashed, items)) % 2 == 0


def _fourth(item: Any) -> bool:
    return hashed(item) % 4 == 0


def checked(value: Any) -> Any:
    """Give the value, unless it is one that fails."""
    if _fourth(value):
        message = f"no {text(value)}"
        raise ValueError(message)
    return value


PREDICATES: dict[str, Callable[[Any, Any], bool]] = {
    "all": lambda key, value: True,
    "none": lambda key, value: False,
    "key_even": lambda key, value: _even(key),
    "value_even": lambda key, value: _even(value),
    "both_even": lambda key, value: (hashed(key) + hashed(value)) % 2 == 0,
    "value_given": lambda key, value: value is not None,
    "fail": lambda key, value: _even(checked(value)),
}

SELECTORS: dict[str, Callable[[Any, Any], Any]] = {
    "key": lambda key, value: key,
    "key_text": lambda key, value: cut(text(key)),
    "value": lambda key, value: None if value is None else cut(text(value)),
    "first": lambda key, value: text(value)[:1],
    "letter": lambda key, value: "abc"[hashed(value) % 3],
    "one": lambda key, value: "one",
    "null_if_even": lambda key, value: None if _even(value) else cut(text(key)),
    "digit": lambda key, value: hashed(value) % 3,
    "fail": lambda key, value: "abc"[hashed(checked(value)) % 3],
}

MAPPERS: dict[str, Callable[[Any], Any]] = {
    "same": lambda value: value,
    "star": lambda value: None if value is None else cut(text(value) + "*"),
    "text": lambda value: cut(text(value)),
    "letter": lambda value: "abc"[hashed(value) % 3],
    "hashed": hashed,
    "size": lambda value: None if value is None else len(text(value)),
    "null_if_even": lambda value: None if _even(value) else value,
    "null": lambda value: None,
    "fail": checked,
}

KEY_MAPPERS: dict[str, Callable[[Any, Any], Any]] = {
    "both": lambda key, value: cut(text(key) + "=" + text(value)),
    "both_hashed": lambda key, value: (hashed(key) + hashed(value)) % _LARGEST,
    "value": lambda key, value: value,
    "null_if_key_even": lambda key, value: None if _even(key) else value,
    "null_if_both_even": lambda key, value: None if _even(key, value) else value,
    "fail": lambda key, value: checked(value),
}

EXPANDERS: dict[str, Callable[[Any], list[Any]]] = {
    "letters": lambda value: list(text(value)[:3]),
    "twice": lambda value: [value, value],
    "odd_only": lambda value: [] if _even(value) else [value],
}

KEY_EXPANDERS: dict[str, Callable[[Any, Any], list[Any]]] = {
    "both": lambda key, value: [cut(text(key)), cut(text(value))],
    "twice": lambda key, value: [value, value],
    "odd_only": lambda key, value: [] if _even(key, value) else [value],
}

PAIR_EXPANDERS: dict[str, Callable[[Any, Any], list[tuple[Any, Any]]]] = {
    "letters": lambda key, value: [(letter, value) for letter in text(value)[:3]],
    "and_null": lambda key, value: [(key, value), (key, None)],
    "swap": lambda key, value: [(cut(text(value)), cut(text(key)))],
    "odd_only": lambda key, value: [] if _even(key, value) else [(key, value)],
}

REDUCERS: dict[str, Callable[[Any, Any], Any]] = {
    "append": lambda aggregate, value: cut(text(aggregate) + text(value)),
    "sum": lambda aggregate, value: (number(aggregate) + number(value)) % _LARGEST,
    "minus": lambda aggregate, value: (number(aggregate) - number(value)) % _LARGEST,
    "strike": lambda aggregate, value: cut(text(aggregate) + "!" + text(value)),
    "latest": lambda aggregate, value: value,
    "first": lambda aggregate, value: aggregate,
    "larger": lambda aggregate, value: aggregate if hashed(aggregate) >= hashed(value) else value,
    "null_if_even": lambda aggregate, value: None if _even(aggregate, value) else value,
    "fail": lambda aggregate, value: checked(value),
}

INITIALIZERS: dict[str, Callable[[], Any]] = {
    "empty": lambda: "",
    "zero": lambda: 0,
    "null": lambda: None,
}

AGGREGATORS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "append": lambda key, value, aggregate: cut(text(aggregate) + text(value)),
    "append_keyed": lambda key, value, aggregate: cut(
        text(aggregate) + text(key)[:3] + text(value)
    ),
    "append_or_null": lambda key, value, aggregate: (
        None if _fourth(value) else cut(text(aggregate) + text(value))
    ),
    "strike": lambda key, value, aggregate: cut(text(aggregate) + "!" + text(value)),
    "sum": lambda key, value, aggregate: (number(aggregate) + number(value)) % _LARGEST,
    "minus": lambda key, value, aggregate: (number(aggregate) - number(value)) % _LARGEST,
    "sum_or_null": lambda key, value, aggregate: (
        None if _fourth(value) else (number(aggregate) + number(value)) % _LARGEST
    ),
    "append_or_fail": lambda key, value, aggregate: cut(text(aggregate) + text(checked(value))),
    "sum_or_fail": lambda key, value, aggregate: (
        (number(aggregate) + number(checked(value))) % _LARGEST
    ),
}

MERGERS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "append": lambda key, one, other: cut(text(one) + "&" + text(other)),
    "sum": lambda key, one, other: (number(one) + number(other)) % _LARGEST,
}

JOINERS: dict[str, Callable[[Any, Any], Any]] = {
    "pair": lambda left, right: cut(text(left) + "+" + text(right)),
    "sum": lambda left, right: (number(left) + number(right)) % _LARGEST,
    "pair_or_null": lambda left, right: (
        None if _even(left, right) else cut(text(left) + "+" + text(right))
    ),
    "fail": lambda left, right: cut(text(checked(left)) + "+" + text(checked(right))),
}

KEY_JOINERS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "keyed": lambda key, left, right: cut(text(key)[:3] + ":" + text(left) + "+" + text(right)),
}

# What a function gives, where it is not what it was given. A key and a value have one each.
STRING, LONG, SAME = "string", "long", "same"

TYPES: dict[str, dict[str, str]] = {
    "selectors": {"key": SAME, "digit": LONG},
    "mappers": {
        "same": SAME, "null": SAME, "null_if_even": SAME, "fail": SAME, "hashed": LONG,
        "size": LONG,
    },
    "key_mappers": {
        "value": SAME, "null_if_key_even": SAME, "null_if_both_even": SAME, "both_hashed": LONG,
        "fail": SAME,
    },
    "expanders": {"twice": SAME, "odd_only": SAME},
    "key_expanders": {"twice": SAME, "odd_only": SAME},
    "joiners": {"sum": LONG},
}  # fmt: skip


def given_type(family: str, name: str, taken: Any) -> Any:
    """Tell the type of what a function gives to a key or value of the type `taken`."""
    kind = TYPES.get(family, {}).get(name, STRING)
    return taken if kind == SAME else kind
