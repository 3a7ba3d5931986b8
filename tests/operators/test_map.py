"""map, map_values, map_values_with_key and select_key."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.operators.programs import Program, Seen, headers_after, run


class Pair(NamedTuple):
    key: str
    value: int


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (lambda s: s.map(lambda k, v: (v, k)), [(1, "a", 3), (None, "b", 1), (3, None, 7)]),
        (lambda s: s.map(lambda k, v: (None, None)), [(None, None, time) for time in (3, 1, 7)]),
        (lambda s: s.map_values(lambda v: [v]), [("a", [1], 3), ("b", [None], 1), (None, [3], 7)]),
        (lambda s: s.map_values(lambda v: None), [("a", None, 3), ("b", None, 1), (None, None, 7)]),
        (
            lambda s: s.map_values_with_key(lambda k, v: [k, v]),
            [("a", ["a", 1], 3), ("b", ["b", None], 1), (None, [None, 3], 7)],
        ),
        (lambda s: s.select_key(lambda k, v: v), [(1, 1, 3), (None, None, 1), (3, 3, 7)]),
        (lambda s: s.select_key(lambda k, v: None), [(None, 1, 3), (None, None, 1), (None, 3, 7)]),
    ],
)
def test_each_record_becomes_one_at_the_same_time(program: Program, expected: list[Seen]) -> None:
    assert run(program, [("a", 1, 3), ("b", None, 1), (None, 3, 7)]) == expected


def test_map_may_give_a_named_tuple() -> None:
    assert run(lambda s: s.map(lambda k, v: Pair("x", 5)), [("a", 1)]) == [("x", 5, 0)]


def test_methods_and_builtins_are_functions_too() -> None:
    class Times:
        def __init__(self, factor: int) -> None:
            self.factor = factor

        def __call__(self, value: int) -> int:
            return value * self.factor

        def halved(self, value: int) -> float:
            return value / 2

    program: Program = lambda s: s.map_values(Times(3)).map_values(Times(0).halved).map_values(str)  # noqa: E731
    assert run(program, [("a", 7)]) == [("a", "10.5", 0)]


@pytest.mark.parametrize(
    "program",
    [
        lambda s: s.map(lambda k, v: ("x", "y")),
        lambda s: s.map_values(lambda v: "y"),
        lambda s: s.map_values_with_key(lambda k, v: "y"),
        lambda s: s.select_key(lambda k, v: "x"),
    ],
)
def test_headers_stay(program: Program) -> None:
    assert headers_after(program, [("trace", b"1")]) == [{"trace": b"1"}]
