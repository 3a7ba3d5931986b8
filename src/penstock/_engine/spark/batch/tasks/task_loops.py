"""From the first to the last record: a task alone, or tasks that feed each other.

A task alone is handed its queues and chooses among their heads itself. Tasks of a circle are fed
one record at a time, the one with the smallest time among all their inputs, and the next when
everything it caused is done: what a test driver fed in that order does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pyarrow as pa

from penstock._engine.planner.tasks import Partition, TaskPlan
from penstock._engine.runtime.commit import CommitOffset, decode_partition_time
from penstock._engine.runtime.records import TIMESTAMP, RawRecord
from penstock._engine.runtime.task import Task
from penstock._engine.spark.batch.tasks.bounded_task import has_user_code
from penstock._engine.spark.batch.tasks.delivering import Deliveries
from penstock._engine.spark.batch.tasks.feeds import Feed
from penstock._engine.spark.batch.tasks.outlet import Outlet

_RECORDS_AT_ONCE = 1000


class Hosted:
    """A task, its commits, and where its outputs go."""

    def __init__(
        self, plan: TaskPlan, task: Task, now_ms: int, records_per_commit: int, outlet: Outlet
    ) -> None:
        self.plan = plan
        self.task = task
        self.outlet = outlet
        self._now_ms = now_ms
        self._records_per_commit = records_per_commit
        self._since_commit = 0
        # Timers are looked at, and commits that users ask for are done, after each record.
        self._at_once = 1 if has_user_code(plan.subtopology) else _RECORDS_AT_ONCE
        self._committed: dict[Partition, CommitOffset] = {}
        # Every record is at hand: an empty queue is waited for only while more of it is to come.
        self.lags = dict.fromkeys(plan.inputs, 0)
        task.set_lags(self.lags)
        task.start(now_ms)

    def process(self) -> tuple[bool, list[tuple[Partition, RawRecord]]]:
        """Process some records; tell whether there were any, and give what goes to other tasks."""
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
        """Process a record; give what goes to other tasks."""
        self._at_once = 1
        return self.process()[1]

    def commit(self) -> list[tuple[Partition, RawRecord]]:
        """Let out what caches hold back, and let the stores have the changes."""
        commit = self.task.prepare_commit()
        sent = self._drained()
        if commit is not None:
            self._committed.update(commit.offsets)
            self.task.committed()
        self._since_commit = 0
        return sent

    def deliver_rest(self, deliveries: Deliveries) -> None:
        """Write what is left to write, and what a live task must know beside its offsets."""
        deliveries.finish(self.task, self._committed)

    def add_positions(self) -> None:
        """Add how far the inputs were read."""
        for place, kept in self._committed.items():
            time = decode_partition_time(kept.metadata)
            self.outlet.rows.add_position(place, kept.offset, kept.metadata, time)

    def _drained(self) -> list[tuple[Partition, RawRecord]]:
        put, plan, outputs = self.outlet.put, self.plan, self.task.drain()
        if self.outlet.deliveries is not None:
            outputs = self.outlet.deliveries.take(self.task, outputs)
        routed = [put(plan, output) for output in outputs]
        return [record for record in routed if record is not None]


def run_alone(hosted: Hosted, feeds: Mapping[Partition, Feed]) -> Iterator[pa.RecordBatch]:
    """Run a task on its queues; give what it writes."""
    task, lags, rows = hosted.task, hosted.lags, hosted.outlet.rows
    lags.update(dict.fromkeys(feeds, 1))
    while True:
        some, _ = hosted.process()
        if rows.is_full:
            yield rows.take()
        if not some and not _refill(task, lags, feeds):
            break
    hosted.commit()


def _refill(task: Task, lags: dict[Partition, int], feeds: Mapping[Partition, Feed]) -> bool:
    """Give the next records of each queue that has run empty; tell whether one had."""
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


def run_together(hosted: list[Hosted], feeds: Mapping[Partition, Feed]) -> Iterator[pa.RecordBatch]:
    """Run tasks that feed each other; give what they write."""
    by_place = {place: one for one in hosted for place in one.plan.inputs}
    rows = hosted[0].outlet.rows
    busy: dict[Hosted, None] = {}

    def hand_out(records: list[tuple[Partition, RawRecord]]) -> None:
        for place, record in records:
            by_place[place].task.add_records(*place, (record,))
            busy[by_place[place]] = None

    def settle() -> Iterator[pa.RecordBatch]:
        while busy:
            # The first of those that are equal: the order of the tasks decides.
            one = min(sorted(busy, key=hosted.index), key=lambda one: one.task.next_timestamp())
            hand_out(one.process_one())
            if not one.task.has_records():
                busy.pop(one, None)
            if rows.is_full:
                yield rows.take()

    for record in _by_time(feeds):
        hand_out([record])
        yield from settle()
    # What a cache lets out may reach another task, whose cache then holds something again.
    while any(one.task.uncommitted for one in hosted):
        for one in hosted:
            hand_out(one.commit())
        yield from settle()


def _by_time(
    feeds: Mapping[Partition, Feed],
) -> Iterator[tuple[Partition, RawRecord]]:
    """Give the records of all feeds, always the one whose head has the smallest time."""
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
