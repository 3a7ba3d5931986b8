"""The places in the rows: straight where it can be, symmetric where it cannot, never too near."""

from __future__ import annotations

from itertools import pairwise

import pytest

from penstock._engine.topology.picture.mesh import Block, Link, Mesh, with_lanes
from penstock._engine.topology.picture.order import ordered
from penstock._engine.topology.picture.placement import placed

GAP = 18.0


def centres(mesh: Mesh) -> list[float]:
    lefts = placed(mesh, ordered(mesh), GAP)
    return [left + block.width / 2 for left, block in zip(lefts, mesh.blocks, strict=True)]


def mesh(sizes: list[tuple[float, int]], links: list[tuple[int, int, float]]) -> Mesh:
    """Blocks by width and rank; links by tail, head and pull, from middle to middle."""
    blocks = [Block(width, 20.0, rank) for width, rank in sizes]
    return with_lanes(
        blocks, [Link(t, h, sizes[t][0] / 2, sizes[h][0] / 2, pull) for t, h, pull in links]
    )


def test_a_chain_is_straight_whatever_the_widths() -> None:
    chain = mesh([(40, 0), (200, 1), (62, 2)], [(0, 1, 1.0), (1, 2, 1.0)])
    assert len(set(centres(chain))) == 1


def test_a_parent_stands_above_the_middle_of_its_children() -> None:
    fan = mesh([(40, 0), *([(60.0, 1)] * 5)], [(0, n, 1.0) for n in range(1, 6)])
    parent, *children = centres(fan)
    assert parent == children[2] == sum(children) / 5


def test_a_loose_block_does_not_bend_a_chain() -> None:
    chain = mesh([(40, 0), (90, 1), (300, 1), (50, 2)], [(0, 1, 1.0), (0, 2, 0.05), (1, 3, 1.0)])
    first, second, loose, third = centres(chain)
    assert first == second == third
    assert loose >= second + (90 + 300) / 2 + GAP


def test_a_link_over_many_rows_is_straight() -> None:
    sizes = [(40.0, 0), *((100.0 + 20 * n, n + 1) for n in range(6)), (40.0, 7)]
    chain = [(n, n + 1, 1.0) for n in range(6)]
    skipping = mesh(sizes, [*chain, (0, 7, 1.0)])
    lanes = skipping.lanes[-1]
    assert len({centres(skipping)[block] for block in (*lanes, 7)}) == 1


def test_ports_are_aligned_and_not_middles() -> None:
    blocks = [Block(40.0, 20.0, 0), Block(400.0, 20.0, 1)]
    assert placed(with_lanes(blocks, [Link(0, 1, 20.0, 350.0)]), [[0], [1]], GAP) == [330.0, 0.0]


@pytest.mark.parametrize("count", [2, 12])
def test_neighbours_keep_their_distance(count: int) -> None:
    crowd = mesh(
        [(40, 0), *([(80.0, 1)] * count), (40, 2)], [(0, n + 1, 1.0) for n in range(count)]
    )
    row = sorted(centres(crowd)[1:-1])
    assert min(right - left for left, right in pairwise(row)) >= 80 + GAP


def test_places_are_whole_numbers_from_zero() -> None:
    fan = mesh([(40, 0), (62, 1), (80, 1)], [(0, 1, 1.0), (0, 2, 1.0)])
    lefts = placed(fan, ordered(fan), GAP)
    assert min(lefts) == 0
    assert all(left.is_integer() for left in lefts)
