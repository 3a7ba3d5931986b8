"""Ranks, and links cut at the rows they pass."""

from __future__ import annotations

from penstock._engine.topology.picture.mesh import Block, Link, longest_path_ranks, with_lanes


def blocks(*ranks: int) -> list[Block]:
    return [Block(40.0, 20.0, rank) for rank in ranks]


def link(tail: int, head: int, pull: float = 1.0) -> Link:
    return Link(tail, head, 20.0, 20.0, pull)


def test_a_block_ranks_below_its_deepest_parent() -> None:
    assert longest_path_ranks([0] * 4, [(0, 1), (1, 2), (0, 2), (2, 3), (0, 3)]) == [0, 1, 2, 3]


def test_a_block_keeps_its_first_rank_if_nothing_pushes_it() -> None:
    assert longest_path_ranks([1, 0, 1], [(1, 0), (0, 1)]) == [1, 2, 1]


def test_the_link_that_closes_a_cycle_is_left_out() -> None:
    assert longest_path_ranks([0] * 4, [(0, 1), (1, 2), (2, 3), (3, 1)]) == [0, 1, 2, 3]


def test_a_chain_far_deeper_than_the_interpreter_can_recurse() -> None:
    count = 5000
    assert longest_path_ranks([0] * count, [(n, n + 1) for n in range(count - 1)])[-1] == count - 1


def test_a_link_over_two_rows_gets_two_lanes() -> None:
    mesh = with_lanes(blocks(0, 3), [link(0, 1)])
    assert mesh.lanes == [[2, 3]]
    assert [mesh.blocks[lane].rank for lane in (2, 3)] == [1, 2]
    assert [(piece.tail, piece.head) for piece in mesh.links] == [(0, 2), (2, 3), (3, 1)]


def test_an_upward_link_is_not_in_the_mesh() -> None:
    mesh = with_lanes(blocks(0, 1), [link(0, 1), link(1, 0)])
    assert [(piece.tail, piece.head) for piece in mesh.links] == [(0, 1)]
    assert mesh.lanes == [[], []]


def test_what_only_a_loose_link_holds_is_loose() -> None:
    mesh = with_lanes(blocks(0, 1, 2), [link(0, 1), link(0, 2, pull=0.1)])
    assert mesh.loose == {2, 3}
