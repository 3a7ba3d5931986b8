"""Records as rows: the columns of Spark's own Kafka source, or typed ones through serdes.

Whole Arrow batches are made of the records of one partition, column by column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from penstock._engine.kafka.client.topic_history import Split
from penstock._engine.runtime.records import HEADERS, KEY, OFFSET, VALUE, RawRecord
from penstock._engine.spark.batch import schemas
from penstock._engine.spark.state.cells import (
    BYTES,
    TIME,
    CellType,
    column_type,
    is_kept_as_bytes,
    time_cell,
)
from penstock.errors import ConfigError, StreamsError
from penstock.serdes import Serde
from penstock.serdes.plain import StringSerde
from penstock.serdes.wrapping import completed

ToBatch: TypeAlias = Callable[[Sequence[RawRecord], Split, int | None], pa.RecordBatch]
"""Makes rows of records of a split, and of the kind of its timestamps."""
ToColumn: TypeAlias = Callable[[Sequence[RawRecord], Split], pa.Array]


class RowFormat(Protocol):
    """What columns a read has."""

    def schema(self) -> str:
        """Return the columns, in Spark's words."""

    def to_batch(self) -> ToBatch:
        """Return what makes rows; it raises StreamsError for a record that cannot be decoded."""


@dataclass(frozen=True, slots=True)
class RecordRows:
    """The columns of Spark's own Kafka source; without a serde a key or value is bytes."""

    key: Serde[Any] | None = None
    value: Serde[Any] | None = None
    headers: bool = False

    def schema(self) -> str:
        """Return the columns."""
        key, value = _type(self.key), _type(self.value)
        headers = f", headers {schemas.HEADERS}" if self.headers else ""
        return (
            f"key {key.spark}, value {value.spark}, topic string, partition int, offset bigint, "
            f"timestamp timestamp, timestampType int{headers}"
        )

    def to_batch(self) -> ToBatch:
        """Return what makes rows."""
        return _ToBatch(self)


class _ToBatch:
    def __init__(self, rows: RecordRows) -> None:
        self._rows = rows
        self._keys = _column(rows.key, KEY)
        self._values = _column(rows.value, VALUE)

    def __call__(
        self, records: Sequence[RawRecord], split: Split, timestamp_type: int | None
    ) -> pa.RecordBatch:
        count = len(records)
        columns: dict[str, pa.Array] = {
            "key": self._keys(records, split),
            "value": self._values(records, split),
            "topic": pa.repeat(pa.scalar(split.topic, pa.string()), count),
            "partition": pa.repeat(pa.scalar(split.partition, pa.int32()), count),
            "offset": pa.array([record[OFFSET] for record in records], pa.int64()),
            "timestamp": times([record[1] for record in records]),
            "timestampType": pa.repeat(pa.scalar(timestamp_type, pa.int32()), count),
        }
        if self._rows.headers:
            columns["headers"] = header_column(records)
        return pa.RecordBatch.from_pydict(columns)


def header_column(records: Sequence[RawRecord]) -> pa.Array:
    """Return the headers of records; those of one without any are an empty array."""
    if not any(record[HEADERS] for record in records):
        nothing = pa.array([], schemas.ARROW_HEADERS.value_type)
        ends = pa.repeat(pa.scalar(0, pa.int32()), len(records) + 1)
        return pa.ListArray.from_arrays(ends, nothing, schemas.ARROW_HEADERS)
    pairs = [[{"key": key, "value": value} for key, value in record[HEADERS]] for record in records]
    return pa.array(pairs, schemas.ARROW_HEADERS)


def times(milliseconds: Sequence[int]) -> pa.Array:
    """Return times as Spark has them; null beyond the last that Spark knows."""
    if max(milliseconds, default=0) > schemas.LAST_MILLISECOND:
        return pa.array([time_cell(one) for one in milliseconds], TIME)
    return pc.multiply(pa.array(milliseconds, pa.int64()), 1000).cast(TIME)


def _type(serde: Serde[Any] | None) -> CellType:
    return BYTES if serde is None else column_type(_whole(serde))


def _whole(serde: Serde[Any]) -> Serde[Any]:
    """Return a serde ready for use. One of windowed keys is so only where it is used: what it is
    made of cannot be pickled.
    """

    def lacks() -> Serde[Any]:
        msg = f"{serde!r} lacks the serde of its keys; pass it as the first argument"
        raise ConfigError(msg)

    return completed(serde, lacks, lacks)


def _column(serde: Serde[Any] | None, place: int) -> ToColumn:
    """Return what makes the column of the keys or values of records."""
    shown = _type(serde)
    serde = None if serde is None else _whole(serde)
    if serde is None or is_kept_as_bytes(serde):
        return lambda records, _: pa.array([record[place] for record in records], shown.arrow)
    decode, to_cell, arrow = _decoder(serde), shown.to_cell, shown.arrow

    def cell(record: Any, topic: str) -> Any:
        value = decode(topic, record[place], record[HEADERS])
        return None if value is None else to_cell(value)

    is_text = type(serde) is StringSerde

    def column(records: Sequence[RawRecord], split: Split) -> pa.Array:
        topic = split.topic
        if is_text:
            with suppress(pa.ArrowInvalid):  # what is no UTF-8 is read as the serde does
                return pa.array([record[place] for record in records], pa.binary()).cast(arrow)
        try:
            return pa.array([cell(record, topic) for record in records], arrow)
        except Exception as error:
            if len(records) == 1:
                part = "key" if place == KEY else "value"
                where = f"partition {split.partition}, offset {records[0][OFFSET]}"
                msg = (
                    f"topic {topic!r}, {where}: the {part} cannot be read with {serde!r}: {error}; "
                    "correct the serde, or leave it out and read bytes"
                )
                raise StreamsError(msg) from error
        # One by one: the first that cannot be read names itself.
        return pa.concat_arrays([column([record], split) for record in records])

    return column


def _decoder(serde: Serde[Any]) -> Callable[[str, bytes | None, Any], Any]:
    if type(serde).deserialize is not Serde.deserialize:
        return serde.deserialize
    decode = serde.decode
    return lambda _topic, data, _headers: None if data is None else decode(data)
