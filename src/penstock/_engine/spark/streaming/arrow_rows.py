"""Rows of committed outputs as Arrow batches, which Spark takes without a copy."""

from __future__ import annotations

import pyarrow as pa

from penstock._engine.control.result_rows import Rows, Times
from penstock._engine.runtime.records import Output
from penstock._engine.spark.batch.schemas import ARROW_HEADERS, HEADERS
from penstock.settings.values import RowKind

SCHEMAS: dict[RowKind, str] = {
    "timestamp": "timestamp bigint",
    "full": "topic string, partition int, timestamp bigint, key binary, value binary, "
    f"headers {HEADERS}",
}
_TIMESTAMP = pa.schema([("timestamp", pa.int64())])
_FULL = pa.schema(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("timestamp", pa.int64()),
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("headers", ARROW_HEADERS),
    ]
)


def to_arrow(rows: Rows) -> pa.RecordBatch:
    """Return rows as an Arrow batch."""
    return _records_to_arrow(rows) if isinstance(rows, list) else _times_to_arrow(rows)


def _times_to_arrow(times: Times) -> pa.RecordBatch:
    """Return timestamps as an Arrow batch, without a copy."""
    column = pa.Array.from_buffers(pa.int64(), len(times), [None, pa.py_buffer(times)])
    return pa.record_batch([column], schema=_TIMESTAMP)


def _records_to_arrow(records: list[Output]) -> pa.RecordBatch:
    topics, partitions, keys, values, times, headers = zip(*records, strict=True)
    # No headers are an empty list: Spark looks at lists that are null again and again.
    pairs = [[{"key": name, "value": data} for name, data in each] for each in headers]
    columns = (topics, partitions, times, keys, values, pairs)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, _FULL, strict=True)]
    return pa.record_batch(arrays, schema=_FULL)
