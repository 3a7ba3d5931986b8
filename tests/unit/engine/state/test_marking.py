"""Marks in the place of rows that are passed over."""

from __future__ import annotations

import pytest

from penstock._engine.state.marking import ROWS_PER_MARK, marking, marking_sorted


def is_negative(row: int) -> bool:
    return row < 0


def negated(row: int) -> int:
    return -row


@pytest.mark.parametrize("count", [0, 1, ROWS_PER_MARK - 1, ROWS_PER_MARK, 5 * ROWS_PER_MARK])
def test_a_mark_stands_for_so_many_rows_that_do_not_fit(count: int) -> None:
    found = [*marking([*range(count), -1], is_negative)]
    assert found == [None] * (count // ROWS_PER_MARK) + [-1]
    assert [*marking([-1] * count, is_negative)] == [-1] * count


@pytest.mark.parametrize("reverse", [False, True])
def test_marks_come_before_the_first_row_in_order(reverse: bool) -> None:
    rows: list[int | None] = [None, *range(ROWS_PER_MARK), None, ROWS_PER_MARK]
    found = [*marking_sorted(rows, negated, reverse=reverse)]
    in_order = sorted(range(ROWS_PER_MARK + 1), reverse=not reverse)
    assert found == [None, None, None, *in_order]
