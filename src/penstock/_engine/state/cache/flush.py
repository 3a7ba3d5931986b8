"""Rows that a cache flushes go to the store, its changelog and the flush listener, one after the
other.

In Python and in C (`fast/flush.c`): the same tests run on both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from penstock._engine.fast.choice import compiled
from penstock._engine.state.cache.entries import CacheChange
from penstock._engine.state.logged import Log
from penstock.record import HeaderPairs

Put: TypeAlias = Callable[[bytes, bytes], None]
FlushListener: TypeAlias = Callable[[bytes, bytes | None, bytes | None, int, HeaderPairs], None]
"""`listener(key, new, old, timestamp, headers)`; time and headers are of the record that wrote it.
"""


def flush_puts_plainly(
    changes: list[CacheChange], put: Put, log: Log | None, listener: FlushListener
) -> int:
    """Hand rows that were put to a store, its changelog and the flush listener of a cache, one
    after the other, up to the first that is deleted; return how many there were.
    """
    for done, (row_key, row, timestamp, headers, *_) in enumerate(changes):
        if row is None:
            return done
        put(row_key, row)
        if log is not None:
            log(row_key, row, timestamp, headers)
        listener(row_key, row, None, timestamp, headers)
    return len(changes)


if TYPE_CHECKING:
    flush_puts = flush_puts_plainly
else:
    flush_puts = flush_puts_plainly if compiled is None else compiled.flush_puts
