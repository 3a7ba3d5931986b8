"""Scans of which a reader with other work to do can take a part: where rows are passed over that do
not fit, marks come in their place, so that such a reader is not held up until the next one fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeVar

T = TypeVar("T")

ROWS_PER_MARK: Final = 100
"""A mark (None) stands for so many rows that were looked at."""


def marking(rows: Iterable[T], fits: Callable[[T], bool]) -> Iterator[T | None]:
    """Yield the rows that fit, and marks."""
    passed = 0
    for row in rows:
        if fits(row):
            yield row
            continue
        passed += 1
        if passed == ROWS_PER_MARK:
            passed = 0
            yield None


def marking_sorted(
    rows: Iterable[T | None], key: Callable[[T], Any], *, reverse: bool
) -> Iterator[T | None]:
    """Yield rows in order, and before the first of them the marks of all, and of those found."""
    found: list[T] = []
    for row in rows:
        if row is not None:
            found.append(row)
        if row is None or not len(found) % ROWS_PER_MARK:
            yield None
    found.sort(key=key, reverse=reverse)
    yield from found
