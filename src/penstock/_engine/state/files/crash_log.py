"""The crash log that a worker's process leaves for its successor.

A crash in C leaves the stack that Python's fault handler writes, `os._exit` leaves its caller. A
killed process leaves only the file itself; the next process with its member id finds it.
"""

from __future__ import annotations

import faulthandler
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from penstock.errors import StateError, user_function

_FILE_MODE = 0o600
_STACK_LINES = 8
_STEADY_SECONDS = 60.0


class CrashLog:
    """The crash log of one process. `predecessor` says how the last process with this id died, None
    if it ended normally.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.record_in_hand: Callable[[], str] = str
        """Returns which record the engine has in hand, empty if none."""
        self._pid = os.getpid()
        self._is_reset = False
        self._steady_since: float | None = None
        left = _read(path)
        self.predecessor = None if left is None else left[0]
        self.deaths_in_a_row = 0 if left is None else left[1] + 1
        """How many processes with this id have died one after the other, each before its first
        commit and before it had run for a minute.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o750)
            flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
            self._file = os.fdopen(os.open(path, flags, _FILE_MODE), "w", encoding="utf-8")
            self._begin(self.deaths_in_a_row)
        except OSError as error:
            msg = (
                f"the state directory {path.parent} cannot be used: {error.strerror}; check"
                " 'state.dir', its free space and its permissions"
            )
            raise StateError(msg, path.parent) from error
        if not _open_logs:
            _before.append(faulthandler.is_enabled())
        _open_logs.append(self)
        faulthandler.enable(self._file)
        self._thread_id = threading.get_ident()
        self._exit = os._exit
        os._exit = self._exit_with_trace

    def survive(self, now: float) -> None:
        """Reset the count of deaths once the process has lived for a minute with all its tasks, at
        `now` in seconds: without records there is nothing to commit, and who kills it then, as a
        machine that is preempted does, says nothing about the program.
        """
        if self._is_reset:
            return
        if self._steady_since is None:
            self._steady_since = now
        elif now - self._steady_since >= _STEADY_SECONDS:
            self.reset_deaths()

    def reset_deaths(self) -> None:
        """Reset the count of deaths in a row, after a commit."""
        if not self._is_reset:
            self._is_reset = True
            with suppress(OSError, ValueError):
                self._begin(-1)

    def close(self) -> None:
        """Delete the file, at the normal end of the process."""
        if self._file.closed:
            return
        if os._exit == self._exit_with_trace:
            os._exit = self._exit
        _open_logs.remove(self)
        _restore_fault_handler()
        self._file.close()
        self._path.unlink(missing_ok=True)

    def _begin(self, deaths: int) -> None:
        self._file.seek(0)
        self._file.truncate()
        self._say(f"process {self._pid}, after {deaths} that died\n")

    def _exit_with_trace(self, status: int) -> NoReturn:
        # A forked child may call `os._exit`: that is its own end.
        if threading.get_ident() == self._thread_id and os.getpid() == self._pid:
            caller = user_function(sys._getframe(1)) or "a function"
            with suppress(Exception):
                self._say(f"{caller} called os._exit({status}){self.record_in_hand()}\n")
        self._exit(status)

    def _say(self, text: str) -> None:
        self._file.write(text)
        self._file.flush()


_open_logs: list[CrashLog] = []
"""Those of this process: a program may host several applications."""
_before: list[bool] = []
"""Whether the user's process had a fault handler before the first of them."""


def _restore_fault_handler() -> None:
    if _open_logs:
        faulthandler.enable(_open_logs[-1]._file)
    elif _before.pop() and sys.__stderr__ is not None:
        faulthandler.enable(sys.__stderr__)
    else:
        faulthandler.disable()


def _read(path: Path) -> tuple[str, int] | None:
    """Return how the process died that left a file, and how many had died before it."""
    try:
        first, *rest = path.read_text(encoding="utf-8", errors="replace").splitlines() or [""]
    except OSError:
        return None
    process, _, after = first.partition(", after ")
    deaths = after.split(" ")[0]
    before = int(deaths) if deaths.lstrip("-").isdigit() else 0
    process = process or "a process"
    if not rest:
        text = (
            f"{process} was killed from outside: by a person or a cluster, by Spark, or as a "
            "process is that takes too much memory (see the kernel's log)"
        )
    elif len(rest) == 1:
        text = f"{process} ended: {rest[0]}"
    else:
        stack = "\n  ".join(line for line in rest[:_STACK_LINES] if line.strip())
        text = f"{process} crashed: {stack}"
    return text, before
