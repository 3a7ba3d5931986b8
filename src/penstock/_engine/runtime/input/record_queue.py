"""The records that a task has read and not yet processed: one queue per partition, and the choice
of the next record.

The head of each queue is decoded and has its timestamp, the rest are bytes; the head with the
smallest timestamp comes first. Java: RecordQueue and PartitionGroup.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from penstock._engine.fast.choice import compiled
from penstock._engine.metrics.counters import TaskCounters
from penstock._engine.operators.site import Process
from penstock._engine.planner.tasks import Partition
from penstock._engine.runtime.input.intake import Admit, Decoders
from penstock._engine.runtime.input.java_heap import JavaHeap
from penstock._engine.runtime.position import UNKNOWN
from penstock._engine.runtime.records import OFFSET, RAW, Head, RawRecord
from penstock._engine.topology.nodes.stream_nodes import SourceNode

IDLING_DISABLED = -1
NEVER = 1 << 63

SKIPPED: Final = object()
"""The value of a head that stands for skipped records: their offset must still be committed."""


class PlainQueueFields:
    """The fields of `RecordQueue` that C reads and writes."""

    __slots__ = ("decoders", "head", "partition_time", "process", "raws")


if TYPE_CHECKING:
    QueueFields: TypeAlias = PlainQueueFields
else:
    QueueFields = PlainQueueFields if compiled is None else compiled.QueueFields


class RecordQueue(QueueFields):
    """The records of one partition, in offset order."""

    __slots__ = ("_admit", "next_offset", "partition", "source", "topic")

    def __init__(
        self,
        source: SourceNode,
        topic: str,
        partition: int,
        admit: Admit,
        process: Process,
        *,
        decoders: Decoders | None = None,
    ) -> None:
        self.source = source
        self.topic = topic
        self.partition = partition
        self.process = process
        """The source node's children, which take the records of this queue."""
        self.partition_time = UNKNOWN
        self.next_offset: int | None = None
        self.head: Head | None = None
        self.raws: deque[RawRecord] = deque()
        """What comes after the head."""
        self.decoders = decoders
        """Decoders of good records; None if the queue must admit each record itself."""
        self._admit = admit

    def __len__(self) -> int:
        return len(self.raws) + (self.head is not None)

    @property
    def timestamp(self) -> int:
        """The time of the head."""
        return UNKNOWN if self.head is None else self.head[0]

    def add(self, raws: Iterable[RawRecord]) -> None:
        """Append records."""
        self.raws.extend(raws)
        if self.raws:
            self.next_offset = self.raws[-1][OFFSET] + 1
        if self.head is None:
            self.advance()

    def advance(self) -> None:
        """Drop the head and make the next good record the head. Bad ones are skipped; if no good
        one follows, the last of them becomes a SKIPPED head.
        """
        raws, admit = self.raws, self._admit
        skipped: RawRecord | None = None
        while raws:
            raw = raws.popleft()
            admitted = admit(raw, self.partition_time)
            if admitted is not None:
                self.head = (*admitted, raw)
                return
            skipped = raw
        self.head = None if skipped is None else (UNKNOWN, None, SKIPPED, skipped)

    def committable_offset(self) -> int | None:
        """Return the offset to read next, None if nothing was ever read."""
        return self.next_offset if self.head is None else self.head[RAW][OFFSET]

    def head_offset(self) -> int:
        """Return the offset of the head; there must be one."""
        assert self.head is not None
        return self.head[RAW][OFFSET]


class RecordQueues:
    """All queues of a task."""

    def __init__(self, max_task_idle_ms: int, counters: TaskCounters) -> None:
        self.by_partition: dict[Partition, RecordQueue] = {}
        self.lags: Mapping[Partition, int] = {}
        """Records on the broker that are not here yet, as far as the host knows; partitions of
        other tasks may be among them.
        """
        self._filled: JavaHeap[RecordQueue] = JavaHeap()
        self._max_task_idle_ms = max_task_idle_ms
        self._idle_until: dict[Partition, int] = {}
        self._counters = counters

    def __len__(self) -> int:
        return sum(map(len, self.by_partition.values()))

    def open(self, queue: RecordQueue) -> None:
        """Add the queue of a partition."""
        self.by_partition[queue.topic, queue.partition] = queue

    def add(self, topic: str, partition: int, raws: Iterable[RawRecord]) -> None:
        """Append records to the queue of their partition."""
        queue = self.by_partition[topic, partition]
        was_empty = queue.head is None
        queue.add(raws)
        if was_empty and queue.head is not None:
            self._filled.push(queue)

    def has_records(self) -> bool:
        """Yes if any queue has a record."""
        return len(self._filled) > 0

    def is_behind(self) -> bool:
        """Yes if the broker is known to have records of these partitions that are not here yet."""
        # The host knows of other tasks' partitions as well.
        return any(self.lags.get(partition, 0) > 0 for partition in self.by_partition)

    def next_timestamp(self) -> int:
        """Return the time of the head that comes next; there must be one."""
        return self._filled.items[0][0]

    def peek(self) -> RecordQueue:
        """Return the queue whose head comes next; there must be one."""
        return self._filled.items[0][1]

    def next(self) -> RecordQueue:
        """Take out the queue whose head comes next; `put_back` it when its head has been taken."""
        return self._filled.pop()

    def next_run(self, queue: RecordQueue) -> tuple[int, int]:
        """Return how many records of the queue from `next` may be processed in a row, and the
        timestamp at which the run ends.

        Beside one other queue the run ends where that one's head is due. Beside several it is one
        record: which queue wins a tie depends, as in Java, on how often each was put back.
        """
        others = self._filled.items
        if len(others) > 1:
            return 1, NEVER
        return len(queue.raws) + 1, others[0][0] if others else NEVER

    def put_back(self, queue: RecordQueue) -> None:
        """Put a queue from `next` back into the choice, if it has records left."""
        if queue.head is not None:
            self._filled.push(queue)

    def ready(self, now_ms: int) -> bool:
        """Yes if a record may be processed; no while the task waits for records of empty
        partitions. Java: PartitionGroup.readyToProcess.
        """
        filled = len(self._filled.items)
        if filled == len(self.by_partition) or self._max_task_idle_ms == IDLING_DISABLED:
            self._idle_until.clear()
            return filled > 0
        waited_out = False
        for partition, queue in self.by_partition.items():
            if queue.head is not None:
                self._idle_until.pop(partition, None)
                continue
            if self.lags.get(partition, UNKNOWN) != 0:
                # It may have records on the broker: to process another partition now could be out
                # of order.
                self._idle_until.pop(partition, None)
                return False
            latest = now_ms + self._max_task_idle_ms
            until = self._idle_until.setdefault(partition, latest)
            if until > latest:
                # The clock was set back: Java waits here until it has caught up.
                until = self._idle_until[partition] = latest
            if now_ms < until:
                return False
            waited_out = True
        if waited_out and filled:
            self._counters.enforced_processing += 1
        return filled > 0
