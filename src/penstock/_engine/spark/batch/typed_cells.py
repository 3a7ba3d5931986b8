"""Writes the cells of a typed Arrow column with a serde: one encoder for bounded and live runs.

A cell is what Arrow makes of it, a map a dict; a serde of a class gets an object of that class. A
record must have the same bytes however its row reaches the topology.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import repeat
from typing import Any
from uuid import UUID

import msgspec
import pyarrow as pa
from pyspark.sql import DataFrame

from penstock._engine.spark.batch.arrow_map import map_in_arrow
from penstock._engine.spark.batch.document_cells import document_of
from penstock._engine.spark.shipping.shipping import dumps
from penstock.errors import SerializationError, StreamsError
from penstock.serdes import Serde
from penstock.serdes.documents import JsonSerde, PydanticSerde
from penstock.serdes.plain import UuidSerde
from penstock.serdes.windowed import WindowedSerde, window_bytes_of
from penstock.windowed import Windowed


def encoded(frame: DataFrame, serdes: Mapping[str, Serde[Any]], topic: str) -> DataFrame:
    """Return a frame with typed columns converted to the bytes that their serdes write."""
    schema = ", ".join(
        f"`{field.name}` " + ("binary" if field.name in serdes else field.dataType.simpleString())
        for field in frame.schema.fields
    )
    return map_in_arrow(frame, _encoding(dumps(dict(serdes)), topic), schema, f"encode_{topic}")


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


def encoded_cells(
    column: pa.Array, serde: Serde[Any], topics: Iterable[str], place: str
) -> list[bytes | None]:
    """Return the bytes of each cell; `topics` has the topic of each, `place` is for errors.

    Raises:
        StreamsError: the serde cannot write a cell.
    """
    shaped = _shaping(serde)
    in_utc = _in_utc(column.type)
    if in_utc != column.type:
        column = column.cast(in_utc)
    # A map is a dict; by default it would be a list of pairs.
    cells = zip(topics, column.to_pylist(maps_as_pydicts="strict"), strict=False)
    return [_written(serde, shaped, cell, topic, place) for topic, cell in cells]


def _in_utc(type_: pa.DataType) -> pa.DataType:
    """Return a type with all its moments in UTC. Spark has them in the zone of the session, which
    must not be in the bytes: rows of two sessions would be of different keys. Times without a zone
    stay as they are.
    """
    if pa.types.is_timestamp(type_):
        return pa.timestamp(type_.unit, "UTC") if type_.tz else type_
    if pa.types.is_struct(type_):
        return pa.struct([field.with_type(_in_utc(field.type)) for field in type_])
    if pa.types.is_map(type_):
        key, item = type_.key_field, type_.item_field
        return pa.map_(key.with_type(_in_utc(key.type)), item.with_type(_in_utc(item.type)))
    if pa.types.is_list(type_):
        element = type_.value_field
        return pa.list_(element.with_type(_in_utc(element.type)))
    return type_


def _shaping(serde: Serde[Any]) -> Callable[[Any], Any]:
    """Return how the cell of a typed column becomes what its serde writes."""
    if isinstance(serde, WindowedSerde) or window_bytes_of(serde):
        inner = _shaping(serde.inner)  # type: ignore[attr-defined]
        return lambda cell: Windowed(
            inner(cell["key"]), _milliseconds(cell["start"]), _milliseconds(cell["end"])
        )
    if isinstance(serde, UuidSerde):
        return UUID
    if isinstance(serde, JsonSerde | PydanticSerde):
        return document_of(serde)
    return lambda cell: cell


def _milliseconds(moment: Any) -> int:
    return moment if isinstance(moment, int) else round(moment.timestamp() * 1000)


def _written(
    serde: Serde[Any], shaped: Callable[[Any], Any], cell: Any, topic: str, place: str
) -> bytes | None:
    try:
        return None if cell is None else serde.serialize(topic, shaped(cell))
    except (TypeError, ValueError, KeyError, msgspec.MsgspecError, SerializationError) as error:
        msg = f"{place} cannot be written with {serde!r}: {error}; got {cell!r}"
        raise StreamsError(msg) from error
