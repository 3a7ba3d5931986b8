"""The records of one partition, one after the other, as long as no other partition is due.

In Python and in C (`fast/partition_run.c`): the same tests run on both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from penstock._clock import monotonic
from penstock._engine.fast.choice import compiled
from penstock._engine.metrics.counters import TaskCounters
from penstock._engine.runtime.input.record_queue import SKIPPED, RecordQueue
from penstock._engine.runtime.position import Position
from penstock._engine.runtime.records import HEADERS

Fail: TypeAlias = Callable[[RecordQueue, Exception], NoReturn]
"""`fail(queue, error)` takes the error that a record's processing raised, and raises in turn."""


def process_plainly(  # noqa: PLR0917 - as in C, which is given no names
    queue: RecordQueue,
    position: Position,
    counters: TaskCounters,
    fail: Fail,
    count: int,
    before: int,
    deadline: float,
) -> int:
    """Process the next record of a queue, and those that follow it and are of an earlier time than
    `before`, `count` at most, until the monotonic clock has passed `deadline`. Return how many
    there were. As in Java, the next head is decoded before the current record is processed.
    """
    process, advance = queue.process, queue.advance
    for done in range(count):
        head = queue.head
        if head is None:
            return done
        timestamp, key, value, raw = head
        if timestamp >= before and done:
            return done
        if done and monotonic() >= deadline:
            return done
        if timestamp > queue.partition_time:
            queue.partition_time = timestamp
        if timestamp > position.stream_time_ms:
            position.stream_time_ms = timestamp
        advance()
        if value is SKIPPED:
            continue
        position.raw = raw
        counters.processed += 1
        try:
            process(key, value, timestamp, raw[HEADERS])
        except Exception as error:
            fail(queue, error)
    return count


if TYPE_CHECKING:
    process_run = process_plainly
else:
    process_run = process_plainly if compiled is None else compiled.PartitionRun(SKIPPED).process
