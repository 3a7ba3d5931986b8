"""Serdes by name, for settings: `default.key.serde` may be a serde, our name of one or Java's."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import partial
from typing import Any
from uuid import UUID

from penstock.errors import ConfigError
from penstock.serdes.contract import Serde
from penstock.serdes.documents import JsonSerde
from penstock.serdes.numbers import FloatSerde, IntegerSerde
from penstock.serdes.plain import BooleanSerde, BytesSerde, StringSerde, UuidSerde, VoidSerde

_BY_NAME: dict[str, Callable[[], Serde[Any]]] = {
    "string": StringSerde,
    "bytes": BytesSerde,
    "short": partial(IntegerSerde, "short"),
    "integer": partial(IntegerSerde, "integer"),
    "long": partial(IntegerSerde, "long"),
    "float": partial(FloatSerde, "float"),
    "double": partial(FloatSerde, "double"),
    "boolean": BooleanSerde,
    "uuid": UuidSerde,
    "void": VoidSerde,
    "json": JsonSerde,
}
_BY_JAVA_CLASS = {
    "StringSerde": "string",
    "ByteArraySerde": "bytes",
    "BytesSerde": "bytes",
    "ByteBufferSerde": "bytes",
    "ShortSerde": "short",
    "IntegerSerde": "integer",
    "LongSerde": "long",
    "FloatSerde": "float",
    "DoubleSerde": "double",
    "BooleanSerde": "boolean",
    "UUIDSerde": "uuid",
    "VoidSerde": "void",
}
_BY_PYTHON_TYPE: dict[type, str] = {
    str: "string",
    bytes: "bytes",
    int: "long",
    float: "double",
    bool: "boolean",
    UUID: "uuid",
    dict: "json",
    list: "json",
}
_JAVA_PREFIXES = (
    "org.apache.kafka.common.serialization.Serdes$",
    "org.apache.kafka.common.serialization.Serdes.",
    "Serdes$",
    "Serdes.",
)


def resolve(spec: object) -> Serde[Any]:
    """Return the serde that a setting means: a serde, a name like "long", or Java's class name.

    >>> resolve("long")
    serdes.long()
    >>> resolve("org.apache.kafka.common.serialization.Serdes$StringSerde")
    serdes.string()

    Raises:
        ConfigError: if it means none; the message says the nearest known name.
    """
    if isinstance(spec, Serde):
        return spec
    if isinstance(spec, str):
        name = _BY_JAVA_CLASS.get(_without_java_prefix(spec), spec)
        if name in _BY_NAME:
            return _BY_NAME[name]()
        msg = f"unknown serde {spec!r}; {_suggestion(spec)}"
        raise ConfigError(msg)
    msg = f"serde must be a Serde or the name of one; got {spec!r}{_call_hint(spec)}"
    raise ConfigError(msg)


def windowed_kind(spec: object) -> str | None:
    """Return the kind of windowed serde that a setting names, ours or Java's class; None if it
    names none. Its parts are other settings.

    >>> windowed_kind("org.apache.kafka.streams.kstream.WindowedSerdes$TimeWindowedSerde")
    'time_windowed'
    """
    if not isinstance(spec, str):
        return None
    simple = spec.rpartition("$")[2].rpartition(".")[2]
    named = {"TimeWindowedSerde": "time_windowed", "SessionWindowedSerde": "session_windowed"}
    kind = named.get(simple, simple)
    return kind if kind in named.values() else None


def _without_java_prefix(name: str) -> str:
    for prefix in _JAVA_PREFIXES:
        if name.startswith(prefix):
            return name.removeprefix(prefix)
    return name


def _suggestion(name: str) -> str:
    simple = _without_java_prefix(name).lower().removesuffix("serde")
    nearest = get_close_matches(simple, _BY_NAME, n=1)
    hint = f"did you mean {nearest[0]!r}? " if nearest else ""
    known = ", ".join(repr(known) for known in _BY_NAME)
    return f"{hint}known names: {known}, and Java's, like 'Serdes.StringSerde'"


def _call_hint(spec: object) -> str:
    if isinstance(spec, type) and issubclass(spec, Serde):
        return f"; give an object: {spec.__qualname__}()"
    factory = factory_meant(spec)
    return f"; write serdes.{factory}()" if factory else ""


def factory_meant(spec: object) -> str | None:
    """Return the factory that was meant by what is no serde: itself, a type of Python or a name.

    >>> factory_meant(int)
    'long'
    """
    if callable(spec) and getattr(spec, "__module__", "").startswith("penstock.serdes"):
        return str(getattr(spec, "__name__", ""))
    if isinstance(spec, type):
        return _BY_PYTHON_TYPE.get(spec)
    return spec if isinstance(spec, str) and spec in _BY_NAME else None
