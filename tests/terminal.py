"""A `penstock` command in a real terminal: what a person would see, and keys to press."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path

PATIENCE_SECONDS = 240.0
CTRL_C = b"\x03"
CTRL_D = b"\x04"
CTRL_Z = b"\x1a"

# A shell in small: its program is a job of its own, which can be stopped.
_SHELL = """
import os, sys
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    while os.tcgetpgrp(0) != os.getpgid(0):
        pass
    os.execv(sys.argv[1], sys.argv[1:])
os.setpgid(child, child)
os.tcsetpgrp(0, child)
print("child", child, flush=True)
while True:
    _, status = os.waitpid(child, os.WUNTRACED)
    if not os.WIFSTOPPED(status):
        os._exit(os.waitstatus_to_exitcode(status))
    print("stopped by", os.WSTOPSIG(status), flush=True)
"""


class Terminal:
    """A program in a terminal: what it has written so far, and keys to press."""

    def __init__(
        self,
        *arguments: str,
        home: Path,
        under_shell: bool = False,
        program: Sequence[str] = (),
    ) -> None:
        """Run a command, or another program."""
        self._master, slave = pty.openpty()
        shell = [sys.executable, "-S", "-c", _SHELL] if under_shell else []
        self._process = subprocess.Popen(
            [*shell, *(program or command(*arguments))],
            env={**environment(home), "TERM": "xterm", "COLUMNS": "120", "LINES": "40"},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=_as_in_a_terminal,  # noqa: PLW1509
        )
        os.close(slave)
        self.text = ""

    def read_until(self, seen: Callable[[str], object] = lambda text: False) -> None:
        """Read until the text is as wished, or the program has ended."""
        until = time.monotonic() + PATIENCE_SECONDS
        while not seen(self.text):
            assert time.monotonic() < until, self.text
            if select.select([self._master], [], [], 0.5)[0]:
                try:
                    part = os.read(self._master, 65536)
                except OSError:  # it has ended, and with it the terminal
                    return
                self.text += part.decode(errors="replace").replace("\r\n", "\n")

    def child(self) -> int:
        """Return the process of the program under the shell."""
        found = re.search(r"child (\d+)", self.text)
        assert found is not None, self.text
        return int(found[1])

    def press(self, key: bytes) -> None:
        """Press a key."""
        os.write(self._master, key)

    def exit_code(self) -> int:
        """Wait for the end."""
        self.read_until()
        return self._process.wait(PATIENCE_SECONDS)

    def close(self) -> None:
        """Remove everything."""
        self._process.kill()
        self._process.wait()
        os.close(self._master)


def _as_in_a_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    # Tests that run in the background ignore Ctrl-C, and programs inherit that.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def command(*arguments: str) -> list[str]:
    return [str(Path(sys.executable).parent / "penstock"), *arguments]


def environment(home: Path) -> dict[str, str]:
    return {**os.environ, "PENSTOCK_HOME": str(home)}


def shown(text: str) -> str:
    """Return text without the signs that move the cursor or colour it."""
    return re.sub(r"\x1b\[[\d;]*[A-Za-z]", "", text)
