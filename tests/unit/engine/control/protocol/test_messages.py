"""What is told between workers and driver fits a message, whatever a function raised or printed."""

from __future__ import annotations

import pytest

from penstock._engine.control.printed_lines import PrintedLines
from penstock._engine.control.protocol import wire
from penstock._engine.control.protocol.messages import Report, WorkerFailure, process_number


def test_an_error_that_quotes_a_huge_record_is_cut() -> None:
    failure = WorkerFailure.of(ValueError("x" * (20 << 20)))
    assert "characters left out" in failure.message
    assert len(wire.encode(Report("a", "failed", failure=failure))) < 1 << 20
    assert WorkerFailure.of(ValueError("short")).message == "short"


def test_lines_that_are_too_long_are_cut() -> None:
    lines = PrintedLines()
    for _ in range(300):
        lines.add(("stdout", "\U0001f600" * (1 << 20)))
    printed = lines.take()
    assert printed[-1][1].endswith(" ... 1,038,576 characters left out")
    assert len(wire.encode(Report("a", "running", printed=printed))) < wire.BODY_BYTES_MAX


class WithoutText(BaseException):
    """An exception whose own text fails."""

    def __str__(self) -> str:
        raise WithoutText


def test_a_failure_whose_text_fails_is_reported() -> None:
    failure = WorkerFailure.of(WithoutText())
    assert failure.message == "<no text: its __str__ raised WithoutText>"


def test_a_forked_process_has_another_number(monkeypatch: pytest.MonkeyPatch) -> None:
    own = process_number()
    assert Report("a", "running").process == own
    monkeypatch.setattr("os.getpid", lambda: -1)
    assert process_number() not in {own, 0}
