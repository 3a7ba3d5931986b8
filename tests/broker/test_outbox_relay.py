"""A relay and a message that Kafka refuses: those before it are published once, and it is named."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # it marks no exports
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)

from examples.stage.topics import read_all
from penstock import outbox
from penstock._clock import monotonic
from penstock.database import Database
from penstock.errors import StreamsError
from penstock.outbox import Outbox, OutboxRelay, RefusedMessageError
from penstock.testing.broker import CreateTopic, LocalBroker

pytestmark = pytest.mark.slow

OUTBOX = Outbox("shop_outbox")


def filled(folder: Path, *messages: tuple[str, bytes]) -> Database:
    database = Database(f"sqlite:{folder}/shop.db")
    OUTBOX.create(database)
    add(database, *messages)
    return database


def add(database: Database, *messages: tuple[str, bytes]) -> None:
    connection = database.connect()
    with connection.transaction() as transaction:
        for topic, value in messages:
            OUTBOX.add(transaction, topic, b"key", value)
    connection.close()


def set_aside(database: Database, number: int) -> int:
    """Set a message aside; return how many wait."""
    connection = database.connect()
    try:
        with connection.transaction() as transaction:
            OUTBOX.set_aside(transaction, number)
            return OUTBOX.waiting(transaction)
    finally:
        connection.close()


def allow(broker: LocalBroker, topic: str, size: int) -> None:
    """Have a topic take messages of that size."""
    entry = ConfigEntry("max.message.bytes", str(size), incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[entry])
    admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
    for future in admin.incremental_alter_configs([resource]).values():
        future.result(30)


@pytest.mark.parametrize("by", ["client", "broker"])
def test_a_refused_message_is_named_and_those_before_it_are_published_once(
    by: str, kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    servers = kafka_broker.bootstrap_servers
    topic = kafka_topic("shipments", 1, {"max.message.bytes": "1000"} if by == "broker" else {})
    large = bytes(2_000 if by == "broker" else 2_000_000)
    database = filled(tmp_path, (topic, b"first"), (topic, large), (topic, b"last"))
    config = {"bootstrap.servers": servers, "application_id": "relay"}
    with OutboxRelay(database, OUTBOX, config) as relay:
        for _ in range(3):
            with pytest.raises(RefusedMessageError, match="message 2 of outbox 'shop_outb") as seen:
                relay.publish()
            assert seen.value.message_id == 2
        assert set_aside(database, 2) == 1
        assert relay.publish() == 1
        assert not relay._one_by_one
        assert relay.publish() == 0
    written = [record.value for record in read_all(servers, [topic])]
    # The broker's answer comes when the one behind it is on its way.
    again = written.count(b"last") if by == "broker" else 1
    assert written == [b"first", *[b"last"] * again]
    ((aside,),) = database.read("SELECT message_value FROM shop_outbox_set_aside WHERE id = 2")
    assert aside == large
    with pytest.raises(StreamsError, match="no message 2 waits in outbox 'shop_outbox'"):
        set_aside(database, 2)
    assert pickle.loads(pickle.dumps(seen.value)).message_id == 2


def test_after_the_cause_is_removed_the_newest_message_of_a_key_is_the_last(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    servers = kafka_broker.bootstrap_servers
    topic = kafka_topic("shipments", 1, {"max.message.bytes": "1000"})
    large = bytes(2_000)
    database = filled(tmp_path, (topic, b"first"), (topic, large), (topic, b"last"))
    config = {"bootstrap.servers": servers, "application_id": "relay"}
    with OutboxRelay(database, OUTBOX, config) as relay:
        with pytest.raises(RefusedMessageError, match="message 2 of outbox 'shop_outbox'"):
            relay.publish()
        allow(kafka_broker, topic, 10_000)
        assert relay.publish() == 2
        assert relay.publish() == 0
    written = [record.value for record in read_all(servers, [topic])]
    assert (written[0], written[-2:]) == (b"first", [large, b"last"])


def test_messages_that_are_too_large_only_together_are_published(
    kafka_broker: LocalBroker,
    kafka_topic: CreateTopic,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The broker's limit is that of a batch, and the client fills batches up to a megabyte."""
    servers = kafka_broker.bootstrap_servers
    topic = kafka_topic("shipments", 1, {"max.message.bytes": "1000"})
    values = [bytes([number]) * 300 for number in range(20)]
    database = filled(tmp_path, *((topic, value) for value in values))
    config = {"bootstrap.servers": servers, "application_id": "relay"}
    with OutboxRelay(database, OUTBOX, config) as relay:
        assert relay.publish() == 20
        assert relay.publish() == 0
        assert relay._one_by_one
        # Minutes later the cause may be gone.
        allow(kafka_broker, topic, 1_000_000)
        monkeypatch.setattr(outbox, "monotonic", lambda: monotonic() + 600)
        add(database, (topic, b"x"), (topic, b"y"))
        assert relay.publish() == 2
        assert not relay._one_by_one
    assert [record.value for record in read_all(servers, [topic])] == [*values, b"x", b"y"]
