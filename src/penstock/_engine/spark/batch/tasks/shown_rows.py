"""Takes what stages have written out of its runs: rows for the user, in a Python worker.

Records of a topic get their offsets here. A partition of it may have been written by many Spark
tasks: all its runs come to one worker, which merges them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from penstock._engine.spark.batch.schemas import ARROW_HEADERS, LAST_MILLISECOND
from penstock._engine.spark.batch.tasks.local_state import local_root
from penstock._engine.spark.batch.tasks.run_merge import ShelvedRun, merged
from penstock._engine.spark.batch.tasks.sorted_runs import RunShelf, batches_in

Show: TypeAlias = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]

SENDERS_OF_A_STAGE = 2**32


def show_records(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the records of all topics in the runs of a Spark partition, with their offsets: rows of
    `RECORDS`. The columns of a run are `FEED_COLUMNS`, with `name` in the place of `input`.
    """
    for (topic, partition), offset, batch in numbered_records(batches):
        topics = pa.repeat(pa.scalar(topic, pa.string()), batch.num_rows)
        columns = _record_columns(batch, partition, offset)
        yield pa.RecordBatch.from_pydict({"topic": topics, **columns})


def show_topic(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the same without the column of the topic."""
    for (_, partition), offset, batch in numbered_records(batches):
        yield pa.RecordBatch.from_pydict(_record_columns(batch, partition, offset))


def numbered_records(
    batches: Iterable[pa.RecordBatch],
) -> Iterator[tuple[tuple[str, int], int, pa.RecordBatch]]:
    """Yield topic and partition, the offset of the first record, and records in their order."""
    with (
        TemporaryDirectory(prefix="penstock-", dir=local_root()) as folder,
        closing(RunShelf(Path(folder))) as shelf,
    ):
        places: dict[tuple[str, int], list[ShelvedRun]] = {}
        for batch in batches:
            columns = [batch.column(at).to_pylist() for at in range(4)]
            runs = shelf.keep(batch.column("run"))
            for name, partition, sender, number, run in zip(*columns, runs, strict=True):
                places.setdefault((name, partition), []).append(ShelvedRun(sender, number, run))
        for place in sorted(places):
            offset = 0
            for batch in merged(places.pop(place)):
                yield place, offset, batch
                offset += batch.num_rows


def _record_columns(batch: pa.RecordBatch, partition: int, offset: int) -> dict[str, pa.Array]:
    rows = batch.num_rows
    has_headers = "headers" in batch.schema.names
    return {
        "key": batch.column("key"),
        "value": batch.column("value"),
        "timestamp": as_times(batch.column("timestamp")),
        "headers": batch.column("headers") if has_headers else pa.nulls(rows, ARROW_HEADERS),
        "partition": pa.repeat(pa.scalar(partition, pa.int32()), rows),
        "offset": _counted(offset, rows),
    }


def as_times(milliseconds: pa.Array) -> pa.Array:
    """Return milliseconds as timestamps of Spark; null beyond the last and the first it knows."""
    last = pa.scalar(LAST_MILLISECOND, pa.int64())
    known = pc.and_(
        pc.less_equal(milliseconds, last), pc.greater_equal(milliseconds, pc.negate(last))
    )
    kept = pc.if_else(known, milliseconds, pa.scalar(None, pa.int64()))
    return pc.multiply(kept, 1000).view(pa.timestamp("us", "UTC"))


def show_rows(columns: Sequence[str], name: str, numbered: str | None = None) -> Show:
    """Return a function that yields the rows in runs as they are: their name, as column `name`,
    their partition, and `columns`; `numbered` is the name of a column of running numbers.
    """

    def show(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows = batch.select(["name", "partition", "number"]).to_pylist()
            for row, run in zip(rows, batch.column("run"), strict=True):
                place, number = (row["name"], row["partition"]), row["number"]
                for opened in batches_in(run.as_buffer()):
                    count = {}
                    if numbered is not None:
                        count = {numbered: _counted(number, opened.num_rows)}
                        number += opened.num_rows
                    yield _placed(place, opened, count, columns, name)

    return show


def _placed(
    place: tuple[str, int],
    batch: pa.RecordBatch,
    numbers: Mapping[str, pa.Array],
    columns: Sequence[str],
    name: str,
) -> pa.RecordBatch:
    rows, has = batch.num_rows, batch.schema.names
    shown = {
        name: pa.repeat(pa.scalar(place[0], pa.string()), rows),
        "partition": pa.repeat(pa.scalar(place[1], pa.int32()), rows),
        **numbers,
    }
    for column in columns:
        found = batch.column(column) if column in has else pa.nulls(rows, ARROW_HEADERS)
        shown[column] = found
    return pa.RecordBatch.from_pydict(shown)


def _counted(first: int, rows: int) -> pa.Array:
    return pa.array(range(first, first + rows), pa.int64())
