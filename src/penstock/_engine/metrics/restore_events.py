"""Events of restoring a store, as a worker reports them to the driver. Java: the calls of
StateRestoreListener.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from penstock.stores import StateRestoreListener, TopicPartition

Kind: TypeAlias = Literal["start", "batch", "end", "suspended"]


@dataclass(frozen=True, slots=True)
class RestoreEvent:
    """One event of restoring one store of one task."""

    kind: Kind
    store: str
    topic: str
    """The changelog."""
    partition: int
    offset: int = 0
    """Of a start: the first offset; of a batch: its end offset."""
    end: int = 0
    """Of a start: the end offset of the changelog."""
    count: int = 0
    """Of a batch: its records; of an end or a suspension: all records."""


def tell(listener: StateRestoreListener, event: RestoreEvent) -> None:
    """Call the listener's method for an event."""
    place = TopicPartition(event.topic, event.partition)
    if event.kind == "start":
        listener.on_restore_start(place, event.store, event.offset, event.end)
    elif event.kind == "batch":
        listener.on_batch_restored(place, event.store, event.offset, event.count)
    elif event.kind == "end":
        listener.on_restore_end(place, event.store, event.count)
    else:
        listener.on_restore_suspended(place, event.store, event.count)
