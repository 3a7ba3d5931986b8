"""Run the program of a test on a few records: what goes in and out, without the driver's ceremony.

Keys and values are JSON, so that a test may use any plain value, None for null.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from penstock import KStream, StreamsBuilder, serdes
from penstock.testing import TestRecord, TopologyTestDriver

Stream: TypeAlias = KStream[Any, Any]
Program: TypeAlias = Callable[[Stream], "Stream | None"]
Seen: TypeAlias = tuple[Any, Any, int | None]
"""(key, value, timestamp)."""

ANYTHING = serdes.json()


def drive(build: Callable[[StreamsBuilder], object], **config: Any) -> TopologyTestDriver:
    """Open a driver over what `build` says."""
    builder = StreamsBuilder()
    build(builder)
    settings = {"default.key.serde": ANYTHING, "default.value.serde": ANYTHING, **config}
    return TopologyTestDriver(builder.build(), settings, initial_wall_clock_ms=0)


def pipe(driver: TopologyTestDriver, topic: str, *records: tuple[Any, ...]) -> None:
    """Pipe (key, value), (key, value, timestamp) or (key, value, timestamp, headers) records."""
    opened = driver.create_input_topic(topic, ANYTHING, ANYTHING, start_timestamp=0)
    for record in records:
        opened.pipe_input(*record)


def read(driver: TopologyTestDriver, topic: str) -> list[Seen]:
    """Take what was written to a topic."""
    return [(record.key, record.value, record.timestamp) for record in read_all(driver, topic)]


def read_all(driver: TopologyTestDriver, topic: str) -> list[TestRecord[Any, Any]]:
    """Take what was written to a topic, with its headers."""
    return driver.create_output_topic(topic, ANYTHING, ANYTHING).read_records()


def run(program: Program, records: Iterable[tuple[Any, ...]], **config: Any) -> list[Seen]:
    """Return what `program` makes of the records of one topic."""

    def build(builder: StreamsBuilder) -> None:
        result = program(builder.stream("in"))
        if result is not None:
            result.to("out")

    with drive(build, **config) as driver:
        pipe(driver, "in", *records)
        return read(driver, "out")


def headers_after(
    program: Program, headers: Iterable[tuple[str, bytes]]
) -> list[Mapping[str, Any]]:
    """Return the headers that each record has after `program`."""

    def build(builder: StreamsBuilder) -> None:
        result = program(builder.stream("in"))
        assert result is not None
        result.to("out")

    with drive(build) as driver:
        pipe(driver, "in", ("k", "v", 0, tuple(headers)))
        return [dict(record.headers) for record in read_all(driver, "out")]
