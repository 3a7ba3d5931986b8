"""Java's client settings in librdkafka's words."""

from __future__ import annotations

from typing import Any

import pytest

from penstock._engine.kafka.client.translation import translate
from penstock.errors import ConfigError
from penstock.settings.client_keys import Client


@pytest.mark.parametrize(
    ("client", "java", "librdkafka"),
    [
        ("consumer", {"fetch.max.wait.ms": 50}, {"fetch.wait.max.ms": 50}),
        ("consumer", {"receive.buffer.bytes": -1}, {"socket.receive.buffer.bytes": 0}),
        ("producer", {"send.buffer.bytes": "65536"}, {"socket.send.buffer.bytes": 65536}),
        ("consumer", {"connections.max.idle.ms": -1}, {"connections.max.idle.ms": 0}),
        ("consumer", {"request.timeout.ms": 40000}, {"socket.timeout.ms": 40000}),
        (
            "producer",
            {"request.timeout.ms": 40000},
            {"request.timeout.ms": 40000, "socket.timeout.ms": 40000},
        ),
        (
            "admin",
            {"metadata.max.age.ms": 60000},
            {"topic.metadata.refresh.interval.ms": 60000, "metadata.max.age.ms": 180000},
        ),
        (
            "consumer",
            {"fetch.max.bytes": 200_000_000},
            {"fetch.max.bytes": 200_000_000, "receive.message.max.bytes": 200_000_512},
        ),
        ("producer", {"max.request.size": 2_000_000}, {"message.max.bytes": 2_000_000}),
        ("producer", {"buffer.memory": 33554432}, {"queue.buffering.max.kbytes": 32768}),
        ("producer", {"batch.size": 0}, {"batch.size": 1}),
        ("producer", {"retry.backoff.ms": 0}, {"retry.backoff.ms": 1}),
        ("producer", {"queue.buffering.max.ms": 7}, {"linger.ms": 7}),
        ("producer", {"request.required.acks": 1}, {"acks": 1}),
        (
            "producer",
            {"compression.type": "zstd", "compression.zstd.level": 5, "compression.gzip.level": 9},
            {"compression.type": "zstd", "compression.level": 5},
        ),
        ("producer", {"compression.zstd.level": 5}, {}),
        ("producer", {"max.block.ms": 5}, {}),
        ("consumer", {"max.poll.records": 5, "auto.offset.reset": "latest"}, {}),
        ("admin", {"retries": 5}, {}),
        ("producer", {"retries": 5}, {"retries": 5}),
        ("consumer", {"queued.min.messages": 5}, {"queued.min.messages": 5}),
        ("consumer", {"session.timeout.ms": 6000}, {"session.timeout.ms": 6000}),
    ],
)
def test_a_setting_is_put_into_librdkafkas_words(
    client: Client, java: dict[str, Any], librdkafka: dict[str, Any]
) -> None:
    assert translate(client, java) == librdkafka


@pytest.mark.parametrize(
    ("client", "key", "value"),
    [
        ("consumer", "enable.auto.commit", True),
        ("consumer", "group.id", "other"),
        ("consumer", "group.instance.id", "me"),
        ("consumer", "partition.assignment.strategy", "range"),
        ("consumer", "key.deserializer", "org.example.Mine"),
        ("consumer", "interceptor.classes", "org.example.Mine"),
        ("producer", "transactional.id", "mine"),
        ("producer", "partitioner.class", "org.example.Mine"),
        ("producer", "queuing.strategy", "lifo"),
        ("producer", "bootstrap.servers", "elsewhere:9092"),
        ("admin", "client.id", "mine"),
    ],
)
def test_what_the_engine_decides_is_refused(client: Client, key: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=rf"^setting '{key}' of a {client} must .*: "):
        translate(client, {key: value})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("enable.auto.commit", "false"),
        ("allow.auto.create.topics", False),
        ("group.protocol", "classic"),
    ],
)
def test_saying_what_the_engine_does_anyway_is_no_fault(key: str, value: Any) -> None:
    assert translate("consumer", {key: value}) == {}


def test_what_is_refused_says_why() -> None:
    with pytest.raises(ConfigError) as caught:
        translate("consumer", {"enable.auto.commit": "true"})
    assert str(caught.value) == (
        "setting 'enable.auto.commit' of a consumer must be 'false': offsets are committed with "
        "the work they belong to, each 'commit.interval.ms'"
    )


def test_a_number_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"^setting 'buffer.memory' must be a whole number"):
        translate("producer", {"buffer.memory": "much"})
