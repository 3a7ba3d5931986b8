"""count, reduce and aggregate in windows of time, and the looks for windows that have closed."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import EmitStrategy, Materialized, StreamsBuilder, TimeWindows, UnlimitedWindows
from penstock._engine.operators.windows.windowed import _closed_between, _starts
from penstock.windows import AlignedWindows
from tests.operators.programs import drive, pipe, read, run

THROTTLED = {"__emit.interval.ms.kstreams.windowed.aggregation__": 1000}


def shown(windows: AlignedWindows, records: list[tuple[Any, ...]], **config: Any) -> list[Any]:
    """Return the sums in windows, with the windows as text."""
    return run(
        lambda stream: (
            stream.group_by_key()
            .windowed_by(windows)
            .aggregate(int, lambda key, value, total: total + (value or 0))
            .to_stream(lambda key, total: str(key))
        ),
        records,
        **config,
    )


def test_a_record_is_in_every_window_that_holds_its_time() -> None:
    windows = TimeWindows.of_size(10, advance=5)
    assert shown(windows, [("a", 1, 3), ("a", 2, 7), ("a", 4, 12)]) == [
        ("[a@0/10]", 1, 3),
        ("[a@0/10]", 3, 7),
        ("[a@5/15]", 2, 7),
        ("[a@5/15]", 6, 12),
        ("[a@10/20]", 4, 12),
    ]


def test_a_window_takes_no_record_once_its_grace_is_over() -> None:
    windows = TimeWindows.of_size(10, grace=5)
    records = [("a", 1, 0), ("a", 2, 14), ("a", 4, 1), ("a", 8, 15), ("a", 16, 2)]
    assert [(key, value) for key, value, _ in shown(windows, records)] == [
        ("[a@0/10]", 1),
        ("[a@10/20]", 2),
        ("[a@0/10]", 5),
        ("[a@10/20]", 10),
    ]


def test_the_unlimited_window_ends_with_time() -> None:
    assert shown(UnlimitedWindows.of(start=5), [("a", 1, 4), ("a", 2, 5), ("a", 4, 10**15)]) == [
        (f"[a@5/{2**63 - 1}]", 2, 5),
        (f"[a@5/{2**63 - 1}]", 6, 10**15),
    ]


@pytest.mark.parametrize(
    "windows",
    [
        TimeWindows.of_size(10),
        TimeWindows.of_size(10, advance=5),
        TimeWindows.of_size(10, advance=3),
        TimeWindows.of_size(7, advance=1),
        UnlimitedWindows.of(start=4),
    ],
)
def test_the_operator_and_the_windows_agree_on_which_hold_a_time(windows: AlignedWindows) -> None:
    starts_of = _starts(windows)
    for timestamp in range(60):
        assert list(starts_of(timestamp)) == [
            window.start for window in windows.windows_for(timestamp)
        ]


def test_only_windows_that_have_closed_since_are_looked_for() -> None:
    range_to_emit = _closed_between(TimeWindows.of_size(10, advance=5))
    assert range_to_emit(-1, 9) is None
    assert range_to_emit(-1, 10) == (0, 0)
    assert range_to_emit(-1, 17) == (0, 7)
    assert range_to_emit(10, 14) is None
    assert range_to_emit(10, 15) == (1, 5)
    assert range_to_emit(15, 40) == (6, 30)


def closing(builder: StreamsBuilder) -> None:
    windowed = builder.stream("in").group_by_key().windowed_by(TimeWindows.of_size(2000))
    windowed.emit_strategy(EmitStrategy.on_window_close())
    counts = windowed.count(Materialized("counts"))
    counts.to_stream(lambda key, count: str(key)).map_values(str).to("out")


def test_a_replay_does_not_wait_for_the_wall_clock() -> None:
    """Java would, and lose all but the last of these windows: its store lets go of them."""
    with drive(closing, **THROTTLED) as driver:
        pipe(driver, "in", *[("a", 1, start) for start in range(0, 10_000, 2000)])
        assert [key for key, _, _ in read(driver, "out")] == [
            "[a@0/2000]",
            "[a@2000/4000]",
            "[a@4000/6000]",
            "[a@6000/8000]",
        ]


def test_closed_windows_are_looked_for_once_in_an_interval() -> None:
    with drive(closing, **THROTTLED) as driver:
        pipe(driver, "in", ("a", 1, 1500), ("a", 1, 2000))
        assert read(driver, "out") == []
        driver.advance_wall_clock_time(999)
        pipe(driver, "in", ("a", 1, 2001))
        assert read(driver, "out") == []
        driver.advance_wall_clock_time(1)
        pipe(driver, "in", ("a", 1, 2001))
        assert read(driver, "out") == [("[a@0/2000]", "1", 1500)]
