"""Sessions, against a model that looks at all records at once."""

from __future__ import annotations

from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import EmitStrategy, Materialized, SessionWindows, StreamsBuilder, Window
from tests.operators.programs import drive, pipe, read

Inputs: TypeAlias = list[tuple[str, int]]
"""(key, timestamp); the value of a record is its place in the list."""

RECORDS = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 80)), max_size=30)
NO_CACHE = {"statestore.cache.max.bytes": 0}
CACHE = {"statestore.cache.max.bytes": 100_000}


def build_program(windows: SessionWindows, builder: StreamsBuilder, *, on_close: bool) -> None:
    windowed = builder.stream("in").group_by_key().windowed_by(windows)
    if on_close:
        windowed.emit_strategy(EmitStrategy.on_window_close())
    seen = windowed.aggregate(
        list,
        lambda key, value, all_of: [*all_of, value],
        lambda key, one, other: one + other,
        Materialized[Any, Any]("seen"),
    )
    seen.to_stream(lambda key, value: str(key)).to("out")


def expected(inputs: Inputs, gap: int) -> dict[str, list[int]]:
    """Say which records are in each session, by the definition alone: records of a key belong
    together if no two in a row are more than the gap apart.
    """
    found: dict[str, list[int]] = {}
    for key in "ab":
        records = sorted((time, n) for n, (other, time) in enumerate(inputs) if other == key)
        together: list[list[tuple[int, int]]] = []
        for record in records:
            if together and record[0] - together[-1][-1][0] <= gap:
                together[-1].append(record)
            else:
                together.append([record])
        for session in together:
            name = f"[{key}@{session[0][0]}/{session[-1][0]}]"
            found[name] = sorted(number for _, number in session)
    return found


@pytest.mark.parametrize("config", [NO_CACHE, CACHE], ids=["uncached", "cached"])
@given(inputs=RECORDS, gap=st.integers(0, 12))
@settings(max_examples=60, deadline=None)
def test_in_the_end_each_session_holds_its_records(
    config: dict[str, Any], inputs: Inputs, gap: int
) -> None:
    windows = SessionWindows.of_inactivity_gap(gap, grace=1000)
    with drive(lambda builder: build_program(windows, builder, on_close=False), **config) as driver:
        pipe(driver, "in", *[(key, n, time) for n, (key, time) in enumerate(inputs)])
        rows: dict[str, list[int]] = {}
        for key, value, _ in read(driver, "out"):
            if value is None:
                # What is deleted was there.
                del rows[key]
            else:
                rows[key] = sorted(value)
    assert rows == expected(inputs, gap)


@given(inputs=RECORDS, gap=st.integers(0, 12))
@settings(max_examples=60, deadline=None)
def test_on_close_each_session_comes_out_once_and_whole(inputs: Inputs, gap: int) -> None:
    windows = SessionWindows.of_inactivity_gap(gap, grace=1000)
    with drive(lambda builder: build_program(windows, builder, on_close=True)) as driver:
        records = [(key, n, time) for n, (key, time) in enumerate(inputs)]
        pipe(driver, "in", *records, ("z", -1, 10_000))
        out = [(key, sorted(value)) for key, value, _ in read(driver, "out")]
    assert dict(out) == expected(inputs, gap)
    assert len(out) == len(dict(out))


@given(inputs=RECORDS, gap=st.integers(0, 12))
def test_the_windows_say_themselves_which_sessions_there_are(inputs: Inputs, gap: int) -> None:
    windows = SessionWindows.of_inactivity_gap(gap)
    for key in "ab":
        times = [time for other, time in inputs if other == key]
        sessions = windows.windows_of(times)
        assert [f"[{key}@{one.start}/{one.end}]" for one in sessions] == [
            name for name in expected(inputs, gap) if name.startswith(f"[{key}@")
        ]
        for time in times:
            [session] = windows.windows_for(time, among=times)
            assert isinstance(session, Window)
            assert session in sessions
