"""Queues of a task: which record comes next, and when the task waits."""

from __future__ import annotations

from typing import Any

import pytest

from penstock._engine.metrics.counters import TaskCounters
from penstock._engine.planner.tasks import Partition
from penstock._engine.runtime.input.record_queue import SKIPPED, RecordQueue, RecordQueues
from penstock._engine.runtime.records import RawRecord
from penstock._engine.topology.nodes.stream_nodes import SourceNode

SOURCE = SourceNode("source", ("a", "b", "c"), None, None, None, None, None, None)
BAD = -1


def raw(offset: int, timestamp: int) -> RawRecord:
    return (offset, timestamp, b"k", b"v", ())


def queue(topic: str = "a") -> RecordQueue:
    """A queue that cannot read records with a negative timestamp."""

    def admit(record: RawRecord, partition_time: int) -> Any:
        return None if record[1] == BAD else (record[1], record[2], record[3])

    return RecordQueue(SOURCE, topic, 0, admit, lambda *record: None)


def queues(
    *topics: str, idle_ms: int = 0, lags: dict[Partition, int] | None = None
) -> RecordQueues:
    opened = RecordQueues(idle_ms, TaskCounters())
    for topic in topics:
        opened.open(queue(topic))
    opened.lags = {(topic, 0): 0 for topic in topics} if lags is None else lags
    return opened


def fill(opened: RecordQueues, **timestamps: list[int]) -> None:
    for topic, times in timestamps.items():
        opened.add(topic, 0, [raw(offset, time) for offset, time in enumerate(times)])


def take_all(opened: RecordQueues) -> list[tuple[str, int]]:
    taken = []
    while opened.has_records():
        next_queue = opened.next()
        taken.append((next_queue.topic, next_queue.timestamp))
        next_queue.advance()
        opened.put_back(next_queue)
    return taken


# One queue


def test_the_head_is_decoded_and_the_rest_waits() -> None:
    one = queue()
    one.add([raw(0, 7), raw(1, 5)])
    assert one.head == (7, b"k", b"v", raw(0, 7))
    assert len(one) == 2


def test_offset_order_beats_time_within_a_partition() -> None:
    one = queue()
    one.add([raw(0, 7), raw(1, 5)])
    one.advance()
    assert one.timestamp == 5


def test_bad_records_before_a_good_one_are_skipped() -> None:
    one = queue()
    one.add([raw(0, BAD), raw(1, BAD), raw(2, 5)])
    assert (one.head, one.committable_offset()) == ((5, b"k", b"v", raw(2, 5)), 2)


def test_if_all_are_bad_the_last_stands_in_for_them() -> None:
    one = queue()
    one.add([raw(0, BAD), raw(1, BAD)])
    assert (one.head, len(one), one.committable_offset()) == (
        (-1, None, SKIPPED, raw(1, BAD)),
        1,
        1,
    )
    one.advance()
    assert (len(one), one.committable_offset()) == (0, 2)


def test_the_offset_to_commit_is_that_of_the_next_record() -> None:
    one = queue()
    assert one.committable_offset() is None
    one.add([raw(4, 5), raw(9, 5)])
    assert one.committable_offset() == 4
    one.advance()
    assert one.committable_offset() == 9
    one.advance()
    assert one.committable_offset() == 10


def test_adding_nothing_changes_nothing() -> None:
    one = queue()
    one.add([])
    assert (len(one), one.committable_offset()) == (0, None)


# The choice


def test_the_smallest_time_comes_first() -> None:
    opened = queues("a", "b")
    fill(opened, a=[3, 4], b=[1, 9, 2])
    assert take_all(opened) == [("b", 1), ("a", 3), ("a", 4), ("b", 9), ("b", 2)]


def test_ties_are_broken_as_a_binary_heap_does() -> None:
    opened = queues("a", "b", "c")
    fill(opened, a=[5, 5], b=[5], c=[5])
    assert take_all(opened) == [("a", 5), ("c", 5), ("a", 5), ("b", 5)]


def test_a_stand_in_goes_before_everything() -> None:
    opened = queues("a", "b")
    fill(opened, a=[0], b=[BAD])
    assert take_all(opened) == [("b", BAD), ("a", 0)]


def test_length_counts_all_records() -> None:
    opened = queues("a", "b")
    fill(opened, a=[1, 2], b=[3])
    assert len(opened) == 3


# Waiting, of a task whose partition "b" is empty


@pytest.mark.parametrize(
    ("idle_ms", "lag_of_b", "ready_at"),
    [
        (-1, 0, 0),
        (-1, 5, 0),
        (-1, None, 0),
        (0, 0, 0),
        (0, 5, None),
        (0, None, None),
        (100, 0, 100),
        (100, 5, None),
        (100, None, None),
    ],
)
def test_when_a_task_goes_on_without_an_empty_partition(
    idle_ms: int, lag_of_b: int | None, ready_at: int | None
) -> None:
    lags = {("a", 0): 0} if lag_of_b is None else {("a", 0): 0, ("b", 0): lag_of_b}
    opened = queues("a", "b", idle_ms=idle_ms, lags=lags)
    fill(opened, a=[1])
    when = next((now for now in range(0, 300, 50) if opened.ready(now)), None)
    assert when == ready_at


@pytest.mark.parametrize("idle_ms", [-1, 0, 100])
def test_no_record_no_work(idle_ms: int) -> None:
    assert not any(queues("a", "b", idle_ms=idle_ms).ready(now) for now in (0, 1000))


@pytest.mark.parametrize("idle_ms", [-1, 0, 100])
def test_with_records_everywhere_nothing_waits(idle_ms: int) -> None:
    opened = queues("a", "b", idle_ms=idle_ms, lags={})
    fill(opened, a=[1], b=[2])
    assert opened.ready(0)


def test_the_deadline_starts_anew_when_a_partition_was_filled_meanwhile() -> None:
    opened = queues("a", "b", idle_ms=100)
    fill(opened, a=[1, 2, 3])
    assert not opened.ready(0)
    fill(opened, b=[0])
    assert opened.ready(90)
    taken = opened.next()
    taken.advance()
    opened.put_back(taken)
    assert not opened.ready(120)
    assert opened.ready(220)


def test_going_on_without_an_empty_partition_is_counted() -> None:
    counters = TaskCounters()
    opened = RecordQueues(0, counters)
    for topic in ("a", "b"):
        opened.open(queue(topic))
    opened.lags = {("a", 0): 0, ("b", 0): 0}
    fill(opened, a=[1])
    assert opened.ready(0)
    assert counters.enforced_processing == 1
