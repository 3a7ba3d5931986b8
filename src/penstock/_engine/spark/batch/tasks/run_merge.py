"""Merges sorted runs into one queue, with a few blocks of each run in memory.

In each round the rows that no later block can come before are taken from all queues and sorted
together: those up to the smallest last row that is held of a queue with more to read. Queues are
filled up before each round, so that a round has many rows of each. Queues that begin later are not
looked at; more than a few dozen are merged in groups first.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappush, heapreplace
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from penstock._engine.spark.batch.tasks.sorted_runs import (
    ContentKey,
    OpenRun,
    batches_in,
    by_content,
    content_key,
    together,
)

_BLOCK_ROWS = 8192
_BEGINNING_BYTES = 64
_QUEUES_AT_ONCE = 64
_ROWS_AT_ONCE = 65_536
_LEAST_ROWS = 256
_BYTES_AT_ONCE = 16 * 1024 * 1024

_Queue: TypeAlias = Iterator[pa.RecordBatch]


@dataclass(frozen=True, slots=True)
class ShelvedRun:
    """A run, and where it belongs among others of its partition."""

    sender: int
    """The number of the Spark task that has written it; below 0 that of the sort of an input."""
    number: int
    """Its place among the runs of its sender."""
    open: OpenRun


def merged(runs: Sequence[ShelvedRun]) -> Iterator[pa.RecordBatch]:
    """Yield the records of all runs of a partition in their order. All of them are of an input, or
    all of tasks.
    """
    senders: dict[int, list[ShelvedRun]] = {}
    for run in sorted(runs, key=lambda run: (run.sender, run.number)):
        senders.setdefault(run.sender, []).append(run)
    of_input = min(senders, default=0) < 0
    assert not of_input or max(senders) < 0, "a partition has runs of an input and of tasks"
    groups = _chains(list(senders.values())) if of_input else list(senders.values())
    shares = len(groups)
    queues = [_read(group) for group in groups]
    while len(queues) > _QUEUES_AT_ONCE:
        # Senders that follow each other stay together.
        queues = [
            _merge(queues[start : start + _QUEUES_AT_ONCE], of_input, shares)
            for start in range(0, len(queues), _QUEUES_AT_ONCE)
        ]
    yield from _merge(queues, of_input, shares)


def _chains(sorts: Sequence[list[ShelvedRun]]) -> list[list[ShelvedRun]]:
    """Return sorts of an input that do not overlap one after the other."""
    spans = [span for span in map(_span, sorts) if span is not None]
    chains: list[list[ShelvedRun]] = []
    ends: list[tuple[ContentKey, int]] = []
    """The last key of each chain and its index, a heap."""
    for first, last, pieces in sorted(spans, key=lambda span: span[0]):
        if ends and ends[0][0] < first:
            chains[ends[0][1]] += pieces
            heapreplace(ends, (last, ends[0][1]))
        else:
            heappush(ends, (last, len(chains)))
            chains.append(pieces)
    return chains


def _span(pieces: list[ShelvedRun]) -> tuple[ContentKey, ContentKey, list[ShelvedRun]] | None:
    """Return how the first and the last record of a sort begin; None if it is empty."""
    first = next((batch for batch in _read(pieces) if batch.num_rows), None)
    if first is None:
        return None
    last = next(
        batch
        for piece in reversed(pieces)
        for batch in reversed(list(batches_in(piece.open())))
        if batch.num_rows
    )
    return _beginning(_key_at(first, 0)), _beginning(_key_at(last, last.num_rows - 1)), pieces


def _beginning(key: ContentKey) -> ContentKey:
    """Cut a key: keys may be large. Of two that differ when cut, the lesser was less before."""
    rank, has_key, data, *_ = key
    return rank, has_key, data[:_BEGINNING_BYTES]


def _key_at(batch: pa.RecordBatch, row: int) -> ContentKey:
    return content_key(batch.slice(row, 1).to_pylist()[0])


def _read(runs: Iterable[ShelvedRun]) -> _Queue:
    for run in runs:
        yield from batches_in(run.open())


def _merge(queues: Sequence[_Queue], of_input: bool, shares: int) -> _Queue:
    """Yield the rows of queues in their order; memory is for `shares` queues."""
    if len(queues) == 1:
        for batch in queues[0]:
            yield from _cut(batch, 1)
        return
    waiting: list[_Cursor] = []
    for number, queue in enumerate(queues):
        cursor = _Cursor(queue, number, of_input, shares)
        if cursor.fill():
            insort(waiting, cursor, key=_first)
    while waiting:
        active, bound = _active(waiting)
        del waiting[: len(active)]
        # Equal ranks of several senders stay in the order of the senders.
        active.sort(key=lambda cursor: cursor.number)
        taken = [cursor.take(bound) for cursor in active]
        for batch in _in_order(taken, of_input):
            yield from _cut(batch, 1)
        for cursor in active:
            if cursor.fill():
                insort(waiting, cursor, key=_first)


def _cut(batch: pa.RecordBatch, shares: int) -> Iterator[pa.RecordBatch]:
    """Yield a batch in blocks, smaller ones where there are many queues or rows are large."""
    by_bytes = _BYTES_AT_ONCE // shares * batch.num_rows // max(batch.nbytes, 1)
    rows = max(1, min(_BLOCK_ROWS, _rows_of_share(shares), by_bytes))
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)


def _rows_of_share(shares: int) -> int:
    return max(_ROWS_AT_ONCE // shares, _LEAST_ROWS)


class _Cursor:
    """A queue that is being read: the blocks that are held, the first without what was taken."""

    def __init__(self, batches: _Queue, number: int, of_input: bool, shares: int) -> None:
        self.number = number
        self._of_input = of_input
        # A share is filled up when half of it is left.
        self._least_rows = _rows_of_share(2 * shares)
        self._least_bytes = _BYTES_AT_ONCE // (2 * shares)
        self._blocks = (block for batch in batches for block in _cut(batch, 2 * shares))
        self._held: deque[pa.RecordBatch] = deque()
        self._is_read = False
        self.first: Any = None
        self.last: Any = None
        """The key of the last row that is held; None if no rows come after it."""

    def fill(self) -> bool:
        """Hold enough rows for a round; return whether there are any."""
        rows, size = sum(one.num_rows for one in self._held), sum(one.nbytes for one in self._held)
        while not self._is_read and rows < self._least_rows and size < self._least_bytes:
            block = next(self._blocks, None)
            if block is None:
                self._is_read = True
            else:
                self._held.append(block)
                rows, size = rows + block.num_rows, size + block.nbytes
        if not self._held:
            return False
        end = self._held[-1]
        self.first = self._key(self._held[0], 0)
        self.last = None if self._is_read else self._key(end, end.num_rows - 1)
        return True

    def take(self, bound: Any) -> list[pa.RecordBatch]:
        """Return the rows up to `bound`, all if it is None."""
        taken: list[pa.RecordBatch] = []
        while self._held:
            block = self._held.popleft()
            rows = block.num_rows if bound is None else self._count(block, bound)
            if rows:
                taken.append(block.slice(0, rows))
            if rows < block.num_rows:
                self._held.appendleft(block.slice(rows))
                break
        return taken

    def _count(self, block: pa.RecordBatch, bound: Any) -> int:
        """Return how many rows of a block are not after `bound`."""
        count: int = block.num_rows
        if self._key(block, count - 1) <= bound:
            return count
        rank = block.column("rank")
        start = rank.offset
        ranks = memoryview(rank.buffers()[1]).cast("q")[start : start + len(rank)]
        # Rows are compared only where ranks are equal.
        low, high = bisect_left(ranks, bound[0]), bisect_right(ranks, bound[0])
        rows = range(low, high)
        return low + bisect_right(rows, bound, key=lambda row: self._key(block, row))

    def _key(self, block: pa.RecordBatch, row: int) -> Any:
        if self._of_input:
            return _key_at(block, row)
        return block.column("rank")[row].as_py(), self.number


def _first(cursor: _Cursor) -> Any:
    return cursor.first


def _active(waiting: Sequence[_Cursor]) -> tuple[list[_Cursor], Any]:
    """Return the cursors with rows for a round, and the key up to which they are taken: the
    smallest that a cursor with more to read has as its last. None is for all rows.
    """
    active: list[_Cursor] = []
    bound = None
    for cursor in waiting:
        if bound is not None and cursor.first > bound:
            break
        active.append(cursor)
        if cursor.last is not None:
            bound = cursor.last if bound is None else min(bound, cursor.last)
    return [cursor for cursor in active if bound is None or cursor.first <= bound], bound


def _in_order(taken: list[list[pa.RecordBatch]], of_input: bool) -> Iterator[pa.RecordBatch]:
    if len(taken) == 1:
        yield from taken[0]
        return
    rows = together([block for blocks in taken for block in blocks])
    if of_input:
        rows = by_content(rows)
    else:
        # The sort is stable.
        rows = rows.take(pc.sort_indices(rows, sort_keys=[("rank", "ascending")]))
    yield from rows.to_batches()
