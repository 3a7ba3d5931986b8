"""Sends what user code prints in a worker to the driver, where the user sees it.

A worker's own output ends in the log of its executor. Within `captured()`, lines written to
`sys.stdout` and `sys.stderr` wait for the next report, and so do our own warnings, a line each. Our
errors stay in the executor's log: the failure itself is reported.
"""

from __future__ import annotations

import codecs
import io
import logging
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TextIO

from penstock._engine.control.protocol.messages import PrintedLine, StreamName
from penstock.errors import text_of

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

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
    """Replaces a standard stream: splits what is written into lines. What other processes write to
    `fileno` ends where the stream itself leads, in the log of the executor.
    """

    def __init__(self, name: StreamName, lines: PrintedLines, replaced: TextIO) -> None:
        self._name = name
        self._lines = lines
        self._replaced = replaced
        self._begun = ""
        self._lock = threading.Lock()
        self.buffer = _LineBytes(self)
        """Takes bytes, as that of a standard stream does."""

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return "utf-8"

    @property
    def errors(self) -> str:  # type: ignore[override]
        return "backslashreplace"

    @property
    def name(self) -> str:
        return f"<{self._name}>"

    def fileno(self) -> int:
        return self._replaced.fileno()

    def reconfigure(self, **options: Any) -> None:
        """Accept what a standard stream accepts; lines stay what they are."""

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


class _LineBytes(io.BufferedIOBase):
    """Takes the bytes of text, which may come in pieces, for a stream of lines."""

    def __init__(self, stream: _LineStream) -> None:
        self._stream = stream
        self._decode = codecs.getincrementaldecoder("utf-8")("backslashreplace").decode

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._stream.fileno()

    def write(self, data: ReadableBuffer) -> int:
        whole = bytes(data)
        self._stream.write(self._decode(whole))
        return len(whole)


class _Warnings(logging.Handler):
    """Adds the package's warnings to `lines`, and writes its errors to `log`."""

    def __init__(self, lines: PrintedLines, log: TextIO) -> None:
        super().__init__(logging.WARNING)
        self._lines = lines
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.ERROR:
            text = self.format(record).encode(errors="backslashreplace").decode()
            print(text, file=self._log, flush=True)
            return
        error = record.exc_info[1] if record.exc_info else None
        why = "" if error is None else f": {type(error).__name__}: {text_of(error)}"
        for line in f"{record.getMessage()}{why}".splitlines():
            self._lines.add(("stderr", line))


# Two workers of a process may overlap, one that ends and its successor, and end in any order.
_captures: list[tuple[_LineStream, _LineStream]] = []
_streams_before: list[TextIO] = []
_captures_lock = threading.Lock()


@contextmanager
def captured(lines: PrintedLines) -> Iterator[None]:
    """Add what is printed in this context to `lines`."""
    with _captures_lock:
        if not _captures:
            _streams_before[:] = sys.stdout, sys.stderr
        out, err = _streams_before
        streams = _LineStream("stdout", lines, out), _LineStream("stderr", lines, err)
        _captures.append(streams)
        sys.stdout, sys.stderr = streams
    warnings = _Warnings(lines, err)
    logger = logging.getLogger(_PACKAGE)
    logger.addHandler(warnings)
    try:
        yield
    finally:
        with _captures_lock:
            _captures.remove(streams)
            sys.stdout, sys.stderr = _captures[-1] if _captures else _streams_before
        logger.removeHandler(warnings)


def print_here(lines: Iterable[PrintedLine]) -> None:
    """Print the lines of a worker's report in the driver."""
    for name, line in lines:
        # In one piece: the reports of several workers come on threads of their own.
        stream = sys.stdout if name == "stdout" else sys.stderr
        if stream is None:  # a program without a console
            continue
        with suppress(OSError, ValueError):  # the terminal is gone
            stream.write(f"{line}\n")
            stream.flush()
