"""Columns of a DataFrame as records: all kinds, and what is refused before a row is read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pyarrow as pa
import pytest
from pyspark.sql import types as T

from penstock import serdes
from penstock._engine.runtime.output.murmur2 import partition_of
from penstock._engine.spark.dataframes.sink_columns import SinkColumns
from penstock.errors import StreamsError
from penstock.windowed import Windowed

HEADERS = "array<struct<key:string,value:binary>>"


@dataclass
class Order:
    item: str
    count: int


@dataclass
class Stock:
    counts: dict[str, int]


TYPES: dict[str, T.DataType] = {
    HEADERS: T.ArrayType(T.StructType().add("key", T.StringType()).add("value", T.BinaryType())),
    "binary": T.BinaryType(),
    "string": T.StringType(),
    "timestamp": T.TimestampType(),
    "int": T.IntegerType(),
    "long": T.LongType(),
    "double": T.DoubleType(),
    "date": T.DateType(),
    "void": T.NullType(),
    "struct<a:int>": T.StructType().add("a", T.IntegerType()),
    "map<string,binary>": T.MapType(T.StringType(), T.BinaryType()),
}


def schema(text: str) -> T.StructType:
    """Return a schema; Spark's own parser needs a session."""
    fields = [column.split(" ", 1) for column in text.split(", ")]
    return T.StructType([T.StructField(name, TYPES[type_]) for name, type_ in fields])


def batch(**columns: Any) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict(columns)


@pytest.mark.parametrize(
    "columns",
    [
        "value binary",
        "key string, value string, timestamp timestamp, partition int, offset long",
        f"key binary, value string, timestamp long, headers {HEADERS}, topic string",
        "key void, value void, partition long, timestampType int",
    ],
)
def test_columns_that_fit(columns: str) -> None:
    SinkColumns("t").check(schema(columns))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("key string", "must have the column 'value'; its columns are 'key'"),
        ("value int", "'value' of what is written must be binary or string, or a serde"),
        ("key struct<a:int>, value string", "'key' .* or a serde must say.*struct<a:int>"),
        ("value string, timestamp date", "'timestamp' .* bigint milliseconds; got date"),
        ("value string, headers map<string,binary>", "'headers' .* must be array<struct<key"),
        ("value string, partition string", "'partition' .* must be int; got string"),
        ("value string, topic int", "'topic' .* must be string"),
        ("value string, colour string", "got 'colour': put it into the value or the headers"),
    ],
)
def test_columns_that_do_not_fit(columns: str, message: str) -> None:
    with pytest.raises(StreamsError, match=message):
        SinkColumns("t").check(schema(columns))


def test_a_topic_comes_from_the_option_or_a_column() -> None:
    with pytest.raises(StreamsError, match="a topic must be given"):
        SinkColumns(None).check(schema("value string"))
    SinkColumns(None).check(schema("value string, topic string"))
    rows = batch(topic=["a", "b"], value=["1", "2"])
    assert [row[0] for row in SinkColumns(None).records(rows)] == ["a", "b"]
    assert [row[0] for row in SinkColumns("c").records(rows)] == ["c", "c"]
    with pytest.raises(StreamsError, match="'topic' of a row must not be null or empty"):
        SinkColumns(None).records(batch(topic=["a", None], value=["1", "2"]))


def test_typed_columns_must_be_what_their_serde_writes() -> None:
    typed = SinkColumns("t", serdes.long(), serdes.json(Order))
    typed.check(schema("key int, value void"))
    for columns in ("key string, value void", "key double, value void"):
        with pytest.raises(StreamsError, match=r"'key' .* must be bigint for"):
            typed.check(schema(columns))


def test_rows_become_records() -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, 678_900, UTC)
    rows = pa.RecordBatch.from_arrays(
        [
            pa.array(["k", None]),
            pa.array([b"v", None], pa.binary()),
            pa.array([moment, None], pa.timestamp("us", "UTC")),
            pa.array([1, None], pa.int32()),
            pa.array(
                [[{"key": "h", "value": b"x"}, {"key": "n", "value": None}], None],
                pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())])),
            ),
        ],
        names=["key", "value", "timestamp", "partition", "headers"],
    )
    milliseconds = int(moment.timestamp() * 1000)
    assert SinkColumns("t").records(rows) == [
        ("t", 1, b"k", b"v", milliseconds, (("h", b"x"), ("n", None))),
        ("t", None, None, None, None, ()),
    ]
    assert list(SinkColumns("t").chunks(iter([rows.slice(0, 0), rows]))) == [
        SinkColumns("t").records(rows)
    ]
    plain = SinkColumns("t").records(batch(value=["1"], timestamp=[77]))
    assert plain == [("t", None, None, b"1", 77, ())]


