"""The types of columns: which Spark type the values of a serde have, and the times of stores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as F

from penstock._engine.spark.batch.schemas import LAST_MILLISECOND
from penstock.serdes import Serde
from penstock.serdes.documents import JsonSerde, PydanticSerde
from penstock.serdes.numbers import FloatSerde, IntegerSerde
from penstock.serdes.plain import BooleanSerde, StringSerde, UuidSerde

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
    if isinstance(serde, StringSerde | JsonSerde | PydanticSerde | UuidSerde):
        return "string"
    if isinstance(serde, IntegerSerde):
        return _NUMBERS[len(serde.encode(0))]
    if isinstance(serde, FloatSerde):
        return _FLOATS[len(serde.encode(0.0))]
    return "boolean" if isinstance(serde, BooleanSerde) else "binary"


def as_time(column: str) -> Column:
    """Return a column of milliseconds as timestamps; null beyond the last that Spark knows."""
    return F.when(F.col(column) <= LAST_MILLISECOND, F.timestamp_millis(F.col(column)))
