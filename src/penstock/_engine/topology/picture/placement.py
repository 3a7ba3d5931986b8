"""The position of each block in its row, so that most links are straight.

`_settled` minimises the links' squared slants, row by row; this makes branches symmetric, but it
bends a long link a little in each row. So `_straightened` then moves whole columns: chains of
blocks and lanes that only have each other.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TypeAlias

from penstock._engine.topology.picture.mesh import Link, Mesh
from penstock._engine.topology.picture.order import Rows

_LANE_GAP = 10.0
_SETTLE_SWEEPS = 120
_ONE_SIDED_SWEEPS = 6
_STRAIGHTEN_SWEEPS = 12
# Links inside a column pull this hard, so that columns push others away and become straight.
_COLUMN_PULL = 30.0
# Blocks may come this much nearer to each other if that saves a link from a small bend.
_SQUEEZE_MAX = 6.0
_NO_PULL = 1e-6
_PIN = 1e9

# For each block: the blocks that pull it, to which distance from their left side, how strongly.
_Pulls: TypeAlias = list[list[tuple[int, float, float]]]
# For each block: its neighbours in the row, if any, and the least distances of left sides to them.
_Sides: TypeAlias = list[tuple[tuple[int, float] | None, tuple[int, float] | None]]
# Blocks below each other, with the distances of their left sides from the first one's.
_Column: TypeAlias = dict[int, float]


def placed(mesh: Mesh, rows: Rows, gap: float) -> list[float]:
    """Return each block's left side, a whole number; the leftmost is 0."""
    offsets = [_offsets(mesh, row, gap) for row in rows]
    lefts = _straightened(mesh, rows, offsets, _settled(mesh, rows, offsets))
    leftmost = min(lefts, default=0.0)
    # Whole numbers also remove bends that are only rounding errors.
    return [float(math.floor(left - leftmost + 0.5)) for left in lefts]


def _offsets(mesh: Mesh, row: list[int], gap: float) -> list[float]:
    """Return the least distance of each block's left side from the first one's."""
    offsets = [0.0] if row else []
    for one, other in pairwise(row):
        are_lanes = mesh.blocks[one].height == mesh.blocks[other].height == 0.0
        distance = mesh.blocks[one].width + (_LANE_GAP if are_lanes else gap)
        offsets.append(offsets[-1] + distance)
    return offsets


def _settled(mesh: Mesh, rows: Rows, offsets: list[list[float]]) -> list[float]:
    """Move row after row to where its links pull it; every move lessens the slants, so this ends.

    The first sweeps follow the links of one side only, which moves whole branches early.
    """
    lefts = [0.0] * len(mesh.blocks)
    steps = list(zip(rows, offsets, strict=True))
    for row, row_offsets in steps:
        for block, offset in zip(row, row_offsets, strict=True):
            lefts[block] = offset - (row_offsets[-1] + mesh.blocks[row[-1]].width) / 2
    in_column = _column_links(mesh)
    stiff = [
        replace(link, pull=_COLUMN_PULL) if in_column.get(link.tail) is link else link
        for link in mesh.links
    ]
    above, below = _pulls(len(lefts), stiff)
    both = [up + down for up, down in zip(above, below, strict=True)]
    for sweep in range(_SETTLE_SWEEPS):
        downwards = sweep % 2 == 0
        pulls = both if sweep >= _ONE_SIDED_SWEEPS else above if downwards else below
        for row, row_offsets in steps if downwards else reversed(steps):
            _settle(row, row_offsets, pulls, lefts)
    return lefts


def _pulls(block_count: int, links: Iterable[Link]) -> tuple[_Pulls, _Pulls]:
    """Return the pulls from above and those from below."""
    above: _Pulls = [[] for _ in range(block_count)]
    below: _Pulls = [[] for _ in range(block_count)]
    for link in links:
        shift = link.tail_port - link.head_port
        above[link.head].append((link.tail, shift, link.pull))
        below[link.tail].append((link.head, -shift, link.pull))
    return above, below


def _settle(row: list[int], offsets: list[float], pulls: _Pulls, lefts: list[float]) -> None:
    """Move the blocks of one row as near as possible to where they are pulled, in order and apart.

    With the offsets taken away this is isotonic regression by least squares: neighbours that would
    collide are pooled and share a place.
    """
    pools: list[tuple[float, float, int]] = []
    for block, offset in zip(row, offsets, strict=True):
        wanted, pull = _wanted(pulls[block], lefts)
        pool = ((wanted if pull else lefts[block]) - offset, pull or _NO_PULL, 1)
        while pools and pools[-1][0] > pool[0]:
            place, pull, size = pools.pop()
            total = pull + pool[1]
            pool = ((place * pull + pool[0] * pool[1]) / total, total, size + pool[2])
        pools.append(pool)
    places = [place for place, _, size in pools for _ in range(size)]
    for block, offset, place in zip(row, offsets, places, strict=True):
        lefts[block] = place + offset


