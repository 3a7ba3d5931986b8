"""merge."""

from __future__ import annotations

from penstock import StreamsBuilder
from tests.operators.programs import drive, pipe, read


def test_both_streams_come_in_the_order_they_arrive() -> None:
    def build(builder: StreamsBuilder) -> None:
        builder.stream("left").merge(builder.stream("right")).to("out")

    with drive(build) as driver:
        pipe(driver, "left", ("a", 1, 9))
        pipe(driver, "right", (None, None, 2))
        pipe(driver, "left", ("b", 2, 5))
        assert read(driver, "out") == [("a", 1, 9), (None, None, 2), ("b", 2, 5)]


def test_a_stream_and_what_was_made_of_it_meet_again() -> None:
    def build(builder: StreamsBuilder) -> None:
        stream = builder.stream("in")
        stream.merge(stream.map_values(lambda value: -value)).to("out")

    with drive(build) as driver:
        pipe(driver, "in", ("a", 1))
        assert sorted(read(driver, "out")) == [("a", -1, 0), ("a", 1, 0)]


def test_a_stream_merged_with_itself_is_not_doubled() -> None:
    def build(builder: StreamsBuilder) -> None:
        stream = builder.stream("in")
        stream.merge(stream).to("out")

    with drive(build) as driver:
        pipe(driver, "in", ("a", 1))
        assert read(driver, "out") == [("a", 1, 0)]


def test_merged_streams_wait_for_each_other_if_told_to() -> None:
    def build(builder: StreamsBuilder) -> None:
        builder.stream("left").merge(builder.stream("right")).to("out")

    with drive(build, **{"max.task.idle.ms": 100}) as driver:
        pipe(driver, "left", ("a", 1, 9))
        assert read(driver, "out") == []
        pipe(driver, "right", ("b", 2, 5))
        assert read(driver, "out") == [("b", 2, 5)]
        driver.advance_wall_clock_time(100)
        assert read(driver, "out") == [("a", 1, 9)]
