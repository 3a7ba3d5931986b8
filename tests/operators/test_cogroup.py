"""Several grouped streams aggregated into one table."""

from __future__ import annotations

from typing import Any

from penstock import (
    KGroupedStream,
    Materialized,
    SessionWindows,
    SlidingWindows,
    StreamsBuilder,
    TimeWindows,
)
from tests.operators.programs import drive, pipe, read


def added_and_taken(builder: StreamsBuilder) -> tuple[Any, KGroupedStream[Any, Any]]:
    """Cogroup a stream that adds and one that takes away."""
    added = builder.stream("add").group_by_key()
    taken = builder.stream("take").group_by_key()
    both = added.cogroup(lambda key, value, total: total + value).cogroup(
        taken, lambda key, value, total: total - value
    )
    return both, taken


def test_each_stream_has_its_own_aggregator() -> None:
    def build(builder: StreamsBuilder) -> None:
        both, _ = added_and_taken(builder)
        both.aggregate(lambda: 100, Materialized("stock")).to_stream().to("out")

    with drive(build) as driver:
        pipe(driver, "add", ("a", 5, 3))
        pipe(driver, "take", ("a", 7, 1), ("b", 1, 2))
        assert read(driver, "out") == [("a", 105, 3), ("a", 98, 3), ("b", 99, 2)]
        assert driver.get_key_value_store("stock").get("a") == 98


def test_an_initializer_that_gives_the_same_object_begins_anew_for_each_key() -> None:
    everything: list[Any] = []

    def build(builder: StreamsBuilder) -> None:
        both = builder.stream("add").group_by_key().cogroup(collect)
        both.aggregate(lambda: everything).to_stream().to("out")

    def collect(key: str, value: int, values: list[int]) -> list[int]:
        values.append(value)
        return values

    with drive(build) as driver:
        pipe(driver, "add", ("a", 1), ("b", 2), ("a", 3))
        assert [value for _, value, _ in read(driver, "out")] == [[1], [2], [1, 3]]


def test_windows_of_all_kinds() -> None:
    def build(builder: StreamsBuilder) -> None:
        both, _ = added_and_taken(builder)
        tumbling = both.windowed_by(TimeWindows.of_size(10)).aggregate(int)
        tumbling.to_stream(lambda key, total: str(key)).to("tumbling")
        sliding = both.windowed_by(SlidingWindows.of_time_difference(10)).aggregate(int)
        sliding.to_stream(lambda key, total: str(key)).to("sliding")
        sessions = both.windowed_by(SessionWindows.of_inactivity_gap(5))
        sums = sessions.aggregate(int, lambda key, one, other: one + other)
        sums.to_stream(lambda key, total: str(key)).to("sessions")

    with drive(build) as driver:
        pipe(driver, "add", ("a", 5, 13))
        pipe(driver, "take", ("a", 2, 17))
        assert read(driver, "tumbling") == [("[a@10/20]", 5, 13), ("[a@10/20]", 3, 17)]
        assert read(driver, "sliding") == [
            ("[a@3/13]", 5, 13),
            ("[a@14/24]", -2, 17),
            ("[a@7/17]", 3, 17),
        ]
        assert [(key, value) for key, value, _ in read(driver, "sessions")] == [
            ("[a@13/13]", 5),
            ("[a@13/13]", None),
            ("[a@13/17]", 3),
        ]
