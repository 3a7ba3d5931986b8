"""Sends what user code prints in a worker to the driver, where the user sees it.

A worker's own output ends in the log of its executor. Within `captured()`, lines written to
`sys.stdout` and `sys.stderr` wait for the next report, and so do our own warnings, a line each. Our
errors stay in the executor's log: the failure itself is reported.
"""

from __future__ import annotations

import io
import logging
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from penstock._engine.control.protocol.messages import PrintedLine, StreamName

_PACKAGE = __name__.partition(".")[0]
_LINES_KEPT = 200
# All lines together must fit a report.
_LINE_CHARACTERS_MAX = 10_000


class PrintedLines:
    """Lines that wait for a report; beyond `kept` lines the oldest are dropped."""

    def __init__(self, kept: int = _LINES_KEPT) -> None:
        self._lines: deque[PrintedLine] = deque(maxlen=kept)
        self._lost = 0
        self._lock = threading.Lock()

    def add(self, line: PrintedLine) -> None:
        """Keep a line."""
        name, text = line
        if len(text) > _LINE_CHARACTERS_MAX:
            left_out = len(text) - _LINE_CHARACTERS_MAX
            line = name, f"{text[:_LINE_CHARACTERS_MAX]} ... {left_out:,} characters left out"
        with self._lock:
            self._lost += len(self._lines) == self._lines.maxlen
            self._lines.append(line)

    def take(self) -> tuple[PrintedLine, ...]:
        """Return the lines since the last call."""
        with self._lock:
            lines, lost = tuple(self._lines), self._lost
            self._lines.clear()
            self._lost = 0
        return (("stderr", f"... {lost} printed lines left out"), *lines) if lost else lines


class _LineStream(io.TextIOBase):
    """Replaces a standard stream: splits what is written into lines."""

    def __init__(self, name: StreamName, lines: PrintedLines) -> None:
        self._name = name
        self._lines = lines
        self._begun = ""
        self._lock = threading.Lock()

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        with self._lock:
            *whole, begun = (self._begun + text).split("\n")
            if len(begun) > _LINE_CHARACTERS_MAX:  # print(".", end="") for each record
                whole.append(begun)
                begun = ""
            self._begun = begun
        for line in whole:
            self._lines.add((self._name, line))
        return len(text)


class _Warnings(logging.Handler):
    """Adds the package's warnings to `lines`, and writes its errors to `log`."""

    def __init__(self, lines: PrintedLines, log: TextIO) -> None:
        super().__init__(logging.WARNING)
        self._lines = lines
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.ERROR:
            print(self.format(record), file=self._log, flush=True)
            return
        error = record.exc_info[1] if record.exc_info else None
        why = "" if error is None else f": {type(error).__name__}: {error}"
        for line in f"{record.getMessage()}{why}".splitlines():
            self._lines.add(("stderr", line))


@contextmanager
def captured(lines: PrintedLines) -> Iterator[None]:
    """Add what is printed in this context to `lines`."""
    before = sys.stdout, sys.stderr
    warnings = _Warnings(lines, sys.stderr)
    logger = logging.getLogger(_PACKAGE)
    logger.addHandler(warnings)
    sys.stdout, sys.stderr = _LineStream("stdout", lines), _LineStream("stderr", lines)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
        logger.removeHandler(warnings)


def print_here(lines: Iterable[PrintedLine]) -> None:
    """Print the lines of a worker's report in the driver."""
    for name, line in lines:
        # In one piece: the reports of several workers come on threads of their own.
        stream = sys.stdout if name == "stdout" else sys.stderr
        with suppress(OSError, ValueError):  # the terminal is gone
            stream.write(f"{line}\n")
            stream.flush()
