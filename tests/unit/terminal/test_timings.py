"""The stages of a start, from the figures that are seen meanwhile."""

from __future__ import annotations

from pathlib import Path

from penstock.terminal.figures import Figures
from penstock.terminal.timings import StartTimes, process_age_seconds


def test_each_stage_lasts_until_another_is_seen() -> None:
    times = StartTimes(0.5)
    for state, seconds in (
        ("PREPARING", 0.0),
        ("PREPARING", 0.4),
        ("STARTING SPARK", 0.6),
        ("STARTING WORKERS", 3.0),
        ("REBALANCING", 4.0),
        ("RUNNING", 5.0),
    ):
        assert times.see(Figures(state, seconds)) is None
    assert times.see(Figures("RUNNING", 5.5, total_in=1, total_out=1)) == (
        "start: before run() 0.5 s, preparing 0.6 s, spark 2.4 s, workers 1.0 s, "
        "rebalancing 1.0 s, first commit 0.5 s; in all 6.0 s"
    )
    assert times.see(Figures("RUNNING", 6.0, total_out=2)) is None


def test_the_stages_of_a_program_without_outputs_are_shown_after_a_while() -> None:
    times = StartTimes()
    assert times.see(Figures("RUNNING", 2.0)) is None
    assert times.see(Figures("RUNNING", 3.0, total_in=1)) is None
    assert times.see(Figures("RUNNING", 7.9, total_in=9)) is None
    line = times.see(Figures("RUNNING", 8.0, total_in=9))
    assert line == "start: first commit 8.0 s; in all 8.0 s, and no output so far"
    assert times.over


def test_the_age_of_a_process_is_known_where_the_system_tells_it(tmp_path: Path) -> None:
    assert process_age_seconds(tmp_path) is None
    age = process_age_seconds()
    assert age is None or age > 0
