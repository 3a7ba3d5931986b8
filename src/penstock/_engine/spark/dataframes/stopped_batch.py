"""Shortens the error of a batch whose query is stopped in the middle of it.

Spark knows such an error by a regular expression over its message, which Java's stack is a part of.
To match it takes some of the thread's stack for each character: from about two thousand on the
query ends with a StackOverflowError, and a thousand lines on the terminal. Scala:
StreamExecution.PROXY_ERROR.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]

# What Spark looks for: its thread was interrupted, or the jobs of the query were cancelled.
_OF_A_STOP = (
    "InterruptedException",
    "InterruptedIOException",
    "ClosedByInterruptException",
    "cancelled job group",
)


@contextmanager
def short_if_stopped() -> Iterator[None]:
    """Replace the error of a call into the JVM by its first lines if the query was stopped.

    Raises:
        InterruptedError: it was stopped; the message is one that Spark knows.
    """
    try:
        yield
    except Py4JJavaError as error:
        # The call, and behind it Java's exception.
        lines = str(error).splitlines()[:2]
        if any(word in lines[-1] for word in _OF_A_STOP):
            said = "\n".join(lines)
            msg = f"the query was stopped\npy4j.protocol.Py4JJavaError: {said}"
            raise InterruptedError(msg) from None
        raise
