"""What happens when windows close beyond what Java does: `late_to` and `idle_after`, and that
nothing changes where they are off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import pytest

from penstock import (
    EmitStrategy,
    Materialized,
    Produced,
    SessionWindows,
    SlidingWindows,
    StreamsBuilder,
    TimeWindows,
    UnlimitedWindows,
    serdes,
)
from penstock._engine.operators.windows.closing import OperatorTime
from penstock.errors import TopologyError
from penstock.testing import TopologyTestDriver
from penstock.windows import AnyWindows
from tests.operators.programs import ANYTHING, drive, pipe, read, read_all

Records: TypeAlias = Iterable[tuple[Any, ...]]

TUMBLING = TimeWindows.of_size(10)
HOPPING = TimeWindows.of_size(10, advance=5)
SLIDING = SlidingWindows.of_time_difference(10)
SESSIONS = SessionWindows.of_inactivity_gap(5)


def counting(
    windows: AnyWindows, strategy: EmitStrategy | None = None, *, late: bool = False
) -> Callable[[StreamsBuilder], None]:
    """Return a program that counts in windows and shows the windows as text."""

    def build(builder: StreamsBuilder) -> None:
        windowed = builder.stream("in").group_by_key().windowed_by(windows)
        if strategy is not None:
            windowed.emit_strategy(strategy)
        if late:
            windowed.late_to("late")
        counts = windowed.count(Materialized("counts"))
        counts.to_stream(lambda key, count: str(key)).map_values(str).to("out")

    return build


def late_of(windows: AnyWindows, records: Records) -> list[tuple[Any, Any, int | None, str]]:
    """Return what is written to the late topic: key, value, timestamp and the windows missed."""
    with drive(counting(windows, late=True)) as driver:
        pipe(driver, "in", *records)
        return [
            (late.key, late.value, late.timestamp, header(late.headers, "window"))
            for late in read_all(driver, "late")
        ]


def header(headers: Iterable[tuple[str, bytes | None]], what: str) -> str:
    [value] = [value for key, value in headers if key == f"__penstock.late.{what}"]
    assert value is not None
    return value.decode()


# late_to


def test_a_late_record_is_sent_as_it_was_with_the_reason() -> None:
    with drive(counting(TUMBLING, late=True)) as driver:
        pipe(driver, "in", ("a", 1, 5), ("b", 2, 27, (("h", b"x"),)), ("a", 3, 7, (("h", b"y"),)))
        [late] = read_all(driver, "late")
    assert (late.key, late.value, late.timestamp) == ("a", 3, 7)
    assert list(late.headers) == [
        ("h", b"y"),
        ("__penstock.late.operator", b"KSTREAM-AGGREGATE-0000000001"),
        ("__penstock.late.window", b"[0,10)"),
        ("__penstock.late.stream_time", b"27"),
    ]


def test_a_record_late_for_several_windows_is_sent_once_and_counted_for_each() -> None:
    with drive(counting(HOPPING, late=True)) as driver:
        pipe(driver, "in", ("a", 1, 100), ("a", 2, 7))
        assert [header(late.headers, "window") for late in read_all(driver, "late")] == [
            "[0,10) [5,15)"
        ]
        assert driver.metrics()["dropped-records-total"] == 2


def test_a_record_late_for_some_of_its_windows_only_says_which() -> None:
    assert late_of(HOPPING, [("a", 1, 12), ("a", 2, 7)]) == [("a", 2, 7, "[0,10)")]


@pytest.mark.parametrize(
    ("windows", "records", "window"),
    [
        (SLIDING, [("a", 1, 50), ("a", 2, 20)], "[20,30]"),
        (SLIDING, [("a", 1, 30), ("a", 2, 25)], "[15,25]"),
        (SESSIONS, [("a", 1, 50), ("a", 2, 20)], "[20,20]"),
    ],
)
def test_all_kinds_of_windows_have_late_records(
    windows: AnyWindows, records: list[tuple[Any, ...]], window: str
) -> None:
    key, value, timestamp = records[-1]
    assert late_of(windows, records) == [(key, value, timestamp, window)]


def test_records_without_a_key_or_a_value_are_dropped_but_not_late() -> None:
    records = [("a", 1, 50), (None, 2, 1), ("a", None, 1)]
    assert late_of(SLIDING, records) == []
    assert [value for _, value, _, _ in late_of(TUMBLING, records)] == [None]


def test_what_is_not_late_is_not_sent_and_results_do_not_go_to_the_late_topic() -> None:
    with drive(counting(TUMBLING, late=True)) as driver:
        pipe(driver, "in", ("a", 1, 5), ("a", 2, 7), ("a", 3, 15))
        assert read(driver, "out") == [
            ("[a@0/10]", "1", 5),
            ("[a@0/10]", "2", 7),
            ("[a@10/20]", "1", 15),
        ]
        assert "late" not in driver.produced_topic_names()


def test_results_held_back_by_a_cache_do_not_go_to_the_late_topic() -> None:
    with drive(counting(TUMBLING, late=True), **{"statestore.cache.max.bytes": 1000}) as driver:
        pipe(driver, "in", ("a", 1, 5), ("a", 2, 17), ("a", 3, 1))
        assert [value for _, value, _ in read(driver, "late")] == [3]
        assert [value for _, value, _ in read(driver, "out")] == ["1", "1"]


def test_late_records_have_the_serdes_of_the_stream_or_those_given() -> None:
    def build(builder: StreamsBuilder) -> None:
        grouped = builder.stream("in").group_by_key()
        option = Produced(key=serdes.bytes(), value=serdes.string(), name="turned-away")
        encoded = grouped.windowed_by(TUMBLING).late_to("late", option)
        encoded.count(Materialized("counts"))

    with drive(build, **{"default.key.serde": serdes.bytes()}) as driver:
        topic = driver.create_input_topic("in", serdes.bytes(), ANYTHING)
        topic.pipe_input(b"k", "x", timestamp=50)
        topic.pipe_input(b"k", "y", timestamp=5)
        late = driver.create_output_topic("late", serdes.bytes(), serdes.string())
        assert late.read_key_values() == [(b"k", "y")]


def test_the_late_topic_may_be_chosen_for_each_record() -> None:
    def build(builder: StreamsBuilder) -> None:
        windowed = builder.stream("in").group_by_key().windowed_by(TUMBLING)
        windowed.late_to(lambda key, value, context: f"late-{key}").count()

    with drive(build) as driver:
        pipe(driver, "in", ("a", 1, 50), ("a", 2, 5), ("b", 3, 5))
        assert driver.produced_topic_names() >= {"late-a", "late-b"}


def test_late_to_adds_a_sink_and_renames_nothing() -> None:
    def described(*, late: bool) -> str:
        builder = StreamsBuilder()
        counting(TUMBLING, late=late)(builder)
        return str(builder.build().describe())

    without, with_late = described(late=False), described(late=True)
    assert "Sink: KSTREAM-AGGREGATE-0000000001-late (topic: late)" in with_late
    shown = with_late.replace(
        "    Sink: KSTREAM-AGGREGATE-0000000001-late (topic: late)\n"
        "      <-- KSTREAM-AGGREGATE-0000000001\n",
        "",
    ).replace("KSTREAM-AGGREGATE-0000000001-late, ", "")
    assert shown.replace(", KSTREAM-AGGREGATE-0000000001-late", "") == without


def test_late_sessions_and_emit_on_close_work_together() -> None:
    strategy = EmitStrategy.on_window_close()
    with drive(counting(TUMBLING, strategy, late=True)) as driver:
        pipe(driver, "in", ("a", 1, 5), ("a", 2, 15), ("a", 3, 5), ("a", 4, 25))
        assert read(driver, "out") == [("[a@0/10]", "1", 5), ("[a@10/20]", "1", 15)]
        assert [value for _, value, _ in read(driver, "late")] == [3]


# idle_after


def idle_driver(windows: AnyWindows, idle_after: int | None) -> TopologyTestDriver:
    return drive(counting(windows, EmitStrategy.on_window_close(idle_after=idle_after), late=True))


@pytest.mark.parametrize("windows", [TUMBLING, SLIDING, SESSIONS])
def test_without_idle_after_windows_wait_for_records_for_ever(windows: AnyWindows) -> None:
    with idle_driver(windows, None) as driver:
        pipe(driver, "in", ("a", 1, 25))
        driver.advance_wall_clock_time(10**9)
        assert read(driver, "out") == []
        pipe(driver, "in", ("a", 2, 26))
        assert read(driver, "late") == []


@pytest.mark.parametrize(
    ("windows", "closes_after", "window"),
    [
        (TUMBLING, 5, "[a@20/30]"),
        (TimeWindows.of_size(10, grace=3), 8, "[a@20/30]"),
        (SLIDING, 1, "[a@15/25]"),
        (SESSIONS, 6, "[a@25/25]"),
    ],
)
def test_windows_close_when_the_wall_clock_has_taken_time_past_their_end(
    windows: AnyWindows, closes_after: int, window: str
) -> None:
    with idle_driver(windows, 1) as driver:
        pipe(driver, "in", ("a", 1, 25))
        driver.advance_wall_clock_time(closes_after - 1)
        assert read(driver, "out") == []
        driver.advance_wall_clock_time(1)
        assert read(driver, "out") == [(window, "1", 25)]
        driver.advance_wall_clock_time(1000)
        assert read(driver, "out") == []


def test_nothing_closes_before_the_task_has_been_idle_for_so_long() -> None:
    with idle_driver(TUMBLING, 100) as driver:
        pipe(driver, "in", ("a", 1, 5))
        driver.advance_wall_clock_time(99)
        assert read(driver, "out") == []
        driver.advance_wall_clock_time(1)
        assert read(driver, "out") == [("[a@0/10]", "1", 5)]


def test_each_record_ends_the_waiting() -> None:
    with idle_driver(TUMBLING, 100) as driver:
        for start in range(0, 500, 60):
            pipe(driver, "in", ("a", 1, 5))
            driver.advance_wall_clock_time(60)
            assert read(driver, "out") == [], start
        driver.advance_wall_clock_time(40)
        assert read(driver, "out") == [("[a@0/10]", "9", 5)]


def test_a_record_behind_the_time_that_went_on_is_late() -> None:
    with idle_driver(TUMBLING, 10) as driver:
        pipe(driver, "in", ("a", 1, 5))
        driver.advance_wall_clock_time(10)
        assert read(driver, "out") == [("[a@0/10]", "1", 5)]
        pipe(driver, "in", ("a", 2, 6), ("a", 3, 14))
        [late] = read_all(driver, "late")
        assert (late.value, header(late.headers, "stream_time")) == (2, "15")
        driver.advance_wall_clock_time(10)
        assert read(driver, "out") == [("[a@10/20]", "1", 14)]


def test_time_goes_on_from_where_it_was_in_each_idle_period() -> None:
    with idle_driver(TUMBLING, 10) as driver:
        pipe(driver, "in", ("a", 1, 5))
        driver.advance_wall_clock_time(20)  # stream time is 25 now
        pipe(driver, "in", ("a", 2, 21))
        driver.advance_wall_clock_time(9)
        driver.advance_wall_clock_time(1)  # and 35 now, from 25 on
        assert [key for key, _, _ in read(driver, "out")] == ["[a@0/10]", "[a@20/30]"]


def test_a_filtered_record_keeps_the_task_busy() -> None:
    def build(builder: StreamsBuilder) -> None:
        words = builder.stream("in").filter(lambda key, value: value != "skip")
        windowed = words.group_by_key().windowed_by(TUMBLING)
        windowed.emit_strategy(EmitStrategy.on_window_close(idle_after=100))
        counts = windowed.count(Materialized("counts"))
        counts.to_stream(lambda key, count: str(key)).map_values(str).to("out")

    with drive(build) as driver:
        pipe(driver, "in", ("a", 1, 5))
        driver.advance_wall_clock_time(99)
        pipe(driver, "in", ("a", "skip", 1000))
        driver.advance_wall_clock_time(99)
        assert read(driver, "out") == []
        driver.advance_wall_clock_time(1)
        assert read(driver, "out") == [("[a@0/10]", "1", 5)]


def test_final_results_of_an_idle_task_have_no_headers() -> None:
    with idle_driver(TUMBLING, 10) as driver:
        pipe(driver, "in", ("a", 1, 5, (("h", b"x"),)))
        driver.advance_wall_clock_time(10)
        assert [list(result.headers) for result in read_all(driver, "out")] == [[]]


def test_a_failure_below_is_that_of_a_timer() -> None:
    def build(builder: StreamsBuilder) -> None:
        windowed = builder.stream("in").group_by_key().windowed_by(TUMBLING)
        windowed.emit_strategy(EmitStrategy.on_window_close(idle_after=10))
        windowed.count().to_stream().map_values(lambda count: 1 // 0).to("out")

    with drive(build) as driver:
        pipe(driver, "in", ("a", 1, 5))
        with pytest.raises(Exception, match=r"in a timer of task 0_0.*ZeroDivisionError"):
            driver.advance_wall_clock_time(10)


def test_an_operator_that_knows_no_time_goes_on_from_its_task_s() -> None:
    time = OperatorTime()
    assert not time.go_on(50, 1, -1)
    assert (time.go_on(50, 2000, 300), time.observed) == (True, 350)
    assert (time.go_on(60, 2000, 900), time.observed) == (True, 360)
    time.observed = 400
    assert (time.go_on(5, 3000, 900), time.observed) == (True, 405)
    assert (time.go_on(0, 3000, 900), time.observed) == (True, 405)


# Bad use


def test_an_unlimited_window_has_no_final_result() -> None:
    windowed = StreamsBuilder().stream("in").group_by_key().windowed_by(UnlimitedWindows.of())
    with pytest.raises(TopologyError, match="must have windows that close"):
        windowed.emit_strategy(EmitStrategy.on_window_close())


@pytest.mark.parametrize("wrong", [0, -1, "1s"])
def test_idle_after_must_be_a_time(wrong: Any) -> None:
    with pytest.raises(TopologyError, match="idle_after"):
        EmitStrategy.on_window_close(idle_after=wrong)
