"""What `count` folds records with."""

from __future__ import annotations

from penstock._engine.topology.nodes.counting import count_one, count_one_less, nothing_counted


def test_a_record_counts_one_whatever_it_is() -> None:
    counted = count_one("ann", None, count_one("ann", {"cents": 5}, nothing_counted()))

    assert counted == 2
    assert count_one_less("ann", None, counted) == 1
