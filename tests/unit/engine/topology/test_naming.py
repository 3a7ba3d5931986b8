"""Names and their numbers."""

from __future__ import annotations

from penstock._engine.topology.naming import NameCounter


def test_numbers_go_up_whatever_the_prefix() -> None:
    names = NameCounter()
    assert [names.processor("A-"), names.processor("B-")] == ["A-0000000000", "B-0000000001"]


def test_a_given_name_uses_up_a_number() -> None:
    names = NameCounter()
    assert names.named_or_next("mine", "A-") == "mine"
    assert names.named_or_next(None, "A-") == "A-0000000001"
