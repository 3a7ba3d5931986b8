"""Run a program that must not outlive its owner:
`python child_process.py OWNER_PID GRACE ANNOUNCEMENT COMMAND`.

The watchdog is a process between the owner and the program. It holds the reading end of a pipe as
its standard input; the owner holds the other end and never writes. When the pipe closes, because
the owner closed it or because it died, the program gets a SIGTERM and after GRACE seconds a
SIGKILL. A SIGTERM to the watchdog does the same; a SIGUSR1 grants no grace. The watchdog ends after
the program, with its exit code as a shell would give it.

ANNOUNCEMENT is an open file that says where the program can be reached, or -1. It is emptied before
the program is ended, so that no one turns to a program that is about to go.

It is run as a file by a bare interpreter, so that it starts in a few milliseconds: it imports
nothing but the standard library.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

KILL = signal.SIGUSR1
"""The signal that has a watchdog kill its program at once."""

NOTHING = -1
"""No announcement."""

_PR_SET_PDEATHSIG = 1

# A forked child of the owner may hold the pipe open after the owner's death: look for it, too.
_OWNER_CHECK_SECONDS = 1.0


def command(
    program: Sequence[str], owner: int, grace_seconds: float, announcement: int = NOTHING
) -> list[str]:
    """Return the command line that runs `program` behind a watchdog of the process `owner`, which
    hands down the open file `announcement`.
    """
    # -I -S: no site-packages and none of the user's environment, which could slow or break it.
    bare_python = [sys.executable, "-I", "-S"]
    given = map(str, (Path(__file__).resolve(), owner, grace_seconds, announcement))
    return [*bare_python, *given, *program]


def main(arguments: Sequence[str]) -> int:
    """Run the program until it ends or the owner does."""
    owner, grace_seconds, program = int(arguments[0]), float(arguments[1]), arguments[3:]
    announcement = int(arguments[2])
    # Signals wake the select below: SIGCHLD when the program ends, the others when it shall.
    wake, alarm = os.pipe()
    os.set_blocking(alarm, False)
    signal.set_wakeup_fd(alarm)
    orders: list[int] = []
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    for order in (signal.SIGTERM, KILL):
        signal.signal(order, lambda number, _frame: orders.append(number))
    pact = _death_signal(os.getpid())
    # There are no threads here that preexec_fn could harm.
    child = subprocess.Popen(program, stdin=subprocess.DEVNULL, preexec_fn=pact)  # noqa: PLW1509
    while child.poll() is None and not orders and os.getppid() == owner:
        readable, _, _ = select.select([wake, sys.stdin], [], [], _OWNER_CHECK_SECONDS)
        if wake in readable:
            os.read(wake, 512)
        if sys.stdin in readable:
            break
    if announcement != NOTHING:
        with suppress(OSError):  # the program ends politely all the same
            os.truncate(announcement, 0)
    return _end(child, 0.0 if KILL in orders else grace_seconds)


def _end(child: subprocess.Popen[bytes], grace_seconds: float) -> int:
    if grace_seconds:
        child.terminate()  # does nothing to a child that has ended
    try:
        code = child.wait(grace_seconds)
    except subprocess.TimeoutExpired:
        child.kill()
        code = child.wait()
    return code if code >= 0 else 128 - code


def _death_signal(watchdog: int) -> Callable[[], None] | None:
    """Have the kernel kill the program if the watchdog itself is killed; only Linux can."""
    if not sys.platform.startswith("linux"):
        return None
    control = ctypes.CDLL(None).prctl

    def before_exec() -> None:
        control(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != watchdog:  # it was killed before the kernel was asked
            os._exit(1)

    return before_exec


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
