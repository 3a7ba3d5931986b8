"""What a check tells."""

from __future__ import annotations

import io

import pytest

from penstock.cli.doctor import as_text, summary
from penstock.cli.doctor.findings import Finding, Status, checked, fault
from penstock.cli.printing import Paint
from penstock.errors import StreamsError


def test_what_stands_behind_the_last_semicolon_is_the_fix() -> None:
    found = fault("topics", StreamsError("'in' is missing; read by a; create it"))
    assert found == Finding("topics", "failed", "'in' is missing; read by a", "create it")
    assert fault("topics", StreamsError("it is broken")).told == "it is broken"


def test_a_check_that_raises_has_failed() -> None:
    def fails() -> Finding:
        raise StreamsError("no Java; install one")

    assert checked("Java", fails) == Finding("Java", "failed", "no Java", "install one")
    assert checked("Java", lambda: Finding("Java", "ok", "17")).status == "ok"


def test_lines() -> None:
    paint = Paint(io.StringIO())
    assert as_text(Finding("Java", "failed", "none", "install one"), paint) == [
        " failed  Java: none",
        "         -> install one",
    ]


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        (["ok", "skipped"], "all is well"),
        (["ok", "failed", "warning", "warning"], "1 fault, 2 warnings"),
    ],
)
def test_summary(statuses: list[Status], expected: str) -> None:
    assert summary(Finding("x", status, "") for status in statuses) == expected
