"""The input queues of the tasks of a Spark partition, from the sorted runs that Spark brings.

A task needs the heads of all its queues at once, to take the one with the smallest timestamp, and
Spark brings runs in any order. So all runs are shelved first, in a file beyond a few megabytes;
then each queue is merged as it is read. Memory holds a block of each run, as Spark brought it, and
a batch of records of each queue.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa

from penstock._engine.planner.tasks import Partition
from penstock._engine.runtime.records import RawRecord
from penstock._engine.spark.batch.schemas import FIRST_ROW
from penstock._engine.spark.batch.tasks.arrow_records import raw_records
from penstock._engine.spark.batch.tasks.run_merge import ShelvedRun, merged
from penstock._engine.spark.batch.tasks.sorted_runs import RunShelf
from penstock._engine.spark.batch.tasks.topic_feeds import in_equal_batches
from penstock.errors import StreamsError

Place: TypeAlias = tuple[int, int]
"""(index of the topic in the stage, partition)."""
Feed: TypeAlias = Iterator[list[RawRecord]]

_BATCH_BYTES = 16 * 1024 * 1024
"""Of the values of a batch."""
_ROWS_AT_ONCE = 1024
"""They are records, which take several times the memory, before a batch needs all of them."""


class Feeds:
    """The queues of one Spark partition; `folder` is for the runs that memory does not hold."""

    def __init__(
        self,
        batches: Iterable[pa.RecordBatch],
        topics: Sequence[str],
        global_topics: Sequence[str],
        folder: Path,
    ) -> None:
        self._topics = topics
        self._global_topics = global_topics
        self._runs: dict[Place, list[ShelvedRun]] = {}
        self.spark_partition = -1
        self._shelf = RunShelf(folder)
        for batch in batches:
            self._add(batch)
        assert self.spark_partition >= 0, "the row that begins a Spark partition is missing"

    def global_records(self) -> Iterator[tuple[Partition, list[RawRecord]]]:
        """Yield the records of the global tables' topics."""
        for place in sorted(place for place in self._runs if place[0] < 0):
            for raws in self._feed(place):
                yield (self._global_topics[-1 - place[0]], place[1]), raws

    def open(self, places: Iterable[Partition]) -> dict[Partition, Feed]:
        """Return the feed of each partition that has records.

        Raises:
            StreamsError: there are records of another partition, which would be lost.
        """
        by_place = {
            (self._topics.index(topic), number): (topic, number) for topic, number in places
        }
        left = sorted(place for place in self._runs if place[0] >= 0 and place not in by_place)
        if left:
            topic, number = self._topics[left[0][0]], left[0][1]
            msg = (
                f"there are records for partition {number} of topic {topic!r}, which no task reads"
            )
            raise StreamsError(msg)
        return {
            partition: self._feed(place)
            for place, partition in sorted(by_place.items())
            if place in self._runs
        }

    def close(self) -> None:
        """Close the file of runs."""
        self._shelf.close()

    def _add(self, batch: pa.RecordBatch) -> None:
        inputs = batch.column("input").to_pylist()
        if FIRST_ROW in inputs:
            self.spark_partition = batch.column("partition")[inputs.index(FIRST_ROW)].as_py()
            batch = batch.filter(batch.column("run").is_valid())
            inputs = batch.column("input").to_pylist()
        places = zip(inputs, batch.column("partition").to_pylist(), strict=True)
        senders, numbers = batch.column("sender").to_pylist(), batch.column("number").to_pylist()
        runs = self._shelf.keep(batch.column("run"))
        for place, sender, number, run in zip(places, senders, numbers, runs, strict=True):
            self._runs.setdefault(place, []).append(ShelvedRun(sender, number, run))

    def _feed(self, place: Place) -> Feed:
        """Return the records of a queue in batches that do not depend on how Spark has cut them."""
        return in_equal_batches(self._blocks(place), most_bytes=_BATCH_BYTES)

    def _blocks(self, place: Place) -> Feed:
        """Yield the records of a queue; without offsets they are numbered from 0."""
        next_offset = 0
        for block in merged(self._runs.pop(place)):
            for start in range(0, block.num_rows, _ROWS_AT_ONCE):
                raws = raw_records(block.slice(start, _ROWS_AT_ONCE), next_offset)
                next_offset += len(raws)
                yield raws
