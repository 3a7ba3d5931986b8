"""The outputs of the tasks of a Spark partition as rows, in Arrow batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from penstock._engine.runtime.stores.task_stores import TaskStore
from penstock._engine.spark.batch.schemas import (
    CHANGELOG,
    POSITION,
    RECORD,
    STORE,
    WRITTEN_ARROW,
)
from penstock.record import HeaderPairs

_BATCH_ROWS = 10_000


class Rows:
    """Collects rows; the caller takes a batch when it is full.

    Each record of a topic has a *rank*: the largest timestamp among the records that this Spark
    partition has sent to that partition of the topic so far. To order the records of several Spark
    partitions by rank is to take always the head with the smallest timestamp, as a task does with
    its queues; the order within each stays.
    """

    def __init__(self, spark_partition: int) -> None:
        self._spark_partition = spark_partition
        self._rows: list[tuple[Any, ...]] = []
        self._sequence = 0
        self._ranks: dict[tuple[str, int], int] = {}

    @property
    def is_full(self) -> bool:
        return len(self._rows) >= _BATCH_ROWS

    def add_record(
        self,
        place: tuple[str, int],
        key: bytes | None,
        value: bytes | None,
        timestamp: int,
        headers: HeaderPairs,
    ) -> None:
        """Add a record of a topic."""
        rank = self._ranks.get(place, timestamp)
        if timestamp >= rank:
            rank = self._ranks[place] = timestamp
        self._add(RECORD, place, rank, (key, value, timestamp, _pairs(headers), None, None))

    def add_changelog(
        self,
        place: tuple[str, int],
        key: bytes | None,
        value: bytes | None,
        timestamp: int,
        headers: HeaderPairs,
    ) -> None:
        """Add a record of a changelog; only one task writes its partition, in order."""
        self._add(CHANGELOG, place, 0, (key, value, timestamp, _pairs(headers), None, None))

    def add_store_row(
        self,
        place: tuple[str, int],
        key: bytes,
        value: bytes | None,
        timestamp: int | None,
        window: tuple[int | None, int | None],
    ) -> None:
        """Add a row of a store; `place` is its name and partition."""
        self._add(STORE, place, 0, (key, value, timestamp, None, *window))

    def add_position(
        self, place: tuple[str, int], next_offset: int, metadata: str, partition_time: int
    ) -> None:
        """Add how far a partition of an input was read."""
        kept = (None, metadata.encode(), partition_time, None, None, None)
        self._rows.append((POSITION, *place, self._spark_partition, 0, next_offset, *kept))

    def take(self) -> pa.RecordBatch:
        """Return the rows since the last call."""
        rows, self._rows = self._rows, []
        columns = zip(*rows, strict=True) if rows else ((),) * len(WRITTEN_ARROW)
        return pa.RecordBatch.from_arrays(
            [
                pa.array(column, field.type)
                for column, field in zip(columns, WRITTEN_ARROW, strict=True)
            ],
            schema=WRITTEN_ARROW,
        )

    def _add(self, kind: int, place: tuple[str, int], rank: int, rest: tuple[Any, ...]) -> None:
        self._rows.append((kind, *place, self._spark_partition, rank, self._sequence, *rest))
        self._sequence += 1


def add_store_rows(store: TaskStore, partition: int, rows: Rows) -> Iterator[pa.RecordBatch]:
    """Add the rows of a store; yield each full batch."""
    if store.rows is None:
        return
    place = store.name, partition
    for key, value, timestamp, start, end in store.rows():
        rows.add_store_row(place, key, value, timestamp, (start, end))
        if rows.is_full:
            yield rows.take()


def _pairs(headers: HeaderPairs) -> list[dict[str, Any]] | None:
    return [{"key": name, "value": content} for name, content in headers] if headers else None
