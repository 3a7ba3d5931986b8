"""The records of one partition, one after the other, as long as no other partition is due.

Twice: in Python, which works everywhere, and in C (`_stretch.c`), which is there if a C compiler
was when Penstock was installed. Both do the same, and the same tests are run on both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from penstock._clock import monotonic
from penstock._engine.metrics.counters import TaskCounters
from penstock._engine.runtime.input.record_queue import SKIPPED, RecordQueue
from penstock._engine.runtime.position import Position
from penstock._engine.runtime.records import HEADERS

Fail: TypeAlias = Callable[[RecordQueue, Exception], NoReturn]
"""`fail(queue, error)` is told what the processing of a record has raised, and raises."""


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
    `before`, `count` at most, until the monotonic clock has passed `deadline`; a head is decoded
    before the one before it is processed, as in Java. Return how many there were.
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


def is_compiled() -> bool:
    """Tell whether there is the form in C."""
    return process_stretch is not process_plainly


if TYPE_CHECKING:
    process_stretch = process_plainly
else:
    try:
        from penstock._engine.fast import _stretch
    except ImportError:
        process_stretch = process_plainly
    else:
        process_stretch = _stretch.process_stretch
