"""to: topics, serdes, partitioners."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import Consumed, Produced, RecordContext, StreamsBuilder, StreamsError, serdes
from penstock.record import Headers
from penstock.testing import TopologyTestDriver
from tests.operators.programs import drive, pipe, read, run


def test_one_stream_may_go_to_several_topics() -> None:
    def build(builder: StreamsBuilder) -> None:
        stream = builder.stream("in")
        stream.to("one")
        stream.to("two")

    with drive(build) as driver:
        pipe(driver, "in", ("a", 1, 5), (None, None, 6))
        assert read(driver, "one") == read(driver, "two") == [("a", 1, 5), (None, None, 6)]


def test_a_function_chooses_the_topic_of_each_record() -> None:
    def build(builder: StreamsBuilder) -> None:
        builder.stream("in").to(lambda key, value, context: f"to-{key}")

    with drive(build) as driver:
        pipe(driver, "in", ("a", 1), ("b", 2), ("a", 3))
        assert driver.produced_topic_names() == {"to-a", "to-b"}
        assert read(driver, "to-a") == [("a", 1, 0), ("a", 3, 0)]


def test_the_function_sees_where_the_record_comes_from() -> None:
    seen: list[RecordContext] = []

    def topic(key: Any, value: Any, context: RecordContext) -> str:
        seen.append(context)
        return "out"

    def build(builder: StreamsBuilder) -> None:
        builder.stream("in").to(topic)

    with drive(build) as driver:
        pipe(driver, "in", ("a", 1, 5), ("b", 2, 6, [("trace", b"1")]))
    assert seen == [
        RecordContext("in", 0, 0, 5, Headers(), b'"a"', b"1"),
        RecordContext("in", 0, 1, 6, Headers([("trace", b"1")]), b'"b"', b"2"),
    ]


def test_a_topic_that_is_also_read_comes_back_in() -> None:
    def build(builder: StreamsBuilder) -> None:
        stream = builder.stream("in")
        stream.filter(lambda k, v: v < 3).map_values(lambda v: v + 1).to("in")
        stream.to("out")

    with drive(build) as driver:
        pipe(driver, "in", ("a", 1, 5))
        assert read(driver, "out") == [("a", 1, 5), ("a", 2, 5), ("a", 3, 5)]


@pytest.mark.parametrize(
    ("chosen", "copies", "dropped"), [(0, 1, 0), (None, 1, 0), ([0, 2, 1, 2], 3, 0), ((), 0, 1)]
)
def test_a_partitioner_writes_to_one_several_or_no_partition(
    chosen: Any, copies: int, dropped: int
) -> None:
    def build(builder: StreamsBuilder) -> None:
        stream = builder.stream("in")
        stream.to("out", Produced(partitioner=lambda topic, key, value, count: chosen))

    with drive(build) as driver:
        pipe(driver, "in", ("a", 1))
        assert read(driver, "out") == [("a", 1, 0)] * copies
        assert driver.metrics()["dropped-records-total"] == dropped


def test_serdes_come_from_the_option_else_from_the_source_else_from_the_settings() -> None:
    text, long = serdes.string(), serdes.long()

    def build(builder: StreamsBuilder) -> None:
        stream = builder.stream("in", Consumed(key=text, value=text))
        stream.to("source")
        stream.map_values(len).to("option", Produced(value=long))
        stream.map_values(len).to("settings")

    with drive(build) as driver:
        driver.create_input_topic("in", text, text).pipe_input("k", "word")
        raw = serdes.bytes()
        assert {
            topic: driver.create_output_topic(topic, raw, raw).read_key_value()
            for topic in ("source", "option", "settings")
        } == {
            "source": (b"k", b"word"),
            "option": (b"k", b"\0\0\0\0\0\0\0\4"),
            "settings": (b"k", b"4"),
        }


def test_a_topic_extractor_sees_the_raw_bytes_of_the_input() -> None:
    seen: list[tuple[bytes | None, bytes | None]] = []

    def by_raw(key: Any, value: Any, context: RecordContext) -> str:
        seen.append((context.source_raw_key, context.source_raw_value))
        return "out"

    builder = StreamsBuilder()
    stream = builder.stream("in").map(lambda key, value: ("k", "v"))
    stream.to(by_raw)
    stream.to(by_raw)
    text = serdes.string()
    config = {"default.key.serde": text, "default.value.serde": text}
    with TopologyTestDriver(builder.build(), config) as driver:
        topic = driver.create_input_topic("in", text, text)
        topic.pipe_input("a", "x")
        topic.pipe_input(None, "y")
    assert seen == [(b"a", b"x")] * 2 + [(None, b"y")] * 2


def test_a_serde_that_makes_no_bytes_is_named() -> None:
    class Changing(serdes.Serde[Any]):
        def encode(self, value: Any) -> bytes:
            return bytearray(b"x")  # type: ignore[return-value]

    with pytest.raises(StreamsError, match="Changing must encode to bytes; got bytearray"):
        run(lambda s: s.to("other", Produced(value=Changing())), [("a", 1)])
