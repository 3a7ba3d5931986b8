"""Runs tasks from the first to the last record: one task, or a cycle of tasks.

One task gets its queues and chooses among their heads itself. Tasks of a cycle get one record at a
time, the one with the smallest timestamp among all their inputs, and the next when everything that
it caused is done: like a test driver that is fed in that order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pyarrow as pa

from penstock._engine.planner.tasks import Partition, TaskPlan
from penstock._engine.runtime.commit import CommitOffset, decode_partition_time
from penstock._engine.runtime.records import TIMESTAMP, RawRecord
from penstock._engine.runtime.task import Task
from penstock._engine.spark.batch.tasks.bounded_task import has_user_code
from penstock._engine.spark.batch.tasks.deliveries import Deliveries
from penstock._engine.spark.batch.tasks.feeds import Feed
from penstock._engine.spark.batch.tasks.output_router import OutputRouter

_RECORDS_AT_ONCE = 1000


class HostedTask:
    """A task with its commits and its output router."""

    def __init__(
        self, plan: TaskPlan, task: Task, now_ms: int, records_per_commit: int, router: OutputRouter
    ) -> None:
        self.plan = plan
        self.task = task
        self.router = router
        self._now_ms = now_ms
        self._records_per_commit = records_per_commit
        self._since_commit = 0
        # User code may start timers and request commits, which are due after each record.
        self._at_once = 1 if has_user_code(plan.subtopology) else _RECORDS_AT_ONCE
        self._committed: dict[Partition, CommitOffset] = {}
        # The task waits for an empty queue only while its feed has more records.
        self.lags = dict.fromkeys(plan.inputs, 0)
        task.set_lags(self.lags)
        task.start(now_ms)

    def process(self) -> tuple[bool, list[tuple[Partition, RawRecord]]]:
        """Process some records; return whether there were any, and the records for other tasks."""
        limit = min(self._at_once, self._records_per_commit - self._since_commit)
        done = self.task.process(self._now_ms, limit)
        if done:
            self.task.punctuate_stream_time()
        sent = self._drained()
        self._since_commit += done
        if self._since_commit >= self._records_per_commit or self.task.commit_requested:
            sent += self.commit()
        return bool(done), sent

    def process_one(self) -> list[tuple[Partition, RawRecord]]:
        """Process a record; return the records for other tasks."""
        self._at_once = 1
        return self.process()[1]

    def commit(self) -> list[tuple[Partition, RawRecord]]:
        """Flush the caches and commit the stores; return the records for other tasks."""
        commit = self.task.prepare_commit()
        sent = self._drained()
        if commit is not None:
            self._committed.update(commit.offsets)
            self.task.committed()
        self._since_commit = 0
        return sent

    def deliver_rest(self, deliveries: Deliveries) -> None:
        """Write the rest of the outputs to Kafka, and the commit metadata for the live task."""
        deliveries.finish(self.task, self._committed)

    def add_positions(self) -> None:
        """Add rows that say how far the inputs were read."""
        for place, kept in self._committed.items():
            time = decode_partition_time(kept.metadata)
            self.router.rows.add_position(place, kept.offset, kept.metadata, time)

    def _drained(self) -> list[tuple[Partition, RawRecord]]:
        outputs = self.task.drain()
        if self.router.deliveries is not None:
            outputs = self.router.deliveries.take(self.task, outputs)
        return self.router.route(self.plan, outputs)


def run_one(hosted: HostedTask, feeds: Mapping[Partition, Feed]) -> Iterator[pa.RecordBatch]:
    """Run a task on its queues; yield what it writes."""
    task, lags, rows = hosted.task, hosted.lags, hosted.router.rows
    lags.update(dict.fromkeys(feeds, 1))
    while True:
        some, _ = hosted.process()
        if rows.is_full:
            yield rows.take_most()
        if not some and not _refill(task, lags, feeds):
            break
    hosted.commit()


def _refill(task: Task, lags: dict[Partition, int], feeds: Mapping[Partition, Feed]) -> bool:
    """Add the next records of each empty queue; return whether a queue was empty."""
    found = False
    for place, buffered in task.buffered().items():
        if not buffered and lags[place]:
            found = True
            records = next(feeds[place], None)
            if records is None:
                lags[place] = 0
            else:
                task.add_records(*place, records)
    return found


def run_cycle(
    hosted: list[HostedTask], feeds: Mapping[Partition, Feed]
) -> Iterator[pa.RecordBatch]:
    """Run tasks that feed each other; yield what they write."""
    by_place = {place: one for one in hosted for place in one.plan.inputs}
    rows = hosted[0].router.rows
    busy: dict[HostedTask, None] = {}

    def hand_out(records: list[tuple[Partition, RawRecord]]) -> None:
        for place, record in records:
            by_place[place].task.add_records(*place, (record,))
            busy[by_place[place]] = None

    def settle() -> Iterator[pa.RecordBatch]:
        while busy:
            # Among equal timestamps the order of the tasks decides.
            one = min(sorted(busy, key=hosted.index), key=lambda one: one.task.next_timestamp())
            hand_out(one.process_one())
            if not one.task.has_records():
                busy.pop(one, None)
            if rows.is_full:
                yield rows.take_most()

    for record in _by_time(feeds):
        hand_out([record])
        yield from settle()
    # A flushed record may reach another task, whose cache then holds something again.
    while any(one.task.uncommitted for one in hosted):
        for one in hosted:
            hand_out(one.commit())
        yield from settle()


def _by_time(
    feeds: Mapping[Partition, Feed],
) -> Iterator[tuple[Partition, RawRecord]]:
    """Yield the records of all feeds, always the head with the smallest timestamp."""
    streams = {place: _one_by_one(feed) for place, feed in feeds.items()}
    heads = {place: next(stream, None) for place, stream in streams.items()}
    waiting = {place: head for place, head in heads.items() if head is not None}
    while waiting:
        place = min(waiting, key=lambda place: waiting[place][TIMESTAMP])
        yield place, waiting[place]
        following = next(streams[place], None)
        if following is None:
            del waiting[place]
        else:
            waiting[place] = following


def _one_by_one(feed: Feed) -> Iterator[RawRecord]:
    for records in feed:
        yield from records
