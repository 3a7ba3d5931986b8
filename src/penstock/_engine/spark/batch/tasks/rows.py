"""What the tasks of a Spark partition write, as runs of rows.

Records are collected by kind, name and partition, column by column; each becomes a run for Spark.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from penstock._engine.runtime.records import Output
from penstock._engine.runtime.stores.task_stores import TaskStore
from penstock._engine.spark.batch.schemas import (
    ARROW_HEADERS,
    POSITION,
    RECORD,
    STORE,
    WRITTEN_ARROW,
)
from penstock._engine.spark.batch.tasks.input_runs import in_pieces
from penstock._engine.spark.batch.tasks.record_columns import RecordColumns, add_outputs, batch_of
from penstock._engine.spark.batch.tasks.sorted_runs import run_bytes
from penstock.record import HeaderPairs

_BATCH_BYTES = 16 * 1024 * 1024
_RECORD_BYTES = 32
"""Of a record beside its key, value and headers."""
_ROW_BYTES = 256
"""Of another row, which is a tuple, beside its keys and values."""

Place: TypeAlias = tuple[int, str, int]
"""(kind, name, partition)."""

_LONG, _BYTES = pa.int64(), pa.binary()
_COLUMNS = {
    STORE: {"key": _BYTES, "value": _BYTES, "timestamp": _LONG, "start": _LONG, "end": _LONG},
    POSITION: {"next_offset": _LONG, "metadata": _BYTES, "partition_time": _LONG},
}


class Rows:
    """Collects rows; the caller takes a batch of runs when it is full, of the places that have
    most: where there are many partitions, runs of all would be small.

    Each record of a topic has a *rank*: the largest timestamp among the records that this Spark
    partition has sent to that partition of the topic so far. To order the records of several Spark
    partitions by rank is to take always the head with the smallest timestamp, as a task does with
    its queues; the order within each stays.
    """

    def __init__(self, spark_partition: int) -> None:
        self._spark_partition = spark_partition
        self.places: dict[str, list[RecordColumns | None]] = {}
        """Of topics whose outputs are records and nothing else: the columns of each partition."""
        self._records: dict[Place, RecordColumns] = {}
        self._headers: dict[Place, dict[int, HeaderPairs]] = {}
        """By row: few records have any."""
        self._others: dict[Place, list[tuple[Any, ...]]] = {}
        self._numbers: dict[Place, int] = {}
        self._most_records = 0
        """Not less than the number of records: outputs that are skipped count until it is needed
        exactly.
        """
        self._record_bytes = self._other_bytes = 0

    @property
    def is_full(self) -> bool:
        """Whether rows take so much memory that some should be taken."""
        if self._most_bytes() < _BATCH_BYTES:
            return False
        self._most_records = sum(one.rows for one in self._records.values())
        return self._most_bytes() >= _BATCH_BYTES

    def add_outputs(self, outputs: list[Output], first: int, skipped: set[str]) -> int:
        """Add the records of `places` among outputs, from the `first` on, without those of
        `skipped` topics; return the number of the first that is another, or unusual.
        """
        end, size = add_outputs(outputs, first, skipped, self.places)
        self._most_records += end - first
        self._record_bytes += size
        return end

    def add_record(
        self,
        place: tuple[str, int],
        key: bytes | None,
        value: bytes | None,
        timestamp: int,
        headers: HeaderPairs,
        *,
        kind: int = RECORD,
    ) -> None:
        """Add a record of a topic, or of a changelog."""
        records = self._records.get((kind, *place))
        if records is None:
            records = self._records[(kind, *place)] = RecordColumns()
            of_topic = self.places.get(place[0])
            if of_topic is not None and 0 <= place[1] < len(of_topic):
                of_topic[place[1]] = records
        if headers:
            self._headers.setdefault((kind, *place), {})[records.rows] = headers
            self._record_bytes += _bytes_of(headers)
        records.append(key, value, timestamp)
        self._most_records += 1
        self._record_bytes += len(key or b"") + len(value or b"")

    def add_store_row(
        self,
        place: tuple[str, int],
        key: bytes,
        value: bytes | None,
        timestamp: int | None,
        window: tuple[int | None, int | None],
    ) -> None:
        """Add a row of a store; `place` is its name and partition."""
        self._add(STORE, place, (key, value, timestamp, *window))
        self._other_bytes += len(key) + (0 if value is None else len(value))

    def add_position(
        self, place: tuple[str, int], next_offset: int, metadata: str, partition_time: int
    ) -> None:
        """Add how far a partition of an input was read."""
        self._add(POSITION, place, (next_offset, metadata.encode(), partition_time))

    def take(self) -> pa.RecordBatch:
        """Return all rows that are held: kind, name, partition, spark_partition, number (of the
        first row among those of the same place) and run.
        """
        return _batch(self._write(1))

    def take_most(self) -> pa.RecordBatch:
        """Return the rows of the places that have many, in the same way; this is not full then."""
        counts = [one.rows for one in self._records.values() if one.rows]
        # The rows of the others are less than half of all.
        written = self._write(max(1, sum(counts) // (2 * max(1, len(counts)))))
        if self.is_full:
            # Those are large.
            written += self._write(1)
        return _batch(written)

    def _write(self, least: int) -> list[tuple[Any, ...]]:
        """Return runs of the records of places with at least so many, and of all other rows."""
        batches = [
            (place, self._taken(place, one))
            for place, one in self._records.items()
            if one.rows >= least
        ]
        for place, rows in self._others.items():
            types = _COLUMNS[place[0]]
            columns = zip(types.items(), zip(*rows, strict=True), strict=True)
            made = {name: pa.array(column, type_) for (name, type_), column in columns}
            batches.append((place, pa.RecordBatch.from_pydict(made)))
        self._others.clear()
        self._other_bytes = 0
        written = []
        for place, batch in batches:
            for piece in in_pieces(batch):
                number = self._numbers.get(place, 0)
                self._numbers[place] = number + piece.num_rows
                written.append(
                    (*place, self._spark_partition, number, run_bytes(piece).to_pybytes())
                )
        return written

    def _taken(self, place: Place, records: RecordColumns) -> pa.RecordBatch:
        batch = batch_of(records.take())
        self._most_records -= batch.num_rows
        for name in ("key", "value"):
            self._record_bytes -= pc.sum(pc.binary_length(batch.column(name))).as_py() or 0
        headers = self._headers.pop(place, None)
        if headers is None:
            return batch
        self._record_bytes -= sum(map(_bytes_of, headers.values()))
        pairs = [_pairs(headers.get(row)) for row in range(batch.num_rows)]
        return batch.append_column("headers", pa.array(pairs, ARROW_HEADERS))

    def _add(self, kind: int, place: tuple[str, int], row: tuple[Any, ...]) -> None:
        self._others.setdefault((kind, *place), []).append(row)
        self._other_bytes += _ROW_BYTES

    def _most_bytes(self) -> int:
        return self._record_bytes + _RECORD_BYTES * self._most_records + self._other_bytes


def add_store_rows(store: TaskStore, partition: int, rows: Rows) -> Iterator[pa.RecordBatch]:
    """Add the rows of a store; yield each full batch."""
    if store.rows is None:
        return
    place = store.name, partition
    for key, value, timestamp, start, end in store.rows():
        rows.add_store_row(place, key, value, timestamp, (start, end))
        if rows.is_full:
            yield rows.take_most()


def _batch(written: list[tuple[Any, ...]]) -> pa.RecordBatch:
    columns = zip(*written, strict=True) if written else ((),) * len(WRITTEN_ARROW)
    return pa.RecordBatch.from_arrays(
        [
            pa.array(column, field.type)
            for column, field in zip(columns, WRITTEN_ARROW, strict=True)
        ],
        schema=WRITTEN_ARROW,
    )


def _bytes_of(headers: HeaderPairs) -> int:
    return sum(_RECORD_BYTES + len(name) + len(content or b"") for name, content in headers)


def _pairs(headers: HeaderPairs | None) -> list[dict[str, Any]] | None:
    return [{"key": name, "value": content} for name, content in headers] if headers else None
