"""From the cell of a typed column back to the document or windowed key that it shows.

`state/cells.py` says what a read shows; this is its way back, so that a column which was read can
be written with the same serde. A document of no fixed shape (no type given, a union, `Any`, a
pydantic model) is its JSON as text there, so text is the document here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import msgspec
from msgspec import inspect as look
from pyspark.sql.types import (
    ArrayType,
    DataType,
    MapType,
    NullType,
    StringType,
    StructType,
)

from penstock._engine.spark.batch.columns import type_of
from penstock.errors import StreamsError
from penstock.serdes import Serde
from penstock.serdes.documents import JsonSerde, PydanticSerde
from penstock.serdes.plain import BytesSerde
from penstock.serdes.windowed import WindowedSerde, window_bytes_of

FromCell: TypeAlias = Callable[[Any], Any]
Classes: TypeAlias = tuple[type, ...]

_INTEGERS = {"int", "smallint", "tinyint"}
_WIDER = {
    "smallint": {"smallint", "tinyint"},
    "int": _INTEGERS,
    "bigint": {"bigint", *_INTEGERS},
    "double": {"double", "float", *_INTEGERS},
}
"""The types of columns that a serde's numbers hold without a loss, besides their own."""
_WINDOW = ["key", "start", "end"]
_STRUCTS = (look.StructType, look.DataclassType, look.TypedDictType, look.NamedTupleType)
_SEQUENCES = (look.ListType, look.VarTupleType, look.SetType, look.FrozenSetType)
_FREE = (
    look.AnyType,
    look.UnionType,
    look.TupleType,
    look.CustomType,
    look.RawType,
    look.NoneType,
)


def document_of(serde: JsonSerde[Any] | PydanticSerde[Any]) -> FromCell:
    """Return how a cell becomes what a serde of documents writes."""
    of = serde.document_type if isinstance(serde, JsonSerde) else None
    if of is None:  # any document, or a model that reads itself
        return lambda cell: serde.decode(cell.encode()) if isinstance(cell, str) else cell
    from_cell = _from_cell(look.type_info(of), ())
    return lambda cell: msgspec.convert(from_cell(cell), type=of, str_keys=True)


def check_cells(subject: str, type_: DataType, serde: Serde[Any]) -> None:
    """Refuse a column of a type that a built-in serde does not write, or with other fields, which
    would be lost. Of a serde of the user's own only the rows can tell.

    Raises:
        StreamsError: it says which; `subject` is the column, and where it is.
    """
    if isinstance(type_, NullType):
        return
    if isinstance(serde, WindowedSerde) or window_bytes_of(serde):
        if not isinstance(type_, StructType) or sorted(type_.names) != sorted(_WINDOW):
            got = type_.simpleString()
            msg = f"{subject} must be struct<key,start,end> for {serde!r}; got {got}"
            raise StreamsError(msg)
        inner: Serde[Any] | None = serde.inner  # type: ignore[attr-defined]
        if inner is not None:
            check_cells(f"{subject}: field 'key'", type_["key"].dataType, inner)
    elif isinstance(serde, PydanticSerde):
        if not isinstance(type_, StringType):
            msg = (
                f"{subject} must be string, the document as JSON, for {serde!r}; got "
                f"{type_.simpleString()}; make it with to_json(...)"
            )
            raise StreamsError(msg)
    elif isinstance(serde, JsonSerde):
        if serde.document_type is not None:
            _check_fields(subject, type_, look.type_info(serde.document_type), serde)
    else:
        _check_plain(subject, type_, serde)


def _check_plain(subject: str, type_: DataType, serde: Serde[Any]) -> None:
    expected, got = type_of(serde), type_.simpleString()
    is_known = expected != "binary" or isinstance(serde, BytesSerde)
    if is_known and got not in _WIDER.get(expected, {expected}):
        msg = (
            f"{subject} must be {expected} for {serde!r}; got {got}; cast it, or pass the serde of "
            "what it holds"
        )
        raise StreamsError(msg)


