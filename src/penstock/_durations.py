"""Durations as the API takes them: a `timedelta` or whole milliseconds."""

from __future__ import annotations

from datetime import timedelta
from typing import TypeAlias

Duration: TypeAlias = timedelta | int


def to_milliseconds(duration: Duration, what: str) -> int:
    """Turn `duration` into whole milliseconds; `what` names it in the error.

    >>> to_milliseconds(timedelta(seconds=1.5), "interval")
    1500
    """
    if isinstance(duration, timedelta):
        return duration // timedelta(milliseconds=1)
    if isinstance(duration, int) and not isinstance(duration, bool):
        return duration
    msg = f"{what} must be a timedelta or whole milliseconds; got {duration!r}"
    raise TypeError(msg)
