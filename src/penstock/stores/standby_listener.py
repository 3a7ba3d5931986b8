"""StandbyUpdateListener: callbacks for the standby copies of an application's stores."""

from __future__ import annotations

from enum import Enum

from penstock.stores.restore_listener import TopicPartition

__all__ = ["StandbyUpdateListener", "SuspendReason"]


class SuspendReason(Enum):
    """Why a standby copy is no longer kept. Java: StandbyUpdateListener.SuspendReason.

    >>> SuspendReason("promoted")
    <SuspendReason.PROMOTED: 'promoted'>
    """

    MIGRATED = "migrated"
    """Another machine keeps the copy now, or no other does; also when its worker ends."""
    PROMOTED = "promoted"
    """A worker of this machine runs its task now, with the copy as its stores."""


class StandbyUpdateListener:
    """Called as standby copies follow their changelogs, for each store and partition; override the
    methods that you need. Offsets of the end are those of the last record or marker, -1 if there
    is none. Java: StandbyUpdateListener.

    >>> class Copies(StandbyUpdateListener):
    ...     def on_update_suspended(self, topic_partition, store_name, offset, end, reason):
    ...         print(f"{store_name} is {reason.value}, {end - offset} behind")
    >>> place = TopicPartition("shop-counts-changelog", 0)
    >>> Copies().on_update_suspended(place, "counts", 7, 9, SuspendReason.PROMOTED)
    counts is promoted, 2 behind
    """

    def on_update_start(
        self, topic_partition: TopicPartition, store_name: str, starting_offset: int
    ) -> None:
        """A copy begins to be kept; it is read from that offset on."""

    def on_batch_loaded(  # noqa: PLR0917 - as in Java
        self,
        topic_partition: TopicPartition,
        store_name: str,
        task_id: str,
        batch_end_offset: int,
        batch_size: int,
        current_end_offset: int,
    ) -> None:
        """So many changes more are in the copy, which is complete up to that offset, included."""

    def on_update_suspended(
        self,
        topic_partition: TopicPartition,
        store_name: str,
        store_offset: int,
        current_end_offset: int,
        reason: SuspendReason,
    ) -> None:
        """The copy is no longer kept; if it is promoted, the task restores what it lacks next."""
