"""suppress: what is held back, when it is let out, and what a restart finds again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import (
    BufferConfig,
    Consumed,
    KTable,
    ProcessingError,
    SessionWindows,
    StreamsBuilder,
    StreamsConfig,
    Suppressed,
    TimeWindows,
    serdes,
)
from penstock._engine.planner.plan import plan_as_one
from penstock._engine.runtime.task import Task
from penstock.testing import TopologyTestDriver
from tests.operators.programs import ANYTHING, Seen, drive, pipe, read

NO_CACHE = {"statestore.cache.max.bytes": 0}


def let_out(until: Suppressed, *records: tuple[Any, ...]) -> list[Seen]:
    """Return what comes out of a table whose changes are held back."""

    def build(builder: StreamsBuilder) -> None:
        builder.table("in").suppress(until).to_stream().to("out")

    with drive(build, **NO_CACHE) as driver:
        pipe(driver, "in", *records)
        return read(driver, "out")


def test_a_row_keeps_its_place_however_often_it_changes() -> None:
    records = [("a", 1, 0), ("b", 1, 1), ("a", 2, 2), ("a", 3, 3), ("c", 1, 4)]
    assert let_out(Suppressed.until_time_limit(3), *records) == [("a", 3, 3), ("b", 1, 1)]


def test_records_out_of_order_do_not_turn_time_back() -> None:
    records = [("a", 1, 9), ("b", 1, 3), ("c", 1, 7)]
    assert let_out(Suppressed.until_time_limit(3), *records) == [("b", 1, 3)]


def test_the_oldest_come_out_early_when_there_are_too_many() -> None:
    until = Suppressed.until_time_limit(100, BufferConfig(max_records=2))
    records = [("b", 1, 0), ("a", 1, 0), ("c", 1, 5), ("b", 2, 6), ("d", 1, 7)]
    assert let_out(until, *records) == [("a", 1, 0), ("b", 2, 6)]


def test_a_strict_buffer_stops_the_task() -> None:
    until = Suppressed.until_time_limit(100, BufferConfig(max_records=1).shut_down_when_full())
    with pytest.raises(ProcessingError, match="holds back more than it may: 2 of 1 records"):
        let_out(until, ("a", 1, 0), ("b", 1, 0))


RECORDS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c", "d"]),
        st.one_of(st.none(), st.integers(0, 9)),
        st.integers(0, 12),
    ),
    max_size=30,
)


def model(records: list[Any], limit_ms: int, max_records: int) -> Iterator[Seen]:
    """Say what suppress lets out: a list of rows, sorted anew for each record."""
    held: dict[str, tuple[int, Any, int]] = {}
    now = -1
    for key, value, timestamp in records:
        now = max(now, timestamp)
        held[key] = (held[key][0] if key in held else timestamp, value, timestamp)
        for place, due in sorted((row[0], key) for key, row in held.items()):
            if place <= now - limit_ms or len(held) > max_records:
                _, last, time = held.pop(due)
                yield due, last, time


@settings(max_examples=60, deadline=None)
@given(RECORDS, st.integers(0, 6), st.integers(0, 4))
def test_it_lets_out_what_the_model_does(
    records: list[Any], limit_ms: int, max_records: int
) -> None:
    until = Suppressed.until_time_limit(limit_ms, BufferConfig(max_records=max_records))
    assert let_out(until, *records) == list(model(records, limit_ms, max_records))


def windowed(builder: StreamsBuilder, windows: Any) -> KTable[Any, int]:
    source = builder.stream("in", Consumed(key=serdes.string(), value=ANYTHING))
    table: KTable[Any, int] = source.group_by_key().windowed_by(windows).count()
    return table


def final_counts(driver: TopologyTestDriver) -> list[Seen]:
    topic = driver.create_output_topic("out", serdes.string(), serdes.long())
    return [(record.key, record.value, record.timestamp) for record in topic.read_records()]


def finals(until: Suppressed, windows: Any) -> Any:
    def build(builder: StreamsBuilder) -> None:
        final = windowed(builder, windows).suppress(until).to_stream()
        final.select_key(lambda window, count: str(window)).to("out")

    return build


def keyed(key: str, timestamp: int) -> tuple[str, int, int]:
    return key, 1, timestamp


def pipe_texts(driver: TopologyTestDriver, *records: tuple[str, int, int]) -> None:
    topic = driver.create_input_topic("in", serdes.string(), ANYTHING)
    for key, value, timestamp in records:
        topic.pipe_input(key, value, timestamp=timestamp)


TEXT_KEYS: dict[str, Any] = {**NO_CACHE, "default.key.serde": serdes.string()}


def test_a_window_gives_one_result_when_it_closes() -> None:
    build = finals(Suppressed.until_window_closes(), TimeWindows.of_size(10, grace=2))
    with drive(build, **TEXT_KEYS) as driver:
        pipe_texts(driver, keyed("a", 1), keyed("a", 5), keyed("b", 11), keyed("a", 9))
        assert final_counts(driver) == []
        pipe_texts(driver, keyed("b", 12), keyed("a", 3))
        assert final_counts(driver) == [("[a@0/10]", 3, 9)]
        assert driver.metrics()["dropped-records-total"] == 1


def test_sessions_that_were_merged_leave_no_trace() -> None:
    build = finals(Suppressed.until_window_closes(), SessionWindows.of_inactivity_gap(5))
    with drive(build, **TEXT_KEYS) as driver:
        pipe_texts(driver, keyed("a", 1), keyed("a", 5), keyed("a", 9), keyed("b", 20))
        assert final_counts(driver) == [("[a@1/9]", 3, 9)]


def test_without_records_windows_close_by_the_wall_clock_if_asked() -> None:
    until = Suppressed.until_window_closes(idle_after=100)
    with drive(finals(until, TimeWindows.of_size(10, grace=5)), **TEXT_KEYS) as driver:
        pipe_texts(driver, keyed("a", 3), keyed("a", 12))
        driver.advance_wall_clock_time(99)
        assert final_counts(driver) == []
        driver.advance_wall_clock_time(1)
        assert final_counts(driver) == [("[a@0/10]", 1, 3), ("[a@10/20]", 1, 12)]


def test_what_comes_behind_a_window_that_the_wall_clock_closed_is_late() -> None:
    until = Suppressed.until_window_closes(idle_after=100)
    with drive(finals(until, TimeWindows.of_size(10)), **TEXT_KEYS) as driver:
        pipe_texts(driver, keyed("a", 3))
        driver.advance_wall_clock_time(100)
        pipe_texts(driver, keyed("a", 4), keyed("a", 103), keyed("a", 110))
        assert final_counts(driver) == [("[a@0/10]", 1, 3), ("[a@100/110]", 1, 103)]
        assert driver.metrics()["dropped-records-total"] == 1


def test_time_goes_on_from_the_record_behind_an_idle_stretch() -> None:
    until = Suppressed.until_window_closes(idle_after=50)
    with drive(finals(until, TimeWindows.of_size(100)), **TEXT_KEYS) as driver:
        pipe_texts(driver, keyed("a", 10))
        driver.advance_wall_clock_time(60)
        pipe_texts(driver, keyed("a", 90))
        driver.advance_wall_clock_time(9)
        assert final_counts(driver) == []
        driver.advance_wall_clock_time(41)
        assert final_counts(driver) == [("[a@0/100]", 2, 90)]


def test_keys_that_are_not_windowed_are_explained() -> None:
    def build(builder: StreamsBuilder) -> None:
        counts = windowed(builder, TimeWindows.of_size(10))
        totals = counts.group_by(lambda window, count: (window.key, str(count))).reduce(
            lambda total, count: count, lambda total, count: total
        )
        totals.suppress(Suppressed.until_window_closes())

    with (
        drive(build, **TEXT_KEYS) as driver,
        pytest.raises(ProcessingError, match="must be given windowed keys; got 'a'"),
    ):
        pipe_texts(driver, keyed("a", 3))


def made(until: Suppressed) -> Task:
    builder = StreamsBuilder()
    builder.table("in").suppress(until).to_stream().to("out")
    texts = {"default.key.serde": serdes.string(), "default.value.serde": serdes.string()}
    config = StreamsConfig({"application.id": "app", **texts, **NO_CACHE})
    plan = plan_as_one(builder.build(), "app")
    return Task("0_0", plan, config, [("in", 0)], lambda topic: 1)


def work(task: Task, *records: tuple[bytes, bytes | None, int]) -> list[Any]:
    raws = [(offset, time, key, value, ()) for offset, (key, value, time) in enumerate(records)]
    task.add_records("in", 0, raws)
    task.process(0, 100)
    task.prepare_commit()
    outputs = task.drain()
    task.committed()
    return outputs


def test_a_restarted_task_finds_what_was_held_back() -> None:
    until = Suppressed.until_time_limit(10, name="held")
    task = made(until)
    task.start(0)
    outputs = work(task, (b"a", b"1", 1), (b"b", b"2", 2), (b"a", b"3", 4), (b"c", b"4", 12))
    assert [output[1:5] for output in outputs if output[0] == "out"] == [
        (None, b"a", b"3", 4),
        (None, b"b", b"2", 2),
    ]
    changelog = "app-held-store-changelog"
    logged = [(key, value, 0) for topic, _, key, value, _, _ in outputs if topic == changelog]
    again = made(until)
    again.restorable()[(changelog, 0)].restore(logged, len(logged))
    again.start(0)
    later = work(again, (b"d", b"5", 22))
    assert [output[1:5] for output in later if output[0] == "out"] == [(None, b"c", b"4", 12)]


def test_the_changelog_is_written_at_the_commit_with_a_version_and_no_time() -> None:
    task = made(Suppressed.until_time_limit(10, name="held"))
    task.start(0)
    outputs = work(task, (b"a", b"1", 1), (b"a", b"2", 2))
    [(_, partition, key, value, timestamp, headers)] = [
        output for output in outputs if output[0] == "app-held-store-changelog"
    ]
    assert (partition, key, timestamp, headers) == (0, b"a", None, (("v", b"\x03"),))
    assert value is not None


def test_without_a_changelog_nothing_is_to_be_restored() -> None:
    task = made(Suppressed.until_time_limit(10, BufferConfig(logging=False), name="held"))
    assert ("app-held-store-changelog", 0) not in task.restorable()
