"""`penstock resume`: what it shows. (On a cluster: tests/broker/test_lost_offsets.py.)"""

from __future__ import annotations

import pytest

from penstock._engine.kafka.application.resume import LostOffset, LostOffsets
from penstock._engine.planner.reset import Member
from penstock.cli import main
from penstock.cli.resume import as_text

AT_MS = 1_772_473_211_000


def lost(number: int, marked: int, after: int, *, is_last: bool = True) -> LostOffset:
    return LostOffset("words", number, marked, AT_MS, is_last, after, "")


def test_offsets_of_a_clean_stop_are_shown() -> None:
    assert as_text(LostOffsets("app", (), (lost(0, 12, 12), lost(1, 9, 9)))) == [
        "application app: its group has lost the offsets of 2 partitions; with the state were kept",
        "",
        "  topic  partition  offset  committed",
        "  words          0      12  2026-03-02 17:40:11 UTC, when it stopped",
        "  words          1       9  2026-03-02 17:40:11 UTC, when it stopped",
    ]


def test_what_would_not_be_exact_is_noted() -> None:
    shown = as_text(LostOffsets("app", (), (lost(0, 12, 20, is_last=False),)))
    assert shown[3].endswith("20  2026-03-02 17:40:11 UTC, while it ran")
    assert shown[4:6] == [
        "",
        "note: words partition 0 no longer has offset 12: the application would go on at 20",
    ]
    assert shown[6].startswith("note: where the application did not stop after that")


def test_nothing_lost_and_members_are_said() -> None:
    shown = as_text(LostOffsets("app", (Member("m", "h"),), ()))
    assert shown == [
        "note: app runs now; stop it before its offsets are committed",
        "application app: its group has all offsets that it has committed",
    ]


def test_an_application_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["resume"]) == 1
    assert capsys.readouterr().err == (
        "penstock: resume needs a program, penstock resume app.py, or --application-id ID\n"
    )
