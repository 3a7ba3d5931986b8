"""What happens while a store is restored, as a worker tells the driver. Java:
StateRestoreListener's calls.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from penstock.stores import StateRestoreListener, TopicPartition

Kind: TypeAlias = Literal["start", "batch", "end", "suspended"]


@dataclass(frozen=True, slots=True)
class RestoreEvent:
    """One moment in the restoring of one store of one task."""

    kind: Kind
    store: str
    topic: str
    """The changelog."""
    partition: int
    offset: int = 0
    """Of a start: from where; of a batch: up to where."""
    end: int = 0
    """Of a start: where the changelog ends."""
    count: int = 0
    """Of a batch: its changes; of an end or a suspension: all changes."""


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
