"""Rows of several partitions in one order: of the bytes of their keys, then of their partitions.

A key may be in several partitions, where a processor keys its store by something else than what
its input is partitioned by. The order of its rows is the same in both directions, so that a page
can end between two of them.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias, TypeVar

from penstock._engine.queries.questions import Row

T = TypeVar("T")
PlacedRow: TypeAlias = tuple[int, Row]
"""A row, and the partition that it is of."""


def merged(scans: Mapping[int, Iterator[Row]], *, reverse: bool) -> Iterator[PlacedRow]:
    """Return the rows of scans, each in the order of its keys, by partition; last keys first, if
    they are read in reverse.
    """
    placed = [_placed(place, scans[place]) for place in sorted(scans)]
    return heapq.merge(*placed, key=lambda one: one[1][0], reverse=reverse)


def first_with_rows(scans: Iterable[Iterator[T]]) -> Iterator[T]:
    """Return what the first scan has that finds a row, and the marks (None) of those before it."""
    for rows in scans:
        is_found = False
        for row in rows:
            is_found = is_found or row is not None
            yield row
        if is_found:
            return


def _placed(place: int, rows: Iterator[Row]) -> Iterator[PlacedRow]:
    for row in rows:
        yield place, row
