"""The schemas, for Spark and for Arrow, of the rows between Spark and the Python workers.

Rows between them hold sorted runs (`tasks/sorted_runs.py`). *Feed* rows go to the tasks of a stage,
*written* rows come back: records of topics, changelog records, the rows of stores, and how far each
input was read.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DataType,
    IntegerType,
    LongType,
    NullType,
    ShortType,
    StringType,
    StructType,
    TimestampType,
)

from penstock.errors import StreamsError

HEADERS: Final = "array<struct<key:string,value:binary>>"
ARROW_HEADERS: Final = pa.list_(
    pa.field("element", pa.struct([("key", pa.string()), ("value", pa.binary())]))
)

BYTES: Final = (BinaryType, StringType, NullType)
"""Types of columns that are keys and values without a serde."""
NUMBERS: Final = (ShortType, IntegerType, LongType)
TIMES: Final = (TimestampType, LongType, IntegerType)

LAST_MILLISECOND: Final = (2**63 - 1) // 1000
"""The last that Spark has a timestamp for: it counts microseconds in 64 bits."""

LAST_PARTITION: Final = 2**31 - 1
"""The highest number of a partition that Kafka can have."""

RECORD: Final = 0
"""A record of a topic: an output, or the input of a later stage."""
CHANGELOG: Final = 1
"""A record of a store's changelog."""
STORE: Final = 2
"""A final row of a store."""
POSITION: Final = 3
"""How far a partition of an input was read: the next offset, and its commit metadata."""

WRITTEN: Final = (
    "kind int, name string, partition int, spark_partition int, number long, run binary"
)
"""Runs that a stage writes: `number` is that of the first row among those of the same place."""

WRITTEN_ARROW: Final = pa.schema(
    [
        ("kind", pa.int32()),
        ("name", pa.string()),
        ("partition", pa.int32()),
        ("spark_partition", pa.int32()),
        ("number", pa.int64()),
        ("run", pa.binary()),
    ]
)

RUNS: Final = "partition int, sender long, number long, run binary"
"""Runs of an input: `sender` is below 0, the same for the pieces of one sort; `number` is the place
of a piece among them.
"""
RUNS_ARROW: Final = pa.schema(
    [
        ("partition", pa.int32()),
        ("sender", pa.int64()),
        ("number", pa.int64()),
        ("run", pa.binary()),
    ]
)

FEED_COLUMNS: Final = ("input", "partition", "sender", "number", "run")
"""Runs for a stage: `input` is the index of the topic in the stage, below 0 for a global table's;
`sender` the Spark task that has written it, below 0 the sort that a run of an input is a piece of.
"""

FIRST_ROW: Final = -(2**31)
"""The `input` of a row, without a run, that each Spark partition of a stage has: its `partition` is
the number of the Spark partition. Spark itself only knows a Spark task's index in its job.
"""

TOPIC_RECORDS: Final = (
    f"key binary, value binary, timestamp timestamp, headers {HEADERS}, partition int, offset long"
)
RECORDS: Final = f"topic string, {TOPIC_RECORDS}"
STORE_ROWS: Final = (
    "store string, partition int, key binary, value binary, timestamp long, start long, end long"
)
CHANGELOGS: Final = (
    "topic string, partition int, sequence long, key binary, value binary, timestamp long, "
    f"headers {HEADERS}"
)
POSITIONS: Final = (
    "topic string, partition int, next_offset long, metadata binary, partition_time long"
)
"""What runs hold, row by row."""


def refuse_doubled(schema: StructType, subject: str) -> None:
    """Refuse two columns of one name: which of them is meant is not known.

    Raises:
        StreamsError: there are two.
    """
    names = [field.name for field in schema.fields]
    doubled = [name for number, name in enumerate(names) if name in names[:number]]
    if doubled:
        msg = f"{subject} must have each column once; it has {doubled[0]!r} twice: drop one"
        raise StreamsError(msg)


def refuse_other_columns(given: StructType | None, ours: str, function: str) -> None:
    """Refuse columns that a user gives to a format whose serdes say which there are; `ours` are
    those, in Spark's words, and `function` takes serdes.

    Raises:
        StreamsError: they are others.
    """
    if given is None:
        return
    got = ", ".join(f"{field.name} {field.dataType.simpleString()}" for field in given.fields)
    expected = ours.replace("`", "")
    if got != expected:
        msg = (
            f"the columns follow from options and serdes and are not taken from .schema(...): they "
            f"are {expected}; got {got}; leave .schema(...) out, and say option('keyType', ...) "
            f"and option('valueType', ...), or {function} with value=serdes.json(T) for a struct"
        )
        raise StreamsError(msg)


def are_headers(type_: DataType) -> bool:
    """Return whether a column of this type can be headers: pairs as `HEADERS` has them, or only
    nulls.
    """
    if isinstance(type_, NullType):
        return True
    if not isinstance(type_, ArrayType) or not isinstance(type_.elementType, StructType):
        return False
    fields = [(field.name, type(field.dataType)) for field in type_.elementType.fields]
    return fields == [("key", StringType), ("value", BinaryType)]
