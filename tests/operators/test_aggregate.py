"""count, reduce and aggregate."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from penstock import Grouped, Materialized, StreamsBuilder, ValueAndTimestamp, serdes
from penstock.errors import ProcessingError
from penstock.handlers import LogAndContinueProcessingExceptionHandler
from tests.operators.programs import drive, pipe, read, run

NO_CACHE = {"statestore.cache.max.bytes": 0}


def collect(key: str, value: int, values: list[int]) -> list[int]:
    """Change what is given, and return it."""
    values.append(value)
    return values


def test_count_counts_the_records_of_each_key() -> None:
    records = [("a", 1, 5), ("b", 1, 3), ("a", 2, 4)]
    assert run(lambda s: s.map_values(str).group_by_key().count().to_stream(), []) == []

    def build(builder: StreamsBuilder) -> None:
        builder.stream("in").group_by_key().count(Materialized("counts")).to_stream().to("out")

    with drive(build) as driver:
        pipe(driver, "in", *records)
        out = driver.create_output_topic("out", serdes.json(), serdes.long())
        assert out.read_key_values() == [("a", 1), ("b", 1), ("a", 2)]
        assert driver.get_state_store("counts").get("a") == ValueAndTimestamp(2, 5)


def test_reduce_begins_with_the_first_value_and_has_the_latest_time() -> None:
    records = [("a", 1, 5), ("b", 10, 3), ("a", 2, 4), ("a", 3, 9)]
    assert run(
        lambda s: s.group_by_key().reduce(lambda total, v: total + v).to_stream(), records
    ) == [
        ("a", 1, 5),
        ("b", 10, 3),
        ("a", 3, 5),
        ("a", 6, 9),
    ]


def test_aggregate_begins_with_the_initializer() -> None:
    records = [("a", 1, 0), ("a", 2, 0), ("b", 3, 0)]

    def add(key: str, value: int, total: list[Any]) -> list[Any]:
        return [*total, f"{key}{value}"]

    assert run(lambda s: s.group_by_key().aggregate(list, add).to_stream(), records) == [
        ("a", ["a1"], 0),
        ("a", ["a1", "a2"], 0),
        ("b", ["b3"], 0),
    ]


def test_an_aggregate_of_none_deletes_the_row() -> None:
    records = [("a", 1, 0), ("a", 0, 0), ("a", 2, 0)]
    program = lambda s: (  # noqa: E731 - shorter than its name
        s.group_by_key()
        .aggregate(lambda: 100, lambda k, v, total: total + v if v else None)
        .to_stream()
    )
    assert run(program, records) == [("a", 101, 0), ("a", None, 0), ("a", 102, 0)]


def test_records_without_key_or_value_are_dropped_counted_and_said_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def build(builder: StreamsBuilder) -> None:
        builder.stream("in").group_by_key().count(Materialized("counts"))

    with caplog.at_level(logging.WARNING), drive(build) as driver:
        pipe(driver, "in", (None, 1), ("a", None), ("a", 1))
        assert driver.metrics()["dropped-records-total"] == 2
    said = [record.getMessage() for record in caplog.records if "dropped" in record.getMessage()]
    assert len(said) == 1
    assert "offset 0" in said[0]


@pytest.mark.parametrize("config", [{}, NO_CACHE], ids=["cache", "no cache"])
def test_an_aggregator_may_change_what_it_is_given(config: dict[str, Any]) -> None:
    """L3: store, cache, old values and outputs are other objects."""

    def build(builder: StreamsBuilder) -> None:
        table = builder.stream("in").group_by_key().aggregate(list, collect, Materialized("lists"))
        # A filter asks for old values, which must not be the new ones.
        table.filter(lambda key, values: len(values) < 2).to_stream().to("short")

    with drive(build, **config) as driver:
        pipe(driver, "in", ("a", 1), ("a", 2), ("a", 3), ("b", 4))
        assert driver.get_state_store("lists").get("a").value == [1, 2, 3]
        assert [value for _, value, _ in read(driver, "short")] == [[1], None, [4]]


@pytest.mark.parametrize("config", [{}, NO_CACHE], ids=["cache", "no cache"])
def test_what_is_done_to_a_result_does_not_reach_the_store(config: dict[str, Any]) -> None:
    program = lambda s: (  # noqa: E731 - shorter than its name
        s.group_by_key()
        .aggregate(list, collect)
        .to_stream()
        .peek(lambda key, values: values.append("downstream"))
    )
    assert run(program, [("a", 1, 0), ("a", 2, 0)], **config) == [
        ("a", [1, "downstream"], 0),
        ("a", [1, 2, "downstream"], 0),
    ]


def test_an_initializer_that_always_gives_the_same_object_is_safe() -> None:
    shared: list[int] = []
    records = [("a", 1, 0), ("b", 2, 0), ("c", 3, 0), ("a", 4, 0)]
    assert run(
        lambda s: s.group_by_key().aggregate(lambda: shared, collect).to_stream(), records
    ) == [
        ("a", [1], 0),
        ("b", [2], 0),
        ("c", [3], 0),
        ("a", [1, 4], 0),
    ]


def test_a_reducer_may_change_what_it_is_given() -> None:
    def merge(total: dict[str, int], value: dict[str, int]) -> dict[str, int]:
        total.update(value)
        return total

    def build(builder: StreamsBuilder) -> None:
        table = builder.stream("in").group_by_key().reduce(merge, Materialized("merged"))
        table.filter(lambda key, value: "y" not in value).to_stream().to("out")

    with drive(build, **NO_CACHE) as driver:
        pipe(driver, "in", ("a", {"x": 1}), ("a", {"y": 2}), ("a", {"z": 3}))
        assert read(driver, "out") == [("a", {"x": 1}, 0), ("a", None, 0)]


def test_group_by_goes_through_a_topic_under_the_new_key() -> None:
    def build(builder: StreamsBuilder) -> None:
        grouped = builder.stream("in").group_by(lambda k, v: v, Grouped(name="by-value"))
        grouped.reduce(lambda total, v: total + v).to_stream().to("out")

    with drive(build, **{"application.id": "app"}) as driver:
        pipe(driver, "in", ("a", 1), ("b", 1), ("c", 2))
        assert read(driver, "app-by-value-repartition") == [(1, 1, 0), (1, 1, 0), (2, 2, 0)]
        assert read(driver, "out") == [(1, 1, 0), (1, 2, 0), (2, 2, 0)]


def test_a_failing_aggregator_leaves_the_row_as_it_was() -> None:
    def add(key: str, value: int, total: int) -> int:
        return total + 10 // value

    handler = {"processing.exception.handler": LogAndContinueProcessingExceptionHandler}
    records = [("a", 1, 0), ("a", 0, 0), ("a", 5, 0)]
    program = lambda s: s.group_by_key().aggregate(int, add).to_stream()  # noqa: E731
    assert run(program, records, **handler) == [("a", 10, 0), ("a", 12, 0)]


def test_a_serde_that_does_not_fit_names_the_store() -> None:
    def build(builder: StreamsBuilder) -> None:
        option = Materialized[Any, Any]("totals", value=serdes.string())
        builder.stream("in").group_by_key().reduce(lambda total, v: total + v, option)

    with drive(build) as driver, pytest.raises(ProcessingError, match="'totals' has a value serde"):
        pipe(driver, "in", ("a", 1))


def test_a_key_serde_that_does_not_fit_names_the_store() -> None:
    def build(builder: StreamsBuilder) -> None:
        option = Materialized[Any, Any]("totals", key=serdes.long())
        builder.stream("in").group_by_key().count(option)

    with drive(build) as driver, pytest.raises(ProcessingError, match="'totals' has a key serde"):
        pipe(driver, "in", ("a", 1))


def test_with_a_cache_the_updates_of_one_commit_are_one() -> None:
    program = lambda s: (  # noqa: E731
        s.flat_map_values(range).group_by_key().reduce(lambda t, v: t + v).to_stream()
    )
    assert run(program, [("a", 4, 0), ("a", 2, 1)]) == [("a", 6, 0), ("a", 7, 1)]
    assert run(program, [("a", 4, 0)], **NO_CACHE) == [
        ("a", 0, 0),
        ("a", 1, 0),
        ("a", 3, 0),
        ("a", 6, 0),
    ]