def _check_fields(
    subject: str, type_: DataType, info: Any, serde: Serde[Any], within: Classes = ()
) -> None:
    info = _present(info)
    of = getattr(info, "cls", None)
    if of is not None and of in within:  # it contains itself, and is text within itself
        return
    inside = within if of is None else (*within, of)
    if isinstance(info, _SEQUENCES) and isinstance(type_, ArrayType):
        _check_fields(f"{subject}: an element", type_.elementType, info.item_type, serde, within)
    elif isinstance(info, look.DictType) and isinstance(type_, MapType):
        _check_fields(f"{subject}: a value", type_.valueType, info.value_type, serde, within)
    elif _has_names(info) and isinstance(type_, StructType):
        fields = {_name(field): field for field in info.fields}
        has = {field.name: field.dataType for field in type_.fields}
        strangers = [name for name in has if name not in fields]
        missing = [name for name, one in fields.items() if one.required and name not in has]
        if strangers or missing:
            what = (
                f"has not the field {strangers[0]!r}, which would be lost"
                if strangers
                else f"must have the field {missing[0]!r}"
            )
            msg = (
                f"{subject} must have the fields of {serde!r}: it {what}; fields of the type: "
                f"{', '.join(map(repr, fields))}; got {type_.simpleString()}"
            )
            raise StreamsError(msg)
        for name, one in has.items():
            _check_fields(f"{subject}: field {name!r}", one, fields[name].type, serde, inside)
    elif _has_names(info) and not isinstance(type_, MapType | NullType):
        msg = f"{subject} must be a struct for {serde!r}; got {type_.simpleString()}"
        raise StreamsError(msg)


def _from_cell(info: Any, within: Classes) -> FromCell:
    """Return how the cell of a part of a document becomes JSON's own types; `within` are the
    classes that it is a part of.
    """
    info = _present(info)
    of = getattr(info, "cls", None)
    if _is_shown_as_text(info) or (of is not None and of in within):
        return _from_text
    if isinstance(info, _SEQUENCES):
        item = _or_none(_from_cell(info.item_type, within))
        return lambda cell: [*map(item, cell)] if isinstance(cell, list) else cell
    if isinstance(info, look.DictType):
        value = _or_none(_from_cell(info.value_type, within))
        return lambda cell: {key: value(one) for key, one in cell.items()}
    if isinstance(info, _STRUCTS):
        return _from_struct(info, within if of is None else (*within, of))
    return _same


def _is_shown_as_text(info: Any) -> bool:
    """Return whether a part of a document has no fixed shape: its JSON is in the cell."""
    if isinstance(info, look.LiteralType):
        kinds = {type(one) for one in info.values}
        return kinds not in ({str}, {int})
    if isinstance(info, look.DictType):
        return not isinstance(info.key_type, look.StrType)
    return isinstance(info, _FREE) or (isinstance(info, _STRUCTS) and not _has_names(info))


def _from_struct(info: Any, within: Classes) -> FromCell:
    fields: Mapping[str, FromCell] = {
        _name(field): _or_none(_from_cell(field.type, within)) for field in info.fields
    }
    # A field that may be left out of a TypedDict is null in a column, which the type may not allow.
    optional = {
        field.encode_name
        for field in info.fields
        if isinstance(info, look.TypedDictType) and not field.required
    }

    def by_name(cell: Any) -> Any:
        if not isinstance(cell, Mapping):
            return cell
        return {
            name: fields[name](one) if name in fields else one
            for name, one in cell.items()
            if one is not None or name not in optional
        }

    def in_order(cell: Any) -> Any:
        if not isinstance(cell, Mapping):
            return cell
        return [from_cell(cell[name]) for name, from_cell in fields.items() if name in cell]

    return in_order if isinstance(info, look.NamedTupleType) else by_name


def _present(info: Any) -> Any:
    """Return the type of what is there, if it is one."""
    if not isinstance(info, look.UnionType):
        return info
    present = [one for one in info.types if not isinstance(one, look.NoneType)]
    return present[0] if len(present) == 1 else info


def _has_names(info: Any) -> bool:
    return isinstance(info, _STRUCTS) and bool(info.fields) and not _is_array(info)


def _is_array(info: Any) -> bool:
    return bool(getattr(info, "array_like", False))


def _name(field: Any) -> str:
    name: str = getattr(field, "encode_name", field.name)
    return name


def _or_none(from_cell: FromCell) -> FromCell:
    return _same if from_cell is _same else lambda cell: None if cell is None else from_cell(cell)


def _from_text(cell: Any) -> Any:
    return msgspec.json.decode(cell) if isinstance(cell, str) else cell


def _same(cell: Any) -> Any:
    return cell
