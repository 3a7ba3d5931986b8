"""The columns of a DataFrame that is written to a topic: checked, then made into records.

`value` must be there; `key`, `headers`, `timestamp`, `partition` and `topic` may. Keys and values
are binary or string, or of any type that a serde writes. `offset` and `timestampType`, which a
Kafka source has, are passed over; any other column is a mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import (
    DataType,
    NullType,
    StringType,
    StructType,
)

from penstock._engine.runtime.output.murmur2 import partition_of
from penstock._engine.runtime.records import Output
from penstock._engine.spark.batch.document_cells import check_cells
from penstock._engine.spark.batch.schemas import (
    ARROW_HEADERS,
    BYTES,
    HEADERS,
    LAST_PARTITION,
    NUMBERS,
    TIMES,
    are_headers,
    refuse_doubled,
)
from penstock._engine.spark.batch.tasks.arrow_records import header_key
from penstock._engine.spark.batch.typed_cells import encoded_cells
from penstock.errors import StreamsError
from penstock.serdes import Serde

_PASSED_OVER = {"offset", "timestampType"}
_EXPECTED = {
    "key": "binary or string, or a serde must say how it becomes bytes (keyType, key=)",
    "value": "binary or string, or a serde must say how it becomes bytes (valueType, value=)",
    "timestamp": "timestamp, or bigint milliseconds",
    "headers": HEADERS,
    "partition": "int",
    "topic": "string",
}


@dataclass(frozen=True, slots=True)
class SinkColumns:
    """How rows become records."""

    topic: str | None
    key: Serde[Any] | None = None
    value: Serde[Any] | None = None

    def check(self, schema: StructType) -> None:
        """Check the columns of a DataFrame.

        Raises:
            StreamsError: one is missing, unknown or of another type.
        """
        refuse_doubled(schema, "what is written")
        types = {field.name: field.dataType for field in schema.fields}
        _check_names(types, self.topic)
        for column, type_ in types.items():
            serde = {"key": self.key, "value": self.value}.get(column)
            if column in _PASSED_OVER:
                continue
            if serde is not None:
                check_cells(f"column {column!r} of what is written", type_, serde)
            elif not _FITS[column](type_):
                msg = (
                    f"column {column!r} of what is written must be {_EXPECTED[column]}; got "
                    f"{type_.simpleString()}"
                )
                raise StreamsError(msg)

    def records(self, batch: pa.RecordBatch) -> list[Output]:
        """Return the records of a batch of rows.

        Raises:
            StreamsError: a row cannot be written.
        """
        names = set(batch.schema.names)
        numbers = {
            name: _numbers(name, batch.column(name)) if name in names else repeat(None)
            for name in ("partition", "timestamp")
        }
        topics: Iterable[str] = repeat(self.topic) if self.topic else _topics(batch.column("topic"))
        keys = _coded(batch, "key", self.key, topics) if "key" in names else repeat(None)
        values = _coded(batch, "value", self.value, topics)
        headers = _headers(batch.column("headers")) if "headers" in names else repeat(())
        rows = (topics, numbers["partition"], keys, values, numbers["timestamp"], headers)
        return list(zip(*rows, strict=False))  # columns that are not there have no end

    def placed(self, batch: pa.RecordBatch, count: int) -> dict[str, pa.Array]:
        """Return the columns of records of a topic of `count` partitions: where each belongs, its
        time, key and value, and its headers if there are any. What needs no serde stays in Arrow.

        Raises:
            StreamsError: a row cannot be written.
        """
        names, size = set(batch.schema.names), batch.num_rows
        topics: Iterable[str] = repeat(str(self.topic))
        values = _coded_array(batch, "value", self.value, topics)
        keys = pa.nulls(size, pa.binary())
        if "key" in names:
            keys = _coded_array(batch, "key", self.key, topics)
        given = pa.nulls(size, pa.int64())
        if "partition" in names:
            given = _whole_numbers("partition", batch.column("partition"))
        times = pa.nulls(size, pa.int64())
        if "timestamp" in names:
            times = _whole_numbers("timestamp", batch.column("timestamp"))
        places = {"partition": _places(given, keys, values, count), "timestamp": times}
        columns = {**places, "key": keys, "value": values}
        if "headers" in names:
            pairs = [
                [{"key": name, "value": data} for name, data in one]
                for one in _headers(batch.column("headers"))
            ]
            columns["headers"] = pa.array(pairs, ARROW_HEADERS)
        return columns

    def chunks(self, batches: Iterator[pa.RecordBatch]) -> Iterator[list[Output]]:
        """Yield the records of batches of rows."""
        for batch in batches:
            if batch.num_rows:
                yield self.records(batch)


def _check_names(types: Mapping[str, DataType], topic: str | None) -> None:
    has = ", ".join(map(repr, types)) or "none"
    if "value" not in types:
        msg = (
            f"what is written must have the column 'value'; its columns are {has}; make one, for "
            "example selectExpr('id AS key', 'to_json(struct(*)) AS value')"
        )
        raise StreamsError(msg)
    if topic is None and "topic" not in types:
        msg = (
            f"a topic must be given, by option('topic', ...) or by a column 'topic'; the columns "
            f"are {has}"
        )
        raise StreamsError(msg)
    unknown = sorted(set(types) - set(_EXPECTED) - _PASSED_OVER)
    if unknown:
        msg = (
            f"columns of what is written must be {', '.join(_EXPECTED)}; got {unknown[0]!r}: put "
            "it into the value or the headers, or drop it"
        )
        raise StreamsError(msg)


_FITS: Mapping[str, Callable[[DataType], bool]] = {
    "key": lambda type_: isinstance(type_, BYTES),
    "value": lambda type_: isinstance(type_, BYTES),
    "timestamp": lambda type_: isinstance(type_, (*TIMES, NullType)),
    "headers": are_headers,
    "partition": lambda type_: isinstance(type_, (*NUMBERS, NullType)),
    "topic": lambda type_: isinstance(type_, StringType),
}


def _coded(
    batch: pa.RecordBatch, name: str, serde: Serde[Any] | None, topics: Iterable[str]
) -> list[bytes | None]:
    column = batch.column(name)
    if serde is None:
        coded: list[bytes | None] = column.cast(pa.binary()).to_pylist()
        return coded
    return encoded_cells(column, serde, topics, f"column {name!r} of a row")


def _coded_array(
    batch: pa.RecordBatch, name: str, serde: Serde[Any] | None, topics: Iterable[str]
) -> pa.Array:
    if serde is None:
        return batch.column(name).cast(pa.binary())
    return pa.array(_coded(batch, name, serde, topics), pa.binary())


def _places(given: pa.Array, keys: pa.Array, values: pa.Array, count: int) -> pa.Array:
    """Return the partitions of records: those given, else by the key. Without a key Kafka's
    producers choose any; a replay must choose the same, so it is by the value.
    """
    highest = pc.max(given).as_py()
    if highest is not None and highest >= count:
        msg = f"column 'partition' of a row must be from 0 to {count - 1}; got {highest}"
        raise StreamsError(msg)
    if not given.null_count:
        return given.cast(pa.int32())
    bytes_of = pc.coalesce(keys, values) if keys.null_count else keys
    numbers = pa.array(
        [partition_of(one or b"", count) for one in bytes_of.to_pylist()], pa.int64()
    )
    return pc.coalesce(given, numbers).cast(pa.int32())


def _numbers(name: str, column: pa.Array) -> list[int | None]:
    """Return times in milliseconds, or numbers of partitions."""
    numbers: list[int | None] = _whole_numbers(name, column).to_pylist()
    return numbers


def _whole_numbers(name: str, column: pa.Array) -> pa.Array:
    if pa.types.is_timestamp(column.type):
        column = pc.divide(column.cast(pa.int64()), 1000)
    column = column.cast(pa.int64())
    lowest = pc.min(column).as_py()
    if lowest is not None and lowest < 0:
        allowed = "not before 1970" if name == "timestamp" else "at least 0, or null"
        msg = f"column {name!r} of a row must be {allowed}; got {lowest}"
        raise StreamsError(msg)
    highest = pc.max(column).as_py()
    if name == "partition" and highest is not None and highest > LAST_PARTITION:
        msg = f"column 'partition' of a row must be from 0 to {LAST_PARTITION}; got {highest}"
        raise StreamsError(msg)
    return column


def _topics(column: pa.Array) -> list[str]:
    topics: list[str | None] = column.to_pylist()
    if not all(topics):
        msg = "column 'topic' of a row must not be null or empty where no option says the topic"
        raise StreamsError(msg)
    return topics  # type: ignore[return-value]


def _headers(column: pa.Array) -> list[tuple[tuple[str, bytes | None], ...]]:
    return [
        tuple((header_key(pair["key"]), pair["value"]) for pair in pairs if pair is not None)
        if pairs
        else ()
        for pairs in column.to_pylist()
    ]