def _wanted(pulls: Iterable[tuple[int, float, float]], lefts: list[float]) -> tuple[float, float]:
    """Return the weighted mean of the positions that `pulls` want, and the total weight."""
    total = place = 0.0
    for other, shift, pull in pulls:
        total += pull
        place += (lefts[other] + shift) * pull
    return (place / total if total else 0.0), total


def _straightened(
    mesh: Mesh, rows: Rows, offsets: list[list[float]], settled: list[float]
) -> list[float]:
    """Move columns to where other columns pull them; loose blocks then make room."""
    lefts = list(settled)
    pulls = [up + down for up, down in zip(*_pulls(len(lefts), mesh.links), strict=True)]
    pinned = [p if i in mesh.loose else [(i, 0.0, _PIN)] for i, p in enumerate(pulls)]
    sides = _sides(mesh, rows, offsets)
    columns = _columns(mesh)
    loose = [column for column in columns if not mesh.loose.isdisjoint(column)]
    firm = [column for column in columns if mesh.loose.isdisjoint(column)]
    for _ in range(_STRAIGHTEN_SWEEPS):
        for column in firm:
            _straighten(column, sides, pulls, lefts)
        for row, row_offsets in zip(rows, offsets, strict=True):
            _settle(row, row_offsets, pinned, lefts)
        for column in loose:
            _straighten(column, sides, pulls, lefts)
    return lefts


def _columns(mesh: Mesh) -> list[_Column]:
    """Return the columns; each block is in one, many are alone."""
    below = _column_links(mesh)
    not_first = {link.head for link in below.values()}
    columns = []
    for first in range(len(mesh.blocks)):
        if first not in not_first:
            block, shift, column = first, 0.0, {first: 0.0}
            while block in below:
                link = below[block]
                block, shift = link.head, shift + link.tail_port - link.head_port
                column[block] = shift
            columns.append(column)
    return columns


def _column_links(mesh: Mesh) -> dict[int, Link]:
    """Return, by tail, the firm links from an only parent to an only child."""
    firm = [link for link in mesh.links if link.pull >= 1.0]
    outs, ins = Counter(link.tail for link in firm), Counter(link.head for link in firm)
    return {link.tail: link for link in firm if outs[link.tail] == ins[link.head] == 1}


def _sides(mesh: Mesh, rows: Rows, offsets: list[list[float]]) -> _Sides:
    """Return the neighbours of each block: of a loose block all, of another only the firm ones."""
    sides: _Sides = [(None, None) for _ in mesh.blocks]
    for row, row_offsets in zip(rows, offsets, strict=True):
        places = list(zip(row, row_offsets, strict=True))
        firm = [place for place in places if place[0] not in mesh.loose]
        for line, is_loose in ((places, True), (firm, False)):
            for (one, one_offset), (other, other_offset) in pairwise(line):
                distance = other_offset - one_offset
                if (one in mesh.loose) is is_loose:
                    sides[one] = (sides[one][0], (other, distance))
                if (other in mesh.loose) is is_loose:
                    sides[other] = ((one, distance), sides[other][1])
    return sides


def _straighten(column: _Column, sides: _Sides, pulls: _Pulls, lefts: list[float]) -> None:
    """Move a column, in as few parts as its neighbours allow, to where others pull it."""
    for run, (low, high) in _runs(column, sides, lefts):
        outer = [
            (other, place - shift, pull)
            for block, shift in run.items()
            for other, place, pull in pulls[block]
            if other not in run
        ]
        wanted, pull = _wanted(outer, lefts)
        if not pull:
            wanted = sum(lefts[block] - shift for block, shift in run.items()) / len(run)
        left = min(max(wanted, low), high) if low <= high else (low + high) / 2
        for block, shift in run.items():
            lefts[block] = left + shift


def _runs(
    column: _Column, sides: _Sides, lefts: list[float]
) -> Iterator[tuple[_Column, tuple[float, float]]]:
    """Cut a column where its neighbours leave no common position; yield the parts and limits."""
    run: _Column = {}
    low, high = -math.inf, math.inf
    for block, shift in column.items():
        before, after = sides[block]
        block_low = lefts[before[0]] + before[1] - shift if before else -math.inf
        block_high = lefts[after[0]] - after[1] - shift if after else math.inf
        if run and max(low, block_low) > min(high, block_high) + _SQUEEZE_MAX:
            yield run, (low, high)
            run, low, high = {}, -math.inf, math.inf
        run[block] = shift
        low, high = max(low, block_low), min(high, block_high)
    yield run, (low, high)
