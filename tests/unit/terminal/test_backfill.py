"""A backfill shows its stage, its records and the time that is left."""

from __future__ import annotations

import io
from dataclasses import dataclass

from penstock.terminal.backfill import BackfillDisplay, advance_line


@dataclass(frozen=True)
class At:
    """A place in a backfill."""

    stage: int
    stages: int
    processed: int
    known: int


def test_the_line_tells_stage_records_rate_and_time_left() -> None:
    line = advance_line(At(1, 2, 500_000, 2_000_000), 10)

    assert line == (
        "stage 1 of 2  ███░░░░░░░░░ 500,000 of 2,000,000 records  50,000/s  about 30 s left"
    )


def test_before_the_first_record_no_time_is_told() -> None:
    assert advance_line(At(1, 1, 0, 10), 3) == "stage 1 of 1  ░░░░░░░░░░░░ 0 of 10 records"


def test_unexpected_records_do_not_make_more_than_all() -> None:
    assert "12 of 12 records" in advance_line(At(2, 2, 12, 10), 1)


def test_where_lines_follow_lines_a_stage_has_one_line_until_time_has_passed() -> None:
    stream = io.StringIO()
    display = BackfillDisplay("app", stream)

    for processed in (1, 2, 3):
        display.advance(At(1, 2, processed, 10))
    display.advance(At(2, 2, 4, 10))
    display.finish(10, 20)

    lines = stream.getvalue().splitlines()
    assert [line.partition("  ")[0] for line in lines[:2]] == [
        "app: stage 1 of 2",
        "app: stage 2 of 2",
    ]
    assert lines[2].endswith("10 records in, 20 written; it can go live")


def test_a_quiet_display_shows_nothing() -> None:
    stream = io.StringIO()
    display = BackfillDisplay("app", stream, quiet=True)

    display.advance(At(1, 1, 1, 1))
    display.say("hello")

    assert stream.getvalue() == ""
