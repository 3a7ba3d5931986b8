"""Blocks in ranked rows, and links that each go from one row to the next.

The first two steps of a layered layout: rank the blocks (`longest_path_ranks`) and give each link
that skips rows a lane through them (`with_lanes`), so that later steps see neighbouring rows only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

LANE_WIDTH = 8.0


@dataclass(frozen=True, slots=True)
class Block:
    """A rectangle to place; blocks of one rank share a row."""

    width: float
    height: float
    rank: int


@dataclass(frozen=True, slots=True)
class Link:
    """A line between two blocks, whose ports are distances from the blocks' left sides.

    `pull` is how strongly it draws its blocks together, so that it becomes straight. A link with a
    `pull` below 1 is loose: blocks are placed by the other links first, and it bends where needed.
    """

    tail: int
    head: int
    tail_port: float
    head_port: float
    pull: float = 1.0


@dataclass(frozen=True, slots=True)
class Mesh:
    """Blocks and lanes, with links between neighbouring rows only.

    `lanes` has the lanes of each original link. `loose` are the lanes of loose links and the blocks
    that nothing else holds. Links that point upwards are not in the mesh.
    """

    blocks: list[Block]
    links: list[Link]
    lanes: list[list[int]]
    loose: set[int]


def longest_path_ranks(first: Sequence[int], links: Iterable[tuple[int, int]]) -> list[int]:
    """Rank each block below all that lead to it and not above its `first` rank.

    Links that close a cycle do not count; they point upwards afterwards.
    """
    below: list[list[int]] = [[] for _ in first]
    for tail, head in links:
        below[tail].append(head)
    ranks = list(first)
    for block in _topological(below):
        for head in below[block]:
            ranks[head] = max(ranks[head], ranks[block] + 1)
    return ranks


def with_lanes(blocks: Sequence[Block], links: Sequence[Link]) -> Mesh:
    """Cut the links at the rows they pass."""
    held = {end for link in links if link.pull >= 1.0 for end in (link.tail, link.head)}
    mesh = Mesh(list(blocks), [], [], set())
    for link in links:
        ranks = range(blocks[link.tail].rank + 1, blocks[link.head].rank)
        lanes = [len(mesh.blocks) + n for n in range(len(ranks))]
        mesh.blocks.extend(Block(LANE_WIDTH, 0.0, rank) for rank in ranks)
        mesh.lanes.append(lanes)
        if link.pull < 1.0:
            mesh.loose.update(lanes, {link.tail, link.head} - held)
        if blocks[link.head].rank > blocks[link.tail].rank:
            mesh.links.extend(_pieces(link, lanes))
    return mesh


def _topological(below: list[list[int]]) -> list[int]:
    """Return all blocks in topological order; remove links that close a cycle from `below`."""
    entered = {head for heads in below for head in heads}
    done: dict[int, None] = {}
    for root in sorted(range(len(below)), key=lambda block: block in entered):
        path = {} if root in done else {root: None}
        while path:
            block = next(reversed(path))
            below[block] = [head for head in below[block] if head not in path]
            waiting = next((head for head in below[block] if head not in done), None)
            if waiting is None:
                done |= [path.popitem()]
            else:
                path[waiting] = None
    return list(reversed(done))


def _pieces(link: Link, lanes: list[int]) -> Iterator[Link]:
    """Cut a link at its lanes. Between two lanes even a loose link may not bend."""
    middle = LANE_WIDTH / 2
    for tail, head in pairwise([link.tail, *lanes, link.head]):
        starts, ends = tail == link.tail, head == link.head
        yield replace(
            link,
            tail=tail,
            head=head,
            tail_port=link.tail_port if starts else middle,
            head_port=link.head_port if ends else middle,
            pull=link.pull if starts or ends else 1.0,
        )
