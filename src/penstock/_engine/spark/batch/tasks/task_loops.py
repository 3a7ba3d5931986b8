"""Runs tasks from the first to the last record: one task, or a cycle of tasks.

One task gets its queues and chooses among their heads itself. Tasks of a cycle get one record at a
time, the one with the smallest timestamp among all their inputs, and the next when everything that
it caused is done: like a test driver that is fed in that order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from heapq import heapify, heappop, heapreplace
from typing import TYPE_CHECKING, TypeAlias

from penstock._engine.planner.tasks import Partition, TaskPlan
from penstock._engine.runtime.commit import CommitOffset, decode_partition_time
from penstock._engine.runtime.records import TIMESTAMP, Output, RawRecord
from penstock._engine.runtime.task import Task
from penstock._engine.spark.batch.tasks.bounded_task import has_user_code
from penstock._engine.spark.batch.tasks.deliveries import Deliveries
from penstock._engine.spark.batch.tasks.topic_feeds import value_bytes

if TYPE_CHECKING:
    # Tasks that read their inputs from Kafka do without Arrow.
    import pyarrow as pa

    from penstock._engine.spark.batch.tasks.feeds import Feed
    from penstock._engine.spark.batch.tasks.output_router import OutputRouter
    from penstock._engine.spark.batch.tasks.rows import Rows

Looped: TypeAlias = tuple[Partition, RawRecord]
"""A record for a task of the same stage, and its queue."""
Emit: TypeAlias = Callable[[Task, list[Output]], list[Looped]]
"""Takes what a task has produced; returns what tasks of the same stage read of it."""

_RECORDS_AT_ONCE = 1000


class HostedTask:
    """A task with its commits; `emit` takes its outputs."""

    def __init__(
        self,
        plan: TaskPlan,
        task: Task,
        now_ms: int,
        records_per_commit: int,
        emit: Emit,
        *,
        bytes_per_commit: int | None = None,
    ) -> None:
        self.plan = plan
        self.task = task
        self._emit = emit
        self._now_ms = now_ms
        self._records_per_commit = records_per_commit
        self._bytes_per_commit = bytes_per_commit
        self._since_commit = self._bytes_since_commit = 0
        # User code may start timers and request commits, which are due after each record.
        self._at_once = 1 if has_user_code(plan.subtopology) else _RECORDS_AT_ONCE
        self._committed: dict[Partition, CommitOffset] = {}
        # The task waits for an empty queue only while its feed has more records.
        self.lags = dict.fromkeys(plan.inputs, 0)
        task.set_lags(self.lags)
        task.start(now_ms)

    def add(self, place: Partition, records: list[RawRecord]) -> None:
        """Add records to a queue."""
        self.task.add_records(*place, records)
        if self._bytes_per_commit is not None:
            self._bytes_since_commit += value_bytes(records)

    def process(self) -> tuple[bool, list[Looped]]:
        """Process some records; return whether there were any, and the records for other tasks."""
        limit = min(self._at_once, self._records_per_commit - self._since_commit)
        done = self.task.process(self._now_ms, limit)
        if done:
            self.task.punctuate_stream_time()
        sent = self._drained()
        self._since_commit += done
        if self._is_full() or self.task.commit_requested:
            sent += self.commit()
        return bool(done), sent

    def process_one(self) -> list[Looped]:
        """Process a record; return the records for other tasks."""
        self._at_once = 1
        return self.process()[1]

    def commit(self) -> list[Looped]:
        """Flush the caches and commit the stores; return the records for other tasks."""
        commit = self.task.prepare_commit()
        sent = self._drained()
        if commit is not None:
            self._committed.update(commit.offsets)
            self.task.committed()
        self._since_commit = self._bytes_since_commit = 0
        return sent

    def deliver_rest(self, deliveries: Deliveries) -> None:
        """Write the rest of the outputs to Kafka, and the commit metadata for the live task."""
        deliveries.finish(self.task, self._committed)

    def add_positions(self, rows: Rows) -> None:
        """Add rows that say how far the inputs were read."""
        for place, kept in self._committed.items():
            time = decode_partition_time(kept.metadata)
            rows.add_position(place, kept.offset, kept.metadata, time)

    def _is_full(self) -> bool:
        """Return whether a commit is due: by what was read alone, the same in each run."""
        most_bytes = self._bytes_per_commit
        return self._since_commit >= self._records_per_commit or (
            most_bytes is not None and self._bytes_since_commit >= most_bytes
        )

    def _drained(self) -> list[Looped]:
        return self._emit(self.task, self.task.drain())


def run_one(
    hosted: HostedTask, feeds: Mapping[Partition, Feed], rows: Rows
) -> Iterator[pa.RecordBatch]:
    """Run a task on its queues; yield what it writes."""
    for _ in steps(hosted, feeds):
        if rows.is_full:
            yield rows.take_most()


def steps(hosted: HostedTask, feeds: Mapping[Partition, Feed]) -> Iterator[None]:
    """Run a task on its queues; yield after each step."""
    hosted.lags.update(dict.fromkeys(feeds, 1))
    while True:
        some, _ = hosted.process()
        yield
        if not some and not _refill(hosted, feeds):
            break
    hosted.commit()


def _refill(hosted: HostedTask, feeds: Mapping[Partition, Feed]) -> bool:
    """Add the next records of each empty queue; return whether a queue was empty."""
    found = False
    for place, buffered in hosted.task.buffered().items():
        if not buffered and hosted.lags[place]:
            found = True
            records = next(feeds[place], None)
            if records is None:
                hosted.lags[place] = 0
            else:
                hosted.add(place, records)
    return found


def run_cycle(
    hosted: list[HostedTask], feeds: Mapping[Partition, Feed], router: OutputRouter
) -> Iterator[pa.RecordBatch]:
    """Run tasks that feed each other; yield what they write."""
    rows = router.rows
    by_place = {place: one for one in hosted for place in one.plan.inputs}
    numbers = {one: number for number, one in enumerate(hosted)}
    busy: dict[HostedTask, None] = {}

    def hand_out(records: list[Looped]) -> None:
        for place, record in records:
            by_place[place].task.add_records(*place, (record,))
            busy[by_place[place]] = None

    def settle() -> Iterator[pa.RecordBatch]:
        while busy:
            one = _earliest(busy, numbers)
            hand_out(one.process_one())
            if not one.task.has_records():
                busy.pop(one, None)
            if rows.is_full:
                yield rows.take_most()

    for place, record in _by_time(feeds):
        hand_out([router.in_turn(place, record)])
        yield from settle()
    # A flushed record may reach another task, whose cache then holds something again.
    while any(one.task.uncommitted for one in hosted):
        for one in hosted:
            hand_out(one.commit())
        yield from settle()


def _earliest(busy: Collection[HostedTask], numbers: Mapping[HostedTask, int]) -> HostedTask:
    """Return the task with the smallest timestamp; the order of the tasks decides among equals."""
    if len(busy) == 1:
        return next(iter(busy))
    return min(busy, key=lambda one: (one.task.next_timestamp(), numbers[one]))


def _by_time(
    feeds: Mapping[Partition, Feed],
) -> Iterator[tuple[Partition, RawRecord]]:
    """Yield the records of all feeds, always the head with the smallest timestamp."""
    streams = [(place, _one_by_one(feed)) for place, feed in feeds.items()]
    # Among equal timestamps the order of the feeds decides.
    heads = [
        (head[TIMESTAMP], number, head)
        for number, (_, stream) in enumerate(streams)
        if (head := next(stream, None)) is not None
    ]
    heapify(heads)
    while heads:
        _, number, head = heads[0]
        place, stream = streams[number]
        yield place, head
        following = next(stream, None)
        if following is None:
            heappop(heads)
        else:
            heapreplace(heads, (following[TIMESTAMP], number, following))


def _one_by_one(feed: Feed) -> Iterator[RawRecord]:
    for records in feed:
        yield from records
