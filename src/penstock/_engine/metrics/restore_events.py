"""Events of restoring a store and of keeping a standby copy of it, as a worker reports them to the
driver. Java: the calls of StateRestoreListener and StandbyUpdateListener.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from penstock.stores import (
    StandbyUpdateListener,
    StateRestoreListener,
    SuspendReason,
    TopicPartition,
)

Kind: TypeAlias = Literal["start", "batch", "end", "suspended", "kept", "left"]
"""The last two are of a standby copy alone, which has batches as well."""


@dataclass(frozen=True, slots=True)
class RestoreEvent:
    """One event of restoring one store of one task, or of a copy of it."""

    kind: Kind
    store: str
    topic: str
    """The changelog."""
    partition: int
    offset: int = 0
    """Of a start: the first offset; of a batch: its end offset; of a copy: what it has reached."""
    end: int = 0
    """Of a start, and of a batch or the end of a copy: the end offset of the changelog."""
    count: int = 0
    """Of a batch: its records; of an end or a suspension: all records."""
    task: str = ""
    """The task of which this is a standby copy, empty if the task itself restores."""


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


def tell_standby(listener: StandbyUpdateListener, event: RestoreEvent, *, promoted: bool) -> None:
    """Call the listener's method for an event of a copy, which may have become a task's stores."""
    place = TopicPartition(event.topic, event.partition)
    reached, end = event.offset - 1, event.end - 1  # Java: the last record's
    if event.kind == "kept":
        listener.on_update_start(place, event.store, event.offset)
    elif event.kind == "batch":
        listener.on_batch_loaded(place, event.store, event.task, reached, event.count, end)
    else:
        reason = SuspendReason.PROMOTED if promoted else SuspendReason.MIGRATED
        listener.on_update_suspended(place, event.store, reached, end, reason)
