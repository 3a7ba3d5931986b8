"""Keys and values on the command line: text that people type and read, for each kind of serde."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import Any

from penstock import serdes
from penstock.errors import SerializationError
from penstock.serdes import Serde
from penstock.windowed import Windowed

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


def encode(name: str, topic: str, value: Any) -> bytes | None:
    """Return the bytes of a value: text as it is typed, or what stood in JSON.

    Raises:
        SerializationError: it is no value of this type.
    """
    if value is None:
        return None
    try:
        return serde_of(name).serialize(topic, _typed(name, value))
    except (ValueError, TypeError, SerializationError) as error:
        msg = f"{value!r} is no {name}: {error}"
        raise SerializationError(msg) from error


def decode(serde: Serde[Any], topic: str, data: bytes | None) -> Any:
    """Return a value that JSON can hold: bytes in hexadecimal, windows with their ends."""
    return None if data is None else _plain(serde.deserialize(topic, data))


def as_line(value: Any) -> str:
    """Return a value as people read it."""
    if value is None:
        return "null"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _typed(name: str, value: Any) -> Any:
    if isinstance(value, str) and name != "json":
        return _READERS[name](value)
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, Windowed):
        return {"key": _plain(value.key), "start": value.start, "end": value.end}
    if isinstance(value, bytes):
        return value.hex()
    return str(value) if isinstance(value, uuid.UUID) else value
