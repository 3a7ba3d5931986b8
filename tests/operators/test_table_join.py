"""Joins of two tables, and how rows are looked up: in stores and through views."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import KTable, Materialized, StreamsBuilder
from tests.operators.programs import Seen, drive, pipe, read

NO_CACHE = {"statestore.cache.max.bytes": 0}
VERBS = ("join", "left_join", "outer_join")


def both(left: Any, right: Any) -> list[Any]:
    return [left, right]


def results(join: Any, *records: tuple[str, Any, Any, int], **config: Any) -> list[Seen]:
    """Return the rows of a join; a record is (side, key, value, timestamp)."""

    def build(builder: StreamsBuilder) -> None:
        join(builder.table("left"), builder.table("right")).to_stream().to("out")

    with drive(build, **{**NO_CACHE, **config}) as driver:
        for side, *record in records:
            pipe(driver, side, tuple(record))
        return read(driver, "out")


CHANGES = [
    ("left", "k", 1, 5),
    ("right", "k", 2, 3),
    ("left", "k", None, 4),
    ("left", "k", None, 6),
    ("right", "k", None, 7),
    ("right", "k", None, 8),
]


def test_an_inner_join_has_a_result_if_both_have_a_row() -> None:
    joined = results(lambda left, right: left.join(right, both), *CHANGES)
    assert joined == [("k", [1, 2], 5), ("k", None, 4), ("k", None, 6)]


def test_a_left_join_has_a_result_if_the_left_has_a_row() -> None:
    joined = results(lambda left, right: left.left_join(right, both), *CHANGES)
    assert joined == [("k", [1, None], 5), ("k", [1, 2], 5), ("k", None, 4), ("k", None, 6)]


def test_an_outer_join_has_a_result_if_either_has_a_row() -> None:
    joined = results(lambda left, right: left.outer_join(right, both), *CHANGES)
    assert joined == [
        ("k", [1, None], 5),
        ("k", [1, 2], 5),
        ("k", [None, 2], 4),
        ("k", [None, 2], 6),
        ("k", None, 7),
    ]


RECORDS = st.lists(
    st.tuples(
        st.sampled_from(["left", "right"]),
        st.sampled_from(["a", "b"]),
        st.one_of(st.none(), st.integers(0, 3)),
        st.integers(0, 9),
    ),
    max_size=25,
)


def rows_of(changes: list[Seen]) -> dict[Any, Any]:
    """Return the rows that a table's changes leave."""
    last = {key: value for key, value, _ in changes}
    return {key: value for key, value in last.items() if value is not None}


@pytest.mark.parametrize("verb", VERBS)
@settings(max_examples=25, deadline=None)
@given(records=RECORDS)
def test_what_a_join_leaves_is_the_join_of_what_the_tables_leave(
    verb: str, records: list[Any]
) -> None:
    def stored(left: KTable[Any, Any], right: KTable[Any, Any]) -> Any:
        return getattr(left, verb)(right, both, Materialized("joined"))

    left, right = (
        rows_of([(key, value, time) for side, key, value, time in records if side == wanted])
        for wanted in ("left", "right")
    )
    keys = {"join": left.keys() & right, "left_join": left, "outer_join": left.keys() | right}[verb]
    expected = {key: [left.get(key), right.get(key)] for key in keys}
    assert rows_of(results(stored, *records)) == expected


@pytest.mark.parametrize("verb", VERBS)
@settings(max_examples=25, deadline=None)
@given(records=RECORDS)
def test_views_are_joined_like_the_tables_they_show(verb: str, records: list[Any]) -> None:
    def joined(store: Any) -> dict[Any, Any]:
        def join(left: KTable[Any, Any], right: KTable[Any, Any]) -> Any:
            kept = left.filter_not(lambda key, value: value == 3, store("kept"))
            shown = right.filter(lambda key, value: value != 0).map_values(
                lambda value: value * 10, store("shown")
            )
            return getattr(kept, verb)(shown, both)

        return rows_of(results(join, *records))

    assert joined(lambda name: None) == joined(Materialized)


def test_a_join_is_looked_up_through_both_tables() -> None:
    def build(builder: StreamsBuilder) -> None:
        left, right = builder.table("left"), builder.table("right")
        third: KTable[Any, Any] = builder.table("third")
        third.left_join(left.outer_join(right, both), both).to_stream().to("out")

    with drive(build, **NO_CACHE) as driver:
        pipe(driver, "left", ("k", 1, 5))
        pipe(driver, "third", ("k", "a", 3))
        pipe(driver, "right", ("k", 2, 9))
        pipe(driver, "third", ("k", "b", 4), ("m", "c", 1))
        assert read(driver, "out") == [
            ("k", ["a", [1, None]], 5),
            ("k", ["a", [1, 2]], 9),
            ("k", ["b", [1, 2]], 9),
            ("m", ["c", None], 1),
        ]


def test_a_versioned_row_is_looked_up_as_it_is_now() -> None:
    def build(builder: StreamsBuilder) -> None:
        option = Materialized[Any, Any]("rows", history_retention=100)
        right = builder.table("right", materialized=option).map_values(lambda value: value * 10)
        builder.table("left").join(right, both).to_stream().to("out")

    with drive(build, **NO_CACHE) as driver:
        pipe(driver, "right", ("k", 2, 9), ("k", 1, 5))
        pipe(driver, "left", ("k", "a", 3))
        assert read(driver, "out") == [("k", ["a", 20], 9)]
        assert driver.metrics()["dropped-records-total"] == 1


def test_what_is_not_the_latest_of_a_versioned_table_is_dropped_and_counted() -> None:
    def build(builder: StreamsBuilder) -> None:
        option = Materialized[Any, Any]("rows", history_retention=100)
        builder.table("left", materialized=option).left_join(
            builder.table("right"), both
        ).to_stream().to("out")

    with drive(build, **NO_CACHE) as driver:
        pipe(driver, "left", ("k", 2, 9), ("k", 1, 5), ("k", 3, 9))
        assert read(driver, "out") == [("k", [2, None], 9), ("k", [3, None], 9)]
        assert driver.metrics()["dropped-records-total"] == 1


def test_a_record_without_a_key_is_dropped_by_the_table() -> None:
    joined = results(lambda left, right: left.left_join(right, both), ("left", None, 1, 5))
    assert joined == []
