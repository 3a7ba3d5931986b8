"""A worker's membership in the group: Kafka's group protocol on the task topic.

The group of the application subscribes to one small topic whose partitions are the tasks. Group
metadata is taken when partitions are assigned, never at commit time: the broker checks only that
the generation is current, not who owns what, so a commit must carry the generation in which its
work was done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, NoReturn, Protocol

from confluent_kafka import OFFSET_END, Consumer, KafkaError, KafkaException, TopicPartition

from penstock._clock import monotonic
from penstock._engine.kafka.client.client_errors import (
    TaskMigrated,
    code_of,
    is_migration,
    is_retriable,
)
from penstock._engine.kafka.client.denials import allowing
from penstock._engine.kafka.client.refused_connections import advice
from penstock.errors import StreamsError

_FENCED_TIMES = 5
_FENCED_SECONDS = 120.0
_LEAVE_POLLS = 50
_LEAVE_SECONDS = 0.1


class TaskOwner(Protocol):
    """Called when tasks are assigned, revoked or lost; tasks are named by their index."""

    def tasks_assigned(self, tasks: Iterable[int]) -> None: ...
    def tasks_revoked(self, tasks: Iterable[int]) -> None: ...
    def tasks_lost(self, tasks: Iterable[int]) -> None: ...


class Membership:
    """This worker's place in the group."""

    def __init__(self, settings: Mapping[str, Any], task_topic: str, owner: TaskOwner) -> None:
        self._settings, self._task_topic, self._owner = dict(settings), task_topic, owner
        self.metadata: Any = None
        """Group metadata of the generation whose assignment is in force."""
        self._group_id = str(settings.get("group.id", ""))
        self.session_seconds = int(settings.get("session.timeout.ms", 45_000)) / 1000
        self._tasks: set[int] = set()
        self._fenced_at: list[float] = []
        self.consumer = self._join()

    def poll(self, timeout_seconds: float = 0.0) -> None:
        """Take part in the protocol; assignments and revocations happen in here."""
        message = self.consumer.poll(timeout_seconds)
        self._check_let_in()
        error = None if message is None else message.error()
        if error is None or error.code() == KafkaError._PARTITION_EOF:
            return
        if error.code() == KafkaError._FATAL:
            self._join_anew(error)
        if is_migration(error):
            msg = f"another worker has taken this one's place in the group: {error.str()}"
            raise TaskMigrated(msg)
        if error.code() == KafkaError._MAX_POLL_EXCEEDED:
            self.rejoin()
            msg = (
                "the group gave this worker's tasks away, since it was silent for longer than "
                "'consumer.max.poll.interval.ms': a function was slow, or the cluster did not "
                "answer a commit; raise the setting if functions need that long"
            )
            raise TaskMigrated(msg)
        if not is_retriable(error):
            msg = (
                f"the group of the application cannot be joined: {error.str()}"
                f"{self._what_to_allow(error)}"
            )
            raise StreamsError(msg)

    def _join(self) -> Consumer:
        consumer = Consumer(self._settings)
        consumer.subscribe(
            [self._task_topic],
            on_assign=self._assigned,
            on_revoke=self._revoked,
            on_lost=self._lost,
        )
        return consumer

    def rejoin(self) -> None:
        """Drop all tasks, leave the group and join it again.

        The client would join again by itself, but as a static member it may keep tasks of a
        rebalance that it has not been polled for: it neither hands them over nor reports them, and
        no other member gets them.
        """
        self._give_up_tasks()
        self.leave()
        self.consumer = self._join()

    def _join_anew(self, error: KafkaError) -> NoReturn:
        """Join with a new consumer after a fatal fence.

        A join that the network held back and that was sent again fences the worker by itself: the
        broker takes the second for another process with its name.

        Raises:
            TaskMigrated: always, unless
            StreamsError: it was fenced again and again: there is another process with its name.
        """
        now = monotonic()
        self._fenced_at = [at for at in self._fenced_at if at > now - _FENCED_SECONDS] + [now]
        if len(self._fenced_at) > _FENCED_TIMES:
            msg = (
                f"the group of the application cannot be joined: {error.str()}; fenced "
                f"{len(self._fenced_at)} times in {_FENCED_SECONDS:.0f} s: another process has the "
                "same member id, as if it had a copy of this 'state.dir'; give each its own"
            )
            raise StreamsError(msg)
        # The fenced consumer itself has forgotten what it was assigned.
        self._give_up_tasks()
        self.consumer.close()
        self.consumer = self._join()
        msg = f"the group has fenced this worker, which joins anew: {error.str()}"
        raise TaskMigrated(msg)

    def prove_ownership(self) -> None:
        """Commit an offset that has no meaning: the broker takes it from a current member only.

        Raises:
            TaskMigrated: this worker's tasks may be another's by now.
        """
        meaningless = TopicPartition(self._task_topic, 0, 0)
        try:
            current = self.consumer.consumer_group_metadata() == self.metadata
            if current:
                self.consumer.commit(offsets=[meaningless], asynchronous=False)
                return
            why = "the group has changed"
        except KafkaException as error:
            why = code_of(error).str()
        msg = (
            f"this worker stood still for more than half of its session "
            f"({self.session_seconds:.0f} s), and its tasks may be another's by now: {why}"
        )
        raise TaskMigrated(msg)

    def leave(self) -> None:
        """Leave the group at once: with static membership, closing alone would keep the tasks."""
        # Until its join is answered a member has no id to leave with, and would stay.
        self._poll_until(lambda: bool(self.consumer.memberid()))
        # A fenced member has already left the group, and leaving raises.
        with suppress(KafkaException):
            self.consumer.unsubscribe()
            # The client drops the id when it has sent the leave request, which in the midst of a
            # rebalance is later than the end of the assignment.
            self._poll_until(lambda: not (self.consumer.assignment() or self.consumer.memberid()))
        self.consumer.close()

    def _check_let_in(self) -> None:
        """Raise if the cluster refuses new connections: the client reports it to its callback only,
        and an application without records would seem to run. Java: AuthenticationException.
        """
        refusal = getattr(self._settings.get("error_cb"), "refusal", None)
        if refusal is not None:
            reason = refusal.str()
            msg = f"the Kafka cluster refuses the connection: {reason}; "
            raise StreamsError(msg + advice(reason, self._settings))

    def _what_to_allow(self, error: KafkaError) -> str:
        if error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED:
            return allowing(error, "READ", "topic", self._task_topic)
        return allowing(error, "READ", "group", self._group_id)

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
        tasks = [partition.partition for partition in partitions]
        self._tasks.update(tasks)
        self._owner.tasks_assigned(tasks)

    def _revoked(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        # What is revoked stays ours until we join again, so this generation may commit it.
        self.metadata = consumer.consumer_group_metadata()
        self._owner.tasks_revoked(self._without(partitions))
        consumer.incremental_unassign(partitions)

    def _lost(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        self._owner.tasks_lost(self._without(partitions))
        consumer.incremental_unassign(partitions)

    def _give_up_tasks(self) -> None:
        lost, self._tasks = self._tasks, set()
        self._owner.tasks_lost(lost)

    def _without(self, partitions: list[TopicPartition]) -> list[int]:
        tasks = [partition.partition for partition in partitions]
        self._tasks.difference_update(tasks)
        return tasks
