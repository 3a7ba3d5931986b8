"""Draws the input of a program: records that are late, equal in time, without key or value."""

from __future__ import annotations

from typing import Any

from conformance.fuzz.draft import Draft
from conformance.fuzz.functions import LONG, STRING
from conformance.harness import Line, to_bytes

# Keys of which one begins another, and keys whose order as bytes is not that of their characters.
_STRING_KEYS = ("a", "b", "aa", "ab", "", "B", "ü", "key-1", "key-10", "key-2", "z")
# Keys that go on where others have a time. What Java's caches then list twice is left alone.
_TRICKY_KEYS = ("a\x00", "a" + 7 * "\x00" + "\x01")
_LONG_KEYS = (1, 2, 0, -1, 256, 3, 255, 2**40, 4, 5, 6, 7)
_LETTERS = "abcdexyz"


def draw(draft: Draft) -> list[Line]:
    """Draw the input of a program whose steps are drawn."""
    return _Inputs(draft).lines()


class _Inputs:
    def __init__(self, draft: Draft) -> None:
        chance, unit = draft.random, draft.unit
        self._random = chance
        self._unit = unit
        self._topics = draft.inputs
        self._tricky = 0.0 if draft.cache_bytes else chance.choice([0, 0, 0.2])
        self._keys = chance.choice([1, 2, 2, 3, 5, 12])
        self._null_keys = chance.choice([0, 0, 0.1])
        self._null_values = chance.choice([0, 0.1, 0.2])
        self._headers = chance.choice([0, 0, 0.3])
        self._out_of_order = chance.choice([0, 0.2, 0.4])
        # Java's cache of sessions fails near time 0 if the gap is longer than a segment, a minute.
        self._earliest = 0 if unit < 10_000 else 100 * unit
        self._now = self._earliest + chance.choice([0, 0, 5, 50]) * unit

    def lines(self) -> list[Line]:
        count = self._random.choice([6, 12, 12, 25, 40])
        return [self._line() for _ in range(count)]

    def _line(self) -> Line:
        chance = self._random
        if chance.random() < 0.05:
            return {"advance_wall_clock": chance.choice([0, 1, 3, 5, 100]) * self._unit}
        topic = chance.choice(self._topics)
        line: Line = {"topic": topic.topic}
        if chance.random() >= self._null_keys:
            line["key"] = self._key(topic.key)
        if chance.random() >= self._null_values:
            line["value"] = self._value(topic.value)
        line["timestamp"] = self._time()
        if chance.random() < self._headers:
            line["headers"] = [[chance.choice("hi"), chance.choice(["x", "y", None])]]
        return line

    def _time(self) -> int:
        chance, unit = self._random, self._unit
        step = chance.choice([0, 0, 1, 1, 2, 3, 5])
        if chance.random() < 0.05:
            step = chance.choice([10, 30, 100])
        self._now += step * unit
        if chance.random() < self._out_of_order:
            back = chance.choice([1, 2, 3, 5, 8, 13, 20, 60]) * unit
            return max(self._earliest, self._now - back)
        return self._now + chance.choice([0, 0, 0, 0, 1])

    def _key(self, type_: str) -> Any:
        if type_ == STRING and self._random.random() < self._tricky:
            return self._random.choice(_TRICKY_KEYS)
        if type_ == STRING:
            return self._random.choice(_STRING_KEYS[: self._keys])
        if type_ == LONG:
            return {"long": self._random.choice(_LONG_KEYS[: self._keys])}
        kind, _, rest = type_.partition("/")
        start = self._random.choice([0, 5, 10]) * self._unit
        if kind == "session":
            bounds = [start + self._random.choice([0, 5]) * self._unit, start]
            inner = rest
        else:
            bounds, inner = [start], rest.partition("/")[2]
        data = to_bytes(self._key(inner)) or b""
        return {"hex": (data + b"".join(bound.to_bytes(8, "big") for bound in bounds)).hex()}

    def _value(self, type_: str) -> Any:
        if type_ == LONG:
            return {"long": self._random.randint(0, 20)}
        return "".join(self._random.choices(_LETTERS, k=self._random.randint(1, 3)))
