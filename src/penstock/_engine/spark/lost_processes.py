"""What Spark says of Python processes that died, or did not start.

It has no error classes for them, so its texts are compared; tests/spark/test_lost_processes.py
takes them from the Spark that is installed.
"""

from __future__ import annotations

import re

EXITED = "Python worker exited unexpectedly"
"""A process ended during its work."""
NOT_STARTED = "Python worker failed to connect back"
"""A process was not there in ten seconds. The one that reads the offsets of a stream is not tried
again: no task of Spark needs it.
"""
# Of the later death of that process Spark says only that a stream of bytes has ended.
_OFFSETS_STACK = re.compile(r"java\.(?:io|net|nio)\..*\.PythonStreamingSourceRunner\.", re.S)


def lost_its_offsets(error: Exception) -> bool:
    """Return whether a query ended because the process died that reads the offsets of its source:
    of an application, the one that counts its turns.
    """
    return _OFFSETS_STACK.match(_stack_below(error)) is not None


def did_not_start(text: str) -> bool:
    """Return whether a failure is that a process did not start in time."""
    return NOT_STARTED in text


def why_not_started(python: str) -> str:
    """Return what a process that did not start means, and what to do."""
    return (
        f"{NOT_STARTED}: Spark waits ten seconds for {python!r} to start and import pyspark, and "
        f"it did not; either it cannot, and what it says is in Spark's log, or the "
        "machine is too busy: have less run at once"
    )


def _stack_below(error: Exception) -> str:
    """Return the stack of what has ended a query; PySpark shows only its message."""
    return str(getattr(getattr(error, "_cause", None), "_stackTrace", ""))
