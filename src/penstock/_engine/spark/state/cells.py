"""From the bytes of a key or value to the cell of a typed column.

Numbers, truths and text have Spark's types. A document of a known type becomes a struct, an array
or a map, as its JSON has it: times, UUIDs and decimals are text there. What has no fixed shape (no
type given, a union, `Any`, a pydantic model) is JSON as text. Keys in windows are structs of key,
start and end. Bytes of other serdes stay bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec
import pyarrow as pa
from msgspec import inspect as look

from penstock._engine.spark.batch.columns import arrow_type, type_of
from penstock._engine.spark.batch.schemas import LAST_MILLISECOND
from penstock.serdes import Serde
from penstock.serdes.documents import JsonSerde
from penstock.serdes.plain import UuidSerde
from penstock.serdes.windowed import window_bytes_of

ToCell: TypeAlias = Callable[[Any], Any]

TIME = pa.timestamp("us", "UTC")
Classes: TypeAlias = tuple[type, ...]


@dataclass(frozen=True, slots=True)
class CellType:
    """What a column holds: Spark's type, Arrow's type, and how a decoded value becomes a cell."""

    spark: str
    arrow: pa.DataType
    to_cell: ToCell


def cell_type(serde: Serde[Any]) -> CellType:
    """Return the type of the column that shows the values of a serde."""
    if window_bytes_of(serde):
        return _windowed(cell_type(serde.inner))  # type: ignore[attr-defined]
    if isinstance(serde, JsonSerde):
        return document_type(serde.document_type)
    name = type_of(serde)
    if name == "string" and isinstance(serde, UuidSerde):
        return CellType(name, pa.string(), str)
    if name == "string" and serde.reads_documents:  # type: ignore[attr-defined]
        return CellType(name, pa.string(), lambda model: model.model_dump_json(by_alias=True))
    return CellType(name, arrow_type(name), _same)


def column_type(serde: Serde[Any]) -> CellType:
    """Return the type of a column as `cell_type` does, and bytes for serdes that have none."""
    return BYTES if is_kept_as_bytes(serde) else cell_type(serde)


def is_kept_as_bytes(serde: Serde[Any]) -> bool:
    """Return whether the values of a serde have no column type: their bytes are shown."""
    return not window_bytes_of(serde) and type_of(serde) == "binary"


def time_cell(milliseconds: int | None) -> int | None:
    """Return a time in Spark's microseconds; None beyond the last that Spark knows."""
    if milliseconds is None or milliseconds > LAST_MILLISECOND:
        return None
    return milliseconds * 1000


def document_type(of: Any) -> CellType:
    """Return the column type of documents of a type; of any document if it is None."""
    if of is None:
        return _TEXT
    shape = _shape(look.type_info(of), ())
    to_cell = shape.to_cell
    return CellType(shape.spark, shape.arrow, lambda value: to_cell(msgspec.to_builtins(value)))


def _same(value: Any) -> Any:
    return value


def _text(value: Any) -> str:
    return json.dumps(msgspec.to_builtins(value), ensure_ascii=False, separators=(",", ":"))


BYTES = CellType("binary", pa.binary(), _same)
"""Of bytes that no type is known of."""
_TEXT = CellType("string", pa.string(), _text)
_STRING = CellType("string", pa.string(), _same)
_LONG = CellType("bigint", pa.int64(), _same)
_LEAVES: Mapping[type[look.Type], CellType] = {
    look.BoolType: CellType("boolean", pa.bool_(), _same),
    look.IntType: _LONG,
    look.FloatType: CellType("double", pa.float64(), float),
    look.StrType: _STRING,
    look.BytesType: _STRING,
    look.ByteArrayType: _STRING,
    look.DateTimeType: _STRING,
    look.DateType: _STRING,
    look.TimeType: _STRING,
    look.TimeDeltaType: _STRING,
    look.UUIDType: _STRING,
    look.DecimalType: _STRING,
}


def _shape(info: Any, within: Classes) -> CellType:
    """Return the column type of a part of a document, given as JSON's own types; `within` are the
    classes that it is a part of.
    """
    leaf = _LEAVES.get(type(info))
    if leaf is not None:
        return leaf
    make, of = _WHOLES.get(type(info)), getattr(info, "cls", None)
    if make is None or of in within:  # of no known shape, or it contains itself
        return _TEXT
    return make(info, within if of is None else (*within, of))


