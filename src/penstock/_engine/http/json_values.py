"""Keys and values as JSON, and keys back from the text of an address.

Bytes are base64, times ISO 8601, a `Windowed` an object with key, start and end; a mapping of which
two keys would have the same name is an array of pairs. What JSON has no word for (a number that is
not finite, an object of an unknown class) is a string.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from functools import partial
from typing import Any
from uuid import UUID

import msgspec

from penstock._engine.http.replies import bad_request
from penstock._engine.state.codec import Codec
from penstock.serdes import Serde
from penstock.serdes.contract import BuiltInSerde
from penstock.serdes.documents import JsonSerde, PydanticSerde
from penstock.serdes.functions import FunctionSerde
from penstock.serdes.plain import BytesSerde, StringSerde, UuidSerde, said
from penstock.serdes.windowed import inner_serde_of
from penstock.stores import ValueAndTimestamp
from penstock.windowed import Windowed

_DEEPEST = 100
# Python writes no more than 4,300 decimal digits.
_INT_BITS_MAX = 14_000


def jsonable(value: Any, depth: int = 0) -> Any:
    """Return a value as what `json.dumps` takes; no value makes it raise."""
    if type(value) is str:
        return value
    if isinstance(value, int) and value.bit_length() > _INT_BITS_MAX:
        return hex(value)
    if value is None or (isinstance(value, bool | int | str) and not isinstance(value, Enum)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else _text(value)
    try:
        return _converted(value, depth)
    except Exception:  # of a class of the user's; the rest of the page is shown all the same
        return _text(value)


def _converted(value: Any, depth: int) -> Any:
    if depth > _DEEPEST:
        return _text(value)
    for kinds, convert in _LEAVES:
        if isinstance(value, kinds):
            return convert(value)
    return _whole(value, depth + 1)


def _text(value: Any) -> str:
    try:
        return str(value)
    except Exception as error:  # as above, or it is nested too deeply
        return f"a {type(value).__qualname__} that cannot be shown: {type(error).__name__}"


def _whole(value: Any, depth: int) -> Any:
    """Return a value that is made of others."""
    if isinstance(value, Windowed):
        key = jsonable(value.key, depth)
        return {"key": key, "start": value.start, "end": value.end}
    if isinstance(value, ValueAndTimestamp):
        return {"value": jsonable(value.value, depth), "timestamp": value.timestamp}
    if isinstance(value, Mapping):
        return _mapping(value, depth)
    named = _fields_of(value)
    if named is not None:
        return {name: jsonable(getattr(value, name, None), depth) for name in named}
    if isinstance(value, Iterable):
        return [jsonable(one, depth) for one in value]
    return _text(value)


def _mapping(value: Mapping[Any, Any], depth: int) -> Any:
    """Return a mapping as an object; as pairs if two of its keys, as 1 and "1", have one name."""
    # Each is converted once: twice would be 2 ** 100 times where such mappings are nested.
    pairs = [(jsonable(key, depth), jsonable(one, depth)) for key, one in value.items()]
    named = {_name(key): one for key, one in pairs}
    return named if len(named) == len(pairs) else [list(pair) for pair in pairs]


def _fields_of(value: Any) -> Iterable[str] | None:
    if is_dataclass(value):
        return [field.name for field in fields(value)]
    if isinstance(value, msgspec.Struct):
        return value.__struct_fields__
    # Pydantic's models and named tuples.
    named = getattr(type(value), "model_fields", None) or getattr(value, "_fields", None)
    return list(named) if named is not None else None


def _name(key: Any) -> str:
    """Return a key of a mapping, converted already, as a name in a JSON object."""
    return key if isinstance(key, str) else json.dumps(key, ensure_ascii=False)


def _base64(value: Any) -> str:
    return base64.b64encode(bytes(value)).decode("ascii")


_LEAVES: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (Enum, lambda value: jsonable(value.value)),
    ((bytes, bytearray, memoryview), _base64),
    ((datetime, date, time), lambda value: value.isoformat()),
    (timedelta, lambda value: value.total_seconds()),
    ((Decimal, UUID), str),
)


def key_of(text: str, codec: Codec, serde: Serde[Any]) -> Any:
    """Return the key that a text names, by the serde of the store.

    Bytes are base64, a windowed key is an object with key, start and end. A key of a string serde
    may be written without quotes; others are JSON. Where JSON does not make a key, as of Protobuf,
    the serialized key does, in base64.

    Raises:
        Refusal: the store has no such keys.
    """
    return key_reader(codec, serde)(text)[0]


def key_reader(codec: Codec, serde: Serde[Any]) -> Callable[[str], tuple[Any, bytes]]:
    """Return a function that does what `key_of` does; it returns the bytes of the key as well."""
    readers = _readers_of(serde)
    if not isinstance(serde, BuiltInSerde) or isinstance(serde, FunctionSerde):
        readers = (*readers, lambda text: codec.decode_key(_decoded(text)))

    def key_and_bytes(text: str) -> tuple[Any, bytes]:
        reasons = []
        for read in readers:
            try:
                key = read(text)
                return key, codec.encode_key(key)
            except Exception as error:  # a serde of the user's may raise anything
                reason = said(error) if isinstance(error, TypeError) else str(error)
                reasons.append(reason or type(error).__name__)
        msg = f"the key {_short(text)} is none of this store: {reasons[0]}; {_advice(serde)}"
        raise bad_request(msg)

    return key_and_bytes


def prefix_of(text: str, serde: Serde[Any]) -> bytes:
    """Return the bytes with which keys begin: text of string keys, with or without quotes as a key,
    else base64.

    Raises:
        Refusal: it is neither.
    """
    if not isinstance(serde, StringSerde):
        return bytes_of(text, f"'prefix' is that of bytes, as keys are by {serde!r}: it")
    try:
        return _unquoted(text).encode("utf-8")
    except ValueError as error:
        msg = f"'prefix' must be text, or text in JSON's quotes; got {_short(text)}"
        raise bad_request(msg) from error


def bytes_of(text: str, what: str) -> bytes:
    """Return the bytes of a text in base64, of either alphabet, with or without padding.

    Raises:
        Refusal: it is no base64.
    """
    try:
        return _decoded(text)
    except (ValueError, binascii.Error) as error:
        msg = f"{what} must be base64; got {_short(text)}"
        raise bad_request(msg) from error


def _readers_of(serde: Serde[Any]) -> tuple[Callable[[str], Any], ...]:
    inner = inner_serde_of(serde)
    if inner is not None:
        return tuple(partial(_windowed, read=read) for read in _readers_of(inner))
    if isinstance(serde, BytesSerde):
        return (lambda text: _decoded(_unquoted(text)),)
    if isinstance(serde, StringSerde):
        return (_unquoted,)
    if isinstance(serde, UuidSerde):
        return (lambda text: UUID(_unquoted(text)),)
    if isinstance(serde, JsonSerde | PydanticSerde):
        return (lambda text: serde.decode(text.encode("utf-8")), _as_is)
    return (_json, _as_is)


def _windowed(text: str, read: Callable[[str], Any]) -> Windowed[Any]:
    """Return the windowed key that a text is; `read` reads the key in it."""
    shown = _json(text)
    named = isinstance(shown, dict) and shown.keys() == {"key", "start", "end"}
    if not named or type(shown["start"]) is not int or type(shown["end"]) is not int:
        msg = f'it must look like {{"key": ..., "start": 0, "end": 1000}}; got {_short(text)}'
        raise ValueError(msg)
    return Windowed(read(json.dumps(shown["key"])), shown["start"], shown["end"])


def _advice(serde: Serde[Any]) -> str:
    if isinstance(serde, BytesSerde):
        return "write bytes as base64"
    return f"write it as JSON that {serde!r} takes"


def _decoded(text: str) -> bytes:
    padded = text.replace("-", "+").replace("_", "/").rstrip("=")
    padded += "=" * (-len(padded) % 4)
    return base64.b64decode(padded.encode("ascii"), validate=True)


def _unquoted(text: str) -> str:
    """Return a JSON string's text, or a text without quotes as it is."""
    if len(text) >= 2 and text[0] == text[-1] == '"':
        return str(_json(text))
    return text


def _json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        msg = "it is no JSON"
        raise ValueError(msg) from error


def _no_constant(word: str) -> Any:
    msg = f"{word} is no JSON"
    raise ValueError(msg)


def _as_is(text: str) -> str:
    return text


def _short(text: str) -> str:
    return repr(text if len(text) <= 80 else f"{text[:80]}...")
