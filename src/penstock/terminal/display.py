"""Lines on the screen: in place on a terminal, one after the other elsewhere, none if quiet."""

from __future__ import annotations

import io
import logging
import os
import shutil
import sys
import threading
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Protocol, Self, TextIO, TypeAlias

from penstock.terminal.figures import Figures
from penstock.terminal.wording import log_line, status_line

Panel: TypeAlias = Callable[[Figures, int], list[str]]
"""`panel(figures, width)` returns lines to show above the status line."""

_LOG_SECONDS = 5.0
_LOG_COLUMNS = 100

_ERASE_LINE, _ERASE_BELOW = "\x1b[K", "\x1b[J"
_BOLD, _GREEN, _YELLOW, _RED, _PLAIN = "\x1b[1m", "\x1b[1;32m", "\x1b[1;33m", "\x1b[1;31m", "\x1b[m"
_COLOURS = {"RUNNING": _GREEN, "REBALANCING": _YELLOW, "PENDING_ERROR": _RED, "ERROR": _RED}


class Display(Protocol):
    """Where the progress of an application is shown."""

    def say(self, text: str) -> None:
        """Show a line that stays."""

    def update(self, figures: Figures) -> None:
        """Show how it goes now."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


def display_for(application_id: str, *, quiet: bool = False, panel: Panel | None = None) -> Display:
    """Return the display that fits standard error.

    The logger "penstock" with a level above INFO asks for quiet, too.
    """
    if quiet or logging.getLogger("penstock").level > logging.INFO:
        return QuietDisplay()
    if is_terminal(sys.stderr):
        return LiveDisplay(sys.stderr, panel)
    return LogDisplay(application_id, sys.stderr, panel)


def is_terminal(stream: TextIO, environment: Mapping[str, str] = os.environ) -> bool:
    """Yes if lines of a stream can be drawn again."""
    return stream.isatty() and environment.get("TERM", "") not in {"", "dumb"}


class QuietDisplay:
    """Shows nothing."""

    def say(self, text: str) -> None:
        pass

    def update(self, figures: Figures) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass


class LogDisplay(QuietDisplay):
    """Writes a line when the state changes, and every few seconds if there is news; the panel comes
    at the end.
    """

    def __init__(self, application_id: str, stream: TextIO, panel: Panel | None = None) -> None:
        self._application_id = application_id
        self._stream = stream
        self._panel = panel
        self._last = Figures("", -_LOG_SECONDS)
        self._last_line = ""

    def say(self, text: str) -> None:
        # In one piece: `print` writes text and end apart, and other threads write here, too.
        self._stream.write(f"{text}\n")
        self._stream.flush()

    def update(self, figures: Figures) -> None:
        due = figures.seconds - self._last.seconds >= _LOG_SECONDS
        line = log_line(self._application_id, figures)
        if line != self._last_line and (due or figures.state != self._last.state):
            self._last, self._last_line = figures, line
            self.say(line)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._panel is not None:
            self.say("\n".join(self._panel(self._last, _LOG_COLUMNS)))


class LiveDisplay(QuietDisplay):
    """Draws a panel and the status line again and again in the same place.

    The cursor waits at the beginning of what is drawn: what others write begins there, too,
    and is not glued to the end of our line. While this is open, what is printed to a standard
    stream that is a terminal goes above.
    """

    def __init__(
        self,
        stream: TextIO,
        panel: Panel | None = None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self._stream = stream
        self._panel = panel
        self._coloured = "NO_COLOR" not in environment
        self._lock = threading.RLock()
        self._drawn: list[str] = []
        self._streams_before: tuple[TextIO, TextIO] | None = None

    def say(self, text: str) -> None:
        self.print_above(f"{text}\n", self._stream)

    def update(self, figures: Figures) -> None:
        size = shutil.get_terminal_size()
        width = max(20, size.columns)
        status = status_line(figures, width)
        if self._coloured:
            colour = _COLOURS.get(figures.state, _BOLD)
            status = status.replace(figures.state, f"{colour}{figures.state}{_PLAIN}", 1)
        panel = [] if self._panel is None else self._panel(figures, width)
        # The upper end of a panel that is too high is left out; a line too many would scroll.
        lines = [*panel, status][-max(1, size.lines - 1) :]
        with self._lock:
            self._drawn = lines
            self._draw()

    def print_above(self, text: str, stream: TextIO) -> None:
        """Write whole lines to a stream of this terminal, above what is drawn."""
        with self._lock:
            self._write(_ERASE_BELOW)
            stream.write(text)
            stream.flush()
            self._draw()

    def __enter__(self) -> Self:
        self._streams_before = sys.stdout, sys.stderr
        if sys.stdout.isatty():
            sys.stdout = _Above(self, sys.stdout)
        if sys.stderr.isatty():
            sys.stderr = _Above(self, sys.stderr)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._streams_before is not None:
            for stream in (sys.stdout, sys.stderr):
                if isinstance(stream, _Above):
                    stream.finish()
            sys.stdout, sys.stderr = self._streams_before
        with self._lock:
            # The panel stays, the status line goes.
            kept = self._drawn[:-1]
            self._drawn = []
            self._write("".join(f"{line}{_ERASE_LINE}\n" for line in kept) + _ERASE_BELOW)

    def _draw(self) -> None:
        if self._drawn:
            up = f"\x1b[{len(self._drawn) - 1}A" if len(self._drawn) > 1 else ""
            body = f"{_ERASE_LINE}\n".join(self._drawn)
            self._write(f"\r{body}{_ERASE_BELOW}\r{up}")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


class _Above(io.TextIOBase):
    """Stands for a standard stream: lines go above what the display draws."""

    def __init__(self, display: LiveDisplay, stream: TextIO) -> None:
        self._display = display
        self._stream = stream
        self._begun = ""

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream.encoding

    def fileno(self) -> int:
        return self._stream.fileno()

    def isatty(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        whole, newline, begun = (self._begun + text).rpartition("\n")
        self._begun = begun
        if newline:
            self._display.print_above(f"{whole}\n", self._stream)
        return len(text)

    def finish(self) -> None:
        """Write a line that was begun and not ended: until now it would have been drawn over."""
        if self._begun:
            self.write("\n")
