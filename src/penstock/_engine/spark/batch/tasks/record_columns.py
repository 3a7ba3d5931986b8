"""Outputs of tasks, collected as columns of Arrow: those of each partition of a topic together.

In Python, which is the specification, and in C (`fast/record_columns.c`). C adds what is usual and
returns at the first output that Python must look at: one of a topic or a partition that is met for
the first time, one with headers, one without time or key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa

from penstock._engine.fast.choice import compiled
from penstock._engine.runtime.output.murmur2 import partition_of
from penstock._engine.runtime.records import Output

TakenValues: TypeAlias = tuple[Any, Any, Any]
"""Validity or None, 32-bit offsets and bytes of a column, as Arrow lays them out."""
TakenColumns: TypeAlias = tuple[int, Any, Any, TakenValues, TakenValues]
"""The number of rows; ranks and times, 64 bits each; keys; values. All are buffers."""

_LONG, _BYTES = pa.int64(), pa.binary()


class PlainRecordColumns:
    """Records of one partition of a topic. The rank of a record is the largest time so far."""

    def __init__(self) -> None:
        self._rank: int | None = None
        self._records: list[tuple[int, int, bytes | None, bytes | None]] = []

    @property
    def rows(self) -> int:
        """How many records there are."""
        return len(self._records)

    def append(self, key: bytes | None, value: bytes | None, timestamp: int, /) -> None:
        """Add a record."""
        for name, data in (("key", key), ("value", value)):
            if data is not None and not isinstance(data, bytes):
                msg = f"the {name} of a record must be bytes or None; got {type(data).__name__}"
                raise TypeError(msg)
        self._rank = timestamp if self._rank is None else max(self._rank, timestamp)
        self._records.append((self._rank, timestamp, key, value))

    def take(self) -> TakenColumns:
        """Return the columns since the last call."""
        records, self._records = self._records, []
        columns: Any = zip(*records, strict=True) if records else ((), (), (), ())
        ranks, times, keys, values = columns
        return len(records), _longs(ranks), _longs(times), _values(keys), _values(values)


def plain_add_outputs(
    outputs: list[Output],
    first: int,
    skipped: set[str],
    places: dict[str, list[Any]],
    /,
) -> tuple[int, int]:
    """Add outputs from the `first` on to their columns, but for those of `skipped` topics; return
    the number of the first that is unusual, and the bytes of keys and values that were added.
    """
    added = 0
    for at in range(first, len(outputs)):
        topic, partition, key, value, timestamp, headers = outputs[at]
        if topic in skipped:
            continue
        if topic not in places or headers or timestamp is None:
            return at, added
        columns = places[topic]
        if partition is None and key is not None:
            partition = partition_of(key, len(columns))
        if partition is None or not 0 <= partition < len(columns) or columns[partition] is None:
            return at, added
        columns[partition].append(key, value, timestamp)
        added += len(key or b"") + len(value or b"")
    return len(outputs), added


def batch_of(taken: TakenColumns) -> pa.RecordBatch:
    """Return columns as a batch: rank, timestamp, key and value."""
    rows, ranks, times, keys, values = taken
    return pa.RecordBatch.from_pydict(
        {
            "rank": pa.Array.from_buffers(_LONG, rows, [None, pa.py_buffer(ranks)]),
            "timestamp": pa.Array.from_buffers(_LONG, rows, [None, pa.py_buffer(times)]),
            "key": pa.Array.from_buffers(_BYTES, rows, _buffers(keys)),
            "value": pa.Array.from_buffers(_BYTES, rows, _buffers(values)),
        }
    )


def _buffers(values: TakenValues) -> list[pa.Buffer | None]:
    return [None if part is None else pa.py_buffer(part) for part in values]


def _longs(numbers: tuple[int, ...]) -> Any:
    return pa.array(numbers, _LONG).buffers()[1]


def _values(values: tuple[bytes | None, ...]) -> TakenValues:
    validity, ends, data = pa.array(values, _BYTES).buffers()
    return validity, ends, b"" if data is None else data


if TYPE_CHECKING:
    RecordColumns = PlainRecordColumns
    add_outputs = plain_add_outputs
elif compiled is None:
    RecordColumns, add_outputs = PlainRecordColumns, plain_add_outputs
else:
    RecordColumns, add_outputs = compiled.RecordColumns, compiled.add_outputs
