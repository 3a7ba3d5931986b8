"""Run an application in the foreground: start it, show its progress, end it on a signal.

The slow things, bringing up and closing, happen on threads; this one draws and receives signals.
The first SIGINT or SIGTERM lets the workers commit and leave, the second one raises
KeyboardInterrupt.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from types import FrameType, TracebackType
from typing import Any, Protocol, Self, TypeAlias

from penstock._clock import monotonic
from penstock._engine.control.protocol.messages import Report
from penstock.terminal.display import Display
from penstock.terminal.figures import Figures, Meter
from penstock.terminal.signal_handlers import ENDING, handling
from penstock.terminal.timings import StartTimes
from penstock.terminal.wording import closing_line

_ATTEND_SECONDS = 0.1
_DRAW_EVERY = 2

# A sender that signals a whole process group often signals its leader, too.
_ONE_PRESS_SECONDS = 0.3

BringUp: TypeAlias = Callable[[ExitStack], None]
"""Starts the application; what must be ended after it goes on the stack."""


class Application(Protocol):
    """What the foreground must know of an application."""

    @property
    def application_id(self) -> str: ...
    @property
    def phase(self) -> str:
        """Its state, or what it is doing before it has one."""

    @property
    def note(self) -> str:
        """What its status line ends with."""

    @property
    def task_count(self) -> int: ...
    @property
    def ended(self) -> bool: ...
    @property
    def failed(self) -> bool: ...
    @property
    def reason(self) -> str | None:
        """Why it fails, in a line; None if it does not."""

    def reports(self) -> Mapping[str, Report]: ...
    def lag(self) -> int | None: ...
    def close(self) -> bool: ...


class Foreground:
    """One run of an application in the foreground."""

    def __init__(
        self, application: Application, display: Display, timings: StartTimes | None = None
    ) -> None:
        self._application = application
        self._display = display
        self._timings = timings
        self._meter = Meter(monotonic(), application.note)
        self._reason: str | None = None

    def run(self, bring_up: BringUp) -> None:
        """Return when the application has ended, by itself or by a signal."""
        with StopSignals().received() as signals:
            with self._display, _Launch(bring_up) as launch:
                self._attend(lambda: launch.done or signals.asked)
                if launch.done:
                    launch.result()
                    self._attend(lambda: self._application.ended or signals.asked)
                    how = self._end()
                else:
                    self._application.close()
                    how = "stopped before it had started,"
            name = self._application.application_id
            self._display.say(closing_line(name, how, self._figures()))

    def _end(self) -> str:
        """End the application, if it has not ended; return how it ended."""
        by_itself = self._application.ended
        if not by_itself:
            self._display.say("stopping: the workers commit and leave; Ctrl-C again ends at once")
        closing = _Job(self._application.close)
        self._attend(lambda: closing.done)
        finished = closing.result()
        if self._application.failed:
            return "failed"
        if by_itself:
            return "done"
        return "stopped" if finished else "stopped, though not all workers answered,"

    def _attend(self, over: Callable[[], bool]) -> None:
        rounds = 0
        while not over():
            self._say_reason()
            figures = self._figures()
            if rounds % _DRAW_EVERY == 0:
                self._display.update(figures)
            if self._timings is not None and (line := self._timings.see(figures)) is not None:
                self._display.say(line)
            rounds += 1
            time.sleep(_ATTEND_SECONDS)

    def _say_reason(self) -> None:
        """Say why it fails as soon as that is known: the workers may take long to leave, and the
        error comes after that.
        """
        if self._reason is None and (reason := self._application.reason) is not None:
            self._reason = reason
            self._display.say(f"failing: {reason}; the workers leave")

    def _figures(self) -> Figures:
        application = self._application
        return self._meter.measure(
            application.phase,
            application.reports(),
            application.task_count,
            monotonic(),
            lag=application.lag(),
        )


class StopSignals:
    """SIGINT and SIGTERM: the first is noted, the second interrupts."""

    def __init__(self) -> None:
        # Plain, not an Event: a signal may come while the main thread holds the Event's lock.
        self.asked = False
        self._asked_at = 0.0

    @contextmanager
    def received(self) -> Iterator[Self]:
        """Receive them while this is open."""
        with handling(dict.fromkeys(ENDING, self._handle)):
            yield self

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        if self.asked and monotonic() - self._asked_at > _ONE_PRESS_SECONDS:
            raise KeyboardInterrupt
        if not self.asked:
            self.asked, self._asked_at = True, monotonic()


class _Job:
    """A call on a thread of its own."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._call = call
        self._outcome: Any = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="penstock-job", daemon=True)
        self._thread.start()

    @property
    def done(self) -> bool:
        return not self._thread.is_alive()

    def result(self) -> Any:
        """Return what the call returned, or raise what it raised."""
        if self._error is not None:
            raise self._error
        return self._outcome

    def _run(self) -> None:
        try:
            self._outcome = self._call()
        except BaseException as error:
            self._error = error


class _Launch:
    """A job that brings something up, and the end of what it has brought up."""

    def __init__(self, bring_up: BringUp) -> None:
        self._stack = ExitStack()
        self._abandoned = self._over = False
        self._lock = threading.Lock()
        self._job = _Job(lambda: self._bring_up(bring_up))

    @property
    def done(self) -> bool:
        return self._job.done

    def result(self) -> None:
        self._job.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, KeyboardInterrupt):
            return  # at once: what is left ends with this process
        with self._lock:
            self._abandoned = True
            over = self._over
        if over:
            self._stack.close()

    def _bring_up(self, bring_up: BringUp) -> None:
        try:
            bring_up(self._stack)
        finally:
            with self._lock:
                self._over = True
                abandoned = self._abandoned
            if abandoned:
                self._stack.close()
