"""What is told between workers and driver fits a message, whatever a function raised or printed."""

from __future__ import annotations

from penstock._engine.control.printed_lines import PrintedLines
from penstock._engine.control.protocol import wire
from penstock._engine.control.protocol.messages import Report, WorkerFailure


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
