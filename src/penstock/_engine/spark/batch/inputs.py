"""The inputs of a bounded run: DataFrames of records, checked and normalized.

A frame has the columns of Spark's Kafka source: `key` and `value` (binary or string), `timestamp`
(a timestamp, or milliseconds), and maybe `headers`, `partition` and `offset`, which needs
`partition`: offsets of different partitions have no order. The schema is checked
before the job starts; an error that only the rows show (a null timestamp, a partition that does not
exist) ends the job with the same kind of message.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    DataType,
    StructType,
    TimestampType,
)

from penstock._engine.spark.batch.document_cells import check_cells
from penstock._engine.spark.batch.schemas import (
    BYTES,
    HEADERS,
    LAST_PARTITION,
    NUMBERS,
    TIMES,
    are_headers,
    refuse_doubled,
)
from penstock._engine.spark.batch.typed import Typed
from penstock._engine.spark.batch.typed_cells import encoded
from penstock.errors import StreamsError
from penstock.serdes import Serde

DEFAULT_PARTITIONS = 8
"""Of inputs without partitions; fixed, so that results do not depend on the number of cores."""

_EXPECTED = {
    "key": "binary or string, or Typed(frame, key=...) must say how it becomes bytes",
    "value": "binary or string, or Typed(frame, value=...) must say how it becomes bytes",
    "timestamp": "timestamp, or bigint milliseconds",
    "headers": HEADERS,
    "partition": "int",
    "offset": "bigint",
}
_PASSED_OVER = {"topic", "timestampType"}


@dataclass(frozen=True, slots=True)
class Partitions:
    """How many partitions a user wants topics to have."""

    default: int | None
    by_topic: Mapping[str, int]

    @classmethod
    def of(cls, given: object) -> Partitions:
        """Check the argument `partitions=`."""
        by_topic = given if isinstance(given, Mapping) else {}
        default = None if isinstance(given, Mapping) else given
        for count in [*by_topic.values(), *([] if default is None else [default])]:
            if not isinstance(count, int) or isinstance(count, bool) or count < 1:
                msg = (
                    "partitions must be a number of at least 1, or a dict of topics and such "
                    f"numbers; got {given!r}"
                )
                raise StreamsError(msg)
        return cls(default if isinstance(default, int) else None, by_topic)

    def wanted(self, topic: str) -> int:
        """Return how many partitions an input without partitions gets."""
        return self.by_topic.get(topic, self.default or DEFAULT_PARTITIONS)


def check_given(inputs: object) -> dict[str, DataFrame | Typed]:
    """Return the inputs if all have the columns that records need, of types that can be read.

    Raises:
        StreamsError: something is no batch DataFrame, or a column is missing or of another type.
    """
    if not isinstance(inputs, Mapping) or not inputs:
        msg = f"inputs must be a dict of topics and DataFrames; got {inputs!r}"
        raise StreamsError(msg)
    for topic, frame in inputs.items():
        _check_frame(topic, frame)
    return dict(inputs)


def refuse_unknown_columns(inputs: Mapping[str, DataFrame | Typed]) -> None:
    """Refuse columns that no part of a record is made of, as a write to a topic does: what is in
    them would be lost. Those that a read of a topic shows besides are passed over.

    Raises:
        StreamsError: an input has such a column.
    """
    for topic, given in inputs.items():
        unknown = sorted(set(frame_of(given).columns) - set(_EXPECTED) - _PASSED_OVER)
        if unknown:
            msg = (
                f"the columns of input {topic!r} must be {', '.join(_EXPECTED)}; got "
                f"{unknown[0]!r}: put it into the value or the headers, or drop it"
            )
            raise StreamsError(msg)


def frame_of(given: DataFrame | Typed) -> DataFrame:
    """Return the DataFrame of an input."""
    return given.frame if isinstance(given, Typed) else given


def in_bytes(topic: str, given: DataFrame | Typed, own: SourceSerdes) -> DataFrame:
    """Return an input with its keys and values as bytes; `own` are the serdes of its source."""
    if not isinstance(given, Typed):
        return given
    serdes = {"key": given.key or own.key(), "value": given.value or own.value()}
    # Other columns may have names and types that no text of Spark's can say.
    known = [name for name in given.frame.columns if name in _EXPECTED]
    for name, serde in serdes.items():
        check_cells(f"input {topic!r}: column {name!r}", given.frame.schema[name].dataType, serde)
    return encoded(given.frame.select(*known), serdes, topic)


@dataclass(frozen=True, slots=True)
class SourceSerdes:
    """The serdes of a source."""

    key: Callable[[], Serde[Any]]
    value: Callable[[], Serde[Any]]


def _check_frame(topic: object, given: object) -> None:
    if not isinstance(topic, str):
        msg = f"inputs must be a dict of topics' names and DataFrames; got the name {topic!r}"
        raise StreamsError(msg)
    frame = given.frame if isinstance(given, Typed) else given
    if not isinstance(frame, DataFrame):
        msg = f"input {topic!r} must be a DataFrame of Spark; got {type(frame).__name__}"
        raise StreamsError(msg)
    if frame.isStreaming:
        msg = (
            f"input {topic!r} must be a batch DataFrame; got a streaming one; read it with "
            "spark.read, not spark.readStream, or run the topology live with KafkaStreams"
        )
        raise StreamsError(msg)
    known = [field for field in frame.schema.fields if field.name in _EXPECTED]
    refuse_doubled(StructType(known), f"input {topic!r}")
    types = {field.name: field.dataType for field in frame.schema.fields}
    for column in ("key", "value", "timestamp"):
        if column not in types:
            has = ", ".join(map(repr, types)) or "none"
            msg = (
                f"input {topic!r} must have the columns 'key', 'value' and 'timestamp'; it has no "
                f"{column!r}, its columns are {has}; rename one, for example "
                f"frame.withColumnRenamed(..., {column!r})"
            )
            raise StreamsError(msg)
    free = {"key", "value"} if isinstance(given, Typed) else set()
    for column, expected in _EXPECTED.items():
        if column in types and column not in free and not _FITS[column](types[column]):
            msg = (
                f"input {topic!r}: column {column!r} must be {expected}; got "
                f"{types[column].simpleString()}"
            )
            raise StreamsError(msg)
    if "offset" in types and "partition" not in types:
        msg = (
            f"input {topic!r} has the column 'offset' without 'partition', and offsets have an "
            "order within a partition only: add the column 'partition', or leave 'offset' out"
        )
        raise StreamsError(msg)


_FITS: Mapping[str, Callable[[DataType], bool]] = {
    "key": lambda type_: isinstance(type_, BYTES),
    "value": lambda type_: isinstance(type_, BYTES),
    "timestamp": lambda type_: isinstance(type_, TIMES),
    "headers": are_headers,
    "partition": lambda type_: isinstance(type_, NUMBERS),
    "offset": lambda type_: isinstance(type_, NUMBERS),
}


def count_partitions(topic: str, frame: DataFrame, partitions: Partitions) -> int:
    """Return how many partitions an input has; unless the user says so, a column of partitions is
    read to find out.
    """
    if "partition" not in frame.columns or topic in partitions.by_topic:
        return partitions.wanted(topic)
    last = frame.agg(F.max("partition")).head()
    highest = 0 if last is None or last[0] is None else int(last[0])
    if highest > LAST_PARTITION:
        msg = f"input {topic!r}: column 'partition' must be at most {LAST_PARTITION}; got {highest}"
        raise StreamsError(msg)
    return highest + 1


def has_offsets(frame: DataFrame) -> bool:
    """Return whether the records of an input have a place of their own: the columns say it."""
    return {"partition", "offset"} <= set(frame.columns)


def has_all_offsets(frame: DataFrame) -> bool:
    """Return whether no row lacks an offset; this reads the column."""
    return has_offsets(frame) and not frame.where(F.col("offset").isNull()).take(1)


def with_all_offsets(topic: str, frame: DataFrame) -> DataFrame:
    """Return a frame that ends the job at a row without an offset, for `write_once`."""
    said = f"input {topic!r}: column 'offset' must not be null, as write_once knows records by it"
    column = F.coalesce(F.col("offset").cast("long"), F.raise_error(F.lit(said)))
    return frame.withColumn("offset", column)


def normalized(topic: str, frame: DataFrame, count: int) -> DataFrame:
    """Return the columns timestamp (milliseconds), key and value, and those of partition, offset
    and headers that the input has, of the same types for every input. Columns that it has not do
    not travel to Python.
    """
    columns = set(frame.columns)
    chosen = [
        _time(topic, frame).alias("timestamp"),
        F.col("key").cast("binary").alias("key"),
        F.col("value").cast("binary").alias("value"),
    ]
    if "partition" in columns:
        chosen.append(_partition(topic, frame, count).alias("partition"))
    if "offset" in columns:
        chosen.append(F.col("offset").cast("long").alias("offset"))
    if "headers" in columns:
        chosen.append(_headers(F.col("headers")).alias("headers"))
    return frame.select(*chosen)


def _headers(column: Column) -> Column:
    """Return a column of headers without nulls: an empty list instead.

    Spark measures a batch for Python at each row. Of a list column that is null it then reads all
    rows since the last list again: two thirds of the processor time of a run without headers.
    """
    return F.coalesce(column.cast(HEADERS), F.array().cast(HEADERS))


def _partition(topic: str, frame: DataFrame, count: int) -> Column:
    column = frame["partition"].cast("int")
    said = (
        f"input {topic!r}: column 'partition' must be from 0 to {count - 1}; say how many "
        f"partitions there are: partitions={{{topic!r}: ...}}; got "
    )
    wrong = F.raise_error(F.concat(F.lit(said), F.coalesce(column.cast("string"), F.lit("null"))))
    return F.when((column >= 0) & (column < count), column).otherwise(wrong)


def _time(topic: str, frame: DataFrame) -> Column:
    column = frame["timestamp"]
    is_time = isinstance(frame.schema["timestamp"].dataType, TimestampType)
    milliseconds = F.unix_millis(column) if is_time else column.cast("long")
    said = (
        f"input {topic!r}: column 'timestamp' must not be null; records without a time cannot be "
        "put in order; fill it, or leave them out: frame.where('timestamp is not null')"
    )
    return F.coalesce(milliseconds, F.raise_error(F.lit(said)))
