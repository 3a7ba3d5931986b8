"""The page on reliability says what results.json has."""

from __future__ import annotations

from typing import Any

from tests.chaos import report


def outcome(**given: Any) -> dict[str, Any]:
    return {
        "lane": "workers",
        "guarantee": "exactly_once_v2",
        "brokers": 1,
        "kind": "kill-worker",
        "seed": 1,
        "number": 0,
        "detail": "",
        "seconds": 0.0,
        "recovery": 1.0,
        "silence": 2.0,
        "records": 1000,
        "outputs": 5000,
        "lost": 0,
        "doubled": 0,
        "reordered": 0,
        "wrong": 0,
        "stops": 0,
        "trouble": "",
        **given,
    }


def test_a_row_has_sums_and_the_median_and_worst_recovery() -> None:
    runs = [outcome(number=number, recovery=seconds) for number, seconds in enumerate((1, 2, 9))]
    row = report.table(runs, "workers", 1).splitlines()[2]
    assert row == "| kill-worker | exactly-once | 3 | 3,000 | 0 | 0 | 0 | 2.0 s | 9.0 s | 2.0 s |"


def test_a_run_without_recovery_is_shown_as_such() -> None:
    row = report.table([outcome(recovery=None, silence=None)], "workers", 1).splitlines()[2]
    assert "**never**" in row


def test_a_run_that_is_added_twice_counts_once() -> None:
    once = report.merged({"outcomes": []}, [outcome()])
    assert report.merged(once, [outcome(lost=3)])["outcomes"] == [outcome(lost=3)]


def test_the_page_is_the_one_of_the_results() -> None:
    page = report.PAGE.read_text()
    assert page == report.page_text(page, report.load())
