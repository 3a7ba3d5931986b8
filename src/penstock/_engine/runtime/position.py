"""The record that a task has in hand, and its stream and wall-clock time.

The fields that C reads and writes belong to types in C (`fast/fields.h`) where there are any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from penstock._engine.fast.choice import compiled
from penstock._engine.runtime.records import OFFSET, RawRecord
from penstock.record import HeaderPairs, RecordMetadata

UNKNOWN = -1
"""A timestamp that is not known yet, as in Java."""


class PlainPositionFields:
    """The fields of `Position` that C reads and writes."""

    __slots__ = ("keeps_bytes", "partition", "raw", "stream_time_ms", "topic")


class PlainScopeFields:
    """The field of `RawScope` that C writes."""

    __slots__ = ("sent",)


if TYPE_CHECKING:
    PositionFields: TypeAlias = PlainPositionFields
    ScopeFields: TypeAlias = PlainScopeFields
else:
    PositionFields = PlainPositionFields if compiled is None else compiled.PositionFields
    ScopeFields = PlainScopeFields if compiled is None else compiled.ScopeFields


class Position(PositionFields):
    """The record in hand, by partition and raw bytes. One per task, overwritten for each record."""

    __slots__ = ("headers", "timestamp", "wall_clock_ms")

    def __init__(self, *, keeps_bytes: bool = True) -> None:
        self.keeps_bytes = keeps_bytes
        """Whether a handler may ask for a record's bytes after the record was processed."""
        self.topic: str | None = None
        self.partition = UNKNOWN
        self.raw: RawRecord | None = None
        self.timestamp = UNKNOWN
        """The timestamp of the record or timer that a user's processor has in hand: its stores log
        with it.
        """
        self.headers: HeaderPairs = ()
        """Its headers, if it is a record."""
        self.stream_time_ms = UNKNOWN
        self.wall_clock_ms = UNKNOWN

    @property
    def offset(self) -> int:
        return UNKNOWN if self.raw is None else self.raw[OFFSET]

    def metadata(self) -> RecordMetadata:
        """Return topic, partition and offset of the record in hand, if there is one."""
        return RecordMetadata(self.topic, self.partition, self.offset)

    def enter_timer(self, now_ms: int) -> None:
        """Set the position of a timer: no record is in hand."""
        self.topic, self.partition, self.raw, self.timestamp = None, UNKNOWN, None, now_ms
        self.headers = ()

    def enter_processor(self, timestamp: int, headers: HeaderPairs) -> None:
        """Set timestamp and headers of the record in hand."""
        self.timestamp = timestamp
        self.headers = headers


class RawScope(ScopeFields):
    """One record context: whether it still keeps the raw bytes of the record in hand for dead
    letters.

    Java frees the bytes once a record has been sent, but only in the context in which it was sent.
    A new context, with the bytes of the one above, begins wherever an operator makes a new record.
    """

    __slots__ = ("above",)

    def __init__(self, above: RawScope | None = None) -> None:
        self.above = above
        self.sent = False

    def released(self) -> bool:
        """Yes if a record was sent in this context, or above before it began."""
        return self.sent or (self.above is not None and self.above.released())
