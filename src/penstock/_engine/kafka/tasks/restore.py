"""Bringing stores up to date from their changelogs before their task may run.

A changelog's end is asked for as it is, open transactions included: the former owner may still be
committing, and a restore that stopped at the last stable offset would lose that commit. Reading is
read_committed under exactly-once, so it waits there until the transaction is decided; only then is
the end reached. Markers count: the place reached is where the next read would begin.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from confluent_kafka import OFFSET_BEGINNING, KafkaError, TopicPartition

from penstock._engine.kafka.client.bulk import Portion, Reader, open_reader
from penstock._engine.kafka.client.client_errors import TaskCorrupted, is_retriable
from penstock._engine.kafka.client.denials import allowing
from penstock._engine.metrics.restore_events import Kind, RestoreEvent
from penstock._engine.planner.tasks import Partition
from penstock._engine.runtime.records import OFFSET, ChangelogRecord
from penstock._engine.runtime.stores.row_forms import changes_of
from penstock.errors import StreamsError

Apply: TypeAlias = Callable[[list[ChangelogRecord], int], None]
"""`apply(records, offset)`: apply changelog records; the state is then complete up to `offset`."""

_GONE = frozenset({KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE})

_BATCH_MESSAGES = 10_000
_EVENTS_KEPT = 10_000
# A rebalance hands out tasks in several rounds.
_REST_SECONDS = 5.0


@dataclass(slots=True)
class RestoreJob:
    """One changelog partition on its way to its end."""

    partition: Partition
    start: int | None
    end: int
    apply: Apply
    store: str = ""
    goes_on: bool = False
    """Whether the topic has records behind the end that are not to be restored: the inputs of a
    table whose topic is its changelog, which are yet to be processed.
    """
    keeps_headers: bool = False
    """Whether the store keeps the headers of its changelog records."""
    task: str = ""
    """The task of which this brings a standby copy up to date."""
    reached: int = 0
    restored: int = 0

    @property
    def done(self) -> bool:
        return self.reached >= self.end

    def event(self, kind: Kind, *, offset: int = 0, end: int = 0, count: int = 0) -> RestoreEvent:
        """Return a restore event of this job."""
        topic, number = self.partition
        return RestoreEvent(kind, self.store, topic, number, offset, end, count, self.task)


class ChangelogReader(Protocol):
    """Reads changelogs for restoring tasks. Implemented by `Restorer`."""

    def begin(self, jobs: Iterable[RestoreJob]) -> None: ...
    def drop(self, partitions: Iterable[Partition]) -> None: ...
    def work(self, wait_seconds: float) -> None: ...
    def rest(self, now: float) -> None: ...
    def remaining(self) -> int: ...
    def take_events(self) -> tuple[RestoreEvent, ...]: ...
    def close(self) -> None: ...


class Restorer:
    """Reads changelog partitions to their ends, as many as there are, a bit at each call.

    It connects when there is something to read: a worker whose tasks have no stores, or find them
    complete on its disk, needs no client for it. `rest` ends the connection some seconds later.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._settings = dict(settings)
        self._opened: Reader | None = None
        self._resting_since: float | None = None
        self._jobs: dict[Partition, RestoreJob] = {}
        self._corrupted: dict[Partition, TaskCorrupted] = {}
        # The host of a worker takes them often; if it does not, the oldest are dropped.
        self._events: deque[RestoreEvent] = deque(maxlen=_EVENTS_KEPT)

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
            self._events.append(job.event("start", offset=job.reached, end=job.end))
            if job.done:
                self._events.append(job.event("end"))
            else:
                self._jobs[job.partition] = job
                first = OFFSET_BEGINNING if job.start is None else job.start
                place = TopicPartition(*job.partition, first)
                self._reader().consumer.incremental_assign([place])

    def drop(self, partitions: Iterable[Partition]) -> None:
        """Stop restoring partitions whose task is gone."""
        for partition in partitions:
            job = self._jobs.get(partition)
            if job is not None:
                self._leave(job, "suspended")

    def work(self, wait_seconds: float) -> None:
        """Read and apply what has come.

        Raises:
            TaskCorrupted: What is to be read next was deleted, as what is too old is in the
                changelogs of windows. All other partitions have been served before: what was read
                of them does not come again.
        """
        if not self._jobs:
            return
        batches: dict[Partition, list[ChangelogRecord]] = {}
        for portion in self._reader().read(wait_seconds, _BATCH_MESSAGES):
            self._take(portion, batches)
        for partition, changes in batches.items():
            job = self._jobs[partition]
            job.apply(changes, job.reached)
            job.restored += len(changes)
            if changes:
                end = max(job.end, job.reached)
                self._events.append(
                    job.event("batch", offset=job.reached, end=end, count=len(changes))
                )
        for job in [job for job in self._jobs.values() if job.done]:
            self._leave(job, "end")
        # One at a time: the caller drops the whole task, and with it its other partitions.
        for corrupted in self._corrupted.values():
            raise corrupted

    def rest(self, now: float) -> None:
        """Close the connection if there has been nothing to read for a while, at `now` in seconds:
        a client has threads and connections of its own, and a worker may not restore for months.
        """
        if self._opened is None or self._jobs:
            self._resting_since = None
        elif self._resting_since is None:
            self._resting_since = now
        elif now - self._resting_since >= _REST_SECONDS:
            self.close()

    def remaining(self) -> int:
        """Return how many offsets are left to read."""
        return sum(max(0, job.end - job.reached) for job in self._jobs.values())

    def note(self, events: Iterable[RestoreEvent]) -> None:
        """Add events of standby copies to those of the batches that are read for them."""
        self._events += events

    def take_events(self) -> tuple[RestoreEvent, ...]:
        """Return the events since the last call."""
        events = tuple(self._events)
        self._events.clear()
        return events

    def close(self) -> None:
        """Close the connection."""
        opened, self._opened, self._resting_since = self._opened, None, None
        if opened is not None:
            opened.consumer.close()

    def _reader(self) -> Reader:
        if self._opened is None:
            self._opened = open_reader(self._settings)
        return self._opened

    def _leave(self, job: RestoreJob, kind: Kind) -> None:
        del self._jobs[job.partition]
        self._corrupted.pop(job.partition, None)
        self._reader().consumer.incremental_unassign([TopicPartition(*job.partition)])
        self._events.append(job.event(kind, count=job.restored))

    def _take(self, portion: Portion, batches: dict[Partition, list[ChangelogRecord]]) -> None:
        topic, number, records, event = portion
        job = self._jobs.get((topic, number))
        if job is None:
            return
        changes = batches.setdefault((topic, number), [])
        if event is not None:
            self._handle_event(job, *event)
            return
        job.reached = records[-1][OFFSET] + 1
        if job.goes_on and job.reached > job.end:
            job.reached = job.end
            records = [record for record in records if record[OFFSET] < job.end]
        changes += changes_of(records, with_headers=job.keeps_headers)

    def _handle_event(self, job: RestoreJob, offset: int, error: KafkaError) -> None:
        if error.code() == KafkaError._PARTITION_EOF:
            # The offset of this event is where reading would go on, behind any markers.
            at = min(offset, job.end) if job.goes_on else offset
            job.reached = max(job.reached, at)
        elif error.code() in _GONE:
            topic, number = job.partition
            msg = (
                f"changelog {topic!r}, partition {number} no longer has what follows offset "
                f"{job.reached - 1}: {error.str()}"
            )
            self._corrupted[job.partition] = TaskCorrupted(msg, job.partition)
        elif not is_retriable(error):
            topic, number = job.partition
            reason = f"{error.str()}{allowing(error, 'READ', 'topic', topic)}"
            msg = f"changelog {topic!r}, partition {number} cannot be read: {reason}"
            raise StreamsError(msg)
