"""The records a task has read and not yet processed, one queue per partition, and which one comes
next.

Semantics 2.2 and 2.3, Java: RecordQueue and PartitionGroup. The head of each queue is decoded and
stamped, the rest are bytes; the head with the smallest timestamp goes first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Final

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
"""The value of a head that only stands for skipped records, whose offset must still be committed.
"""


class RecordQueue:
    """The records of one partition, in offset order."""

    __slots__ = (
        "_admit",
        "decoders",
        "head",
        "next_offset",
        "partition",
        "partition_time",
        "process",
        "raws",
        "source",
        "topic",
    )

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
        """What decodes good records; None if each must be admitted by the queue itself."""
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
        """Drop the head and make the next good record the head; bad ones are skipped, the last of
        them stands in.
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
        """Give the offset to go on from, None if nothing was ever read."""
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
        """Records on the broker that are not here yet, as far as the host knows."""
        self._filled: JavaHeap[RecordQueue] = JavaHeap()
        self._max_task_idle_ms = max_task_idle_ms
        self._idle_until: dict[Partition, int] = {}
        self._counters = counters

    def __len__(self) -> int:
        return sum(map(len, self.by_partition.values()))

    def open(self, queue: RecordQueue) -> None:
        """Let a partition take part."""
        self.by_partition[queue.topic, queue.partition] = queue

    def add(self, topic: str, partition: int, raws: Iterable[RawRecord]) -> None:
        """Append records to the queue of their partition."""
        queue = self.by_partition[topic, partition]
        was_empty = queue.head is None
        queue.add(raws)
        if was_empty and queue.head is not None:
            self._filled.push(queue)

    def has_records(self) -> bool:
        """Tell whether any queue has a record."""
        return len(self._filled) > 0

    def is_behind(self) -> bool:
        """Tell whether the broker is known to have records that are not here yet."""
        return any(lag > 0 for lag in self.lags.values())

    def next_timestamp(self) -> int:
        """Give the time of the head that comes next; there must be one."""
        return self._filled.items[0][0]

    def peek(self) -> RecordQueue:
        """Return the queue whose head comes next; there must be one."""
        return self._filled.items[0][1]

    def next(self) -> RecordQueue:
        """Take out the queue whose head comes next; `put_back` it when its head has been taken."""
        return self._filled.pop()

    def stretch_of(self, queue: RecordQueue) -> tuple[int, int]:
        """Give how many records of the queue that `next` gave come one after the other, as long as
        they are of an earlier time than the second number.

        Beside one other queue it goes on until that one's head is due. Beside several, each record
        is chosen anew: which of them comes first when their times are equal depends, as in Java, on
        how often they were put back.
        """
        others = self._filled.items
        if len(others) > 1:
            return 1, NEVER
        return len(queue.raws) + 1, others[0][0] if others else NEVER

    def put_back(self, queue: RecordQueue) -> None:
        """Let a queue take part in the choice again, if it has records left."""
        if queue.head is not None:
            self._filled.push(queue)

    def ready(self, now_ms: int) -> bool:
        """Tell whether a record may be processed, or the task should wait for the partitions that
        are empty.
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
                # Its data is on the way, or not known to be absent: another could be out of order.
                self._idle_until.pop(partition, None)
                return False
            if now_ms < self._idle_until.setdefault(partition, now_ms + self._max_task_idle_ms):
                return False
            waited_out = True
        if waited_out and filled:
            self._counters.enforced_processing += 1
        return filled > 0