def test_typed_rows_become_what_their_serdes_write() -> None:
    order = serdes.json(Order)
    (record,) = SinkColumns("t", serdes.long(), order).records(
        batch(key=[7], value=[{"item": "pen", "count": 3}])
    )
    assert record[2] == (7).to_bytes(8, "big")
    assert order.decode(record[3] or b"") == Order("pen", 3)
    windowed = serdes.time_windowed(serdes.string(), 60_000)
    start, end = datetime(1970, 1, 1, 0, 1, tzinfo=UTC), datetime(1970, 1, 1, 0, 2, tzinfo=UTC)
    (record,) = SinkColumns("t", windowed, serdes.uuid()).records(
        batch(key=[{"key": "home", "start": start, "end": end}], value=[str(UUID(int=5))])
    )
    assert windowed.decode(record[2] or b"") == Windowed("home", 60_000, 120_000)
    assert serdes.uuid().decode(record[3] or b"") == UUID(int=5)


def test_maps_are_dicts_for_json() -> None:
    of_item = pa.map_(pa.string(), pa.int64())
    rows = pa.RecordBatch.from_arrays(
        [pa.array([{"counts": {"pen": 3, "ink": 1}}], pa.struct([("counts", of_item)]))],
        names=["value"],
    )
    stock = serdes.json(Stock)
    (record,) = SinkColumns("t", value=stock).records(rows)
    assert stock.decode(record[3] or b"") == Stock({"pen": 3, "ink": 1})
    (record,) = SinkColumns("t", value=serdes.json()).records(rows)
    assert serdes.json().decode(record[3] or b"") == {"counts": {"pen": 3, "ink": 1}}


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"value": ["1"], "timestamp": [-5]}, "'timestamp' of a row must be not before 1970"),
        ({"value": ["1"], "partition": [-1]}, "'partition' of a row must be at least 0"),
        # A number of 64 bits that would be partition 0 with 32.
        ({"value": ["1"], "partition": [2**32]}, "'partition' of a row must be from 0 to 2147"),
        (
            {"value": ["1"], "headers": [[{"key": None, "value": b"x"}]]},
            "a header without a key: the key must not be null",
        ),
    ],
)
def test_rows_that_kafka_cannot_hold_are_refused(columns: dict[str, Any], message: str) -> None:
    with pytest.raises(StreamsError, match=message):
        SinkColumns("t").records(batch(**columns))


def test_two_columns_of_one_name_are_refused() -> None:
    doubled = schema("key string, value string").add("value", T.StringType())
    with pytest.raises(StreamsError, match="each column once; it has 'value' twice"):
        SinkColumns("t").check(doubled)


def test_a_row_that_its_serde_cannot_write_is_named() -> None:
    with pytest.raises(
        StreamsError, match=r"column 'value' of a row cannot be written with .*2147"
    ):
        SinkColumns("t", value=serdes.integer()).records(batch(value=[2147483648]))


def test_rows_get_the_partition_that_is_given_or_that_of_their_key_or_value() -> None:
    batch = pa.RecordBatch.from_pydict(
        {
            "key": pa.array(["a", None, None, "", "b"]),
            "value": pa.array(["1", "v", None, "4", "5"]),
            "partition": pa.array([None, None, None, None, 6], pa.int32()),
            "timestamp": pa.array([5, None, 7, 8, 9], pa.int64()),
            "headers": pa.array([[], None, [{"key": "h", "value": b"x"}, None], [], []]),
        }
    )
    made = SinkColumns("t").placed(batch, 7)
    by_bytes = [partition_of(one, 7) for one in (b"a", b"v", b"", b"")]
    assert made["partition"].to_pylist() == [*by_bytes, 6]
    assert made["timestamp"].to_pylist() == [5, None, 7, 8, 9]
    assert made["key"].to_pylist() == [b"a", None, None, b"", b"b"]
    assert made["value"].to_pylist() == [b"1", b"v", None, b"4", b"5"]
    assert made["headers"].to_pylist() == [[], [], [{"key": "h", "value": b"x"}], [], []]
    alone = SinkColumns("t", value=serdes.long()).placed(batch_of(value=[1, None]), 7)
    assert list(alone) == ["partition", "timestamp", "key", "value"]
    assert alone["value"].to_pylist() == [serdes.long().serialize("t", 1), None]
    with pytest.raises(StreamsError, match="'partition' of a row must be from 0 to 5; got 6"):
        SinkColumns("t").placed(batch, 6)


def batch_of(**columns: list[Any]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict(columns)
