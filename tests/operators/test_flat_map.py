"""flat_map, flat_map_values and flat_map_values_with_key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pytest

from tests.operators.programs import Program, Seen, headers_after, run


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (lambda s: s.flat_map(lambda k, v: []), []),
        (
            lambda s: s.flat_map(lambda k, v: [(word, k) for word in v.split()]),
            [("to", "a", 5), ("be", "a", 5), ("or", "b", 2)],
        ),
        (
            lambda s: s.flat_map(lambda k, v: [(None, None)] * 2),
            [(None, None, 5), (None, None, 5), (None, None, 2), (None, None, 2)],
        ),
        (lambda s: s.flat_map_values(str.split), [("a", "to", 5), ("a", "be", 5), ("b", "or", 2)]),
        (lambda s: s.flat_map_values(lambda v: ()), []),
        (
            lambda s: s.flat_map_values(lambda v: [None, v]),
            [("a", None, 5), ("a", "to be", 5), ("b", None, 2), ("b", "or", 2)],
        ),
        (
            lambda s: s.flat_map_values_with_key(lambda k, v: (k, v)),
            [("a", "a", 5), ("a", "to be", 5), ("b", "b", 2), ("b", "or", 2)],
        ),
    ],
)
def test_each_record_becomes_none_one_or_many_at_its_time(
    program: Program, expected: list[Seen]
) -> None:
    assert run(program, [("a", "to be", 5), ("b", "or", 2)]) == expected


@pytest.mark.parametrize("collection", [list, tuple, iter, dict.fromkeys])
def test_any_iterable_will_do(collection: Callable[[list[int]], Iterable[int]]) -> None:
    made = run(lambda s: s.flat_map_values(lambda v: collection([v, v + 1])), [("a", 1)])
    assert made == [("a", 1, 0), ("a", 2, 0)]


def test_a_generator_is_asked_for_the_next_only_when_the_last_has_gone_all_the_way() -> None:
    seen: list[str] = []

    def letters(value: str) -> Iterator[str]:
        for letter in value:
            seen.append(f"make {letter}")
            yield letter

    run(
        lambda s: s.flat_map_values(letters).peek(lambda k, v: seen.append(f"take {v}")),
        [("k", "ab")],
    )
    assert seen == ["make a", "take a", "make b", "take b"]


def test_headers_stay_with_each_of_them() -> None:
    twice: Program = lambda s: s.flat_map_values(lambda v: [v, v])  # noqa: E731
    assert headers_after(twice, [("trace", b"1")]) == [{"trace": b"1"}] * 2
