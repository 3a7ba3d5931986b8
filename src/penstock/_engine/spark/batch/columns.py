"""Converts between typed columns and the bytes of records: serdes over Arrow columns.

Built-in serdes have a Spark type, so rows of stores can be shown as numbers and text; JSON is shown
as its text. Bytes of other serdes stay bytes.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import repeat
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from penstock._engine.spark.batch.arrow_map import map_in_arrow
from penstock._engine.spark.batch.schemas import LAST_MILLISECOND
from penstock._engine.spark.batch.typed_cells import encoded_cells
from penstock._engine.spark.shipping.shipping import dumps
from penstock.serdes import Serde
from penstock.serdes.documents import JsonSerde, PydanticSerde
from penstock.serdes.numbers import FloatSerde, IntegerSerde
from penstock.serdes.plain import BooleanSerde, StringSerde, UuidSerde

_TEXTS = (StringSerde, JsonSerde, PydanticSerde)
_NUMBERS = {2: "smallint", 4: "int", 8: "bigint"}
_FLOATS = {4: "float", 8: "double"}
_ARROW: Mapping[str, pa.DataType] = {
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "string": pa.string(),
    "binary": pa.binary(),
}

_WINDOW = (("start", "window_start"), ("end", "window_end"))
TIMES_OF_STORES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "key_value": (),
    "timestamped_key_value": (("timestamp", "timestamp"),),
    "timestamped_key_value_with_headers": (("timestamp", "timestamp"),),
    "versioned_key_value": (("start", "valid_from"), ("end", "valid_to")),
    "window": _WINDOW,
    "timestamped_window": (("timestamp", "timestamp"), *_WINDOW),
    "timestamped_window_with_headers": (("timestamp", "timestamp"), *_WINDOW),
    "session": _WINDOW,
    "session_with_headers": _WINDOW,
}
"""The timestamps in the rows of each kind of store, and the names of their columns."""
HELD_BY_OPERATORS: Mapping[str, str] = {
    "outer_join": "a join",
    "subscriptions": "a foreign-key join",
    "join_buffer": "a join",
    "suppression": "suppress()",
}


def arrow_type(name: str) -> pa.DataType:
    """Return Arrow's type of a Spark type that `type_of` returns."""
    return _ARROW[name]


def type_of(serde: Serde[Any]) -> str:
    """Return the Spark type of a serde's values; `binary` if it is not known."""
    if isinstance(serde, (*_TEXTS, UuidSerde)):
        return "string"
    if isinstance(serde, IntegerSerde):
        return _NUMBERS[len(serde.encode(0))]
    if isinstance(serde, FloatSerde):
        return _FLOATS[len(serde.encode(0.0))]
    return "boolean" if isinstance(serde, BooleanSerde) else "binary"


def decoded(frame: DataFrame, serdes: Mapping[str, Serde[Any]]) -> DataFrame:
    """Return a frame with columns of bytes converted to the types of their serdes."""
    types = {column: type_of(serde) for column, serde in serdes.items()}
    by_worker = {
        column: serdes[column]
        for column, type_ in types.items()
        if type_ != "binary" and not isinstance(serdes[column], _TEXTS)
    }
    for column, serde in serdes.items():
        if isinstance(serde, _TEXTS):
            frame = frame.withColumn(column, F.col(column).cast("string"))
    if not by_worker:
        return frame
    schema = ", ".join(
        f"`{field.name}` {types.get(field.name, field.dataType.simpleString())}"
        for field in frame.schema.fields
    )
    return map_in_arrow(frame, _decoding(dumps(by_worker)), schema, "decode")


def encoded(frame: DataFrame, serdes: Mapping[str, Serde[Any]], topic: str) -> DataFrame:
    """Return a frame with typed columns converted to the bytes that their serdes write."""
    schema = ", ".join(
        f"`{field.name}` " + ("binary" if field.name in serdes else field.dataType.simpleString())
        for field in frame.schema.fields
    )
    return map_in_arrow(frame, _encoding(dumps(dict(serdes)), topic), schema, f"encode_{topic}")


def as_time(column: str) -> Column:
    """Return a column of milliseconds as timestamps; null beyond the last that Spark knows."""
    return F.when(F.col(column) <= LAST_MILLISECOND, F.timestamp_millis(F.col(column)))


def _decoding(packed: bytes) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def decode(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        serdes: dict[str, Serde[Any]] = pickle.loads(packed)
        for batch in batches:
            made = batch
            for name, serde in serdes.items():
                values = [
                    None if data is None else serde.decode(data)
                    for data in batch.column(name).to_pylist()
                ]
                if isinstance(serde, UuidSerde):
                    values = [None if value is None else str(value) for value in values]
                column = pa.array(values, _ARROW[type_of(serde)])
                made = made.set_column(made.schema.get_field_index(name), name, column)
            yield made

    return decode


def _encoding(
    packed: bytes, topic: str
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def encode(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        serdes: dict[str, Serde[Any]] = pickle.loads(packed)
        for batch in batches:
            made = batch
            for name, serde in serdes.items():
                place = f"input {topic!r}: column {name!r}"
                data = encoded_cells(batch.column(name), serde, repeat(topic), place)
                column = pa.array(data, pa.binary())
                made = made.set_column(made.schema.get_field_index(name), name, column)
            yield made

    return encode
