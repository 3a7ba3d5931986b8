"""What reaches the screen."""

from __future__ import annotations

import io
import logging
import re
import sys

import pytest

from penstock.terminal.display import (
    LiveDisplay,
    LogDisplay,
    QuietDisplay,
    display_for,
    is_terminal,
)
from penstock.terminal.figures import Figures


class FakeTerminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def screen(written: str) -> list[str]:
    """Return the lines that a terminal shows after `written`: carriage return, erase, cursor up."""
    lines, row, column = [""], 0, 0
    for part in re.findall(r"\x1b\[[\d;]*[A-Za-z]|\r|\n|[^\x1b\r\n]+", written):
        if part == "\n":
            row, column = row + 1, 0
            if row == len(lines):
                lines.append("")
        elif part == "\r":
            column = 0
        elif part == "\x1b[K":
            lines[row] = lines[row][:column]
        elif part == "\x1b[J":
            lines[row:] = [lines[row][:column]]
        elif part.endswith("A"):
            row -= int(part[2:-1])
        elif not part.startswith("\x1b"):
            lines[row] = lines[row][:column] + part + lines[row][column + len(part) :]
            column += len(part)
    return [line for line in lines if line]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> FakeTerminal:
    stream = FakeTerminal()
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("LINES", "10")
    monkeypatch.setenv("TERM", "xterm")
    return stream


def running(second: int) -> Figures:
    return Figures("RUNNING", second, total_in=second)


def test_status_line_is_drawn_in_place(terminal: FakeTerminal) -> None:
    with LiveDisplay(terminal) as display:
        display.update(running(100))
        display.update(running(5))
        assert screen(terminal.getvalue()) == [" RUNNING  total 5 in, 0 out"]
    assert screen(terminal.getvalue()) == []


def test_what_is_said_or_printed_goes_above_and_stays(
    terminal: FakeTerminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Here and not in the fixture: pytest sets them anew before a test.
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr(sys, "stderr", terminal)
    with LiveDisplay(terminal) as display:
        display.update(running(1))
        display.say("first")
        print("second")
        print("third", file=sys.stderr)
        print("not ended", end="")
        assert screen(terminal.getvalue()) == [
            "first",
            "second",
            "third",
            " RUNNING  total 1 in, 0 out",
        ]
    assert screen(terminal.getvalue()) == ["first", "second", "third", "not ended"]
    assert sys.stdout is terminal


def test_panel_is_drawn_above_the_status_line_and_stays(terminal: FakeTerminal) -> None:
    with LiveDisplay(terminal, lambda figures, width: [f"{figures.total_in} of", f"{width}"]) as it:
        it.update(running(1))
        it.update(running(2))
        it.say("said")
        assert screen(terminal.getvalue()) == [
            "said",
            "2 of",
            "100",
            " RUNNING  total 2 in, 0 out",
        ]
    assert screen(terminal.getvalue()) == ["said", "2 of", "100"]


def test_panel_that_is_too_high_loses_its_upper_end(terminal: FakeTerminal) -> None:
    with LiveDisplay(terminal, lambda figures, width: [str(row) for row in range(30)]) as display:
        display.update(running(1))
        shown = screen(terminal.getvalue())
    assert shown == [*(str(row) for row in range(22, 30)), " RUNNING  total 1 in, 0 out"]


def test_colours_are_left_out_if_not_wanted(terminal: FakeTerminal) -> None:
    with LiveDisplay(terminal, environment={}) as display:
        display.update(running(1))
    assert "\x1b[1;32mRUNNING" in terminal.getvalue()
    before = len(terminal.getvalue())
    with LiveDisplay(terminal, environment={"NO_COLOR": "1"}) as display:
        display.update(running(1))
    assert "\x1b[1;32m" not in terminal.getvalue()[before:]


def test_standard_output_that_is_a_file_is_left_alone(
    terminal: FakeTerminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = io.StringIO()
    monkeypatch.setattr(sys, "stdout", file)
    with LiveDisplay(terminal) as display:
        display.update(running(1))
        print("result")
    assert file.getvalue() == "result\n"


def test_log_has_a_line_every_few_seconds_if_there_is_news() -> None:
    stream = io.StringIO()
    display = LogDisplay("fraud", stream)
    for second in (0, 1, 5, 6, 10):
        display.update(running(second))
    display.update(Figures("RUNNING", 20, total_in=10))
    display.update(Figures("PENDING_SHUTDOWN", 21, total_in=10))
    assert stream.getvalue().splitlines() == [
        "fraud: RUNNING  0 s",
        "fraud: RUNNING  total 5 in, 0 out",
        "fraud: RUNNING  total 10 in, 0 out",
        "fraud: PENDING_SHUTDOWN  total 10 in, 0 out",
    ]


def test_log_ends_with_the_panel() -> None:
    stream = io.StringIO()
    with LogDisplay("fraud", stream, lambda figures, width: ["a table"]) as display:
        display.say("said")
    assert stream.getvalue() == "said\na table\n"


def test_quiet_display_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    with QuietDisplay() as display:
        display.say("said")
        display.update(running(1))
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("term", "expected"), [("xterm", True), ("dumb", False), ("", False)], ids=str
)
def test_terminal_must_be_able_to_draw_again(term: str, expected: bool) -> None:
    assert is_terminal(FakeTerminal(), {"TERM": term}) is expected
    assert is_terminal(io.StringIO(), {"TERM": term}) is False


def test_display_fits_where_it_is_shown(
    terminal: FakeTerminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", terminal)
    assert type(display_for("fraud")) is LiveDisplay
    assert type(display_for("fraud", quiet=True)) is QuietDisplay
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert type(display_for("fraud")) is LogDisplay


def test_level_of_the_logger_asks_for_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    logger = logging.getLogger("penstock")
    monkeypatch.setattr(logger, "level", logging.WARNING)
    assert type(display_for("fraud")) is QuietDisplay
    monkeypatch.setattr(logger, "level", logging.INFO)
    assert type(display_for("fraud")) is not QuietDisplay


def test_a_line_is_written_with_its_end() -> None:
    """Other threads write to the same stream: nothing of theirs may come in between."""
    written: list[str] = []

    class Stream(io.StringIO):
        def write(self, text: str) -> int:
            written.append(text)
            return len(text)

    LogDisplay("shop", Stream()).say("ready")
    assert written == ["ready\n"]
