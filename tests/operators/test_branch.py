"""split: branch, default_branch and no_default_branch."""

from __future__ import annotations

from typing import Any

from penstock import Branched, StreamsBuilder
from tests.operators.programs import Stream, drive, pipe, read

RECORDS = [("k", 1, 4), ("k", 6, 3), ("k", None, 2), ("k", 9, 1)]


def small(key: Any, value: int | None) -> bool:
    return value is not None and value < 5


def odd(key: Any, value: int | None) -> bool:
    return value is not None and value % 2 == 1


def outputs(build: Any, *topics: str) -> list[list[Any]]:
    with drive(build) as driver:
        pipe(driver, "in", *RECORDS)
        return [read(driver, topic) for topic in topics]


def test_each_record_takes_the_first_branch_that_wants_it() -> None:
    def build(builder: StreamsBuilder) -> None:
        split = builder.stream("in").split(named="s-")
        branches = split.branch(small).branch(odd).default_branch()
        for name, stream in branches.items():
            stream.to(name)

    assert outputs(build, "s-1", "s-2", "s-0") == [
        [("k", 1, 4)],
        [("k", 9, 1)],
        [("k", 6, 3), ("k", None, 2)],
    ]


def test_without_a_default_the_rest_is_forgotten_and_not_counted() -> None:
    def build(builder: StreamsBuilder) -> None:
        (stream,) = builder.stream("in").split().branch(odd).no_default_branch().values()
        stream.to("odd")

    with drive(build) as driver:
        pipe(driver, "in", *RECORDS)
        assert read(driver, "odd") == [("k", 1, 4), ("k", 9, 1)]
        assert driver.metrics()["dropped-records-total"] == 0


def test_a_split_without_predicates_gives_all_to_the_default() -> None:
    def build(builder: StreamsBuilder) -> None:
        builder.stream("in").split(named="s-").default_branch()["s-0"].to("out")

    assert outputs(build, "out") == [RECORDS]


def test_branches_are_named_by_the_split_and_themselves() -> None:
    split = StreamsBuilder().stream("in").split(named="s-")
    branches = split.branch(small, Branched(name="small")).branch(odd).default_branch()
    assert list(branches) == ["s-small", "s-2", "s-0"]


def test_a_function_replaces_the_branch_or_takes_it_away() -> None:
    kept: list[Stream] = []

    def build(builder: StreamsBuilder) -> None:
        split = builder.stream("in").split(named="s-")
        split.branch(small, Branched(function=lambda s: s.map_values(lambda v: v * 10)))
        split.branch(odd, Branched(function=kept.append))
        branches = split.default_branch()
        assert list(branches) == ["s-1", "s-0"]
        branches["s-1"].to("tens")
        kept[0].to("odd")

    assert outputs(build, "tens", "odd") == [[("k", 10, 4)], [("k", 9, 1)]]


def test_a_consumer_takes_the_branch_out_of_the_dict() -> None:
    def build(builder: StreamsBuilder) -> None:
        split = builder.stream("in").split()
        split.branch(odd, Branched(consumer=lambda s: s.to("odd")))
        assert split.no_default_branch() == {}

    assert outputs(build, "odd") == [[("k", 1, 4), ("k", 9, 1)]]
