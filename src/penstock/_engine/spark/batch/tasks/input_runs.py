"""Makes sorted runs of the rows of an input: the half of its shuffle before Spark moves anything.

A worker collects rows up to a number of bytes, finds their partitions, sorts them and returns a run
for each partition, in pieces that remember which sort they are of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import TaskContext

from penstock._engine.spark.batch.schemas import ARROW_HEADERS, RUNS_ARROW
from penstock._engine.spark.batch.tasks.arrow_records import partitions_of
from penstock._engine.spark.batch.tasks.sorted_runs import (
    by_content,
    run_bytes,
    together,
    without_empty_headers,
)

_SORTS_OF_A_TASK = 2**32
_BYTES_AT_ONCE = 32 * 1024 * 1024
_RUN_BYTES = 256 * 1024
"""Larger arrays are a burden to the JVM's garbage collector."""


def make_runs(
    partitions: int, bytes_at_once: int = _BYTES_AT_ONCE
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function that Spark runs on the rows of an input: timestamp, key, value, maybe
    partition, offset and headers. A record without a partition gets that of its key, or of its
    value where it has no key: Kafka's producers choose any partition then.
    """

    def make(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        context = TaskContext.get()
        # A Spark task that is run again has the same number: rows must not depend on chance.
        sort = _SORTS_OF_A_TASK * (0 if context is None else context.partitionId())
        held: list[pa.RecordBatch] = []
        size = 0
        for batch in batches:
            if batch.num_rows:
                held.append(_prepared(batch, partitions))
                size += held[-1].nbytes
            if size >= bytes_at_once:
                yield from _runs(held, sort)
                held, size, sort = [], 0, sort + 1
        if held:
            yield from _runs(held, sort)

    return make


def _prepared(batch: pa.RecordBatch, partitions: int) -> pa.RecordBatch:
    """Return a batch with its partitions and ranks, in the columns of runs."""
    names = batch.schema.names
    key, value = (_as(pa.binary(), batch.column(name)) for name in ("key", "value"))
    time = batch.column("timestamp")
    if "partition" in names:
        partition = batch.column("partition")
    else:
        partition = partitions_of(pc.coalesce(key, value) if key.null_count else key, partitions)
    columns = {"partition": partition, "rank": time, "timestamp": time, "key": key, "value": value}
    if "offset" in names:
        offset = batch.column("offset")
        columns |= {"rank": pc.coalesce(offset, time), "offset": offset}
    if "headers" in names:
        columns["headers"] = _as(ARROW_HEADERS, batch.column("headers"))
    return without_empty_headers(pa.RecordBatch.from_pydict(columns))


def _as(type_: pa.DataType, column: pa.Array) -> pa.Array:
    # Spark can be told to send large columns, and headers that cannot be null have a type apart.
    return column if column.type.equals(type_, check_metadata=True) else column.cast(type_)


def _runs(held: list[pa.RecordBatch], sort: int) -> Iterator[pa.RecordBatch]:
    rows = by_content(together(held), ["partition"])
    counts = pc.value_counts(rows.column("partition")).to_pylist()
    records, start, number = rows.drop_columns(["partition"]), 0, 0
    for count in sorted(counts, key=lambda one: one["values"]):
        of_partition = records.slice(start, count["counts"])
        start += count["counts"]
        for batch in of_partition.to_batches():
            for run in in_pieces(batch):
                made = [
                    pa.array([count["values"]], pa.int32()),
                    pa.array([-1 - sort], pa.int64()),
                    pa.array([number], pa.int64()),
                    one_value(run_bytes(run)),
                ]
                yield pa.RecordBatch.from_arrays(made, schema=RUNS_ARROW)
                number += 1


def in_pieces(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Yield a batch in pieces that the JVM moves with ease."""
    rows = max(1, _RUN_BYTES * batch.num_rows // max(batch.nbytes, 1))
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)


def one_value(data: pa.Buffer) -> pa.Array:
    """Return a column of one row, without a copy."""
    ends = pa.py_buffer(pa.array([0, len(data)], pa.int32()).buffers()[1])
    return pa.Array.from_buffers(pa.binary(), 1, [None, ends, data])
