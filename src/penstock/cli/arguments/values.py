"""Keys and values on the command line: text that people type and read, for each kind of serde."""

from __future__ import annotations

import base64
import json
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from penstock import serdes
from penstock.errors import SerializationError
from penstock.serdes import Serde
from penstock.windowed import Windowed

_BASE64 = "base64"
_TEXT = serdes.string()
_TRUTHS = {"true": True, "false": False}


def _truth(text: str) -> bool:
    if text.lower() not in _TRUTHS:
        msg = "it must be true or false"
        raise ValueError(msg)
    return _TRUTHS[text.lower()]


def _nothing(text: str) -> None:
    if text:
        msg = "it must be empty"
        raise ValueError(msg)


_READERS: dict[str, Callable[[str], Any]] = {
    "string": str,
    "json": json.loads,
    "long": int,
    "integer": int,
    "short": int,
    "double": float,
    "float": float,
    "boolean": _truth,
    "uuid": uuid.UUID,
    "bytes": bytes.fromhex,
    "void": _nothing,
}
TYPES = tuple(_READERS)
"""What a key or a value may be; bytes are written in hexadecimal."""
WINDOWED_TYPES = tuple(
    f"{prefix}-windowed:{name}" for prefix in ("time", "session") for name in TYPES
)


def serde_of(name: str, window_size_ms: int | None = None) -> Serde[Any]:
    """Return the serde of a type: `long`, or `time-windowed:string` for the keys of windows."""
    prefix, colon, inner = name.rpartition(":")
    plain: Serde[Any] = getattr(serdes, inner)()
    if not colon:
        return plain
    if prefix == "session-windowed":
        return serdes.session_windowed(plain)
    return serdes.time_windowed(plain, window_size_ms or 1)


def encode_text(name: str, topic: str, text: str) -> bytes | None:
    """Return the bytes of a value as it is typed: of type `json` the text is the document.

    Raises:
        SerializationError: it is no value of this type.
    """
    return _encoded(name, topic, text, _READERS[name])


def encode(name: str, topic: str, value: Any) -> bytes | None:
    """Return the bytes of a value that stood in JSON. Text is read as if it was typed, and
    `{"base64": ...}` is bytes, but of type `json` both are values like others.

    Raises:
        SerializationError: it is no value of this type.
    """
    if value is None:
        return None
    if name != "json" and (data := from_base64(value)) is not None:
        return data
    is_typed = isinstance(value, str) and name != "json"
    return _encoded(name, topic, value, _READERS[name] if is_typed else _as_it_is)


def _encoded(name: str, topic: str, value: Any, read: Callable[[Any], Any]) -> bytes | None:
    try:
        return serde_of(name).serialize(topic, read(value))
    except (ValueError, TypeError, SerializationError) as error:
        msg = f"{value!r} is no {name}: {error}"
        raise SerializationError(msg) from error


def decode(serde: Serde[Any], topic: str, data: bytes | None) -> Any:
    """Return a value that JSON can hold: bytes in hexadecimal, windows with their ends."""
    return None if data is None else _plain(serde.deserialize(topic, data))


def decode_for_copy(serde: Serde[Any], topic: str, data: bytes | None) -> Any:
    """Return a value that `encode` turns into the same bytes: text that is not UTF-8 as base64."""
    if data is not None and serde == _TEXT:
        return text_or_base64(data)
    return decode(serde, topic, data)


def text_or_base64(data: bytes) -> str | dict[str, str]:
    """Return bytes as text, or as `{"base64": ...}` if they are not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {_BASE64: base64.b64encode(data).decode()}


def from_base64(value: Any) -> bytes | None:
    """Return the bytes of `{"base64": ...}`, None if it is something else."""
    if isinstance(value, dict) and value.keys() == {_BASE64}:
        with suppress(TypeError, ValueError):
            return base64.b64decode(value[_BASE64], validate=True)
    return None


def as_line(value: Any) -> str:
    """Return a value as people read it."""
    if value is None:
        return "null"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _as_it_is(value: Any) -> Any:
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, Windowed):
        return {"key": _plain(value.key), "start": value.start, "end": value.end}
    if isinstance(value, bytes):
        return value.hex()
    return str(value) if isinstance(value, uuid.UUID) else value
