"""Moments as queries take them: whole milliseconds since 1970, in 64 bits as Kafka has them.

A question with anything else cannot be sent to a worker.
"""

from __future__ import annotations

import operator
from typing import Any

from penstock.errors import QueryError

_EARLIEST, _LATEST = -(1 << 63), (1 << 63) - 1


def to_time(value: Any, what: str) -> int:
    """Return a moment in milliseconds; `what` names it in the error.

    Raises:
        QueryError: it is none.
    """
    try:
        if isinstance(value, bool):
            raise TypeError
        time = operator.index(value)
    except TypeError as error:
        msg = (
            f"{what} must be whole milliseconds since 1970, as int(moment.timestamp() * 1000) of "
            f"a datetime; got {value!r}"
        )
        raise QueryError(msg) from error
    if not _EARLIEST <= time <= _LATEST:
        msg = f"{what} must be milliseconds that fit into 64 bits; got {value!r}"
        raise QueryError(msg)
    return time


def to_partition(value: Any) -> int | None:
    """Return the number of a partition, None for what is no whole number; True is none."""
    try:
        return None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return None
