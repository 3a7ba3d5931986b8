"""The order of the blocks in each row, so that few links cross.

Rows are sorted by the mean place of their neighbours (barycentres), the row above deciding on the
way down and the row below on the way up; the best order seen wins.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from typing import TypeAlias

from penstock._engine.topology.picture.mesh import Mesh

Rows: TypeAlias = list[list[int]]

_SWEEPS = 12


def ordered(mesh: Mesh) -> Rows:
    """Return the blocks of each rank from left to right."""
    rows = _depth_first(mesh)
    best, fewest = rows, crossing_count(mesh, rows)
    for sweep in range(_SWEEPS):
        rows = _swept(mesh, rows, downwards=sweep % 2 == 0)
        count = crossing_count(mesh, rows)
        if count < fewest:
            best, fewest = rows, count
    return best


def crossing_count(mesh: Mesh, rows: Rows) -> int:
    """Count the pairs of links that cross, by the order of their ends alone."""
    slots = _slots(mesh, rows)
    between: list[list[tuple[float, float]]] = [[] for _ in rows]
    for link in mesh.links:
        tail, head = mesh.blocks[link.tail], mesh.blocks[link.head]
        above = slots[link.tail] + link.tail_port / tail.width
        below = slots[link.head] + link.head_port / head.width
        between[tail.rank].append((above, below))
    count = 0
    for ends in between:
        passed: list[float] = []
        for _, below in sorted(ends):
            count += len(passed) - bisect_right(passed, below)
            insort(passed, below)
    return count


def _depth_first(mesh: Mesh) -> Rows:
    """Return rows in which the blocks of one branch are together."""
    below: list[list[int]] = [[] for _ in mesh.blocks]
    for link in mesh.links:
        below[link.tail].append(link.head)
    rows: Rows = [[] for _ in range(1 + max((b.rank for b in mesh.blocks), default=-1))]
    waiting = sorted(range(len(mesh.blocks)), key=lambda i: (-mesh.blocks[i].rank, -i))
    seen: set[int] = set()
    while waiting:
        block = waiting.pop()
        if block not in seen:
            seen.add(block)
            rows[mesh.blocks[block].rank].append(block)
            waiting.extend(reversed(below[block]))
    return rows


def _swept(mesh: Mesh, rows: Rows, *, downwards: bool) -> Rows:
    slots = _slots(mesh, rows)
    neighbours: list[list[tuple[int, float, float]]] = [[] for _ in mesh.blocks]
    for link in mesh.links:
        here, there, port = link.tail, link.head, link.head_port
        if downwards:
            here, there, port = link.head, link.tail, link.tail_port
        neighbours[here].append((there, port / mesh.blocks[there].width, link.pull))

    def barycentre(block: int) -> float:
        pull = sum(pull for _, _, pull in neighbours[block])
        if not pull:
            return slots[block] + 0.5
        return sum((slots[i] + port) * pull for i, port, pull in neighbours[block]) / pull

    swept = [list(row) for row in rows]
    for row in swept if downwards else reversed(swept):
        row.sort(key=barycentre)
        for slot, block in enumerate(row):
            slots[block] = slot
    return swept


def _slots(mesh: Mesh, rows: Rows) -> list[int]:
    slots = [0] * len(mesh.blocks)
    for row in rows:
        for slot, block in enumerate(row):
            slots[block] = slot
    return slots
