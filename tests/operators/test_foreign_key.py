"""Foreign-key joins, as far as the conformance cases do not tell: old bytes, custom serdes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from penstock import (
    Consumed,
    KTable,
    Materialized,
    StreamsBuilder,
    TableJoined,
    ValueAndTimestamp,
    serdes,
)
from penstock._engine.operators.joins.foreign_key_hash import hash_of
from penstock.errors import ProcessingError, StateUnreadableError, state_failure
from penstock.testing import TopologyTestDriver
from tests.operators.programs import ANYTHING, drive, pipe, read

Draw = Callable[[StreamsBuilder], object]


def employees(builder: StreamsBuilder, *, keeps_left: bool = False, **options: Any) -> None:
    """Join people, {"boss": id}, with their bosses' names."""
    people: KTable[Any, Any] = builder.table("people")
    names: KTable[Any, Any] = builder.table("names")
    join = people.left_join if keeps_left else people.join
    join(
        names, lambda person: person["boss"], lambda person, name: [person, name], **options
    ).to_stream().to("out")


def results(driver: TopologyTestDriver) -> list[tuple[Any, Any]]:
    return [(key, value) for key, value, _ in read(driver, "out")]


def test_rows_find_their_partners_from_both_sides() -> None:
    with drive(employees) as driver:
        pipe(driver, "people", ("ann", {"boss": 7}, 1))
        pipe(driver, "names", (7, "Cyd", 2))
        pipe(driver, "people", ("bob", {"boss": 7}, 3), ("ann", {"boss": 8}, 4))
        pipe(driver, "names", (7, "Dot", 5))
        assert results(driver) == [
            ("ann", [{"boss": 7}, "Cyd"]),
            ("bob", [{"boss": 7}, "Cyd"]),
            ("ann", None),
            ("bob", [{"boss": 7}, "Dot"]),
        ]


def test_a_left_join_keeps_rows_without_a_partner() -> None:
    with drive(lambda builder: employees(builder, keeps_left=True)) as driver:
        pipe(driver, "people", ("ann", {"boss": None}, 1), ("ann", {"boss": 7}, 2), ("ann", None))
        assert results(driver) == [
            ("ann", [{"boss": None}, None]),
            ("ann", [{"boss": 7}, None]),
            ("ann", None),
        ]


def test_the_result_is_kept_under_the_name_it_is_given() -> None:
    with drive(lambda b: employees(b, materialized=Materialized("results"))) as driver:
        pipe(driver, "names", (7, "Cyd", 1))
        pipe(driver, "people", ("ann", {"boss": 7}, 2))
        assert list(driver.get_key_value_store("results").all()) == [("ann", [{"boss": 7}, "Cyd"])]


class Marked(serdes.Serde[Any]):
    """Writes the topic into the bytes, so that bytes for one topic do not do for another."""

    def serialize(self, topic: str, value: Any, headers: Any = ()) -> bytes | None:
        return None if value is None else f"{topic}:{value}".encode()

    def deserialize(self, topic: str, data: bytes | None, headers: Any = ()) -> Any:
        if data is None:
            return None
        mark, _, value = data.decode().rpartition(":")
        assert mark in {topic, "in"}, f"bytes for {mark} were read as {topic}'s"
        return value


def test_serdes_that_write_the_topic_are_never_given_bytes_of_another() -> None:
    def build(builder: StreamsBuilder) -> None:
        marked: Consumed[Any, Any] = Consumed(key=Marked(), value=Marked())
        left, right = builder.table("left", marked), builder.table("right", marked)
        # The bytes of a foreign key tell whether it changed: they are made for one topic only.
        left.join(
            right, lambda value: value[0], lambda one, two: one + two, TableJoined("hop")
        ).to_stream().map(lambda key, value: (str(key), value)).to("out")

    with drive(build) as driver:
        raw = serdes.bytes()
        driver.create_input_topic("right", raw, raw).pipe_input(b"in:r", b"in:v", timestamp=1)
        driver.create_input_topic("left", raw, raw).pipe_input(b"in:l", b"in:ra", timestamp=2)
        driver.create_input_topic("right", raw, raw).pipe_input(b"in:r", b"in:w", timestamp=3)
        assert results(driver) == [("l", "rav"), ("l", "raw")]


class TestWhatOldProgramsLeft:
    """Java 3.3 and earlier wrote subscriptions without the partition of the left row."""

    TOPIC = "test-KTABLE-FK-JOIN-SUBSCRIPTION-REGISTRATION-0000000006-topic"

    def open(self) -> TopologyTestDriver:
        return drive(employees, **{"application.id": "test"})

    def test_a_subscription_without_a_partition_is_answered(self) -> None:
        with self.open() as driver:
            pipe(driver, "names", (7, "Cyd", 1))
            pipe(driver, "people", ("ann", {"boss": 7}, 2))
            read(driver, "out")
            hashed = hash_of(ANYTHING.encode({"boss": 7}))
            old = b"\x00\x02" + hashed + ANYTHING.encode("ann")
            raw = serdes.bytes()
            driver.create_input_topic(self.TOPIC, raw, raw).pipe_input(b"7", old, timestamp=3)
            assert read(driver, "out") == [("ann", [{"boss": 7}, "Cyd"], 3)]

    def test_a_subscription_of_a_newer_program_stops_the_task(self) -> None:
        with self.open() as driver:
            raw = serdes.bytes()
            topic = driver.create_input_topic(self.TOPIC, raw, raw)
            with pytest.raises(ProcessingError) as caught:
                topic.pipe_input(b"7", b"\x05\x02ann", timestamp=3)
            assert "has version 5" in str(caught.value.__cause__)


def test_a_store_may_follow_the_joiner() -> None:
    builder = StreamsBuilder()
    left, right = builder.table("left"), builder.table("right")
    joined = left.join(right, lambda value: value, lambda a, b: a, Materialized("joined"))
    assert joined.queryable_store_name == "joined"
    assert "joined" in builder.build().stores


def test_no_handler_may_skip_a_subscription_that_cannot_be_read() -> None:
    skipping = {"processing.exception.handler": "LogAndContinueProcessingExceptionHandler"}
    with drive(employees, **skipping) as driver:
        pipe(driver, "people", ("ann", {"boss": 7}, 1))
        (store,) = (
            store for name, store in driver.get_all_state_stores().items() if "SUBSC" in name
        )
        (key, _), *_ = store.all()
        store.put(key, ValueAndTimestamp(b"\x02\x02", 5))
        said = (
            r"a subscription of state store '.*' \(changelog '.*'\) cannot be read: .*newer program"
        )
        with pytest.raises(ProcessingError, match=said) as caught:
            pipe(driver, "names", (7, "Cyd", 2))
        assert isinstance(state_failure(caught.value), StateUnreadableError)
