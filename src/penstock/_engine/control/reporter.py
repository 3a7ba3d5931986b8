"""A worker's reports go to the driver on a thread of their own.

So a driver that is slow or away for a moment does not keep the worker from its records, and a
worker whose step takes long, in a function of the user's or waiting for the broker, is known to be
alive: its last report is told once more each second. Only a process that stands still is silent.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from penstock._engine.control.client import DriverSilent
from penstock._engine.control.messages import Instruction, Report
from penstock._engine.control.printed_lines import PrintedLine

_REPEAT_SECONDS = 1.0
_AGAIN_SECONDS = 0.25


class Asks(Protocol):
    """The line to the driver."""

    def ask(self, verb: str, payload: Any, answer: Any) -> Any: ...


class Reporter:
    """Sends the newest report, hears what to do.

    `answered` is called for every answer, on the reporter's thread; `broker_away` tells for how
    many seconds the cluster has not answered, `printed` returns the lines that no report has yet.
    """

    def __init__(
        self,
        line: Asks,
        answered: Callable[[Instruction], None],
        broker_away: Callable[[], float | None],
        printed: Callable[[], tuple[PrintedLine, ...]],
    ) -> None:
        self._line = line
        self._answered = answered
        self._broker_away = broker_away
        self._printed = printed
        self._lines: tuple[PrintedLine, ...] = ()
        self._wake = threading.Condition()
        self._waiting: Report | None = None
        self._last: Report | None = None
        self._closed = False
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="penstock-reports", daemon=True)
        self._thread.start()

    @property
    def ready(self) -> bool:
        """Whether the last report has been answered, so that the next one can be made."""
        return self._waiting is None

    def post(self, report: Report) -> None:
        """Have a report sent; only if `ready`, since each report tells what is new since the last.

        Raises:
            Exception: what came of an earlier report, if the driver could not take it.
        """
        with self._wake:
            if self._error is not None:
                raise self._error
            self._waiting = self._last = report
            self._wake.notify()

    def close(self, timeout_seconds: float) -> bool:
        """Send no more; wait a while for an answer that is under way. Yes if none is."""
        with self._wake:
            self._closed = True
            self._wake.notify()
        self._thread.join(timeout_seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (report := self._next()) is not None:
            try:
                instruction = self._line.ask("report", report, Instruction)
            except DriverSilent:
                # Told again until the lease, which only answers and turns renew, has ended.
                with self._wake:
                    self._wake.wait_for(lambda: self._closed, _AGAIN_SECONDS)
                continue
            except Exception as error:
                with self._wake:
                    self._error, self._waiting = error, None
                return
            self._answered(instruction)
            if report.repeated:
                self._lines = ()
            with self._wake:
                if self._waiting is not None and self._waiting.number == report.number:
                    self._waiting = None

    def _next(self) -> Report | None:
        """Return the report that waits, or the last one once more; None when closed."""
        with self._wake:
            self._wake.wait_for(lambda: self._closed or self._waiting is not None, _REPEAT_SECONDS)
            while not self._closed and self._last is None:
                self._wake.wait_for(lambda: self._closed or self._last is not None)
            if self._closed:
                return None
            waiting, last = self._waiting, self._last
        assert last is not None
        away = self._broker_away()
        if waiting is not None:
            return _as_seen(waiting, away)
        # What a thread has to tell while the engine is in a function that does not return.
        self._lines += self._printed()
        return replace(_as_seen(last, away), printed=self._lines, restore_events=(), repeated=True)


def _as_seen(report: Report, broker_away_seconds: float | None) -> Report:
    """Return a report as it is while the cluster does not answer: the lag is not known then."""
    if broker_away_seconds is None:
        return report
    return replace(report, broker_away_seconds=broker_away_seconds, lag=None)
