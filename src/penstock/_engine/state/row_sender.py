"""Rows leave as records, as they are stored: a row begins with its time, which becomes the other's.

Twice: in Python, which works everywhere, and in C (`_row_sender.c`), which is there if a C compiler
was when Penstock was installed. Both do the same, and the same tests are run on both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from penstock._engine.state.codec import TIMESTAMP_BYTES, unpack_timestamp
from penstock.record import HeaderPairs

Send: TypeAlias = Callable[[tuple[str, int | None, bytes, bytes | None, int, HeaderPairs]], None]
"""`send((topic, partition, key, value, timestamp, headers))`: let a record leave the task."""
Put: TypeAlias = Callable[[bytes, bytes], None]
Tell: TypeAlias = Callable[..., None]
"""The log of a store, or the listener of a cache."""
Change: TypeAlias = tuple[bytes, "bytes | None", int, HeaderPairs, Any, Any, Any]
"""A row, None if it is deleted, with the time and the headers of a record, and what else a cache
knows of it.
"""


class Target(NamedTuple):
    """Where rows go, and in what form."""

    topic: str
    partition: int | None = None
    """None for Kafka's choice."""
    place: Callable[[bytes], int] | None = None
    """`place(key)` gives the partition, if anything does."""
    before_key: int = 0
    """How many bytes of a row's key come before that of the record."""
    behind_key: int = 0
    keeps_headers: bool = True


class PlainRowSender:
    """Sends rows in Python."""

    __slots__ = ("let_out", "log")

    def __init__(self, send: Send, target: Target) -> None:
        topic, partition, place, before, behind, keeps_headers = target

        def log(row_key: bytes, row: bytes | None, timestamp: int, headers: HeaderPairs) -> None:
            """Send a row, or that it is gone: then the time is that of the record in hand."""
            key = row_key[before : len(row_key) - behind]
            place_of_key = partition if place is None else place(key)
            told = headers if keeps_headers else ()
            if row is None:
                send((topic, place_of_key, key, None, timestamp, told))
            else:
                value, own_time = row[TIMESTAMP_BYTES:], unpack_timestamp(row)[0]
                send((topic, place_of_key, key, value, own_time, told))

        def let_out(
            row_key: bytes,
            new: bytes | None,
            _old: bytes | None,
            timestamp: int,
            headers: HeaderPairs,
        ) -> None:
            """`log` for the listener of a cache."""
            log(row_key, new, timestamp, headers)

        self.log = log
        self.let_out = let_out


def let_puts_out_plainly(changes: list[Change], put: Put, log: Tell | None, listener: Tell) -> int:
    """Let rows that are put go to a store, its changelog and a listener of a cache, one after the
    other, up to the first that is deleted; give how many there were.
    """
    for done, (row_key, row, timestamp, headers, *_) in enumerate(changes):
        if row is None:
            return done
        put(row_key, row)
        if log is not None:
            log(row_key, row, timestamp, headers)
        listener(row_key, row, None, timestamp, headers)
    return len(changes)


def is_compiled() -> bool:
    """Tell whether there is the form in C."""
    return RowSender is not PlainRowSender


if TYPE_CHECKING:
    RowSender: TypeAlias = PlainRowSender
    let_puts_out = let_puts_out_plainly
else:
    try:
        from penstock._engine.fast import _row_sender
    except ImportError:
        RowSender, let_puts_out = PlainRowSender, let_puts_out_plainly
    else:
        RowSender, let_puts_out = _row_sender.RowSender, _row_sender.let_puts_out
