"""transform_values: transformers, what they are handed, and how their rows are looked up."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import (
    Materialized,
    ProcessingError,
    PunctuationType,
    Record,
    Stores,
    StreamsBuilder,
    StreamsError,
    TransformerContext,
    ValueTransformerWithKey,
)
from tests.operators.programs import ANYTHING, drive, pipe, read, read_all

NO_CACHE = {"statestore.cache.max.bytes": 0}


class Twice(ValueTransformerWithKey[Any, Any, Any]):
    """Doubles values; a deletion becomes the key."""

    def transform(self, key: Any, value: Any) -> Any:
        return key if value is None else value * 2


def test_a_transformer_is_asked_about_deletions_too() -> None:
    def build(builder: StreamsBuilder) -> None:
        builder.table("in").transform_values(Twice).to_stream().to("out")

    with drive(build) as driver:
        pipe(driver, "in", ("a", 1, 5), ("a", None, 3))
        assert read(driver, "out") == [("a", 2, 5), ("a", "a", 3)]


def test_with_a_store_what_it_makes_is_kept() -> None:
    def build(builder: StreamsBuilder) -> None:
        kept = builder.table("in").transform_values(Twice, Materialized("kept"))
        kept.filter(lambda key, value: value != 2).to_stream().to("out")

    with drive(build, **NO_CACHE) as driver:
        pipe(driver, "in", ("a", 1, 5), ("a", 2, 6), ("a", 1, 7))
        assert read(driver, "out") == [("a", 4, 6), ("a", None, 7)]
        assert driver.get_state_store("kept").get("a").value == 2


class Noting(ValueTransformerWithKey[Any, Any, Any]):
    """Notes in a store what it has seen, and marks the record."""

    def init(self, context: TransformerContext) -> None:
        super().init(context)
        self.seen = context.get_state_store("seen")

    def transform(self, key: Any, value: Any) -> Any:
        context = self.context
        self.seen.put(key, [context.timestamp, *context.record_metadata])
        context.headers.add("noted", b"yes")
        assert (context.application_id, context.task_id) == ("noting", "0_0")
        assert context.current_stream_time_ms >= context.timestamp
        assert context.current_system_time_ms == 0
        assert context.app_configs()["application.id"] == "noting"
        assert context.app_configs_with_prefix("application.")["id"] == "noting"
        context.commit()
        return value


def test_a_transformer_has_stores_and_knows_the_record() -> None:
    def build(builder: StreamsBuilder) -> None:
        builder.add_state_store(
            Stores.in_memory_key_value_store("seen", key=ANYTHING, value=ANYTHING)
        )
        table = builder.table("in").transform_values(Noting, state_stores=["seen"])
        table.to_stream().to("out")

    with drive(build, **{"application.id": "noting"}) as driver:
        pipe(driver, "in", ("a", 1, 5, (("h", b"1"),)))
        assert driver.get_state_store("seen").get("a") == [5, "in", 0, 0]
        [record] = read_all(driver, "out")
        assert list(record.headers) == [("h", b"1"), ("noted", b"yes")]
        [change] = read_all(driver, "noting-seen-changelog")
        assert change.timestamp == 5


class Forwarding(ValueTransformerWithKey[Any, Any, Any]):
    def transform(self, key: Any, value: Any) -> Any:
        self.context.forward(Record(key, value, 0))  # type: ignore[arg-type]


def test_a_transformer_must_not_forward() -> None:
    def build(builder: StreamsBuilder) -> None:
        builder.table("in").transform_values(Forwarding)

    with (
        drive(build) as driver,
        pytest.raises(ProcessingError, match="must not forward; return the new value"),
    ):
        pipe(driver, "in", ("a", 1))


class Place(ValueTransformerWithKey[Any, Any, Any]):
    """Gives where a value was read, and when."""

    def transform(self, key: Any, value: Any) -> Any:
        return [value, self.context.timestamp, self.context.record_metadata.topic]


def test_a_row_that_is_looked_up_has_its_own_time_and_no_place() -> None:
    def build(builder: StreamsBuilder) -> None:
        right = builder.table("right").transform_values(Place)
        builder.table("left").left_join(right, lambda one, other: [one, other]).to_stream().to(
            "out"
        )

    with drive(build, **NO_CACHE) as driver:
        pipe(driver, "left", ("a", 1, 9))
        pipe(driver, "right", ("a", 2, 5))
        pipe(driver, "left", ("a", 3, 4))
        assert read(driver, "out") == [
            ("a", [1, [None, -1, None]], 9),
            ("a", [1, [2, 5, "right"]], 9),
            ("a", [3, [2, 5, None]], 5),
        ]


def test_where_a_row_is_looked_up_the_stores_of_its_transformer_are_not() -> None:
    def build(builder: StreamsBuilder) -> None:
        builder.add_state_store(
            Stores.in_memory_key_value_store("seen", key=ANYTHING, value=ANYTHING)
        )
        right = builder.table("right").transform_values(Noting, state_stores=["seen"])
        builder.table("left").join(right, lambda one, other: one)

    with pytest.raises(StreamsError, match="'seen' is not connected to processor 'KTABLE-JOINTHIS"):
        drive(build)


class Ageing(ValueTransformerWithKey[Any, Any, Any]):
    """Has a timer, and says what it did when it is closed."""

    told: list[Any]

    def init(self, context: TransformerContext) -> None:
        super().init(context)
        context.schedule(10, PunctuationType.WALL_CLOCK_TIME, self.told.append)

    def transform(self, key: Any, value: Any) -> Any:
        return value

    def close(self) -> None:
        self.told.append("closed")


def test_a_transformer_may_have_timers_and_is_closed() -> None:
    told: list[Any] = []

    class Told(Ageing):
        def __init__(self) -> None:
            self.told = told

    def build(builder: StreamsBuilder) -> None:
        builder.table("in").transform_values(Told)

    with drive(build) as driver:
        driver.advance_wall_clock_time(25)
    assert told == [25, "closed"]


def test_a_transformer_that_forgets_to_transform_is_explained() -> None:
    def build(builder: StreamsBuilder) -> None:
        builder.table("in").transform_values(ValueTransformerWithKey)

    with (
        drive(build) as driver,
        pytest.raises(ProcessingError, match=r"must override transform\(key, value\)"),
    ):
        pipe(driver, "in", ("a", 1))
