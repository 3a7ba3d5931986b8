"""Serdes whose schemas are in a schema registry: Avro, JSON Schema, Protobuf.

```python
from penstock.schema_registry import SchemaRegistry

registry = SchemaRegistry("http://registry:8081")
orders = registry.avro(ORDER_SCHEMA, of=Order)  # Order is a dataclass, say
builder.stream("orders", Consumed(key=serdes.string(), value=orders))
```

Each format needs packages of its own, the extras `avro`, `json-schema` and `protobuf`. The bytes
are those of Confluent's serializers, so that Java programs read them. Subjects are named after
topics: `orders-value`, `orders-key`, and for state `<application.id>-<store>-changelog-value`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, overload

from penstock._engine.kafka.client.schema_registry import RegistrySerde
from penstock.errors import ConfigError
from penstock.serdes import Serde
from penstock.settings.secrets import shown

__all__ = ["SchemaRegistry"]

T = TypeVar("T")


class SchemaRegistry:
    """Makes serdes of one registry. `settings` are those of Confluent's client, such as
    `basic.auth.user.info` or `ssl.ca.location`.

    >>> from penstock.schema_registry import SchemaRegistry
    >>> SchemaRegistry("http://registry:8081", {"basic.auth.user.info": "ann:secret"})
    SchemaRegistry('http://registry:8081')
    """

    def __init__(self, url: str, settings: Mapping[str, Any] | None = None) -> None:
        if not url.startswith(("http://", "https://")):
            told = shown("url", url)
            msg = f"the URL of a schema registry must begin with http:// or https://; got {told!r}"
            raise ConfigError(msg)
        self._settings = {**(settings or {}), "url": url}

    @overload
    def avro(
        self, schema: str | None = None, *, key: bool = False, register: bool = True
    ) -> Serde[Any]: ...
    @overload
    def avro(
        self, schema: str | None = None, *, of: type[T], key: bool = False, register: bool = True
    ) -> Serde[T]: ...
    def avro(
        self, schema: str | None = None, *, of: Any = None, key: bool = False, register: bool = True
    ) -> Serde[Any]:
        """Write Avro. Values are dicts, or of the type `of`: a dataclass, TypedDict,
        msgspec.Struct or pydantic model.

        `schema` is the reader's and the writer's, as JSON text; what was written with another one
        is read as Avro's rules say: a field that it lacks has its default. Without a schema the
        writer's is used, and nothing can be written. `key` says that keys are written, `register`
        whether schemas are registered that the registry does not know.

        >>> from penstock.schema_registry import SchemaRegistry
        >>> order = '{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "int"}]}'
        >>> values = SchemaRegistry("http://registry:8081").avro(order)
        >>> builder.stream("avro-orders", Consumed(key=text, value=values)).to("copies")
        """
        return RegistrySerde("avro", self._settings, schema, of, is_key=key, registers=register)

    @overload
    def json_schema(
        self, schema: str, *, key: bool = False, register: bool = True
    ) -> Serde[Any]: ...
    @overload
    def json_schema(
        self, schema: str, *, of: type[T], key: bool = False, register: bool = True
    ) -> Serde[T]: ...
    def json_schema(
        self, schema: str, *, of: Any = None, key: bool = False, register: bool = True
    ) -> Serde[Any]:
        """Write JSON that is checked against a JSON Schema, when it is written and when it is read.
        Values are plain, or of the type `of`, as with `avro`.

        >>> from penstock.schema_registry import SchemaRegistry
        >>> values = SchemaRegistry("http://registry:8081").json_schema('{"type": "object"}')
        >>> builder.stream("json-orders", Consumed(key=text, value=values)).to("copies")
        """
        return RegistrySerde(
            "json_schema", self._settings, schema, of, is_key=key, registers=register
        )

    def protobuf(self, message: type[T], *, key: bool = False, register: bool = True) -> Serde[T]:
        """Write messages of a class that protoc has made.

        >>> from penstock.schema_registry import SchemaRegistry
        >>> class Order: ...  # of the module that protoc has made
        >>> SchemaRegistry("http://registry:8081").protobuf(Order)
        SchemaRegistry.protobuf(Order)
        """
        return RegistrySerde(
            "protobuf", self._settings, message, message, is_key=key, registers=register
        )

    def __repr__(self) -> str:
        return f"SchemaRegistry({shown('url', self._settings['url'])!r})"
