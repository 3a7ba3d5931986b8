"""Columns of Arrow as raw records, and the partitions of a column of keys.

In Python, which is the specification, and in C (`fast/columns.c`), which reads Arrow's buffers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from penstock._engine.fast.choice import compiled
from penstock._engine.runtime.output.murmur2 import partition_of
from penstock._engine.runtime.records import RawRecord
from penstock.errors import StreamsError
from penstock.record import HeaderPairs

_NO_HEADERS: HeaderPairs = ()


def plain_raw_records(batch: pa.RecordBatch, next_offset: int) -> list[RawRecord]:
    """Return the rows of a batch as raw records; without offsets they are numbered."""
    headers = _headers_in(batch)
    offsets = _offsets_in(batch)
    numbers: Iterable[Any] = (
        range(next_offset, next_offset + batch.num_rows) if offsets is None else offsets.to_pylist()
    )
    return list(
        zip(
            numbers,
            batch.column("timestamp").to_pylist(),
            batch.column("key").to_pylist(),
            batch.column("value").to_pylist(),
            [_NO_HEADERS] * batch.num_rows if headers is None else headers,
            strict=True,
        )
    )


def plain_partitions_of(keys: pa.Array, count: int) -> pa.Array:
    """Return the partition of each key among `count`; of a null, that of no bytes."""
    return pa.array([partition_of(key or b"", count) for key in keys.to_pylist()], pa.int32())


def _raw_records_in_c(batch: pa.RecordBatch, next_offset: int) -> list[RawRecord]:
    offsets = _offsets_in(batch)
    return compiled.column_records(
        batch.num_rows,
        next_offset,
        None if offsets is None else _buffers(offsets),
        _buffers(batch.column("timestamp")),
        _buffers(batch.column("key")),
        _buffers(batch.column("value")),
        _headers_in(batch),
    )


def _partitions_in_c(keys: pa.Array, count: int) -> pa.Array:
    made = compiled.column_partitions(_buffers(keys), len(keys), count)
    return pa.Array.from_buffers(pa.int32(), len(keys), [None, pa.py_buffer(made)])


def _buffers(column: pa.Array) -> tuple[int, Any, Any, Any]:
    validity, values, *data = column.buffers()
    return column.offset, validity, values, data[0] if data else None


def _offsets_in(batch: pa.RecordBatch) -> pa.Array | None:
    """Return the column of offsets, None if it is not there or not whole."""
    at = batch.schema.get_field_index("offset")
    return None if at < 0 or batch.column(at).null_count else batch.column(at)


def header_key(key: str | None) -> str:
    """Return the key of a header.

    Raises:
        StreamsError: it is null, which Kafka does not know.
    """
    if key is None:
        msg = "column 'headers' of a row has a header without a key: the key must not be null"
        raise StreamsError(msg)
    return key


def _headers_in(batch: pa.RecordBatch) -> list[HeaderPairs] | None:
    """Return the headers of each row, None if no row has any."""
    at = batch.schema.get_field_index("headers")
    if at < 0 or not pc.sum(pc.list_value_length(batch.column(at))).as_py():
        return None
    return [
        tuple((header_key(header["key"]), header["value"]) for header in headers or ())
        for headers in batch.column(at).to_pylist()
    ]


if TYPE_CHECKING or compiled is None:
    raw_records, partitions_of = plain_raw_records, plain_partitions_of
else:
    raw_records, partitions_of = _raw_records_in_c, _partitions_in_c
