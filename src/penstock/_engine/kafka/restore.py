"""Bringing stores up to date from their changelogs before their task may run.

A changelog's end is asked for as it is, open transactions included: the former owner may still be
committing, and a restore that stopped at the last stable offset would lose that commit. Reading is
read_committed under exactly-once, so it waits there until the transaction is decided; only then is
the end reached. Markers count: the place reached is where the next read would begin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, Message, TopicPartition

from penstock.errors import StreamsError

Partition: TypeAlias = tuple[str, int]
Change: TypeAlias = tuple[bytes, bytes | None, int]
"""(key, value or None for a deletion, timestamp)."""
Apply: TypeAlias = Callable[[list[Change], int], None]
"""`apply(changes, offset)`: take changes; the state is then complete up to `offset`."""

_BATCH_MESSAGES = 10_000


@dataclass(slots=True)
class RestoreJob:
    """One changelog partition on its way to its end."""

    partition: Partition
    start: int | None
    end: int
    apply: Apply
    reached: int = 0
    restored: int = 0

    @property
    def done(self) -> bool:
        return self.reached >= self.end


class Restorer:
    """Reads changelog partitions to their ends, as many as there are, a bit at each call."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._consumer = Consumer(dict(settings))
        self._jobs: dict[Partition, RestoreJob] = {}

    def begin(self, jobs: Iterable[RestoreJob]) -> None:
        """Take on partitions; one whose state is newer than its changelog is refused."""
        for job in jobs:
            job.reached = job.start or 0
            if job.start is not None and job.start > job.end:
                topic, number = job.partition
                msg = (
                    f"the local state of changelog {topic!r}, partition {number} is at offset "
                    f"{job.start}, "
                    f"but the changelog ends at {job.end}: it was deleted or made anew; nothing "
                    "was "
                    "changed: remove the local state (clean_up) if the changelog is right"
                )
                raise StreamsError(msg)
            if not job.done:
                self._jobs[job.partition] = job
                first = OFFSET_BEGINNING if job.start is None else job.start
                self._consumer.incremental_assign([TopicPartition(*job.partition, first)])

    def drop(self, partitions: Iterable[Partition]) -> None:
        """Give up on partitions whose task is gone."""
        for partition in partitions:
            if self._jobs.pop(partition, None) is not None:
                self._consumer.incremental_unassign([TopicPartition(*partition)])

    def work(self, wait_seconds: float) -> None:
        """Read and apply what has come."""
        if not self._jobs:
            return
        batches: dict[Partition, list[Change]] = {}
        for message in self._consumer.consume(_BATCH_MESSAGES, wait_seconds):
            self._take(message, batches)
        for partition, changes in batches.items():
            job = self._jobs[partition]
            job.apply(changes, job.reached)
            job.restored += len(changes)
        self.drop([partition for partition, job in self._jobs.items() if job.done])

    def remaining(self) -> int:
        """Give how many offsets are left to read."""
        return sum(max(0, job.end - job.reached) for job in self._jobs.values())

    def close(self) -> None:
        """Let go of the connection."""
        self._consumer.close()

    def _take(self, message: Message, batches: dict[Partition, list[Change]]) -> None:
        partition = (str(message.topic()), int(message.partition() or 0))
        job = self._jobs.get(partition)
        if job is None:
            return
        error, offset = message.error(), int(message.offset() or 0)
        if error is None:
            job.reached = offset + 1
            change = (message.key() or b"", message.value(), message.timestamp()[1])
            batches.setdefault(partition, []).append(change)
        elif error.code() == KafkaError._PARTITION_EOF:
            # The offset of this event is where reading would go on, behind any markers.
            job.reached = max(job.reached, offset)
            batches.setdefault(partition, [])
        elif not error.retriable():
            msg = (
                f"changelog {partition[0]!r}, partition {partition[1]} cannot be read: "
                f"{error.str()}"
            )
            raise StreamsError(msg)
