"""Pictures of windows: records of one key on a line of time, and the windows they fall into."""

from __future__ import annotations

from collections.abc import Iterable

from penstock import (
    Consumed,
    Grouped,
    JoinWindows,
    Materialized,
    Produced,
    SessionWindows,
    SlidingWindows,
    StreamJoined,
    StreamsBuilder,
    TimeWindows,
    Window,
    serdes,
)
from penstock.testing import TopologyTestDriver
from scripts.pictures.canvas import AMBER, GREY, INK, PALE_GREY, PALE_TEAL, RED, TEAL, Canvas

SECOND = 1000
RECORDS = (1, 4, 6, 13, 15)
"""When the records come, in seconds."""

TEXT, NUMBER = serdes.string(), serdes.long()

_WIDTH, _LEFT, _RIGHT, _ROW = 720, 40, 690, 30
_SECONDS = 26

WINDOWS: dict[str, TimeWindows | SlidingWindows | SessionWindows] = {
    "tumbling": TimeWindows.of_size(10 * SECOND),
    "hopping": TimeWindows.of_size(10 * SECOND, advance=5 * SECOND),
    "sliding": SlidingWindows.of_time_difference(5 * SECOND),
    "session": SessionWindows.of_inactivity_gap(5 * SECOND),
}
_SAID = {
    "tumbling": "TimeWindows.of_size(10 s)",
    "hopping": "TimeWindows.of_size(10 s, advance=5 s)",
    "sliding": "SlidingWindows.of_time_difference(5 s)",
    "session": "SessionWindows.of_inactivity_gap(5 s)",
}


def counted(name: str) -> dict[Window, int]:
    """Count the records in windows with a topology; return the last count of each window."""
    windows = WINDOWS[name]
    builder = StreamsBuilder()
    grouped = builder.stream("clicks", Consumed(key=TEXT, value=TEXT)).group_by_key(
        Grouped(key=TEXT, value=TEXT)
    )
    kept = Materialized("counts", key=TEXT, value=NUMBER)
    if isinstance(windows, SessionWindows):
        counts = grouped.windowed_by(windows).count(kept)
        serde = serdes.session_windowed(TEXT)
    else:
        counts = grouped.windowed_by(windows).count(kept)
        serde = serdes.time_windowed(TEXT, _length(windows))
    counts.to_stream().to("counts", Produced(key=serde, value=NUMBER))
    with TopologyTestDriver(builder.build()) as driver:
        clicks = driver.create_input_topic("clicks", TEXT, TEXT)
        for second in RECORDS:
            clicks.pipe_input("ada", "click", timestamp=second * SECOND)
        rows = driver.create_output_topic("counts", serde, NUMBER).read_key_values_to_dict()
    return {Window(key.start, key.end): count for key, count in rows.items() if count is not None}


def picture(name: str) -> str:
    """Draw the records, and each window with its count."""
    rows = sorted(counted(name).items())
    height = 110 + _ROW * len(rows)
    canvas = Canvas(_WIDTH, height, f"{name} windows")
    canvas.text(_LEFT, 26, _SAID[name], size=15)
    _axis(canvas, height - 26, RECORDS)
    ends_inside = name in {"sliding", "session"}
    for number, (window, count) in enumerate(rows):
        top = 68 + _ROW * number
        left, right = _x(window.start / SECOND), _x(window.end / SECOND)
        canvas.rect(left, top, max(right - left, 6), 20, fill=PALE_TEAL, line=TEAL)
        closing = "]" if ends_inside else ")"
        label = f"[{_seconds(window.start)}, {_seconds(window.end)}{closing}: {count}"
        if right - left > 90:
            canvas.text((left + right) / 2, top + 15, label, anchor="middle")
        else:
            canvas.text(right + 6, top + 15, label)
    return canvas.svg()


def join_picture() -> str:
    """Draw a left record, the window around it, and which right records are joined with it."""
    windows = JoinWindows.of_time_difference(4 * SECOND, after=6 * SECOND)
    left_at, right_at = 10, (3, 6, 9, 16, 18)
    joined = set(_joined(windows, left_at, right_at))
    (window,) = windows.windows_for(left_at * SECOND)
    canvas = Canvas(_WIDTH, 190, "the window of a join")
    canvas.text(_LEFT, 26, "JoinWindows.of_time_difference(4 s, after=6 s)", size=15)
    start, end = _x(window.start / SECOND), _x(window.end / SECOND)
    canvas.rect(start, 44, end - start, 108, fill=PALE_TEAL, line=TEAL)
    canvas.text(_LEFT - 28, 76, "left")
    canvas.dot(_x(left_at), 72, TEAL)
    canvas.text(_LEFT - 28, 126, "right")
    for second in right_at:
        canvas.dot(_x(second), 122, TEAL if second in joined else GREY)
        if second in joined:
            canvas.line((_x(left_at), 78), (_x(second), 116), TEAL)
    _axis(canvas, 164, ())
    return canvas.svg()


