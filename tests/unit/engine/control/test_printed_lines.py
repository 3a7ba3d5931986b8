"""What is printed in a worker waits for a report."""

from __future__ import annotations

import io
import logging
import sys

import pytest

from penstock._engine.control.printed_lines import PrintedLines, captured


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
