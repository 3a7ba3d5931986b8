"""Sorted runs: records of one partition of a topic, in their order, as one value for Spark.

Spark moves runs of thousands of records from worker to worker instead of rows: to the JVM a run is
bytes, and a row costs it nothing. A run is a stream of Arrow with the columns `rank`, `timestamp`,
`key` and `value`, with `offset` where the input has offsets, with `headers` where a record has any.

Records of an input go by *rank*, its offset or its time, then by key, value and headers: rows of
a DataFrame have no order of their own. Records that tasks have written go by rank, then by sender.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from penstock._engine.spark.batch.schemas import ARROW_HEADERS

OpenRun: TypeAlias = Callable[[], pa.Buffer]
"""Opens the bytes of a run."""
ContentKey: TypeAlias = tuple[Any, ...]

_CONTENT = ("rank", "key", "value")
_NULLS_BY_KEY = int(pa.__version__.partition(".")[0]) >= 25
"""Whether Arrow is told for each column where its nulls go."""
_COMPRESSED = pa.ipc.IpcWriteOptions(
    compression="zstd" if pa.Codec.is_available("zstd") else None, use_threads=False
)
"""The JVM copies and sums up each byte several times. Spark gives a worker one core."""
_ONE_THREAD = pa.ipc.IpcReadOptions(use_threads=False)
_MEMORY_BYTES = 32 * 1024 * 1024


def run_bytes(batch: pa.RecordBatch) -> pa.Buffer:
    """Return rows as the bytes of a run."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema, options=_COMPRESSED) as writer:
        writer.write_batch(batch)
    return sink.getvalue()


def batches_in(run: pa.Buffer) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a run, without a copy."""
    with pa.ipc.open_stream(run, options=_ONE_THREAD) as reader:
        yield from reader


def without_empty_headers(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return a batch without the column of headers if no row has any."""
    at = batch.schema.get_field_index("headers")
    if at < 0 or pc.sum(pc.list_value_length(batch.column(at))).as_py():
        return batch
    return batch.drop_columns(["headers"])


def together(parts: Sequence[pa.RecordBatch]) -> pa.Table:
    """Return the rows of all parts, each column in one piece; some may have headers."""
    if any("headers" in part.schema.names for part in parts):
        parts = [_with_headers(part) for part in parts]
    return pa.Table.from_batches(parts).combine_chunks()


def by_content(rows: pa.Table, first: Sequence[str] = ()) -> pa.Table:
    """Return records of an input in their order, each `first` column before it."""
    sorted_rows = rows.take(_order(rows, [*first, *_CONTENT]))
    if "headers" not in rows.schema.names:
        return sorted_rows
    # Arrow cannot compare lists; records with headers that are equal in all else are few.
    headers = sorted_rows.column("headers")
    order: list[int] = []
    for start, end in _ties(sorted_rows, [*first, *_CONTENT]):
        keys = list(map(_header_key, headers.slice(start, end - start).to_pylist()))
        order += range(len(order), start)
        order += [start + at for at in sorted(range(len(keys)), key=keys.__getitem__)]
    if not order:
        return sorted_rows
    order += range(len(order), sorted_rows.num_rows)
    return sorted_rows.take(pa.array(order, pa.int64()))


def content_key(row: dict[str, Any]) -> ContentKey:
    """Return what a record of an input is ordered by; nulls come first."""
    headers = _header_key(row.get("headers"))
    return (row["rank"], *_nulls_first(row["key"]), *_nulls_first(row["value"]), headers)


class RunShelf:
    """Keeps the runs of a Spark partition: the first in memory, the others in a file."""

    def __init__(self, folder: Path, memory_bytes: int = _MEMORY_BYTES) -> None:
        self._path = folder / "runs"
        self._left = memory_bytes
        self._file: pa.NativeFile | None = None
        self._mapped: pa.MemoryMappedFile | None = None

    def keep(self, runs: pa.Array) -> list[OpenRun]:
        """Keep a column of runs, which must have no nulls; return what opens each."""
        data = [run.as_buffer() for run in runs]
        size = sum(len(one) for one in data)
        if size <= self._left:
            self._left -= size
            return [partial(_itself, one) for one in data]
        self._left = 0
        if self._file is None:
            self._file = pa.OSFile(str(self._path), "wb")
        places = []
        for one in data:
            places.append((self._file.tell(), len(one)))
            self._file.write(one)
        return [partial(self._read, *place) for place in places]

    def close(self) -> None:
        """Close the file; runs cannot be opened any more."""
        for file in (self._file, self._mapped):
            if file is not None:
                file.close()

    def _read(self, start: int, size: int) -> pa.Buffer:
        if self._mapped is None:
            assert self._file is not None
            self._file.close()
            self._mapped = pa.memory_map(str(self._path))
            # Nothing is left of it, however the worker ends.
            self._path.unlink()
        self._mapped.seek(start)
        return self._mapped.read_buffer(size)


def _itself(run: pa.Buffer) -> pa.Buffer:
    return run


def _order(rows: pa.Table, columns: Sequence[str]) -> pa.Array:
    if _NULLS_BY_KEY:
        keys = [(name, "ascending", "at_start") for name in columns]
        return pc.sort_indices(rows, sort_keys=keys)
    plain_keys = [(name, "ascending") for name in columns]
    return pc.sort_indices(rows, sort_keys=plain_keys, null_placement="at_start")


def _ties(rows: pa.Table, columns: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of sorted rows that are equal in these columns, if one of them
    has headers.
    """
    counts = pc.fill_null(pc.list_value_length(rows.column("headers")), 0)
    with_headers = pc.indices_nonzero(counts).to_pylist()
    if not with_headers:
        return
    one, other = rows.slice(0, max(0, rows.num_rows - 1)), rows.slice(1)
    same = reduce(pc.and_, [_are_equal(one.column(name), other.column(name)) for name in columns])
    pairs = pc.indices_nonzero(same).to_pylist()
    at = 0
    while at < len(pairs):
        start = end = pairs[at]
        while at < len(pairs) and pairs[at] == end:
            end, at = end + 1, at + 1
        found = bisect_left(with_headers, start)
        if found < len(with_headers) and with_headers[found] <= end:
            yield start, end + 1


def _are_equal(one: pa.ChunkedArray, other: pa.ChunkedArray) -> pa.ChunkedArray:
    both_null = pc.and_(pc.is_null(one), pc.is_null(other))
    return pc.or_(pc.fill_null(pc.equal(one, other), False), both_null)


def _with_headers(part: pa.RecordBatch) -> pa.RecordBatch:
    at = part.schema.get_field_index("headers")
    if at >= 0:
        return part
    return part.append_column("headers", pa.nulls(part.num_rows, ARROW_HEADERS))


def _header_key(headers: Sequence[dict[str, Any]] | None) -> ContentKey:
    return tuple((pair["key"], *_nulls_first(pair["value"])) for pair in headers or ())


def _nulls_first(value: bytes | None) -> tuple[bool, bytes]:
    return value is not None, value or b""
