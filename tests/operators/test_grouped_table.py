"""A table grouped by other keys: what leaves a group, what comes to it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from penstock import (
    Grouped,
    KGroupedTable,
    Materialized,
    ProcessingError,
    StreamsBuilder,
    serdes,
)
from penstock._engine.operators.grouped_table import same_key
from tests.operators.programs import ANYTHING, Seen, drive, pipe, read

NO_CACHE = {"statestore.cache.max.bytes": 0}

MOVES = [("a", "x", 1), ("b", "x", 2), ("a", "y", 3), ("b", None, 4), ("b", None, 5)]


def results(aggregate: Any, *records: tuple[Any, ...], mapper: Any = None) -> list[Seen]:
    """Return the rows of an aggregation of a table grouped by its values."""

    def build(builder: StreamsBuilder) -> None:
        groups: KGroupedTable[Any, Any] = builder.table("in").group_by(
            mapper or (lambda key, value: (value, key))
        )
        aggregate(groups).to_stream().to("out")

    with drive(build, **NO_CACHE) as driver:
        pipe(driver, "in", *records)
        return read(driver, "out")


def test_a_row_leaves_its_group_before_it_comes_to_another() -> None:
    def told(groups: Any) -> Any:
        return groups.aggregate(list, lambda k, v, a: [*a, v], lambda k, v, a: [*a, f"-{v}"])

    assert results(told, *MOVES) == [
        ("x", ["a"], 1),
        ("x", ["a", "b"], 2),
        ("x", ["a", "b", "-a"], 3),
        ("y", ["a"], 3),
        ("x", ["a", "b", "-a", "-b"], 4),
    ]


def counted(groups: Any) -> Any:
    return groups.count(Materialized(value=ANYTHING))


def test_a_group_that_has_lost_all_rows_counts_nothing() -> None:
    assert results(counted, ("a", "x", 1), ("a", None, 2)) == [("x", 1, 1), ("x", 0, 2)]


def test_a_change_within_a_group_is_one_change() -> None:
    seen: list[tuple[str, str]] = []

    def summed(groups: Any) -> Any:
        def add(total: str, value: str) -> str:
            seen.append(("add", value))
            return total + value

        def take(total: str, value: str) -> str:
            seen.append(("take", value))
            return total.replace(value, "", 1)

        return groups.reduce(add, take)

    by_first = lambda key, value: (value[0], value[1:])  # noqa: E731
    rows = [("a", "x1", 1), ("b", "x2", 1), ("a", "x3", 1)]
    assert results(summed, *rows, mapper=by_first)[-1] == ("x", "23", 1)
    assert seen == [("add", "2"), ("take", "1"), ("add", "3")]


def test_an_aggregate_that_is_changed_in_place_does_not_change_what_was_sent_before() -> None:
    def build(builder: StreamsBuilder) -> None:
        groups: KGroupedTable[Any, Any] = builder.table("in").group_by(lambda k, v: (v, k))

        def add(key: str, value: str, total: list[str]) -> list[str]:
            total.append(value)
            return total

        def take(key: str, value: str, total: list[str]) -> list[str]:
            total.remove(value)
            return total

        # A filter without a store sees the old value; it must not be the new one.
        many = groups.aggregate(list, add, take).filter(lambda key, value: len(value) > 1)
        many.to_stream().to("out")

    with drive(build, **NO_CACHE) as driver:
        pipe(driver, "in", ("a", "x", 1), ("b", "x", 2), ("a", None, 3), ("b", None, 4))
        assert read(driver, "out") == [("x", ["a", "b"], 2), ("x", None, 3)]


@pytest.mark.parametrize("given", [None, (None, 1), ("g", None)])
def test_a_row_may_belong_to_no_group(given: Any) -> None:
    mapper = lambda key, value: given if value == "none" else ("g", value)  # noqa: E731
    rows = [("a", 1, 1), ("a", "none", 2), ("a", 2, 3), ("a", None, 4)]

    def told(groups: Any) -> Any:
        return groups.aggregate(list, lambda k, v, a: [*a, v], lambda k, v, a: [*a, -v])

    assert results(told, *rows, mapper=mapper) == [
        ("g", [1], 1),
        ("g", [1, -1], 2),
        ("g", [1, -1, 2], 3),
        ("g", [1, -1, 2, -2], 4),
    ]


def test_a_mapper_that_gives_no_pair_is_explained() -> None:
    with pytest.raises(ProcessingError, match=r"must give a \(key, value\) pair, or None; got 'x'"):
        results(counted, ("a", "x", 1), mapper=lambda key, value: value)


def test_a_change_without_a_key_in_the_topic_is_an_error() -> None:
    def build(builder: StreamsBuilder) -> None:
        groups: KGroupedTable[Any, Any] = builder.table("in").group_by(
            lambda key, value: (value, key), Grouped("moves")
        )
        groups.count()
        groups.reduce(lambda total, value: value, lambda total, value: value)

    topic = "app-moves-repartition"
    with (
        drive(build, **{"application.id": "app"}) as driver,
        pytest.raises(ProcessingError, match="a change of a grouped table must have a key"),
    ):
        driver.create_input_topic(topic, ANYTHING, serdes.bytes()).pipe_input(None, b'"x"\x01')


def test_a_versioned_aggregate_forwards_what_it_keeps() -> None:
    def kept(groups: Any) -> Any:
        option = Materialized[Any, Any]("kept", history_retention=100)
        return groups.reduce(lambda t, v: t + v, lambda t, v: t.replace(v, "", 1), option)

    records = [("a", "x", 10), ("b", "x", 5), ("a", None, 20), ("b", None, 30), ("c", "x", 40)]
    assert results(kept, *records) == [
        ("x", "a", 10),
        ("x", "ab", 10),
        ("x", "b", 20),
        ("x", "", 30),
        ("x", "c", 40),
    ]


def test_keys_that_only_python_holds_for_equal_are_different_groups() -> None:
    rows = [("a", 1, 1), ("b", True, 2), ("a", True, 3)]
    seen = [(repr(key), count) for key, count, _ in results(counted, *rows)]
    assert seen == [("1", 1), ("True", 1), ("1", 0), ("True", 2)]


@dataclass(frozen=True)
class Place:
    row: Any
    note: str = ""


NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("a", "a", True),
        (1, 1.0, False),
        (0.0, -0.0, False),
        (Decimal("1.0"), Decimal("1.00"), False),
        (Decimal("1.0"), Decimal("1.0"), True),
        ([1, {"a": 1}], [1, {"a": 1}], True),
        ([1, {"a": 1}], [1, {"a": True}], False),
        ((1, 2), (1, 2, 3), False),
        (Place(1), Place(1), True),
        (Place(1), Place(True), False),
        (Place(1), Place(2), False),
        (NOON, NOON.astimezone(timezone(timedelta(hours=1))), False),
        (b"a", b"a", True),
        (frozenset("ab"), frozenset("ba"), True),
    ],
)
def test_one_group_has_keys_that_are_equal_and_of_equal_types(
    old: Any, new: Any, same: bool
) -> None:
    assert same_key(old, new) is same
