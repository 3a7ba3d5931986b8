"""Nodes become functions that call each other."""

from __future__ import annotations

from typing import Any

from penstock import StreamsBuilder
from penstock._engine.runtime.wiring import fan_out
from tests.operators.programs import drive, pipe


def test_one_target_is_called_without_anything_between() -> None:
    def target(key: Any, value: Any, timestamp: int, headers: Any) -> None: ...

    assert fan_out([target]) is target


def test_several_targets_are_called_in_turn_with_the_same_record() -> None:
    seen: list[Any] = []
    first, second = (
        lambda *record: seen.append(("first", *record)),
        lambda *record: seen.append(("second", *record)),
    )
    fan_out([first, second])("k", "v", 5, ())
    assert seen == [("first", "k", "v", 5, ()), ("second", "k", "v", 5, ())]


def test_no_target_is_the_end() -> None:
    fan_out([])("k", "v", 5, ())


def test_a_record_goes_all_the_way_down_before_its_sibling_starts() -> None:
    seen: list[str] = []

    def build(builder: StreamsBuilder) -> None:
        stream = builder.stream("in").flat_map_values(lambda v: [1, 2])
        left = stream.peek(lambda k, v: seen.append(f"left {v}"))
        left.for_each(lambda k, v: seen.append(f"below left {v}"))
        stream.for_each(lambda k, v: seen.append(f"right {v}"))

    with drive(build) as driver:
        pipe(driver, "in", ("k", "v"))
    assert seen == [
        *("left 1", "below left 1", "right 1"),
        *("left 2", "below left 2", "right 2"),
    ]
