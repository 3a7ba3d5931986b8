"""Splits the rows of a Spark partition into the input queues of its tasks.

Rows come ordered by topic, partition and order in the partition. A task needs the heads of all its
queues at once, to take the one with the smallest timestamp. So all queues but the last are spooled
to files and read back; the last one, of most tasks the only one, is streamed. Memory holds at most
a batch of each queue.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa

from penstock._engine.planner.tasks import Partition
from penstock._engine.runtime.records import RawRecord
from penstock._engine.spark.batch.schemas import FIRST_ROW

Place: TypeAlias = tuple[int, int]
"""(index of the topic in the stage, partition)."""
Feed: TypeAlias = Iterator[list[RawRecord]]

_NO_HEADERS: tuple[Any, ...] = ()


def queue_slices(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[Place, pa.RecordBatch]]:
    """Cut batches where another queue begins; yield the slices with their queues."""
    for batch in batches:
        inputs = batch.column("input").to_pylist()
        partitions = batch.column("partition").to_pylist()
        start = 0
        while start < len(inputs):
            place = inputs[start], partitions[start]
            end = len(inputs)
            if (inputs[-1], partitions[-1]) != place:
                end = next(
                    row
                    for row in range(start, len(inputs))
                    if (inputs[row], partitions[row]) != place
                )
            yield place, batch.slice(start, end - start)
            start = end


class Feeds:
    """The queues of one Spark partition. `global_records` must be read through before `open`."""

    def __init__(
        self,
        batches: Iterable[pa.RecordBatch],
        topics: Sequence[str],
        global_topics: Sequence[str],
    ) -> None:
        self._topics = topics
        self._global_topics = global_topics
        self._slices = queue_slices(batches)
        self._ahead: tuple[Place, pa.RecordBatch] | None = None
        (kind, self.spark_partition), _ = next(self._slices)
        assert kind == FIRST_ROW, kind

    def global_records(self) -> Iterator[tuple[Partition, list[RawRecord]]]:
        """Yield the records of the global tables' topics, which come before all others."""
        offsets: dict[Place, int] = {}
        for place, batch in self._slices:
            if place[0] >= 0:
                self._ahead = place, batch
                return
            raws = raw_records(batch, offsets.get(place, 0))
            offsets[place] = offsets.get(place, 0) + len(raws)
            yield (self._global_topics[-1 - place[0]], place[1]), raws

    def open(self, places: Iterable[Partition], folder: Path) -> dict[Partition, Feed]:
        """Return the feed of each partition that has records; all but the last are spooled to
        `folder` first.
        """
        expected = sorted((self._topics.index(topic), number) for topic, number in places)
        feeds: dict[Partition, Feed] = {}
        spool: _Spool | None = None
        for place, batch in self._rest():
            if expected and place == expected[-1]:
                feeds[self._named(place)] = _numbered(self._streamed(batch))
                break
            if spool is None or spool.place != place:
                if spool is not None:
                    spool.close()
                spool = _Spool(place, folder / f"{place[0]}_{place[1]}.arrow", batch.schema)
                feeds[self._named(place)] = _numbered(spool.read())
            spool.write(batch)
        if spool is not None:
            spool.close()
        return feeds

    def _rest(self) -> Iterator[tuple[Place, pa.RecordBatch]]:
        ahead = [] if self._ahead is None else [self._ahead]
        self._ahead = None
        # Not a generator: closing a half-read one would close the slices, too.
        return chain(ahead, self._slices)

    def _streamed(self, first: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        yield first
        for _, batch in self._slices:
            yield batch

    def _named(self, place: Place) -> Partition:
        return self._topics[place[0]], place[1]


class _Spool:
    """A queue in a file: written first, then read."""

    def __init__(self, place: Place, path: Path, schema: pa.Schema) -> None:
        self.place = place
        self._path = path
        self._file = pa.OSFile(str(path), "wb")
        self._writer = pa.ipc.new_stream(self._file, schema)

    def write(self, batch: pa.RecordBatch) -> None:
        self._writer.write_batch(batch)

    def close(self) -> None:
        self._writer.close()
        self._file.close()

    def read(self) -> Iterator[pa.RecordBatch]:
        with pa.memory_map(str(self._path)) as file, pa.ipc.open_stream(file) as reader:
            yield from reader
        self._path.unlink()


def _numbered(batches: Iterable[pa.RecordBatch]) -> Feed:
    """Yield the records of the batches; without offsets they are numbered from 0."""
    next_offset = 0
    for batch in batches:
        raws = raw_records(batch, next_offset)
        next_offset += len(raws)
        yield raws


def raw_records(batch: pa.RecordBatch, next_offset: int) -> list[RawRecord]:
    """Return the rows of a batch as raw records."""
    offsets = batch.column("offset")
    numbers = (
        offsets.to_pylist()
        if not offsets.null_count
        else range(next_offset, next_offset + batch.num_rows)
    )
    return list(
        zip(
            numbers,
            batch.column("timestamp").to_pylist(),
            batch.column("key").to_pylist(),
            batch.column("value").to_pylist(),
            _headers(batch.column("headers")),
            strict=True,
        )
    )


def _headers(column: pa.Array) -> Iterable[Any]:
    if not len(column.flatten()):
        return [_NO_HEADERS] * len(column)
    return [
        tuple((header["key"], header["value"]) for header in headers or ())
        for headers in column.to_pylist()
    ]
