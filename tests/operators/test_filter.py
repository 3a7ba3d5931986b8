"""filter and filter_not."""

from __future__ import annotations

import pytest

from tests.operators.programs import Program, Seen, run

RECORDS: list[Seen] = [("a", 1, 3), ("b", None, 1), (None, 3, 7), (None, None, 7)]


@pytest.mark.parametrize(
    ("program", "kept"),
    [
        (lambda stream: stream.filter(lambda key, value: True), [0, 1, 2, 3]),
        (lambda stream: stream.filter(lambda key, value: False), []),
        (lambda stream: stream.filter_not(lambda key, value: True), []),
        (lambda stream: stream.filter(lambda key, value: value is None), [1, 3]),
        (lambda stream: stream.filter_not(lambda key, value: value is None), [0, 2]),
        (lambda stream: stream.filter(lambda key, value: key is None), [2, 3]),
    ],
)
def test_records_that_are_kept_are_unchanged_and_in_order(
    program: Program, kept: list[int]
) -> None:
    assert run(program, RECORDS) == [RECORDS[index] for index in kept]


@pytest.mark.parametrize("truth", [1, "x", [0], object()])
def test_any_true_value_keeps(truth: object) -> None:
    assert run(lambda stream: stream.filter(lambda key, value: truth), RECORDS) == RECORDS
    assert run(lambda stream: stream.filter_not(lambda key, value: truth), RECORDS) == []


@pytest.mark.parametrize("truth", [0, "", [], None])
def test_any_false_value_drops(truth: object) -> None:
    assert run(lambda stream: stream.filter(lambda key, value: truth), RECORDS) == []
    assert run(lambda stream: stream.filter_not(lambda key, value: truth), RECORDS) == RECORDS


def test_a_chain_of_filters_asks_each_only_about_what_is_left() -> None:
    asked: list[int] = []
    run(
        lambda stream: stream.filter(lambda key, value: value > 1).filter(
            lambda key, value: asked.append(value)
        ),
        [("k", 1), ("k", 2), ("k", 3)],
    )
    assert asked == [2, 3]
