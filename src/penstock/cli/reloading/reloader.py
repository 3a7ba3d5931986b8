"""Runs a program in a child process, and again when one of its files has changed.

The parent imports the engine once and none of the program's modules, so that a child starts at once
and sees every module as it is now. It has no threads: only then is a fork safe. A child that must
end is asked to, and commits and leaves the group; one that does not is killed, which Kafka's
transactions make up for.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

from penstock._clock import monotonic
from penstock._engine.kafka.local_broker.broker import LocalBroker, default_data_dir
from penstock.cli.reloading.child_link import ChildEnd, ParentEnd
from penstock.cli.reloading.program_files import ProgramFiles, versions_of
from penstock.errors import StreamsError
from penstock.terminal.signal_handlers import ENDING, handling

_LOOK_SECONDS = 0.2
# An editor that writes several files is waited for.
_SETTLE_SECONDS = 0.2
# Longer than a commit; a function that does not return is not waited for.
_END_SECONDS = 10.0
# In a terminal a child gets a signal as well as the parent, who passes it on: both are one press.
_ONE_PRESS_SECONDS = 0.3

_INTERRUPTED = 130


class Reloader:
    """Runs `child` in one process after the other, with `files` to watch from the beginning."""

    def __init__(
        self,
        child: Callable[[ChildEnd], int],
        name: str,
        files: list[str],
        *,
        is_bounded: bool = False,
    ) -> None:
        """`is_bounded`: the program is to end by itself; one that fails is not started again."""
        self._child = child
        self._name = name
        self._is_bounded = is_bounded
        self._files = ProgramFiles()
        self._files.add(versions_of(files))
        self._broker: LocalBroker | None = None

    def run(self) -> int:
        """Return the exit code: that of the last child, in the child that of the program."""
        _load_engine()
        parent = os.getpid()
        signals = _Signals()
        try:
            with handling(dict.fromkeys(ENDING, signals.handle)):
                while True:
                    begun = _begin(signals)
                    if begun is None:
                        return _INTERRUPTED
                    if isinstance(begun, ChildEnd):
                        break
                    code = self._attend(begun, signals)
                    if code is not None:
                        return code
                    self._files.renew()
            signal.signal(signal.SIGINT, SinglePress())
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
            return self._child(begun)
        finally:
            if self._broker is not None and os.getpid() == parent:
                self._broker.stop()

    def _attend(self, link: ParentEnd, signals: _Signals) -> int | None:
        """Watch a child until it has ended; return the exit code, None if another one follows."""
        assert signals.child is not None
        ended, changed = _Ending(signals.child), None
        try:
            while (code := ended.code()) is None:
                time.sleep(_LOOK_SECONDS)
                self._listen(link, signals)
                if changed is None and not signals.count:
                    changed = self._changed()
                    if changed is not None:
                        _say(f"{_shown(changed)} has changed: {self._name} is started again")
                        ended.ask()
            self._listen(link, signals)
        finally:
            signals.child = None
            link.channel.close()
        if signals.count:
            return code if code >= 0 and signals.count == 1 else _INTERRUPTED
        if changed is not None:
            return None
        if code == 0 and link.ended:
            return 0
        if self._is_bounded:
            _say(f"{self._name} {_how_it_ended(code)}")
            return _exit_code(code)
        return self._wait_for_change(code, signals)

    def _wait_for_change(self, code: int, signals: _Signals) -> int | None:
        """Return None when a file has changed after a failure, or the exit code at a signal."""
        how = _how_it_ended(code)
        _say(f"{self._name} {how}; it is started again when a file changes (Ctrl-C ends)")
        self._files.add_beside()
        while (changed := self._changed()) is None and not signals.count:
            time.sleep(_LOOK_SECONDS)
        if changed is None or signals.count:
            return _exit_code(code)
        _say(f"{_shown(changed)} has changed: {self._name} is started again")
        return None

    def _changed(self) -> str | None:
        changed = self._files.changed()
        if changed is not None:
            time.sleep(_SETTLE_SECONDS)
        return changed

    def _listen(self, link: ParentEnd, signals: _Signals) -> None:
        report = link.read()
        self._files.add(report.files)
        self._files.add_folders(report.folders)
        if report.asks_for_broker:
            # It may have to be downloaded: minutes in which Ctrl-C must work.
            signals.interrupts = not signals.count
            try:
                self._open_broker()
            except KeyboardInterrupt:
                return  # the child has the signal, too, and ends
            finally:
                signals.interrupts = False
            link.answer_broker()

    def _open_broker(self) -> None:
        """Start the local broker, for all children that follow, unless one runs."""
        if self._broker is None:
            broker = LocalBroker(default_data_dir(), progress=_say)
            # Another program has one, or the child finds out what keeps it from starting.
            with suppress(StreamsError):
                broker.start()
                self._broker = broker


class _Ending:
    """The end of a child: asked for, and enforced when it takes too long."""

    def __init__(self, process: int) -> None:
        self._process = process
        self._kill_at: float | None = None

    def ask(self) -> None:
        _send(self._process, signal.SIGINT)
        self._kill_at = monotonic() + _END_SECONDS

    def code(self) -> int | None:
        """Return the exit code, below zero for a signal; None while the child runs."""
        ended, status = os.waitpid(self._process, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if self._kill_at is not None and monotonic() > self._kill_at:
            _say(f"it has not ended within {_END_SECONDS:.0f} s, and is killed")
            _send(self._process, signal.SIGKILL)
            self._kill_at = None
        return None


class _Signals:
    """Counts SIGINT and SIGTERM, and passes each on to the child."""

    def __init__(self) -> None:
        self.count = 0
        self.interrupts = False
        """Whether a signal also interrupts what this process does."""
        self.child: int | None = None

    def handle(self, number: int, _frame: FrameType | None) -> None:
        self.count += 1
        if self.child is not None:
            _send(self.child, signal.Signals(number))
        if self.interrupts:
            raise KeyboardInterrupt


class SinglePress:
    """Raises KeyboardInterrupt once for one press of Ctrl-C, which comes from two senders."""

    def __init__(self) -> None:
        self._at: float | None = None

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        before, self._at = self._at, monotonic()
        if before is None or self._at - before > _ONE_PRESS_SECONDS:
            raise KeyboardInterrupt


def _begin(signals: _Signals) -> ChildEnd | ParentEnd | None:
    """Fork; return the child's end in the child, the parent's in the parent, None if a signal came
    before. In the child signals wait until it has handlers of its own: those of the parent only
    count them. In the parent they wait until it knows to whom to pass them on.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    if signals.count:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
        return None
    ours, theirs = socket.socketpair()
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    process = os.fork()
    if process == 0:
        ours.close()
        return ChildEnd(theirs, parent)
    theirs.close()
    signals.child = process
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    return ParentEnd(ours)


def _load_engine() -> None:
    """Import what every child needs. None of it starts a thread."""
    import penstock._engine.local.local_host  # noqa: F401, PLC0415


def _send(process: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, number)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _shown(path: str) -> str:
    return os.path.relpath(path) if path.startswith(os.getcwd()) else path


def _how_it_ended(code: int) -> str:
    if code < 0:
        return f"died of {_signal_name(-code)}"
    return f"failed with exit code {code}" if code else "called os._exit(0) in its middle"


def _exit_code(code: int) -> int:
    """Return what a shell would for a child that failed."""
    return code if code > 0 else 128 - code if code < 0 else 1


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
