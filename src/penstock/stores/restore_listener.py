"""StateRestoreListener: callbacks for the restoring of an application's stores."""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "StateRestoreListener",
    "TopicPartition",
]


class TopicPartition(NamedTuple):
    """A partition of a topic. Java: TopicPartition.

    >>> TopicPartition("orders", 0)
    TopicPartition(topic='orders', partition=0)
    """

    topic: str
    partition: int


class StateRestoreListener:
    """Called while stores are restored from their changelogs, for each store and partition;
    override the methods that you need. Java: StateRestoreListener.

    >>> class Progress(StateRestoreListener):
    ...     def on_restore_end(self, topic_partition, store_name, total_restored):
    ...         print(f"{store_name}: {total_restored} rows")
    >>> Progress().on_restore_end(TopicPartition("shop-counts-changelog", 0), "counts", 7)
    counts: 7 rows
    """

    def on_restore_start(
        self,
        topic_partition: TopicPartition,
        store_name: str,
        starting_offset: int,
        ending_offset: int,
    ) -> None:
        """A store begins to be restored; one that is up to date already ends at once.

        >>> class Progress(StateRestoreListener):
        ...     def on_restore_start(self, topic_partition, store_name, start, end):
        ...         print(f"{store_name}: {end - start} to read")
        >>> Progress().on_restore_start(TopicPartition("shop-counts-changelog", 0), "counts", 0, 7)
        counts: 7 to read
        """

    def on_batch_restored(
        self,
        topic_partition: TopicPartition,
        store_name: str,
        batch_end_offset: int,
        num_restored: int,
    ) -> None:
        """So many changes are in the store now, and it is complete up to that offset.

        >>> class Progress(StateRestoreListener):
        ...     def on_batch_restored(self, topic_partition, store_name, end, num_restored):
        ...         print(f"{store_name}: {num_restored} more rows")
        >>> Progress().on_batch_restored(TopicPartition("shop-counts-changelog", 0), "counts", 7, 5)
        counts: 5 more rows
        """

    def on_restore_end(
        self, topic_partition: TopicPartition, store_name: str, total_restored: int
    ) -> None:
        """The store is up to date.

        >>> class Progress(StateRestoreListener):
        ...     def on_restore_end(self, topic_partition, store_name, total_restored):
        ...         print(f"{store_name} is ready")
        >>> Progress().on_restore_end(TopicPartition("shop-counts-changelog", 0), "counts", 7)
        counts is ready
        """

    def on_restore_suspended(
        self, topic_partition: TopicPartition, store_name: str, total_restored: int
    ) -> None:
        """The task went to another worker before the store was up to date.

        >>> class Progress(StateRestoreListener):
        ...     def on_restore_suspended(self, topic_partition, store_name, total_restored):
        ...         print(f"{store_name} goes elsewhere after {total_restored} rows")
        >>> Progress().on_restore_suspended(TopicPartition("shop-counts-changelog", 0), "counts", 3)
        counts goes elsewhere after 3 rows
        """
