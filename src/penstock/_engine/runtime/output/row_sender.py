"""Stored rows leave as records, to a changelog or a topic.

Which function a store logs with depends on where its rows keep their time. Java: the stores' calls
of ProcessorContextImpl.logChange. `RowSender`, for rows that begin with their time, is in Python
and in C (`fast/row_sender.c`): the same tests run on both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from penstock._engine.fast.choice import compiled
from penstock._engine.runtime.output.collector import Collect
from penstock._engine.state.codec import TIMESTAMP_BYTES, unpack_timestamp
from penstock._engine.state.header_codec import end_of_headers, headers_of
from penstock._engine.state.logged import Log, LogWithoutTime
from penstock.record import HeaderPairs


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
    """Sends rows that begin with their time, in Python."""

    __slots__ = ("log", "on_flush")

    def __init__(self, send: Collect, target: Target) -> None:
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


if TYPE_CHECKING:
    RowSender: TypeAlias = PlainRowSender
else:
    RowSender = PlainRowSender if compiled is None else compiled.RowSender


def log_to(send: Collect, topic: str, partition: int) -> Log:
    """Return the changelog of a store; its records have the timestamp of the record in hand."""

    def log(key: bytes, value: bytes | None, timestamp: int, _: HeaderPairs) -> None:
        send((topic, partition, key, value, timestamp, ()))

    return log


def log_with_own_time_to(send: Collect, topic: str, partition: int) -> Log:
    """Return the changelog of a store of timestamped values: its records have the value's
    timestamp, deletions that of the record in hand.
    """
    return RowSender(send, Target(topic, partition, keeps_headers=False)).log


def log_with_headers_to(send: Collect, topic: str, partition: int) -> Log:
    """Return the changelog of a store whose records have timestamp and headers of the record in
    hand.
    """

    def log(key: bytes, value: bytes | None, timestamp: int, headers: HeaderPairs) -> None:
        send((topic, partition, key, value, timestamp, headers))

    return log


def log_with_own_time_and_headers_to(send: Collect, topic: str, partition: int) -> Log:
    """Return the changelog of a store of timestamped values with headers: its records have those of
    the value, deletions those of the record in hand.
    """

    def log(key: bytes, row: bytes | None, timestamp: int, headers: HeaderPairs) -> None:
        if row is None:
            send((topic, partition, key, None, timestamp, headers))
        else:
            value = row[end_of_headers(row, TIMESTAMP_BYTES) :]
            own_time, own_headers = unpack_timestamp(row)[0], headers_of(row, TIMESTAMP_BYTES)
            send((topic, partition, key, value, own_time, own_headers))

    return log


def log_with_own_headers_to(send: Collect, topic: str, partition: int) -> Log:
    """Return the changelog of a store of values with headers; its records have the timestamp of the
    record in hand, deletions its headers, too.
    """

    def log(key: bytes, row: bytes | None, timestamp: int, headers: HeaderPairs) -> None:
        if row is None:
            send((topic, partition, key, None, timestamp, headers))
        else:
            value = row[end_of_headers(row) :]
            send((topic, partition, key, value, timestamp, headers_of(row)))

    return log


def log_without_time_to(send: Collect, topic: str, partition: int) -> LogWithoutTime:
    """Return the changelog of a store whose values hold their times themselves."""

    def log(key: bytes, value: bytes | None, headers: HeaderPairs) -> None:
        send((topic, partition, key, value, None, headers))

    return log
