"""The whole terminal for one program, which Ctrl-Z gives back for as long as it is stopped.

A job in the background must not touch the terminal: the kernel would stop it. So handlers of
signals only note what has happened, and the program takes the terminal with `take` when it draws.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from penstock.terminal.signal_handlers import handling

_BEGIN, _END = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"


@contextmanager
def whole_screen() -> Iterator[WholeScreen]:
    """Take the whole terminal, without echo, and give it back as it was: at the end, and while
    Ctrl-Z has stopped the program.
    """
    whole = WholeScreen()

    def end(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    handlers = {
        signal.SIGWINCH: whole.on_resize,
        signal.SIGTSTP: whole.on_stop,
        signal.SIGCONT: whole.on_continue,
        signal.SIGTERM: end,
    }
    with handling(handlers):
        try:
            whole.take()
            yield whole
        finally:
            whole.close()


class WholeScreen:
    """The terminal: as it was, or taken."""

    def __init__(self) -> None:
        self.is_old = False
        """Whether it must be drawn again before its time."""
        self._is_taken = False
        self._is_lost = True
        """Whether it must be taken again: the shell may have used it meanwhile."""
        self._is_closing = False
        self._before: list[Any] | None = None
        with suppress(termios.error):  # the input is no terminal
            self._before = termios.tcgetattr(sys.stdin)

    def take(self) -> bool:
        """Take it, if that is not done yet; no while another job has it."""
        if not self._in_foreground():
            self.leave()
            return False
        if self._is_lost or not self._is_taken:
            self._is_lost = False  # before: what a handler notes meanwhile counts
            self._enter()
        return True

    def write(self, text: str) -> None:
        """Write to it. Not through sys.stdout, which takes nothing from a handler of a signal that
        interrupts it.
        """
        data = text.encode(sys.stdout.encoding, "replace")
        while data:
            data = data[os.write(sys.stdout.fileno(), data) :]

    def leave(self) -> None:
        """Restore it as it was, if it is taken."""
        if not self._is_taken:
            return
        with suppress(OSError):  # the terminal is gone
            self.write(_END)
        before = self._before
        if before is not None and self._in_foreground():
            with suppress(termios.error):
                _unless_stopped(lambda: termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before))
        self._is_taken = False

    def close(self) -> None:
        """Restore it for the last time: a Ctrl-Z that comes now is too late."""
        self._is_closing = True
        self.leave()

    def on_resize(self, _number: int, _frame: FrameType | None) -> None:
        self.is_old = True

    def on_stop(self, _number: int, _frame: FrameType | None) -> None:
        """Restore the terminal and stop, as Ctrl-Z does without a handler."""
        if self._is_closing:
            return
        self.leave()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        # Here it has been continued; a process without a shell cannot be stopped, and goes on.
        signal.signal(signal.SIGTSTP, self.on_stop)
        self.on_continue(_number, _frame)

    def on_continue(self, _number: int, _frame: FrameType | None) -> None:
        """Have the terminal taken again: also after SIGSTOP, when the shell has used it."""
        self.is_old = self._is_lost = True

    def _enter(self) -> None:
        self._is_taken = True  # before: an end in the middle restores it
        if self._before is not None:
            _unless_stopped(lambda: tty.setcbreak(sys.stdin))
        self.write(_BEGIN)
        self._is_taken = True  # a Ctrl-Z in the middle has restored it

    def _in_foreground(self) -> bool:
        """Yes if this job has the terminal; also where there are no jobs."""
        terminal = sys.stdout if self._before is None else sys.stdin
        try:
            return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
        except OSError:
            return True


def _unless_stopped(change: Callable[[], object]) -> None:
    """Change the terminal; again, if the job was stopped for it in the background and continued."""
    while True:
        try:
            change()
        except termios.error as error:
            if error.args[0] != errno.EINTR:
                raise
        else:
            return