def _union(info: Any, within: Classes) -> CellType:
    present = [one for one in info.types if not isinstance(one, look.NoneType)]
    return _optional(_shape(present[0], within)) if len(present) == 1 else _TEXT


def _sequence(info: Any, within: Classes) -> CellType:
    return _array(_optional(_shape(info.item_type, within)))


def _dict(info: Any, within: Classes) -> CellType:
    is_named = isinstance(info.key_type, look.StrType)
    return _map(_optional(_shape(info.value_type, within))) if is_named else _TEXT


def _struct(info: Any, within: Classes) -> CellType:
    if getattr(info, "array_like", False) or not info.fields:
        return _TEXT
    names = {field.encode_name: _optional(_shape(field.type, within)) for field in info.fields}
    defaults = {field.encode_name: value for field in info.fields for value in _default(field)}
    return _of_fields(names, (lambda row: {**defaults, **row}) if defaults else _same)


def _default(field: look.Field) -> list[Any]:
    """Return the default of a field as JSON's own types: `omit_defaults` leaves it out of a row."""
    if field.default is not msgspec.NODEFAULT:
        return [msgspec.to_builtins(field.default)]
    if field.default_factory is not msgspec.NODEFAULT:
        return [msgspec.to_builtins(field.default_factory())]
    return []


def _named_tuple(info: Any, within: Classes) -> CellType:
    names = {field.name: _optional(_shape(field.type, within)) for field in info.fields}
    return _of_fields(names, lambda row: dict(zip(names, row, strict=False)))


_WHOLES: Mapping[type[look.Type], Callable[[Any, Classes], CellType]] = {
    look.UnionType: _union,
    look.ListType: _sequence,
    look.VarTupleType: _sequence,
    look.SetType: _sequence,
    look.FrozenSetType: _sequence,
    look.DictType: _dict,
    look.StructType: _struct,
    look.DataclassType: _struct,
    look.TypedDictType: _struct,
    look.NamedTupleType: _named_tuple,
    look.EnumType: lambda info, _: _of_choices([member.value for member in info.cls]),
    look.LiteralType: lambda info, _: _of_choices(list(info.values)),
}


def _of_choices(values: list[Any]) -> CellType:
    if all(isinstance(value, str) for value in values):
        return _STRING
    return _LONG if all(type(value) is int for value in values) else _TEXT


def _of_fields(names: Mapping[str, CellType], by_name: ToCell) -> CellType:
    def to_cell(value: Any) -> dict[str, Any]:
        row = by_name(value)
        return {name: one.to_cell(row.get(name)) for name, one in names.items()}

    shown = ",".join(f"`{name.replace('`', '``')}`:{one.spark}" for name, one in names.items())
    arrow = pa.struct([(name, one.arrow) for name, one in names.items()])
    return CellType(f"struct<{shown}>", arrow, to_cell)


def _optional(shape: CellType) -> CellType:
    to_cell = shape.to_cell
    return CellType(
        shape.spark, shape.arrow, lambda value: None if value is None else to_cell(value)
    )


def _array(item: CellType) -> CellType:
    to_cell = item.to_cell
    return CellType(
        f"array<{item.spark}>", pa.list_(item.arrow), lambda values: [*map(to_cell, values)]
    )


def _map(value: CellType) -> CellType:
    to_cell = value.to_cell
    return CellType(
        f"map<string,{value.spark}>",
        pa.map_(pa.string(), value.arrow),
        lambda pairs: [(key, to_cell(one)) for key, one in pairs.items()],
    )


def _windowed(key: CellType) -> CellType:
    def to_cell(value: Any) -> dict[str, Any]:
        start, end = time_cell(value.start), time_cell(value.end)
        return {"key": key.to_cell(value.key), "start": start, "end": end}

    arrow = pa.struct([("key", key.arrow), ("start", TIME), ("end", TIME)])
    return CellType(f"struct<key:{key.spark},start:timestamp,end:timestamp>", arrow, to_cell)
