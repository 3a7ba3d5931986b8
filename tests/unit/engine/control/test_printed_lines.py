"""What is printed in a worker waits for a report."""

from __future__ import annotations

import faulthandler
import io
import logging
import subprocess
import sys
from pathlib import Path

import pytest

from penstock._engine.control.printed_lines import PrintedLines, captured, print_here


def test_lines_are_taken_once_whole_and_in_order() -> None:
    lines = PrintedLines()
    with captured(lines):
        print("one")
        print("two", file=sys.stderr)
        print("thr", end="")
        assert lines.take() == (("stdout", "one"), ("stderr", "two"))
        print("ee\nfour")
    assert lines.take() == (("stdout", "three"), ("stdout", "four"))
    assert lines.take() == ()


def test_streams_are_as_before_afterwards() -> None:
    before = sys.stdout, sys.stderr
    with captured(PrintedLines()):
        assert sys.stdout is not before[0]
    assert (sys.stdout, sys.stderr) == before


def test_who_prints_too_much_loses_the_oldest_lines_and_is_told() -> None:
    lines = PrintedLines(kept=2)
    with captured(lines):
        for number in range(5):
            print(number)
    assert lines.take() == (
        ("stderr", "... 3 printed lines left out"),
        ("stdout", "3"),
        ("stdout", "4"),
    )
    assert lines.take() == ()


def test_our_warnings_are_a_line_each_and_our_errors_stay_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log, lines = io.StringIO(), PrintedLines()
    monkeypatch.setattr(sys, "stderr", log)
    logger = logging.getLogger("penstock.handlers")
    with captured(lines):
        logger.info("nothing")
        logger.warning("skipped at %s", "node=a", exc_info=ValueError("no number"))
        logger.error("failed", exc_info=ValueError("no number"))
    assert lines.take() == (("stderr", "skipped at node=a: ValueError: no number"),)
    assert log.getvalue() == "failed\nValueError: no number\n"


def test_dots_without_the_end_of_a_line_do_not_pile_up() -> None:
    lines = PrintedLines()
    with captured(lines):
        for _ in range(25_000):
            print(".", end="")
    assert len(lines.take()) == 2


def test_a_driver_without_a_console_prints_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    print_here([("stdout", "hello")])


def test_captures_that_overlap_leave_the_streams_as_they_were() -> None:
    before, first, second = (sys.stdout, sys.stderr), PrintedLines(), PrintedLines()
    one, two = captured(first), captured(second)
    one.__enter__()
    two.__enter__()
    one.__exit__(None, None, None)
    print("of the second")
    two.__exit__(None, None, None)
    assert (sys.stdout, sys.stderr) == before
    assert (first.take(), second.take()) == ((), (("stdout", "of the second"),))


def test_the_streams_do_for_what_programs_do_with_a_standard_stream(tmp_path: Path) -> None:
    lines = PrintedLines()
    with (tmp_path / "log").open("w+") as log, pytest.MonkeyPatch.context() as patched:
        for name in ("stdout", "stderr"):
            patched.setattr(sys, name, log)
        with captured(lines):
            subprocess.run(["echo", "of a process"], stdout=sys.stdout, check=True)
            print("é".encode(sys.stdout.encoding).decode())
            for piece in (b"\xc3", b"\xa9 in pieces", b"\n", b"\xff\n"):
                sys.stdout.buffer.write(piece)
            sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
            faulthandler.dump_traceback(sys.stderr, all_threads=False)
        log.seek(0)
        assert log.read().startswith("of a process\nStack (most recent call first)")
    assert lines.take() == tuple(("stdout", text) for text in ("é", "é in pieces", r"\xff"))
