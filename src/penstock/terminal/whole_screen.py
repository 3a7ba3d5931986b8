"""The whole terminal for one program, which Ctrl-Z gives back for as long as it is stopped."""

from __future__ import annotations

import os
import signal
import sys
import termios
import tty
from collections.abc import Iterator
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
            whole.enter()
            yield whole
        finally:
            whole.leave()


class WholeScreen:
    """The terminal: as it was, or taken."""

    def __init__(self) -> None:
        self.is_old = False
        """Whether it must be drawn again before its time."""
        self._before: list[Any] | None = None
        with suppress(termios.error):  # the input is no terminal
            self._before = termios.tcgetattr(sys.stdin)

    def enter(self) -> None:
        """Take it."""
        if self._before is not None:
            tty.setcbreak(sys.stdin)
        self.write(_BEGIN)

    def write(self, text: str) -> None:
        """Write to it. Not through sys.stdout, which takes nothing from a handler of a signal that
        interrupts it.
        """
        data = text.encode(sys.stdout.encoding, "replace")
        while data:
            data = data[os.write(sys.stdout.fileno(), data) :]

    def leave(self) -> None:
        """Restore it as it was."""
        with suppress(OSError):  # the terminal is gone
            self.write(_END)
        if self._before is not None:
            with suppress(termios.error):
                termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._before)

    def on_resize(self, _number: int, _frame: FrameType | None) -> None:
        self.is_old = True

    def on_stop(self, _number: int, _frame: FrameType | None) -> None:
        """Restore the terminal and stop, as Ctrl-Z does without a handler."""
        self.leave()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        # Here it has been continued; a process without a shell cannot be stopped, and goes on.
        signal.signal(signal.SIGTSTP, self.on_stop)
        self.on_continue(_number, _frame)

    def on_continue(self, _number: int, _frame: FrameType | None) -> None:
        """Take the terminal again: also after SIGSTOP, when the shell has used it meanwhile."""
        self.enter()
        self.is_old = True
