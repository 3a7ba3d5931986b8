"""Which tasks are ours: Kafka's group protocol, played on the task topic.

The group of the application subscribes to one small topic whose partitions are the tasks. Group
metadata is taken when partitions are assigned, never at commit time: the broker checks only that
the generation is current, not who owns what, so a commit must carry the generation in which its
work was done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, Protocol

from confluent_kafka import OFFSET_END, Consumer, KafkaError, KafkaException, TopicPartition

from penstock._engine.kafka.faults import TaskMigrated, is_migration, may_pass
from penstock.errors import StreamsError

_LEAVE_POLLS = 50
_LEAVE_SECONDS = 0.1


class TaskOwner(Protocol):
    """Who is told when tasks come and go; tasks are named by their index."""

    def tasks_assigned(self, tasks: Iterable[int]) -> None: ...
    def tasks_revoked(self, tasks: Iterable[int]) -> None: ...
    def tasks_lost(self, tasks: Iterable[int]) -> None: ...


class Membership:
    """This worker's place in the group."""

    def __init__(self, settings: Mapping[str, Any], task_topic: str, owner: TaskOwner) -> None:
        self.consumer = Consumer(dict(settings))
        self.metadata: Any = None
        """Group metadata of the generation whose assignment is in force."""
        self._owner = owner
        self.consumer.subscribe(
            [task_topic], on_assign=self._assigned, on_revoke=self._revoked, on_lost=self._lost
        )

    def poll(self, timeout_seconds: float = 0.0) -> None:
        """Take part in the protocol; assignments and revocations happen in here."""
        message = self.consumer.poll(timeout_seconds)
        error = None if message is None else message.error()
        if error is None or error.code() == KafkaError._PARTITION_EOF:
            return
        if is_migration(error):
            msg = f"another worker has taken this one's place in the group: {error.str()}"
            raise TaskMigrated(msg)
        if error.code() == KafkaError._MAX_POLL_EXCEEDED:
            msg = (
                "the group gave this worker's tasks away, since a user function took longer than "
                "'consumer.max.poll.interval.ms'; make it quicker or raise the setting"
            )
            raise TaskMigrated(msg)
        if not may_pass(error):
            msg = f"the group of the application cannot be joined: {error.str()}"
            raise StreamsError(msg)

    def leave(self) -> None:
        """Leave the group at once: with static membership, closing alone would keep the tasks."""
        # Until its join is answered a member has no id to take leave with, and would stay.
        self._poll_until(lambda: bool(self.consumer.memberid()))
        # Whoever was fenced is no member any more, and is told so.
        with suppress(KafkaException):
            self.consumer.unsubscribe()
            # The id is forgotten when the group is told, which is later than the assignment's end
            # in the midst of a rebalance.
            self._poll_until(lambda: not (self.consumer.assignment() or self.consumer.memberid()))
        self.consumer.close()

    def _poll_until(self, happened: Callable[[], bool]) -> None:
        for _ in range(_LEAVE_POLLS):
            if happened():
                return
            self.consumer.poll(_LEAVE_SECONDS)

    def _assigned(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        self.metadata = consumer.consumer_group_metadata()
        # The task topic is for assignment only: it is read from its end, and paused at once.
        ends = [TopicPartition(part.topic, part.partition, OFFSET_END) for part in partitions]
        consumer.incremental_assign(ends)
        consumer.pause(ends)
        self._owner.tasks_assigned([partition.partition for partition in partitions])

    def _revoked(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        # What is revoked stays ours until we join again, so this generation may commit it.
        self.metadata = consumer.consumer_group_metadata()
        self._owner.tasks_revoked([partition.partition for partition in partitions])
        consumer.incremental_unassign(partitions)

    def _lost(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        self._owner.tasks_lost([partition.partition for partition in partitions])
        consumer.incremental_unassign(partitions)
