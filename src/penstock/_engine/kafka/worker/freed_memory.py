"""Memory of tasks that were closed or restored, given back to the system.

When a worker dies, another one holds its tasks for a moment. The C library keeps the memory which
that took for itself, unless it is told otherwise: a worker would grow at each such event.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable


def c_library_trim() -> Callable[[int], object] | None:
    """Return the function of the C library that gives freed memory back; only glibc has one."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None


class FreedMemory:
    """Returns memory to the system once after tasks were closed or restored, not once for each."""

    def __init__(self, trim: Callable[[int], object] | None = None) -> None:
        self._trim = trim or c_library_trim()
        self._some = False

    def note(self) -> None:
        """Note that a task was closed, or that its restoration has ended."""
        self._some = True

    def give_back(self) -> None:
        """Return what is free to the system, if there was an occasion since the last time."""
        # Between two turns of Spark everything is frozen, and a collection would find nothing.
        if not self._some or gc.get_freeze_count():
            return
        self._some = False
        # A task and its processors refer to each other: only a collection frees them.
        gc.collect()
        if self._trim is not None:
            self._trim(0)
