"""Sends a worker's reports to the driver, on a thread of its own.

A driver that is slow or away for a moment so does not keep the worker from its records. While a
step takes long, in a function of the user's or waiting for the broker, the last report is repeated
each second, without the lag: the driver knows that the worker is alive. Only a stopped process is
silent.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from penstock._engine.control.protocol.client import DriverSilent
from penstock._engine.control.protocol.messages import Instruction, PrintedLine, Report

_REPEAT_SECONDS = 1.0
_AGAIN_SECONDS = 0.25


class Driver(Protocol):
    """Answers requests; a ControlClient, or a fake."""

    def ask(self, verb: str, payload: Any, answer: Any) -> Any: ...


class Reporter:
    """Sends the newest report and passes the driver's instruction on.

    `answered` is called with every answer, on the reporter's thread. `broker_away` returns for how
    many seconds the cluster has not answered, `printed` the lines that no report has yet.
    """

    def __init__(
        self,
        driver: Driver,
        answered: Callable[[Instruction], None],
        broker_away: Callable[[], float | None],
        printed: Callable[[], tuple[PrintedLine, ...]],
    ) -> None:
        self._driver = driver
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
        """Queue a report; only if `ready`, since each report has what is new since the last.

        Raises:
            Exception: the driver refused an earlier report.
        """
        with self._wake:
            if self._error is not None:
                raise self._error
            self._waiting = self._last = report
            self._wake.notify()

    def close(self, timeout_seconds: float) -> bool:
        """Send no more; wait for a pending answer. Yes if none is pending any more."""
        with self._wake:
            self._closed = True
            self._wake.notify()
        self._thread.join(timeout_seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (report := self._next()) is not None:
            try:
                instruction = self._driver.ask("report", report, Instruction)
            except DriverSilent:
                # Sent again until the lease, which only answers and turns renew, has ended.
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
        """Return the report that waits, or the last one again; None when closed."""
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
            return _with_broker_away(waiting, away)
        # User threads may print while the engine is in a function that does not return.
        self._lines += self._printed()
        return replace(
            _with_broker_away(last, away),
            printed=self._lines,
            restore_events=(),
            record_failures=(),
            metrics=None,
            lag=None,  # records come in, and none is counted
            repeated=True,
        )


def _with_broker_away(report: Report, broker_away_seconds: float | None) -> Report:
    """Add how long the cluster has not answered; the lag is not known then."""
    if broker_away_seconds is None:
        return report
    return replace(report, broker_away_seconds=broker_away_seconds, lag=None)
