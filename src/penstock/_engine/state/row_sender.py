"""Stored rows leave as records, to a changelog or a topic: a row begins with the record's time.

In Python and in C (`fast/row_sender.c`): the same tests run on both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from penstock._engine.fast.choice import compiled
from penstock._engine.state.codec import TIMESTAMP_BYTES, unpack_timestamp
from penstock.record import HeaderPairs

if TYPE_CHECKING:
    from penstock._engine.state.cache.entries import CacheChange

Send: TypeAlias = Callable[[tuple[str, int | None, bytes, bytes | None, int, HeaderPairs]], None]
"""`send((topic, partition, key, value, timestamp, headers))` sends a record out of the task."""
Put: TypeAlias = Callable[[bytes, bytes], None]
RowListener: TypeAlias = Callable[..., None]
"""The log of a store, or the flush listener of a cache."""


class Target(NamedTuple):
    """Where rows go, and in what form."""

    topic: str
    partition: int | None = None
    """None for the partition that the producer chooses."""
    place: Callable[[bytes], int] | None = None
    """`place(key)` returns the partition, in place of `partition`."""
    before_key: int = 0
    """How many bytes of the row key come before the key of the record."""
    behind_key: int = 0
    keeps_headers: bool = True


class PlainRowSender:
    """Sends rows in Python."""

    __slots__ = ("log", "on_flush")

    def __init__(self, send: Send, target: Target) -> None:
        topic, partition, place, before, behind, keeps_headers = target

        def log(row_key: bytes, row: bytes | None, timestamp: int, headers: HeaderPairs) -> None:
            """Send a row, or a tombstone (None), whose time is that of the record in hand."""
            key = row_key[before : len(row_key) - behind]
            place_of_key = partition if place is None else place(key)
            sent_headers = headers if keeps_headers else ()
            if row is None:
                send((topic, place_of_key, key, None, timestamp, sent_headers))
            else:
                value, own_time = row[TIMESTAMP_BYTES:], unpack_timestamp(row)[0]
                send((topic, place_of_key, key, value, own_time, sent_headers))

        def on_flush(
            row_key: bytes,
            new: bytes | None,
            _old: bytes | None,
            timestamp: int,
            headers: HeaderPairs,
        ) -> None:
            """`log` as the flush listener of a cache."""
            log(row_key, new, timestamp, headers)

        self.log = log
        self.on_flush = on_flush


def flush_puts_plainly(
    changes: list[CacheChange], put: Put, log: RowListener | None, listener: RowListener
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
    RowSender: TypeAlias = PlainRowSender
    flush_puts = flush_puts_plainly
else:
    RowSender = PlainRowSender if compiled is None else compiled.RowSender
    flush_puts = flush_puts_plainly if compiled is None else compiled.flush_puts