def late_picture() -> str:
    """Draw records as they arrive: their times, stream time, and which were too late."""
    arrivals = (2, 5, 8, 3, 11, 9, 13, 7, 14)
    windows = TimeWindows.of_size(10 * SECOND, grace=2 * SECOND)
    late = _late(windows, arrivals)
    width, bottom, scale = 720, 250, 13
    canvas = Canvas(width, 290, "stream time and late records")
    canvas.text(_LEFT, 26, "TimeWindows.of_size(10 s, grace=2 s)", size=15)
    for start in (0, 10):
        top = bottom - (start + 10) * scale if start == 0 else bottom - 16 * scale
        fill = PALE_GREY if start == 0 else PALE_TEAL
        canvas.rect(_LEFT + 20, top, 620, bottom - start * scale - top, fill=fill)
        canvas.text(_LEFT + 28, top + 16, f"window [{start} s, {start + 10} s)")
    stream_time = -1
    for number, second in enumerate(arrivals):
        x = _LEFT + 70 + number * 64
        before, stream_time = stream_time, max(stream_time, second)
        if before >= 0:
            canvas.line((x - 64, bottom - before * scale), (x, bottom - before * scale), AMBER)
            canvas.line((x, bottom - before * scale), (x, bottom - stream_time * scale), AMBER)
        canvas.dot(x, bottom - second * scale, RED if second in late else TEAL)
        label = f"{second} s" + (": late" if second in late else "")
        colour = RED if second in late else INK
        canvas.text(x, bottom - second * scale - 10, label, anchor="middle", colour=colour)
    canvas.text(
        _LEFT + 20,
        276,
        "records in the order of their arrival; the line is stream time",
        colour=AMBER,
    )
    return canvas.svg()


def _late(windows: TimeWindows, arrivals: Iterable[int]) -> set[int]:
    builder = StreamsBuilder()
    (
        builder.stream("clicks", Consumed(key=TEXT, value=NUMBER))
        .group_by_key(Grouped(key=TEXT, value=NUMBER))
        .windowed_by(windows)
        .late_to("late", Produced(key=TEXT, value=NUMBER))
        .count(Materialized("counts", key=TEXT, value=NUMBER))
    )
    with TopologyTestDriver(builder.build()) as driver:
        clicks = driver.create_input_topic("clicks", TEXT, NUMBER)
        for second in arrivals:
            clicks.pipe_input("ada", second, timestamp=second * SECOND)
        values = driver.create_output_topic("late", TEXT, NUMBER).read_values()
    return {value for value in values if value is not None}


def _joined(windows: JoinWindows, left_at: int, right_at: Iterable[int]) -> list[int]:
    builder = StreamsBuilder()
    left, right = (
        builder.stream(name, Consumed(key=TEXT, value=NUMBER)) for name in ("left", "right")
    )
    left.join(
        right,
        lambda _, value: value,
        windows,
        StreamJoined(name="pairs", key=TEXT, value=NUMBER, other_value=NUMBER, store_name="pairs"),
    ).to("pairs", Produced(key=TEXT, value=NUMBER))
    with TopologyTestDriver(builder.build()) as driver:
        driver.create_input_topic("left", TEXT, NUMBER).pipe_input(
            "k", 0, timestamp=left_at * SECOND
        )
        others = driver.create_input_topic("right", TEXT, NUMBER)
        for second in right_at:
            others.pipe_input("k", second, timestamp=second * SECOND)
        values = driver.create_output_topic("pairs", TEXT, NUMBER).read_values()
    return [value for value in values if value is not None]


def _axis(canvas: Canvas, y: float, records: Iterable[int]) -> None:
    canvas.line((_LEFT, y), (_RIGHT, y), INK)
    for second in range(0, _SECONDS + 1, 5):
        canvas.line((_x(second), y), (_x(second), y + 5), INK)
        canvas.text(_x(second), y + 19, f"{second} s", anchor="middle")
    for second in records:
        canvas.dot(_x(second), 48, AMBER)
        canvas.line((_x(second), 54), (_x(second), y), GREY, dashed=True)


def _length(windows: TimeWindows | SlidingWindows) -> int:
    return windows.size_ms if isinstance(windows, TimeWindows) else windows.difference_ms


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / SECOND:g}"


def _x(second: float) -> float:
    return round(_LEFT + (_RIGHT - _LEFT) * second / _SECONDS, 1)
