"""The answers of several tasks as one."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from penstock._engine.queries.answers_of_all import AnswersOfAll
from penstock._engine.queries.questions import Part

ROW: Any = (b"k", b"v", None, None, None)
EMPTY, FOUND, FOUND_TOO = Part(1), Part(2, (ROW,)), Part(3, (ROW,))
FAILED = Part(4, failure="absent", message="away")


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([EMPTY], EMPTY),
        ([EMPTY, FOUND], FOUND),
        ([FOUND_TOO, EMPTY, FOUND], FOUND_TOO),
        ([FAILED, FOUND], FOUND),
        ([None, FOUND_TOO, FOUND], FOUND_TOO),
        ([EMPTY, FAILED], None),
        ([EMPTY, None], None),
    ],
)
def test_in_any_order_the_first_partition_with_rows_answers_else_all_must_have_answered(
    parts: list[Part | None], expected: Part | None
) -> None:
    places = list(range(len(parts)))
    for order in itertools.permutations(places):
        ended: list[Part | None] = []
        answers = AnswersOfAll(places, ended.append)
        for number, place in enumerate(order):
            assert ended == [], f"{number} of {len(order)}"
            answers.taker(place)(parts[place])
        assert ended == [expected]
