"""Tables: their sources and views, and back to streams."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from penstock import Change, KTable, Materialized, Record, StreamsBuilder, ValueAndTimestamp
from penstock.handlers import ErrorHandlerContext, Response
from tests.operators.programs import Seen, drive, pipe, read

NO_CACHE = {"statestore.cache.max.bytes": 0}

ROWS = [("a", 1, 10), ("b", 2, 5), ("a", None, 12), ("b", 3, 2), ("c", None, 1), ("b", 4, 7)]


def changes(stored: bool, view: Any = lambda table: table, **config: Any) -> list[Seen]:
    """Return the changes of a view of a table with or without a store."""

    def build(builder: StreamsBuilder) -> None:
        option = Materialized[Any, Any]("rows") if stored else Materialized[Any, Any]()
        table: KTable[Any, Any] = builder.table("in", materialized=option)
        view(table).to_stream().to("out")

    with drive(build, **config) as driver:
        pipe(driver, "in", *ROWS)
        return read(driver, "out")


def test_a_table_without_a_store_forwards_what_comes() -> None:
    assert changes(stored=False) == ROWS


def test_a_table_with_a_store_forwards_what_comes() -> None:
    assert changes(stored=True, **NO_CACHE) == ROWS


def test_with_a_cache_the_deletion_of_no_row_is_nothing() -> None:
    assert changes(stored=True) == [row for row in ROWS if row[0] != "c"]


def test_a_row_has_the_time_of_its_record_even_if_that_is_older(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def build(builder: StreamsBuilder) -> None:
        builder.table("in", materialized=Materialized("rows"))

    with caplog.at_level(logging.WARNING), drive(build) as driver:
        pipe(driver, "in", ("a", 1, 9), ("a", 2, 4))
        assert driver.get_state_store("rows").get("a") == ValueAndTimestamp(2, 4)
    assert "store=rows an update of time 4 follows one of time 9" in caplog.messages


def test_a_record_without_a_key_is_dropped_and_counted() -> None:
    def build(builder: StreamsBuilder) -> None:
        builder.table("in", materialized=Materialized("rows"))
        builder.stream("in2").to_table()

    with drive(build) as driver:
        pipe(driver, "in", (None, 1))
        pipe(driver, "in2", (None, 1))
        assert driver.metrics()["dropped-records-total"] == 2


def test_a_filter_without_old_values_deletes_all_that_it_does_not_keep() -> None:
    seen = changes(stored=False, view=lambda table: table.filter(lambda k, v: v % 2 == 0))
    assert seen == [(k, v if v and v % 2 == 0 else None, t) for k, v, t in ROWS]


def test_a_filter_with_old_values_deletes_what_it_had_kept() -> None:
    even = [("b", 2, 5), ("b", None, 2), ("b", 4, 7)]
    view = lambda table: table.filter(lambda k, v: v % 2 == 0)  # noqa: E731
    assert changes(stored=True, view=view) == even
    assert changes(stored=True, view=view, **NO_CACHE) == even


def test_filter_not_keeps_the_others() -> None:
    odd = [("a", 1, 10), ("a", None, 12), ("b", 3, 2), ("b", None, 7)]
    view = lambda table: table.filter_not(lambda k, v: v % 2 == 0)  # noqa: E731
    assert changes(stored=True, view=view) == odd


def test_a_mapper_is_not_asked_about_deletions() -> None:
    asked: list[int] = []

    def double(value: int) -> int:
        asked.append(value)
        return 2 * value

    seen = changes(stored=False, view=lambda table: table.map_values(double))
    assert seen == [(k, v and 2 * v, t) for k, v, t in ROWS]
    assert asked == [v for _, v, _ in ROWS if v is not None]


def test_a_mapper_may_look_at_the_key() -> None:
    seen = changes(stored=False, view=lambda t: t.map_values_with_key(lambda k, v: f"{k}{v}"))
    assert seen == [(k, v and f"{k}{v}", t) for k, v, t in ROWS]


def test_the_store_of_a_view_holds_the_view() -> None:
    def build(builder: StreamsBuilder) -> None:
        table = builder.table("in")
        table.filter(lambda k, v: v > 1, Materialized("kept"))
        table.map_values(lambda v: v * 10, Materialized("mapped"))

    with drive(build) as driver:
        pipe(driver, "in", ("a", 1, 0), ("b", 2, 0), ("b", 3, 5))
        assert list(driver.get_state_store("kept").all()) == [("b", (3, 5))]
        assert list(driver.get_state_store("mapped").all()) == [("a", (10, 0)), ("b", (30, 5))]


def test_the_handler_of_a_failing_view_sees_the_change() -> None:
    failed: list[Any] = []

    class Note:
        def handle_error(
            self, context: ErrorHandlerContext, record: Record[Any, Any] | None, error: Exception
        ) -> Response:
            failed.append((context.processor_node_id, record and record.value))
            return Response.resume()

    def build(builder: StreamsBuilder) -> None:
        table = builder.table("in", materialized=Materialized[Any, Any]("rows"))
        table.filter(lambda k, v: 1 // v, named="picky")
        table.to_stream(named="streamed").map_values(lambda v: 1 // v, named="mapped")

    with drive(build, **{"processing.exception.handler": Note, **NO_CACHE}) as driver:
        pipe(driver, "in", ("a", 2, 0), ("a", 0, 0))
    assert failed == [("picky", Change(new=0, old=2)), ("mapped", 0)]
