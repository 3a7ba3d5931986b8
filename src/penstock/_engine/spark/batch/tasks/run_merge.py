"""Merges sorted runs into one queue, with a block of each run in memory.

In each round the rows that no later block can come before are taken from all runs and sorted
together: those up to the smallest last row of the blocks. Runs that begin later are not looked at.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappush, heapreplace
from typing import Any, Final

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

INPUT: Final = -1
"""The sender of runs of an input."""

_BLOCK_ROWS = 8192
_BEGINNING_BYTES = 64
_ROWS_AT_ONCE = 65_536
_BYTES_AT_ONCE = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ShelvedRun:
    """A run, and where it belongs among others of its partition."""

    sender: int
    """The number of the Spark task that has written it, or `INPUT`."""
    number: int
    """Its place among the runs of its sender."""
    open: OpenRun


def merged(runs: Sequence[ShelvedRun]) -> Iterator[pa.RecordBatch]:
    """Yield the records of all runs of a partition in their order."""
    queues = _queues(runs)
    if len(queues) == 1:
        for batch in _read(queues[0]):
            yield from _cut(batch, 1)
        return
    waiting: list[_Cursor] = []
    for queue in queues:
        cursor = _Cursor(_read(queue), queue[0].sender, len(queues))
        if cursor.advance():
            insort(waiting, cursor, key=_first)
    while waiting:
        active, bound = _active(waiting)
        del waiting[: len(active)]
        # Equal ranks of several senders stay in the order of the senders.
        active.sort(key=lambda cursor: cursor.sender)
        yield from _in_order([cursor.take(bound) for cursor in active], active[0].sender)
        for cursor in active:
            if cursor.advance():
                insort(waiting, cursor, key=_first)


def _queues(runs: Sequence[ShelvedRun]) -> list[list[ShelvedRun]]:
    """Return runs that follow each other as one queue: those of a sender, and those of an input
    that do not overlap.
    """
    senders: dict[int, list[ShelvedRun]] = {}
    for run in sorted(runs, key=lambda run: (run.sender, run.number)):
        senders.setdefault(run.sender, []).append(run)
    return _chains(senders.pop(INPUT, [])) + list(senders.values())


def _chains(runs: Sequence[ShelvedRun]) -> list[list[ShelvedRun]]:
    spans = [span for span in map(_span, runs) if span is not None]
    chains: list[list[ShelvedRun]] = []
    ends: list[tuple[ContentKey, int]] = []
    """The last key of each chain and its index, a heap."""
    for first, last, run in sorted(spans, key=lambda span: span[0]):
        if ends and ends[0][0] < first:
            chains[ends[0][1]].append(run)
            heapreplace(ends, (last, ends[0][1]))
        else:
            heappush(ends, (last, len(chains)))
            chains.append([run])
    return chains


def _span(run: ShelvedRun) -> tuple[ContentKey, ContentKey, ShelvedRun] | None:
    """Return how the keys of the first and the last record of a run begin; None if it is empty."""
    batches = [batch for batch in batches_in(run.open()) if batch.num_rows]
    if not batches:
        return None
    last = batches[-1].num_rows - 1
    return _beginning(_key_at(batches[0], 0)), _beginning(_key_at(batches[-1], last)), run


def _beginning(key: ContentKey) -> ContentKey:
    """Cut a key: there are many, and values may be large. What is less stays less."""
    return tuple(part[:_BEGINNING_BYTES] if isinstance(part, bytes) else part for part in key[:-1])


def _key_at(batch: pa.RecordBatch, row: int) -> ContentKey:
    return content_key(batch.slice(row, 1).to_pylist()[0])


def _read(runs: Iterable[ShelvedRun]) -> Iterator[pa.RecordBatch]:
    for run in runs:
        yield from batches_in(run.open())


def _cut(batch: pa.RecordBatch, queues: int) -> Iterator[pa.RecordBatch]:
    """Yield a batch in blocks, smaller ones where there are many queues or rows are large."""
    by_rows = max(_ROWS_AT_ONCE // queues, 256)
    by_bytes = _BYTES_AT_ONCE // queues * batch.num_rows // max(batch.nbytes, 1)
    rows = max(1, min(_BLOCK_ROWS, by_rows, by_bytes))
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)


class _Cursor:
    """A queue that is being read: its current block, of which a part may have been taken."""

    def __init__(self, batches: Iterator[pa.RecordBatch], sender: int, queues: int) -> None:
        self.sender = sender
        self._blocks = (block for batch in batches for block in _cut(batch, queues))
        self._block: pa.RecordBatch | None = None
        self.first: Any = None
        self.last: Any = None

    def advance(self) -> bool:
        """Go to the next rows; return whether there are any."""
        if self._block is None or not self._block.num_rows:
            self._block = next(self._blocks, None)
            if self._block is None:
                return False
            self.last = self._key(self._block.num_rows - 1)
        self.first = self._key(0)
        return True

    def take(self, bound: Any) -> pa.RecordBatch:
        """Return the rows up to `bound`."""
        block = self._block
        assert block is not None
        low, high = 0, block.num_rows
        if self.last <= bound:
            low = high
        while low < high:
            middle = (low + high) // 2
            if self._key(middle) <= bound:
                low = middle + 1
            else:
                high = middle
        self._block = block.slice(low)
        return block.slice(0, low)

    def _key(self, row: int) -> Any:
        assert self._block is not None
        if self.sender != INPUT:
            return self._block.column("rank")[row].as_py(), self.sender
        return _key_at(self._block, row)


def _first(cursor: _Cursor) -> Any:
    return cursor.first


def _active(waiting: Sequence[_Cursor]) -> tuple[list[_Cursor], Any]:
    """Return the cursors with rows up to the smallest last row of a block, and that row's key."""
    active: list[_Cursor] = []
    bound = waiting[0].last
    for cursor in waiting:
        if cursor.first > bound:
            break
        active.append(cursor)
        bound = min(bound, cursor.last)
    return [cursor for cursor in active if cursor.first <= bound], bound


def _in_order(parts: list[pa.RecordBatch], sender: int) -> Iterator[pa.RecordBatch]:
    if len(parts) == 1:
        yield parts[0]
        return
    rows = together(parts)
    if sender == INPUT:
        rows = by_content(rows)
    else:
        # The sort is stable.
        rows = rows.take(pc.sort_indices(rows, sort_keys=[("rank", "ascending")]))
    yield from rows.to_batches()
