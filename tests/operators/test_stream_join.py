"""Joins of two streams: what Java's cases do not show, and a model that knows nothing of stores."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from penstock import JoinWindows, KStream, StreamJoined, StreamsBuilder, StreamsError, serdes
from penstock.testing import TopologyTestDriver
from tests.operators.programs import Seen, drive, pipe, read

Records = list[tuple[str, str, int]]
"""(side, key, timestamp)."""


def pairs(
    kind: str,
    windows: JoinWindows,
    records: Records,
    option: StreamJoined[Any, Any, Any] | None = None,
) -> list[Seen]:
    """Return what a join makes of records; each has its place in the input as its value."""

    def build(builder: StreamsBuilder) -> None:
        left: KStream[Any, Any] = builder.stream("left")
        right: KStream[Any, Any] = builder.stream("right")
        join = getattr(left, kind)
        join(right, lambda one, other: [one, other], windows, option).to("out")

    with drive(build) as driver:
        for number, (side, key, timestamp) in enumerate(records):
            pipe(driver, side, (key, number, timestamp))
        return read(driver, "out")


def modelled(windows: JoinWindows, records: Records) -> Counter[tuple[int, int]]:
    """Return the numbers of the records that match."""
    lefts = [(n, key, time) for n, (side, key, time) in enumerate(records) if side == "left"]
    rights = [(n, key, time) for n, (side, key, time) in enumerate(records) if side == "right"]
    return Counter(
        (one, other)
        for one, key, time in lefts
        for other, other_key, other_time in rights
        if key == other_key and time - windows.before_ms <= other_time <= time + windows.after_ms
    )


keys = some.sampled_from(["a", "b"])
sides = some.sampled_from(["left", "right"])
any_order = some.lists(some.tuples(sides, keys, some.integers(0, 40)), max_size=14)
windows_of_any_reach = some.builds(
    lambda before, after: JoinWindows.of_time_difference(10, before=before, after=after, grace=50),
    some.integers(0, 12),
    some.integers(0, 12),
)


@settings(max_examples=60, deadline=None)
@given(windows_of_any_reach, any_order, some.sampled_from(["rocksdb", "in_memory"]))
def test_an_inner_join_gives_each_pair_once(
    windows: JoinWindows, records: Records, store: Any
) -> None:
    seen = pairs("join", windows, records, StreamJoined(store=store))
    assert Counter((one, other) for _, (one, other), _ in seen) == modelled(windows, records)
    for key, (one, other), timestamp in seen:
        assert key == records[one][1]
        assert timestamp == max(records[one][2], records[other][2])


@settings(max_examples=60, deadline=None)
@given(windows_of_any_reach, any_order)
def test_in_order_an_outer_join_gives_each_record_without_a_match_once(
    windows: JoinWindows, records: Records
) -> None:
    in_order = sorted(records, key=lambda record: record[2])
    last = [("left", "z", 1_000), ("left", "z", 2_000)]
    seen = pairs("outer_join", windows, [*in_order, *last])
    matches = modelled(windows, in_order)
    matched = {number for pair in matches for number in pair}
    alone = Counter(
        (number, None) if side == "left" else (None, number)
        for number, (side, _, _) in enumerate(in_order)
        if number not in matched
    )
    # The first of the last two is let out by the second.
    alone[len(in_order), None] += 1
    assert Counter(tuple(pair) for _, pair, _ in seen) == Counter(matches) + alone


@settings(max_examples=40, deadline=None)
@given(windows_of_any_reach, any_order)
def test_a_self_join_gives_the_same_pairs_with_one_store_as_with_two(
    windows: JoinWindows, records: Records
) -> None:
    def seen(optimization: str) -> Counter[str]:
        builder = StreamsBuilder()
        stream: KStream[Any, Any] = builder.stream("in")
        stream.join(stream, lambda one, other: f"{one}-{other}", windows).to("out")
        topology = builder.build({"topology.optimization": optimization})
        json = {"default.key.serde": "json", "default.value.serde": "json"}
        with TopologyTestDriver(topology, json) as driver:
            for number, (_, key, timestamp) in enumerate(records):
                pipe(driver, "in", (key, number, timestamp))
            return Counter(map(str, read(driver, "out")))

    assert seen("single.store.self.join") == seen("none")


def test_what_waits_is_let_out_by_either_side() -> None:
    windows = JoinWindows.of_time_difference(10)
    records: Records = [("left", "a", 0), ("right", "b", 20), ("right", "c", 40)]
    assert pairs("outer_join", windows, records) == [
        ("a", [0, None], 0),
        ("b", [None, 1], 20),
    ]


def test_left_joins_keep_the_left_side_only() -> None:
    windows = JoinWindows.of_time_difference(10)
    records: Records = [("left", "a", 0), ("right", "b", 20), ("right", "c", 40)]
    assert pairs("left_join", windows, records) == [("a", [0, None], 0)]


@pytest.mark.parametrize("kind", ["join", "left_join", "outer_join"])
def test_a_serde_that_does_not_fit_is_named(kind: str) -> None:
    option = StreamJoined[Any, Any, Any](key=serdes.long())
    with pytest.raises(StreamsError, match="has a key serde that does not fit: got str 'a'"):
        pairs(kind, JoinWindows.of_time_difference(10), [("left", "a", 0)], option)
