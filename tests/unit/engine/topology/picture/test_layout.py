"""Rows from top to bottom, and the ways of the links."""

from __future__ import annotations

from penstock._engine.topology.picture.layout import Arrangement, arrange
from penstock._engine.topology.picture.mesh import Block, Link


def layout(ranks: list[int], links: list[tuple[int, int]]) -> Arrangement:
    blocks = [Block(40.0, 20.0, rank) for rank in ranks]
    return arrange(blocks, [Link(tail, head, 20.0, 20.0) for tail, head in links], (18.0, 36.0))


def test_two_blocks_below_each_other() -> None:
    assert layout([0, 1], [(0, 1)]) == Arrangement(
        corners=((0.0, 0.0), (0.0, 56.0)),
        routes=(((20.0, 20.0), (20.0, 56.0)),),
        width=40.0,
        height=76.0,
    )


def test_an_upward_link_turns_around_right_of_all_it_passes() -> None:
    arrangement = layout([0, 1], [(0, 1), (1, 0)])
    assert arrangement.routes[1] == (
        (20.0, arrangement.corners[1][1] + 20.0),
        (20.0, arrangement.corners[1][1] + 32.0),
        (64.0, arrangement.corners[1][1] + 32.0),
        (64.0, -12.0),
        (20.0, -12.0),
        (20.0, 0.0),
    )
    assert arrangement.width == 64.0


def test_the_longer_upward_link_runs_outside_the_shorter() -> None:
    arrangement = layout([1, 2, 3], [(0, 1), (1, 2), (2, 0), (1, 0)])
    outer, inner = arrangement.routes[2:]
    assert max(x for x, _ in outer) > max(x for x, _ in inner)


def test_rows_are_further_apart_where_links_swing_wide() -> None:
    narrow = layout([0, 1, 1], [(0, 1), (0, 2)]).height
    wide = layout([0, *[1] * 12], [(0, n) for n in range(1, 13)]).height
    assert wide > narrow


def test_nothing_needs_no_room() -> None:
    assert layout([], []) == Arrangement((), (), 0.0, 0.0)
