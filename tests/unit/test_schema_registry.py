"""Serdes of a schema registry, against one that speaks its protocol.

They need the packages of the extras `avro`, `json-schema` and `protobuf`; where those are missing,
what remains is that the serdes say so.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import Any

import pytest

from penstock import Consumed, Grouped, Materialized, Produced, StreamsBuilder, serdes
from penstock._engine.kafka.client.schema_registry import RegistrySerde
from penstock.errors import ConfigError, SerializationError, StreamsError
from penstock.schema_registry import SchemaRegistry
from penstock.testing import TopologyTestDriver
from tests.unit.registry_server import Registry, serving


def needs(*packages: str) -> pytest.MarkDecorator:
    missing = [name for name in packages if find_spec(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


needs_avro = needs("httpx2", "fastavro")
needs_json = needs("httpx2", "jsonschema")
needs_protobuf = needs("httpx2", "google.protobuf") if find_spec("google") else needs("google")


@dataclass
class Order:
    id: str
    cents: int
    placed: datetime | None = None


@dataclass
class OrderWithShop:
    id: str
    cents: int
    placed: datetime | None = None
    shop: str = "unknown"


def avro_schema(*more: dict[str, Any]) -> str:
    placed = {"type": "long", "logicalType": "timestamp-millis"}
    fields = [
        {"name": "id", "type": "string"},
        {"name": "cents", "type": "long"},
        {"name": "placed", "type": ["null", placed], "default": None},
        *more,
    ]
    return json.dumps({"type": "record", "name": "Order", "fields": fields})


AVRO = avro_schema()
AVRO_WITH_SHOP = avro_schema({"name": "shop", "type": "string", "default": "unknown"})
AVRO_WITH_NEED = avro_schema({"name": "shop", "type": "string"})
JSON = json.dumps(
    {
        "title": "Order",
        "type": "object",
        "properties": {"id": {"type": "string"}, "cents": {"type": "integer", "minimum": 0}},
        "required": ["id", "cents"],
    }
)
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


@pytest.fixture
def server() -> Iterator[Registry]:
    with serving() as registry:
        yield registry


@needs_avro
def test_avro_is_written_with_the_id_of_its_schema(server: Registry) -> None:
    serde = SchemaRegistry(server.url).avro(AVRO, of=Order)
    order = Order("o-1", 250, NOON)
    data = serde.serialize("orders", order)
    assert data is not None
    assert data[:5] == b"\0\0\0\0\1"
    assert list(server.subjects) == ["orders-value"]
    assert serde.deserialize("orders", data) == order
    assert serde.deserialize("orders", None) is None


@needs_avro
def test_keys_have_subjects_of_their_own_and_values_may_be_dicts(server: Registry) -> None:
    serde = SchemaRegistry(server.url).avro(AVRO, key=True)
    value = {"id": "o-1", "cents": 250, "placed": None}
    assert serde.deserialize("orders", serde.serialize("orders", value)) == value
    assert list(server.subjects) == ["orders-key"]


@needs_avro
def test_what_an_old_schema_lacks_has_its_default(server: Registry) -> None:
    registry = SchemaRegistry(server.url)
    old = registry.avro(AVRO, of=Order).serialize("orders", Order("o-1", 250))
    new = registry.avro(AVRO_WITH_SHOP, of=OrderWithShop)
    assert new.deserialize("orders", old) == OrderWithShop("o-1", 250, None, "unknown")


@needs_avro
def test_a_change_that_cannot_read_old_records_is_told(server: Registry) -> None:
    registry = SchemaRegistry(server.url)
    old = registry.avro(AVRO, of=Order).serialize("orders", Order("o-1", 250))
    new = registry.avro(AVRO_WITH_NEED, of=OrderWithShop)
    with pytest.raises(SerializationError, match=r"avro.OrderWithShop. cannot read what is in"):
        new.deserialize("orders", old)


@needs_avro
def test_a_registry_that_refuses_a_schema_is_told(server: Registry) -> None:
    registry = SchemaRegistry(server.url)
    registry.avro(AVRO, of=Order).serialize("orders", Order("o-1", 250))
    server.refuses.add("orders-value")
    with pytest.raises(SerializationError, match="is incompatible with an earlier one of orders"):
        registry.avro(AVRO_WITH_NEED, of=OrderWithShop).serialize(
            "orders", OrderWithShop("o-1", 250)
        )


@needs_avro
def test_unknown_schemas_are_registered_only_if_wanted(server: Registry) -> None:
    serde = SchemaRegistry(server.url).avro(AVRO, of=Order, register=False)
    with pytest.raises(SerializationError, match="not found"):
        serde.serialize("orders", Order("o-1", 250))
    assert server.subjects == {}


@needs_avro
def test_values_and_bytes_of_other_kinds_are_refused(server: Registry) -> None:
    serde: Any = SchemaRegistry(server.url).avro(AVRO, of=Order)
    with pytest.raises(SerializationError, match="must be a Order; got OrderWithShop"):
        serde.serialize("orders", OrderWithShop("o-1", 250))
    with pytest.raises(SerializationError, match="cannot read what is in 'orders'"):
        serde.deserialize("orders", b"plain text")


@needs_avro
def test_it_travels_and_keeps_its_secrets(server: Registry) -> None:
    registry = SchemaRegistry(server.url, {"basic.auth.user.info": "ada:secret"})
    serde = registry.avro(AVRO, of=Order)
    data = serde.serialize("orders", Order("o-1", 250))
    arrived = pickle.loads(pickle.dumps(serde))
    assert arrived.deserialize("orders", data) == Order("o-1", 250)
    assert "secret" not in repr(registry) + repr(serde)


@needs_avro
def test_a_topology_keeps_its_state_in_avro(server: Registry) -> None:
    registry, text = SchemaRegistry(server.url), serdes.string()
    orders = registry.avro(AVRO, of=Order)

    def add(key: str, order: Order, total: Order) -> Order:
        return Order(key, total.cents + order.cents)

    builder = StreamsBuilder()
    (
        builder.stream("orders", Consumed(text, orders))
        .group_by_key(Grouped(key=text, value=orders))
        .aggregate(lambda: Order("", 0), add, Materialized("totals", key=text, value=orders))
        .to_stream()
        .to("totals", Produced(text, orders))
    )
    with TopologyTestDriver(builder.build()) as driver:
        source = driver.create_input_topic("orders", text, orders)
        sink = driver.create_output_topic("totals", text, orders)
        for cents in (5, 7):
            source.pipe_input("ada", Order("o", cents))
        assert [order.cents for _, order in sink.read_key_values() if order] == [5, 12]
    assert any(name.endswith("-totals-changelog-value") for name in server.subjects)


@needs_json
def test_json_is_checked_against_its_schema(server: Registry) -> None:
    serde = SchemaRegistry(server.url).json_schema(JSON)
    data = serde.serialize("orders", {"id": "o-1", "cents": 250})
    assert serde.deserialize("orders", data) == {"id": "o-1", "cents": 250}
    assert server.schemas[0]["schemaType"] == "JSON"
    with pytest.raises(SerializationError, match="-1 is less than the minimum of 0"):
        serde.serialize("orders", {"id": "o-1", "cents": -1})


@needs_json
def test_json_of_a_type(server: Registry) -> None:
    @dataclass
    class Plain:
        id: str
        cents: int = 3

    serde = SchemaRegistry(server.url).json_schema(JSON, of=Plain)
    assert serde.deserialize("orders", serde.serialize("orders", Plain("a"))) == Plain("a", 3)


@needs_protobuf
def test_protobuf(server: Registry) -> None:
    message = order_message()
    serde = SchemaRegistry(server.url).protobuf(message)
    order = message(id="o-1", cents=250)
    assert serde.deserialize("orders", serde.serialize("orders", order)) == order
    assert server.schemas[-1]["schemaType"] == "PROTOBUF"


def order_message() -> Any:
    """Return the class that protoc would make of a message with a string and an int64."""
    from google.protobuf import (  # noqa: PLC0415
        descriptor_pb2,
        descriptor_pool,
        message_factory,
    )

    file = descriptor_pb2.FileDescriptorProto(name="order.proto", package="shop", syntax="proto3")
    record = file.message_type.add(name="Order")
    field = descriptor_pb2.FieldDescriptorProto
    for number, (name, kind) in enumerate((("id", "STRING"), ("cents", "INT64")), 1):
        record.field.add(
            name=name,
            number=number,
            type=getattr(field, f"TYPE_{kind}"),
            label=field.LABEL_OPTIONAL,
        )
    pool = descriptor_pool.Default()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("shop.Order"))


@needs_avro
def test_a_registry_that_is_not_there_is_told() -> None:
    settings = {"max.retries": 0}
    serde = SchemaRegistry("http://127.0.0.1:1", settings).avro(AVRO, of=Order)
    with pytest.raises(SerializationError, match="cannot write a Order to 'orders': "):
        serde.serialize("orders", Order("o-1", 250))


@pytest.mark.skipif(find_spec("fastavro") is not None, reason="the packages are there")
def test_packages_that_are_missing_are_named() -> None:
    serde = SchemaRegistry("http://registry:8081").avro(AVRO, of=Order)
    with pytest.raises(StreamsError, match=r"pip install 'penstock\[avro\]'"):
        serde.serialize("orders", Order("o-1", 250))


def test_a_registry_has_a_url() -> None:
    with pytest.raises(ConfigError, match="http:// or https://; got 'registry:8081'"):
        SchemaRegistry("registry:8081")


def test_a_password_in_the_url_is_not_shown() -> None:
    assert repr(SchemaRegistry("http://ada:hunter2@r:8081")) == (
        "SchemaRegistry('http://<hidden>@r:8081')"
    )
    with pytest.raises(ConfigError, match="must begin with http") as caught:
        SchemaRegistry("ftp://ada:hunter2@r:8081")
    assert "hunter2" not in str(caught.value)


class OfHttpx(Exception):
    __module__ = "httpx2"


class OfRegistry(Exception):
    """As the client's SchemaRegistryError."""

    def __init__(self, http_status_code: int) -> None:
        self.http_status_code = http_status_code


@pytest.mark.parametrize(
    ("error", "is_of_bytes"),
    [
        (OfHttpx("connection refused"), False),
        (ConnectionResetError(), False),
        (OfRegistry(503), False),
        (OfRegistry(401), False),
        (OfRegistry(404), True),
        (ValueError("no magic byte"), True),
    ],
    ids=repr,
)
def test_a_registry_that_does_not_answer_is_no_fault_of_the_bytes(
    error: Exception, is_of_bytes: bool
) -> None:
    def fail(data: bytes, context: object) -> object:
        raise error

    serde = RegistrySerde[Any]("avro", {}, AVRO)
    serde._deserializer = fail
    serde._context = lambda topic, headers: None  # type: ignore[method-assign]
    with pytest.raises(StreamsError, match="cannot read what is in 'orders'") as caught:
        serde.deserialize("orders", b"5")
    assert isinstance(caught.value, SerializationError) is is_of_bytes
