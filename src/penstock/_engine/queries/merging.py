"""Rows of several partitions in one order: of the bytes of their keys, then of their partitions.

A key may be in several partitions, where a processor keys its store by something else than what
its input is partitioned by. The order of its rows is the same in both directions, so that a page
can end between two of them.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from penstock._engine.queries.questions import Row

PlacedRow: TypeAlias = tuple[int, Row]
"""A row, and the partition that it is of."""


def merged(scans: Mapping[int, Iterator[Row]], *, reverse: bool) -> Iterator[PlacedRow]:
    """Return the rows of scans, each in the order of its keys, by partition; last keys first, if
    they are read in reverse.
    """
    placed = [_placed(place, scans[place]) for place in sorted(scans)]
    return heapq.merge(*placed, key=lambda one: one[1][0], reverse=reverse)


def _placed(place: int, rows: Iterator[Row]) -> Iterator[PlacedRow]:
    for row in rows:
        yield place, row
