"""From figures to lines."""

from __future__ import annotations

from dataclasses import replace

import pytest

from penstock.terminal.figures import Figures
from penstock.terminal.wording import bar, closing_line, duration, log_line, status_line

RUNNING = Figures(
    "RUNNING",
    seconds=61,
    rate_in=1203.4,
    rate_out=12.0,
    total_in=48_120,
    total_out=9_000,
    lag=17,
    task_count=8,
    workers=((4, 0), (4, 0)),
)
RESTORING = Figures(
    "REBALANCING",
    seconds=9,
    task_count=8,
    workers=((4, 0), (1, 3)),
    restored=0.5,
    restore_remaining=1_200_000,
)


def test_status_line_while_running() -> None:
    assert status_line(RUNNING, 120) == (
        " RUNNING  in 1,203/s  out 12/s  total 48,120 in, 9,000 out  lag 17  tasks 8 = 4 + 4"
    )


def test_status_line_while_restoring() -> None:
    assert status_line(RESTORING, 200) == (
        " REBALANCING  restoring ██████░░░░░░ 50%, 1,200,000 to go  in 0/s  out 0/s"
        "  total 0 in, 0 out  lag ?  tasks 5 of 8 = 4 + 1 (+3 restoring)"
    )


def test_status_line_while_the_broker_is_away() -> None:
    away = replace(RUNNING, lag=None, broker_away_seconds=75.2)
    assert status_line(away, 200).startswith(
        " RUNNING  the broker has not answered for 1 min 15 s  in 1,203/s"
    )
    assert "lag ?" in status_line(away, 200)


def test_status_line_before_there_are_workers() -> None:
    assert status_line(Figures("STARTING SPARK", 12.3), 80) == " STARTING SPARK  12 s"


def test_status_line_when_the_workers_have_left() -> None:
    left = Figures("PENDING_SHUTDOWN", 12.3, total_in=5, total_out=3)
    assert status_line(left, 80) == " PENDING_SHUTDOWN  total 5 in, 3 out"


@pytest.mark.parametrize("width", [20, 40, 83, 84, 85])
def test_status_line_fits(width: int) -> None:
    line = status_line(RUNNING, width)
    assert len(line) < width
    assert line.endswith("…") == (width < 84)


def test_log_line_names_the_application() -> None:
    one = Figures("RUNNING", 61, task_count=2, workers=((2, 0),), lag=0)
    assert log_line("fraud", one) == (
        "fraud: RUNNING  in 0/s  out 0/s  total 0 in, 0 out  lag 0  tasks 2"
    )


def test_closing_line_has_the_totals() -> None:
    assert closing_line("fraud", "stopped", RUNNING) == (
        "fraud: stopped after 1 min 1 s; 48,120 records in, 9,000 out"
    )
    one = replace(RUNNING, total_in=1)
    assert closing_line("fraud", "stopped", one).endswith("; 1 record in, 9,000 out")


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.4, "0 s"), (59.4, "59 s"), (192, "3 min 12 s"), (7500, "2 h 5 min")]
)
def test_duration_is_said_as_people_do(seconds: float, said: str) -> None:
    assert duration(seconds) == said


@pytest.mark.parametrize(("part", "drawn"), [(-1, "░░░░"), (0.5, "██░░"), (1, "████"), (9, "████")])
def test_bar(part: float, drawn: str) -> None:
    assert bar(part, 4) == drawn
