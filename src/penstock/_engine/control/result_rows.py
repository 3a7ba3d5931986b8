"""Committed output records as rows of the Spark query: what a worker keeps of each until a turn
takes it.

Spark only shows them: while no turn takes rows, the oldest are dropped. By default a row is a
timestamp. Keys and values cost memory here and copies in Spark, so that only a user who asks for
them gets them ('penstock.spark.rows').
"""

from __future__ import annotations

import threading
from array import array
from collections import deque
from operator import itemgetter
from typing import Any, Protocol, TypeAlias

from penstock._clock import SystemClock
from penstock._engine.runtime.records import OUTPUT_TIMESTAMP, Output
from penstock.settings.values import RowKind

_ROWS_KEPT = 200_000
_BYTES_KEPT = 64 * 1024 * 1024
# Of a record without its key, value and headers: topic, numbers, the tuple itself.
_RECORD_BYTES = 200

Times: TypeAlias = "array[int]"
"""Timestamps of records. As Python objects they would be freed long after they have left the
processor's caches, while the freeing thread holds the interpreter lock: a tenth of all time in a
program with much output.
"""
Rows: TypeAlias = "Times | list[Output]"
_INT64 = "q"
_timestamp_of = itemgetter(OUTPUT_TIMESTAMP)


class ResultRows(Protocol):
    """The rows of one worker. One thread adds, another takes."""

    def of(self, outputs: list[Output], internal: frozenset[str]) -> Any:
        """Return the rows of outputs, without those to `internal` topics."""

    def add(self, rows: Any) -> None:
        """Keep rows whose commit has succeeded."""

    def take(self) -> Rows:
        """Return the rows since the last call."""


class TimestampRows:
    """Rows that are timestamps."""

    def __init__(self) -> None:
        self._rows: Times = array(_INT64)
        self._lock = threading.Lock()

    def of(self, outputs: list[Output], internal: frozenset[str]) -> Times:
        """Return the timestamps of outputs to the user's topics."""
        times = list(map(_timestamp_of, _results(outputs, internal)))
        try:
            return array(_INT64, times)
        except TypeError:  # an output without a timestamp has the time at which it is sent
            now_ms = SystemClock().now_ms()
            return array(_INT64, [now_ms if time is None else time for time in times])

    def add(self, rows: Times) -> None:
        """Keep timestamps, the newest 200,000."""
        with self._lock:
            self._rows += rows
            del self._rows[:-_ROWS_KEPT]

    def take(self) -> Times:
        """Return the timestamps since the last call."""
        with self._lock:
            rows, self._rows = self._rows, array(_INT64)
        return rows


class FullRows:
    """Rows that are whole records."""

    def __init__(self) -> None:
        self._rows: deque[Output] = deque()
        self._bytes = 0
        self._lock = threading.Lock()

    def of(self, outputs: list[Output], internal: frozenset[str]) -> list[Output]:
        """Return the outputs to the user's topics, all with a timestamp."""
        now_ms = SystemClock().now_ms()
        return [
            each if each[4] is not None else (*each[:4], now_ms, each[5])
            for each in _results(outputs, internal)
        ]

    def add(self, rows: list[Output]) -> None:
        """Keep records, the newest 200,000 or 64 MiB, whichever is less."""
        with self._lock:
            self._rows.extend(rows)
            self._bytes += sum(map(_bytes_of, rows))
            while self._rows and (len(self._rows) > _ROWS_KEPT or self._bytes > _BYTES_KEPT):
                self._bytes -= _bytes_of(self._rows.popleft())

    def take(self) -> list[Output]:
        """Return the records since the last call."""
        with self._lock:
            rows, self._rows, self._bytes = list(self._rows), deque(), 0
        return rows


def rows_of(kind: RowKind) -> ResultRows:
    """Return where a worker keeps its rows."""
    return FullRows() if kind == "full" else TimestampRows()


def _results(outputs: list[Output], internal: frozenset[str]) -> list[Output]:
    return [each for each in outputs if each[0] not in internal] if internal else outputs


def _bytes_of(output: Output) -> int:
    _, _, key, value, _, headers = output
    sizes = (len(name) + len(data or b"") for name, data in headers)
    return _RECORD_BYTES + len(key or b"") + len(value or b"") + sum(sizes)
