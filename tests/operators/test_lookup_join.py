"""Joins that look one row up: of a table, of a versioned one, of a global one."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import (
    Joined,
    KTable,
    Materialized,
    Processor,
    Record,
    Stores,
    StreamsBuilder,
    StreamsError,
    serdes,
)
from tests.operators.programs import ANYTHING, Seen, drive, pipe, read

GRACE = Joined[Any, Any, Any]("joined", grace=10)


def joined(*records: tuple[Any, ...], option: Any = None, **kept: Any) -> list[Seen]:
    """Return what a left join makes of (topic, key, value, timestamp)."""

    def build(builder: StreamsBuilder) -> None:
        table: KTable[Any, Any] = builder.table("rows", materialized=Materialized("kept", **kept))
        builder.stream("in").left_join(table, lambda one, row: [one, row], option).to("out")

    with drive(build) as driver:
        for topic, *record in records:
            pipe(driver, topic, tuple(record))
        return read(driver, "out")


def test_a_row_is_looked_up_as_it_is_now() -> None:
    seen = joined(
        ("rows", "a", 1, 50), ("in", "a", "x", 5), ("rows", "a", None, 1), ("in", "a", "y", 9)
    )
    assert seen == [("a", ["x", 1], 5), ("a", ["y", None], 9)]


def test_a_row_of_a_versioned_table_is_looked_up_as_of_the_record_s_time() -> None:
    seen = joined(
        ("rows", "a", 1, 10),
        ("rows", "a", 2, 20),
        ("in", "a", "x", 9),
        ("in", "a", "y", 15),
        ("in", "a", "z", 20),
        history_retention=100,
    )
    assert seen == [("a", ["x", None], 9), ("a", ["y", 1], 15), ("a", ["z", 2], 20)]


def test_with_a_grace_rows_that_come_late_are_seen() -> None:
    seen = joined(
        ("in", "a", "x", 5),
        ("rows", "a", "late", 4),
        ("in", "b", "y", 15),
        option=GRACE,
        history_retention=100,
    )
    assert seen == [("a", ["x", "late"], 5)]


def test_what_waits_is_not_let_out_again_after_a_failure_of_another() -> None:
    """A joiner that raises leaves its record, and those behind it, where they wait."""
    failing = {"now": True}

    def joiner(value: str, row: object) -> str:
        if value == "bad" and failing["now"]:
            raise ValueError(value)
        return value

    def build(builder: StreamsBuilder) -> None:
        table: KTable[Any, Any] = builder.table(
            "rows", materialized=Materialized("kept", history_retention=100)
        )
        builder.stream("in").left_join(table, joiner, GRACE).to("out")

    handler = "LogAndContinueProcessingExceptionHandler"
    with drive(build, **{"processing.exception.handler": handler}) as driver:
        pipe(driver, "in", ("a", "good", 1), ("a", "bad", 2), ("a", "next", 3), ("z", "z", 30))
        assert [value for _, value, _ in read(driver, "out")] == ["good"]
        failing["now"] = False
        pipe(driver, "in", ("z", "z", 30))
        assert [value for _, value, _ in read(driver, "out")] == ["bad", "next"]


def test_a_global_row_is_found_by_another_key_and_keeps_the_record_s() -> None:
    def build(builder: StreamsBuilder) -> None:
        rows: Any = builder.global_table("rows")
        stream = builder.stream("in")
        stream.join(rows, lambda key, value: value, lambda value, row: [value, row]).to("inner")
        stream.left_join(rows, lambda key, value: value, lambda value, row: [value, row]).to("left")

    with drive(build) as driver:
        pipe(driver, "rows", ("x", 1, 50))
        pipe(driver, "in", ("k", "x", 5), ("k", "y", 6), (None, "x", 7), ("k", None, 8))
        assert read(driver, "inner") == [("k", ["x", 1], 5), (None, ["x", 1], 7)]
        assert read(driver, "left") == [
            ("k", ["x", 1], 5),
            ("k", ["y", None], 6),
            (None, ["x", 1], 7),
        ]
        assert driver.metrics()["dropped-records-total"] == 2


def test_a_global_store_can_be_asked_for_by_the_driver() -> None:
    class Keep(Processor[Any, Any, Any, Any]):
        def process(self, record: Record[Any, Any]) -> None:
            self.context.get_state_store("kept").put(record.key, [record.value])

    def build(builder: StreamsBuilder) -> None:
        builder.global_table("rows", materialized=Materialized("table"))
        store = Stores.in_memory_key_value_store("kept", key=ANYTHING, value=ANYTHING)
        builder.add_global_store(store, "more", None, Keep)

    with drive(build) as driver:
        pipe(driver, "rows", ("a", 1, 5))
        pipe(driver, "more", ("b", 2, 6))
        table, kept = driver.get_key_value_store("table"), driver.get_key_value_store("kept")
        assert table is not None
        assert kept is not None
        assert (table.get("a"), kept.get("b")) == (1, [2])
        assert sorted(driver.get_all_state_stores()) == ["kept", "table"]


def test_the_wrong_kind_of_key_for_a_global_table_is_explained() -> None:
    def build(builder: StreamsBuilder) -> None:
        option: Any = Materialized("rows", key=serdes.long(), value=serdes.long())
        rows: Any = builder.global_table("rows", materialized=option)
        builder.stream("in").join(rows, lambda key, value: key, lambda value, row: row).to("out")

    with drive(build) as driver, pytest.raises(StreamsError, match="key serde that does not fit"):
        pipe(driver, "in", ("text", 1))
