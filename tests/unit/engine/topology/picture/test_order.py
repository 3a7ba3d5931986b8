"""The order in the rows."""

from __future__ import annotations

from penstock._engine.topology.picture.mesh import Block, Link, Mesh, with_lanes
from penstock._engine.topology.picture.order import crossing_count, ordered


def mesh(ranks: list[int], links: list[tuple[int, int]]) -> Mesh:
    blocks = [Block(40.0, 20.0, rank) for rank in ranks]
    return with_lanes(blocks, [Link(tail, head, 20.0, 20.0) for tail, head in links])


def test_crossings_are_counted() -> None:
    crossed = mesh([0, 0, 0, 1, 1, 1], [(0, 5), (1, 4), (2, 3)])
    assert crossing_count(crossed, [[0, 1, 2], [3, 4, 5]]) == 3
    assert crossing_count(crossed, [[0, 1, 2], [5, 4, 3]]) == 0


def test_links_with_a_common_end_do_not_cross() -> None:
    fan = mesh([0, 1, 1, 1], [(0, 3), (0, 2), (0, 1)])
    assert crossing_count(fan, [[0], [1, 2, 3]]) == 0


def test_crossings_that_can_be_avoided_are_avoided() -> None:
    tangled = mesh([0, 0, 0, 1, 1, 1, 2, 2], [(0, 5), (1, 4), (2, 3), (3, 6), (5, 7), (4, 7)])
    assert crossing_count(tangled, ordered(tangled)) == 0


def test_children_keep_the_order_of_their_links() -> None:
    assert ordered(mesh([0, 1, 1, 1], [(0, 2), (0, 3), (0, 1)])) == [[0], [2, 3, 1]]


def test_nothing_has_no_rows() -> None:
    assert ordered(mesh([], [])) == []
