"""Serdes of a schema registry: Confluent's serializers, behind our contract.

A record begins with the id of its schema, which the registry knows: Java and Python programs read
each other's. Clients are made where they are used, in the worker: a serde that travels holds only
what it was made of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final, Literal, TypeAlias, TypeVar

from penstock.errors import SerializationError, StreamsError
from penstock.serdes.contract import HeaderPairs, Serde
from penstock.serdes.document_types import type_name
from penstock.serdes.registry_values import Conversion, conversion

T = TypeVar("T")

Format: TypeAlias = Literal["avro", "json_schema", "protobuf"]
Codec: TypeAlias = Callable[[Any, Any], Any]

_REFUSED: Final = frozenset({401, 403, 407, 408, 429})
_FAILED: Final = 500
_HTTP_LIBRARIES: Final = frozenset({"authlib", "httpx", "httpx2"})
"""What the client of the registry uses; an error of theirs is no OSError."""

_EXTRAS: Mapping[Format, str] = {
    "avro": "avro",
    "json_schema": "json-schema",
    "protobuf": "protobuf",
}


class RegistrySerde(Serde[T]):
    """A serde whose schemas are in a registry. `settings` are those of its client, the URL among
    them; `schema` is text, or the class of protobuf messages.
    """

    def __init__(
        self,
        format: Format,
        settings: Mapping[str, Any],
        schema: Any,
        of: Any = None,
        *,
        is_key: bool = False,
        registers: bool = True,
    ) -> None:
        self._format = format
        self._settings = dict(settings)
        self._schema = schema
        self._of = of
        self._is_key = is_key
        self._registers = registers
        self._serializer: Codec | None = None
        self._deserializer: Codec | None = None

    def serialize(self, topic: str, value: T | None, headers: HeaderPairs = ()) -> bytes | None:
        if value is None:
            return None
        if self._serializer is None:
            self._serializer = self._make("serializer")
        try:
            written: bytes = self._serializer(value, self._context(topic, headers))
        except Exception as error:
            msg = f"{self!r} cannot write a {type_name(type(value))} to {topic!r}: {_reason(error)}"
            raise SerializationError(msg) from error
        return written

    def deserialize(self, topic: str, data: bytes | None, headers: HeaderPairs = ()) -> T | None:
        if data is None:
            return None
        if self._deserializer is None:
            self._deserializer = self._make("deserializer")
        try:
            value: T = self._deserializer(data, self._context(topic, headers))
        except Exception as error:
            msg = f"{self!r} cannot read what is in {topic!r}: {_reason(error)}"
            # A registry that does not answer says nothing of the bytes.
            raise (StreamsError if _is_of_registry(error) else SerializationError)(msg) from error
        return value

    def __repr__(self) -> str:
        # Without the settings: there are passwords among them.
        name = "" if self._of is None else type_name(self._of)
        return f"SchemaRegistry.{self._format}({name})"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt, (
            (self._format, self._settings, self._schema, self._of),
            {"is_key": self._is_key, "registers": self._registers},
        )

    def _make(self, direction: Literal["serializer", "deserializer"]) -> Codec:
        try:
            registry = import_module("confluent_kafka.schema_registry")
            codecs = import_module(f"confluent_kafka.schema_registry.{self._format}")
            client = registry.SchemaRegistryClient(self._settings)
        except ImportError as error:
            msg = (
                f"{self!r} needs packages that are not installed ({error}); "
                f"pip install 'penstock[{_EXTRAS[self._format]}]'"
            )
            raise StreamsError(msg) from error
        except ValueError as error:
            msg = f"{self!r}: a setting of the schema registry is wrong: {error}"
            raise StreamsError(msg) from error
        make = _MAKERS[self._format, direction]
        made: Codec = make(codecs, client, self)
        return made

    def _context(self, topic: str, headers: HeaderPairs) -> Any:
        serialization = import_module("confluent_kafka.serialization")
        field = serialization.MessageField.KEY if self._is_key else serialization.MessageField.VALUE
        return serialization.SerializationContext(topic, field, list(headers))

    @property
    def _conversion(self) -> Conversion:
        return conversion(self._of, keeps_types=self._format == "avro")

    @property
    def _writing(self) -> dict[str, Any]:
        return {"auto.register.schemas": self._registers}


def _rebuilt(arguments: tuple[Any, ...], options: dict[str, Any]) -> RegistrySerde[Any]:
    return RegistrySerde(*arguments, **options)


def _avro_serializer(codecs: Any, client: Any, serde: RegistrySerde[Any]) -> Any:
    to_plain = serde._conversion.to_plain
    return codecs.AvroSerializer(client, serde._schema, lambda v, _: to_plain(v), serde._writing)


def _avro_deserializer(codecs: Any, client: Any, serde: RegistrySerde[Any]) -> Any:
    from_plain = serde._conversion.from_plain
    return codecs.AvroDeserializer(client, serde._schema, lambda v, _: from_plain(v))


def _json_serializer(codecs: Any, client: Any, serde: RegistrySerde[Any]) -> Any:
    to_plain = serde._conversion.to_plain
    return codecs.JSONSerializer(serde._schema, client, lambda v, _: to_plain(v), serde._writing)


def _json_deserializer(codecs: Any, client: Any, serde: RegistrySerde[Any]) -> Any:
    from_plain = serde._conversion.from_plain
    return codecs.JSONDeserializer(serde._schema, lambda v, _: from_plain(v), client)


def _protobuf_serializer(codecs: Any, client: Any, serde: RegistrySerde[Any]) -> Any:
    writing = {**serde._writing, "use.deprecated.format": False}
    return codecs.ProtobufSerializer(serde._schema, client, writing)


def _protobuf_deserializer(codecs: Any, client: Any, serde: RegistrySerde[Any]) -> Any:
    return codecs.ProtobufDeserializer(serde._schema, {"use.deprecated.format": False}, client)


_MAKERS: Mapping[tuple[str, str], Callable[[Any, Any, RegistrySerde[Any]], Any]] = {
    ("avro", "serializer"): _avro_serializer,
    ("avro", "deserializer"): _avro_deserializer,
    ("json_schema", "serializer"): _json_serializer,
    ("json_schema", "deserializer"): _json_deserializer,
    ("protobuf", "serializer"): _protobuf_serializer,
    ("protobuf", "deserializer"): _protobuf_deserializer,
}


def _is_of_registry(error: Exception) -> bool:
    """Yes if the registry cannot be reached, refuses this client or has failed."""
    status = getattr(error, "http_status_code", None)
    if status is not None:
        return status in _REFUSED or status >= _FAILED
    libraries = {cls.__module__.partition(".")[0] for cls in type(error).__mro__}
    return isinstance(error, OSError) or not libraries.isdisjoint(_HTTP_LIBRARIES)


def _reason(error: Exception) -> str:
    """Return the text of an error, with its class where the text is short."""
    text = str(error).strip()
    return text if len(text) > 20 else f"{type(error).__name__} {text}".strip()
