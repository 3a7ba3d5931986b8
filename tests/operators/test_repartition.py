"""repartition."""

from __future__ import annotations

from typing import Any

from penstock import Repartitioned, StreamsBuilder, serdes
from tests.operators.programs import drive, pipe, read, run

APP = {"application.id": "app"}


def test_records_come_back_with_key_value_and_time() -> None:
    records = [("a", 1, 5), ("b", None, 3)]
    assert run(lambda s: s.repartition(), records) == records


def test_records_without_a_key_are_left_out_and_not_counted() -> None:
    def build(builder: StreamsBuilder) -> None:
        builder.stream("in").repartition().to("out")

    with drive(build) as driver:
        pipe(driver, "in", (None, 1), ("a", 2))
        assert read(driver, "out") == [("a", 2, 0)]
        assert driver.metrics()["dropped-records-total"] == 0


def test_the_topic_is_named_by_application_and_step() -> None:
    def build(builder: StreamsBuilder) -> None:
        stream = builder.stream("in")
        stream.repartition(Repartitioned(name="by-user"))
        stream.repartition()

    with drive(build, **APP) as driver:
        pipe(driver, "in", ("a", 1))
        assert driver.produced_topic_names() == {
            "app-by-user-repartition",
            "app-KSTREAM-REPARTITION-0000000004-repartition",
        }


def test_its_serdes_write_the_topic_and_read_it_again() -> None:
    text = Repartitioned[str, str](name="texts", key=serdes.string(), value=serdes.string())

    def build(builder: StreamsBuilder) -> None:
        builder.stream("in").map(lambda k, v: (k, str(v))).repartition(text).to("out")

    with drive(build, **APP) as driver:
        pipe(driver, "in", ("a", 1))
        raw = driver.create_output_topic(
            "app-texts-repartition", serdes.bytes(), serdes.bytes()
        ).read_key_value()
        assert raw == (b"a", b"1")


def test_what_is_behind_the_topic_runs_when_the_record_before_it_is_done() -> None:
    seen: list[str] = []

    def build(builder: StreamsBuilder) -> None:
        stream = builder.stream("in")
        stream.repartition().for_each(lambda k, v: seen.append(f"behind {v}"))
        stream.for_each(lambda k, v: seen.append(f"before {v}"))

    with drive(build) as driver:
        pipe(driver, "in", ("a", 1))
    assert seen == ["before 1", "behind 1"]


def test_the_partitioner_is_asked_with_the_topic_of_the_broker() -> None:
    asked: list[Any] = []

    def choose(topic: str, key: Any, value: Any, count: int) -> int:
        asked.append((topic, key, value, count))
        return 0

    def build(builder: StreamsBuilder) -> None:
        builder.stream("in").repartition(Repartitioned(name="r", partitioner=choose))

    with drive(build, **APP) as driver:
        pipe(driver, "in", ("a", 1))
    assert asked == [("app-r-repartition", "a", 1, 1)]
