"""Where a task stands: the record it has in hand and the times it knows."""

from __future__ import annotations

from penstock._engine.runtime.records import OFFSET, RawRecord
from penstock.record import RecordMetadata

UNKNOWN = -1
"""A time that is not known yet, as in Java."""


class Position:
    """The record in hand, by partition and raw bytes. One per task, overwritten for each record."""

    __slots__ = (
        "keeps_bytes",
        "partition",
        "raw",
        "stream_time_ms",
        "timestamp",
        "topic",
        "wall_clock_ms",
    )

    def __init__(self, *, keeps_bytes: bool = True) -> None:
        self.keeps_bytes = keeps_bytes
        """Whether anybody may look at a record's bytes after it has been processed."""
        self.topic: str | None = None
        self.partition = UNKNOWN
        self.raw: RawRecord | None = None
        self.timestamp = UNKNOWN
        """The time of the record or timer that a user's processor has in hand: what its stores log.
        """
        self.stream_time_ms = UNKNOWN
        self.wall_clock_ms = UNKNOWN

    @property
    def offset(self) -> int:
        return UNKNOWN if self.raw is None else self.raw[OFFSET]

    def metadata(self) -> RecordMetadata:
        """Give topic, partition and offset of the record in hand, if there is one."""
        return RecordMetadata(self.topic, self.partition, self.offset)

    def enter_timer(self, now_ms: int) -> None:
        """Have no record in hand: what a timer sees."""
        self.topic, self.partition, self.raw, self.timestamp = None, UNKNOWN, None, now_ms

    def enter_processor(self, timestamp: int) -> None:
        """Have a record of that time in hand."""
        self.timestamp = timestamp


class RawScope:
    """Whether the raw bytes of the record in hand are still kept for dead letters, in one stretch
    of the topology.

    Java frees them once a record has been sent, but only in the record context in which it was
    sent; a new context, with the bytes of the one above, begins wherever an operator makes a new
    record. A scope is such a stretch.
    """

    __slots__ = ("above", "sent")

    def __init__(self, above: RawScope | None = None) -> None:
        self.above = above
        self.sent = False

    def released(self) -> bool:
        """Tell whether something was sent here, or above before this context began."""
        return self.sent or (self.above is not None and self.above.released())
