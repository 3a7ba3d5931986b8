"""Sliding windows, against a model that looks at all records at once."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import EmitStrategy, Materialized, SlidingWindows, StreamsBuilder
from tests.operators.programs import drive, pipe, read

Inputs: TypeAlias = list[tuple[str, int]]
"""(key, timestamp); the value of a record is its place in the list."""

RECORDS = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 60)), max_size=25)
NO_CACHE = {"statestore.cache.max.bytes": 0}
CACHE = {"statestore.cache.max.bytes": 100_000}


def results(
    inputs: Inputs, windows: SlidingWindows, config: dict[str, Any], *, on_close: bool = False
) -> list[tuple[str, list[int], int | None]]:
    """Return what comes out: the window as text, the records in it, the time."""

    def build(builder: StreamsBuilder) -> None:
        windowed = builder.stream("in").group_by_key().windowed_by(windows)
        if on_close:
            windowed.emit_strategy(EmitStrategy.on_window_close())
        option = Materialized[Any, Any]("seen", store="in_memory")
        seen = windowed.aggregate(list, lambda key, value, all_of: [*all_of, value], option)
        seen.to_stream(lambda key, value: str(key)).to("out")

    with drive(build, **config) as driver:
        pipe(driver, "in", *[(key, n, time) for n, (key, time) in enumerate(inputs)])
        return [(key, sorted(value), time) for key, value, time in read(driver, "out")]


def expected(inputs: Inputs, length: int) -> dict[str, tuple[list[int], int]]:
    """Say for each window which records are in it, by the definition alone: each record has a
    window that ends with it, and one that begins after it if that is not empty.
    """
    by_key: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, (key, time) in enumerate(inputs):
        by_key[key].append((time, number))
    found: dict[str, tuple[list[int], int]] = {}
    for key, records in by_key.items():
        for time, _ in records:
            for start in (max(0, time - length), time + 1):
                inside = [one for one in records if start <= one[0] <= start + length]
                if inside:
                    window = f"[{key}@{start}/{start + length}]"
                    found[window] = (sorted(number for _, number in inside), max(inside)[0])
    return found


@pytest.mark.parametrize("config", [NO_CACHE, CACHE], ids=["uncached", "cached"])
@given(inputs=RECORDS, length=st.integers(1, 25))
@settings(max_examples=60, deadline=None)
def test_in_the_end_each_window_holds_its_records(
    config: dict[str, Any], inputs: Inputs, length: int
) -> None:
    windows = SlidingWindows.of_time_difference(length, grace=1000)
    last = {key: (value, time) for key, value, time in results(inputs, windows, config)}
    assert last == expected(inputs, length)


@given(inputs=RECORDS, length=st.integers(1, 25))
@settings(max_examples=40, deadline=None)
def test_the_windows_say_themselves_which_there_are(inputs: Inputs, length: int) -> None:
    windows = SlidingWindows.of_time_difference(length)
    for key in "ab":
        times = [time for other, time in inputs if other == key]
        assert {f"[{key}@{one.start}/{one.end}]" for one in windows.windows_of(times)} == {
            window for window in expected(inputs, length) if window.startswith(f"[{key}@")
        }
        for time in times:
            assert windows.windows_for(time, among=times) == [
                one for one in windows.windows_of(times) if one.start <= time <= one.end
            ]


@given(times=st.lists(st.integers(0, 60), max_size=25), length=st.integers(1, 25))
@settings(max_examples=40, deadline=None)
def test_in_order_each_window_comes_out_once_and_whole(times: list[int], length: int) -> None:
    """Records in order, and one far away that closes all windows; stores that keep everything."""
    inputs = [("a", time) for time in sorted(times)]

    def build(builder: StreamsBuilder) -> None:
        windowed = builder.stream("in").group_by_key()
        sliding = windowed.windowed_by(SlidingWindows.of_time_difference(length))
        sliding.emit_strategy(EmitStrategy.on_window_close())
        option = Materialized[Any, Any]("seen", retention=10**6)
        seen = sliding.aggregate(list, lambda key, value, all_of: [*all_of, value], option)
        seen.to_stream(lambda key, value: str(key)).to("out")

    with drive(build) as driver:
        records = [(key, n, time) for n, (key, time) in enumerate(inputs)]
        pipe(driver, "in", *records, ("z", -1, 10_000))
        out = [(key, (value, time)) for key, value, time in read(driver, "out")]
    assert dict(out) == expected(inputs, length)
    assert len(out) == len(dict(out))
