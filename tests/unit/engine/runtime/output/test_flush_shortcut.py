"""Rows that a cache flushes to a topic are sent as they are stored, with the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import (
    Consumed,
    Grouped,
    KGroupedStream,
    KTable,
    Materialized,
    Produced,
    StreamsBuilder,
    TimeWindows,
    serdes,
)
from penstock._engine.runtime.output.sink import SinkBuilder
from penstock._engine.runtime.records import Output
from penstock.serdes import Serde
from tests.unit.engine.runtime.input.test_partition_run import OneByOne
from tests.unit.engine.runtime.test_task import task

TEXT, LONG, BYTES = serdes.string(), serdes.long(), serdes.bytes()
Table: TypeAlias = KTable[Any, Any]


def grouped(builder: StreamsBuilder) -> KGroupedStream[Any, Any]:
    return builder.stream("in", Consumed(key=TEXT, value=LONG)).group_by_key(
        Grouped(key=TEXT, value=LONG)
    )


def count(builder: StreamsBuilder) -> Table:
    return grouped(builder).count(Materialized("s", key=TEXT, value=LONG))


def negative_is_nothing(builder: StreamsBuilder) -> Table:
    """A sum that is deleted when it is negative."""
    return grouped(builder).aggregate(
        lambda: 0,
        lambda key, value, total: total + value if total + value >= 0 else None,
        Materialized("s", key=TEXT, value=LONG),
    )


def largest(builder: StreamsBuilder) -> Table:
    return grouped(builder).reduce(max, Materialized("s", key=TEXT, value=LONG))


def source(builder: StreamsBuilder) -> Table:
    return builder.table(
        "in", Consumed(key=TEXT, value=LONG), Materialized("s", key=TEXT, value=LONG)
    )


def hopping(builder: StreamsBuilder) -> Table:
    windows = TimeWindows.of_size(10, grace=0, advance=5)
    return grouped(builder).windowed_by(windows).count(Materialized("s", key=TEXT, value=LONG))


PLAIN = [count, negative_is_nothing, largest, source]
VALUES = st.one_of(st.none(), st.integers(-3, 3))
RECORDS = st.lists(
    st.tuples(st.sampled_from("aböc"), VALUES, st.integers(0, 30), st.booleans()), max_size=30
)


def outputs(
    make: Callable[[StreamsBuilder], Table],
    produced: Produced[Any, Any],
    records: list[tuple[str, int | None, int, bool]],
    cache_bytes: int,
) -> list[list[Output]]:
    """Return what is sent, commit by commit; a record's last field says whether one follows it."""
    made = task(
        lambda builder: make(builder).to_stream().to("out", produced),
        **{"statestore.cache.max.bytes": cache_bytes},
    )
    sent = []
    for offset, (key, value, time, commits) in enumerate(records):
        data = None if value is None else LONG.encode(value)
        headers = (("h", b"%d" % offset),) if offset % 3 else ()
        made.add_records("in", 0, [(offset, time, key.encode(), data, headers)])
        made.process(0, 10)
        if commits and made.prepare_commit() is not None:
            sent.append(made.drain())
            made.committed()
    made.prepare_commit()
    sent.append(made.drain())
    return sent


@pytest.mark.parametrize("make", [*PLAIN, hopping])
@given(records=RECORDS, cache_bytes=st.sampled_from([0, 150, 300, 10_000]))
def test_the_way_without_a_detour_sends_the_same(
    make: Callable[[StreamsBuilder], Table],
    records: list[tuple[str, int | None, int, bool]],
    cache_bytes: int,
) -> None:
    key: Serde[Any] = TEXT
    detour: Serde[Any] = OneByOne(TEXT)
    if make is hopping:
        key, detour = serdes.time_windowed(TEXT, 10), serdes.time_windowed(detour, 10)
    straight = outputs(make, Produced(key=key, value=LONG), records, cache_bytes)
    around = outputs(make, Produced(key=detour, value=OneByOne(LONG)), records, cache_bytes)
    assert straight == around


def is_shortened(build: Callable[[StreamsBuilder], object], **config: Any) -> bool:
    with patch.object(SinkBuilder, "row_listener", autospec=True, return_value=None) as asked:
        task(build, **config)
    return bool(asked.called)


@pytest.mark.parametrize("make", PLAIN)
def test_tables_are_sent_as_they_are_stored(make: Callable[[StreamsBuilder], Table]) -> None:
    assert is_shortened(
        lambda builder: make(builder).to_stream().to("out", Produced(key=TEXT, value=LONG))
    )


def test_windows_are_sent_as_they_are_stored() -> None:
    key = serdes.time_windowed(TEXT, 10)
    assert is_shortened(
        lambda builder: hopping(builder).to_stream().to("out", Produced(key=key, value=LONG))
    )


class Derived(type(TEXT)):  # type: ignore[misc]
    """A serde of the user, even if it does nothing of its own."""


@pytest.mark.parametrize(
    "finish",
    [
        pytest.param(
            lambda table: table.to_stream().to("out", Produced(key=BYTES, value=LONG)),
            id="another serde of the key",
        ),
        pytest.param(
            lambda table: table.to_stream().to("out", Produced(key=TEXT, value=serdes.integer())),
            id="another serde of the value",
        ),
        pytest.param(
            lambda table: table.to_stream().to("out", Produced(key=Derived(), value=LONG)),
            id="a serde derived from ours",
        ),
        pytest.param(
            lambda table: (
                table.to_stream()
                .peek(lambda key, value: None)
                .to("out", Produced(key=TEXT, value=LONG))
            ),
            id="something between",
        ),
        pytest.param(
            lambda table: (
                table.map_values(lambda value: value)
                .to_stream()
                .to("out", Produced(key=TEXT, value=LONG))
            ),
            id="something before",
        ),
        pytest.param(
            lambda table: table.to_stream().to(
                lambda key, value, context: "out", Produced(key=TEXT, value=LONG)
            ),
            id="a topic for each record",
        ),
    ],
)
def test_whatever_must_be_looked_at_goes_the_plain_way(finish: Callable[[Table], None]) -> None:
    assert not is_shortened(lambda builder: finish(count(builder)))


def test_two_ways_out_are_both_gone() -> None:
    def twice(builder: StreamsBuilder) -> None:
        stream = count(builder).to_stream()
        stream.to("out", Produced(key=TEXT, value=LONG))
        stream.to("out", Produced(key=TEXT, value=LONG))

    assert not is_shortened(twice)


def test_where_somebody_may_look_at_the_bytes_of_a_record_it_goes_the_plain_way() -> None:
    assert not is_shortened(
        lambda builder: count(builder).to_stream().to("out", Produced(key=TEXT, value=LONG)),
        **{"errors.dead.letter.queue.topic.name": "dead"},
    )


def test_a_partitioner_of_the_user_is_asked() -> None:
    seen: list[Any] = []

    def choose(topic: str, key: Any, value: Any, partitions: int) -> int:
        seen.append((key, value))
        return 0

    produced = Produced(key=TEXT, value=LONG, partitioner=choose)
    sent = outputs(count, produced, [("a", 1, 0, True)], 1000)
    assert seen == [("a", 1)]
    assert sent[0][-1][:4] == ("out", 0, b"a", LONG.encode(1))
