"""What each Kafka client is told; librdkafka itself says whether it understands."""

from __future__ import annotations

import time
from typing import Any

import pytest

pytest.importorskip(
    "confluent_kafka", reason="the Kafka client is not installed; make engine installs it"
)

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer

from penstock._engine.kafka.client import clients
from penstock._engine.kafka.client.clients import (
    Role,
    admin_settings,
    check_clients,
    consumer_settings,
    isolation_of,
    producer_settings,
    reading_committed,
)
from penstock._engine.kafka.client.translation import translate
from penstock.errors import ConfigError
from penstock.settings import StreamsConfig
from penstock.settings.client_keys import CLIENT_KEYS, Client

EXACTLY_ONCE = {"processing.guarantee": "exactly_once_v2"}
ROLES: tuple[Role, ...] = ("group", "input", "restore", "global")


def config(values: dict[str, Any] | None = None) -> StreamsConfig:
    # No server listens at port 9: these tests connect to nothing.
    return StreamsConfig(
        {
            "application.id": "fraud",
            "bootstrap.servers": "127.0.0.1:9",
            "log_level": 0,
            **(values or {}),
        }
    )


class TestConsumers:
    @pytest.mark.parametrize("role", ROLES)
    def test_all_belong_to_the_group_and_commit_nothing_themselves(self, role: Role) -> None:
        settings = consumer_settings(config(), role)
        assert settings["group.id"] == "fraud"
        assert settings["client.id"] == f"fraud-{role}"
        assert settings["enable.auto.commit"] is False

    @pytest.mark.parametrize("role", ROLES)
    def test_exactly_once_reads_what_is_committed(self, role: Role) -> None:
        assert consumer_settings(config(), role)["isolation.level"] == "read_uncommitted"
        assert consumer_settings(config(EXACTLY_ONCE), role)["isolation.level"] == "read_committed"

    def test_the_group_is_joined_to_be_assigned_tasks(self) -> None:
        settings = consumer_settings(config(), "group")
        assert settings["partition.assignment.strategy"] == "cooperative-sticky"
        assert "enable.partition.eof" not in settings

    @pytest.mark.parametrize("role", ["input", "restore"])
    def test_readers_know_the_end_and_reset_nothing(self, role: Role) -> None:
        settings = consumer_settings(config(), role)
        assert settings["enable.partition.eof"] is True
        assert settings["auto.offset.reset"] == "error"

    def test_a_policy_of_the_users_is_the_engines_to_keep(self) -> None:
        settings = consumer_settings(config({"consumer.auto.offset.reset": "latest"}), "input")
        assert settings["auto.offset.reset"] == "error"

    def test_the_users_wishes_go_before_the_engines_defaults(self) -> None:
        wishes = {"consumer.fetch.max.wait.ms": 7, "restore.consumer.queued.min.messages": 8}
        settings = consumer_settings(config(wishes), "restore")
        assert (settings["fetch.wait.max.ms"], settings["queued.min.messages"]) == (7, 8)
        assert consumer_settings(config(wishes), "input")["queued.min.messages"] == 10_000

    def test_a_session_is_no_longer_than_the_time_between_polls(self) -> None:
        settings = consumer_settings(config({"max.poll.interval.ms": 20_000}), "group")
        assert settings["session.timeout.ms"] == 20_000
        settings = consumer_settings(config({"max.poll.interval.ms": 600_000}), "group")
        assert settings["session.timeout.ms"] == 45_000

    def test_exactly_once_refuses_to_read_what_is_not_committed(self) -> None:
        wishes = {**EXACTLY_ONCE, "consumer.isolation.level": "read_uncommitted"}
        with pytest.raises(ConfigError, match=r"must be 'read_committed' under exactly-once"):
            consumer_settings(config(wishes), "input")


class TestProducer:
    def test_it_writes_as_java_would(self) -> None:
        settings = producer_settings(config(), "host-0")
        assert settings["partitioner"] == "murmur2_random"
        assert settings["acks"] == "all"
        assert settings["enable.idempotence"] is True
        assert settings["message.max.bytes"] == 1_048_576
        assert "compression.type" not in settings
        assert "transactional.id" not in settings

    def test_exactly_once_is_transactional_by_member(self) -> None:
        settings = producer_settings(config(EXACTLY_ONCE), "host-0")
        assert settings["transactional.id"] == "fraud-host-0"
        assert settings["transaction.timeout.ms"] == 10_000

    def test_fewer_acknowledgements_cost_idempotence_as_in_java(self) -> None:
        settings = producer_settings(config({"producer.acks": "1"}), "host-0")
        assert settings["enable.idempotence"] is False

    @pytest.mark.parametrize(
        "wishes",
        [
            {"acks": 1, "enable.idempotence": True},
            {**EXACTLY_ONCE, "acks": 1},
            {**EXACTLY_ONCE, "enable.idempotence": "false"},
            {**EXACTLY_ONCE, "max.in.flight": 6},
            {**EXACTLY_ONCE, "producer.retries": 0},
        ],
    )
    def test_wishes_that_cost_what_is_promised_are_refused(self, wishes: dict[str, Any]) -> None:
        with pytest.raises(ConfigError, match="idempoten"):
            producer_settings(config(wishes), "host-0")

    def test_a_transaction_must_live_as_long_as_a_commit_interval(self) -> None:
        wishes = {**EXACTLY_ONCE, "commit.interval.ms": 20_000}
        with pytest.raises(ConfigError) as caught:
            producer_settings(config(wishes), "host-0")
        assert str(caught.value) == (
            "setting 'producer.transaction.timeout.ms' must be at least 'commit.interval.ms', "
            "20000: the broker would abort what is not committed in time; got 10000"
        )

    def test_nothing_is_waited_for_when_its_transaction_is_over(self) -> None:
        wishes = {**EXACTLY_ONCE, "delivery.timeout.ms": 120_000, "request.timeout.ms": 40_000}
        settings = producer_settings(config(wishes), "host-0")
        assert (settings["delivery.timeout.ms"], settings["socket.timeout.ms"]) == (10_000, 10_000)


def test_the_admin_client_shares_what_secures_the_others() -> None:
    settings = admin_settings(
        config({"security.protocol": "SSL", "admin.request.timeout.ms": 5000})
    )
    assert settings["security.protocol"] == "SSL"
    assert settings["socket.timeout.ms"] == 5000
    assert settings["client.id"] == "fraud-admin"


class TestFaultLog:
    def test_a_fault_is_told_once_in_a_while(
        self, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now = [100.0]
        monkeypatch.setattr(clients, "monotonic", lambda: now[0])
        tell = clients.FaultLog("fraud-input")
        away, down = KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN
        for seconds, code in ((0, away), (1, away), (1, down), (31, away), (32, down)):
            now[0] = 100.0 + seconds
            tell(KafkaError(code))
        assert [record.message.split(":")[0] for record in caplog.records] == [
            "client=fraud-input fault=_TRANSPORT",
            "client=fraud-input fault=_ALL_BROKERS_DOWN",
            "client=fraud-input fault=_TRANSPORT",
            "client=fraud-input fault=_ALL_BROKERS_DOWN",
        ]


JAAS = 'org.apache.kafka.common.security.{} required username=\'x\' username="u" password="p";'

SECURED: dict[str, dict[str, Any]] = {
    "plaintext": {},
    "exactly-once": EXACTLY_ONCE,
    "plain": {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.jaas.config": JAAS.format("plain.PlainLoginModule"),
    },
    "scram": {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.jaas.config": JAAS.format("scram.ScramLoginModule"),
        "ssl.endpoint.identification.algorithm": "",
    },
    "oauth": {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "OAUTHBEARER",
        "sasl.oauthbearer.token.endpoint.url": "https://127.0.0.1:9/token",
        "sasl.oauthbearer.client.credentials.client.id": "me",
        "sasl.oauthbearer.client.credentials.client.secret": "s",
        "sasl.oauthbearer.scope": "kafka",
    },
    "oauth by a function": {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "OAUTHBEARER",
        "oauth_cb": lambda configuration: ("token", time.time() + 3600),
    },
    "tuned": {
        **EXACTLY_ONCE,
        "request.timeout.ms": 20_000,
        "metadata.max.age.ms": 60_000,
        "receive.buffer.bytes": -1,
        "consumer.max.poll.records": 5,
        "consumer.max.poll.interval.ms": 10_000,
        "consumer.fetch.max.bytes": 150_000_000,
        "producer.max.request.size": 5_000_000,
        "producer.buffer.memory": 64_000_000,
        "producer.compression.type": "lz4",
        "producer.compression.lz4.level": 5,
        "producer.linger.ms": 50,
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("wishes", SECURED.values(), ids=SECURED)
def test_librdkafka_understands_what_it_is_told(wishes: dict[str, Any]) -> None:
    check_clients(config(wishes))


def test_librdkafkas_refusal_comes_before_any_worker_starts() -> None:
    with pytest.raises(ConfigError) as caught:
        check_clients(config({"consumer.session.timeout.ms": 99_000_000}))
    assert str(caught.value).startswith(
        "a setting of the Kafka clients is refused: Configuration property "
        '"session.timeout.ms" value 99000000 is outside allowed range'
    )


def _translated_names() -> list[tuple[Client, str]]:
    names: set[tuple[Client, str]] = set()
    for client, keys in CLIENT_KEYS.items():
        for key in keys:
            try:
                names |= {(client, name) for name in translate(client, {key: "1"})}
            except ConfigError:
                continue
    return sorted(names)


def test_every_key_is_librdkafkas_in_the_end() -> None:
    """With an unknown key behind it, each is judged and no client is made."""
    strangers = []
    for client, name in _translated_names():
        value = (lambda configuration: None) if name == "oauth_cb" else "1"
        make = Consumer if client == "consumer" else Producer
        with pytest.raises(KafkaException) as caught:
            make({"group.id": "g", name: value, "no.such.key": 1})
        if f'No such configuration property: "{name}"' in str(caught.value):
            strangers.append(name)
    assert strangers == []


@pytest.mark.parametrize("role", ROLES)
def test_what_a_sink_of_dataframes_took_back_is_not_read_unless_the_user_wants_it(
    role: Role,
) -> None:
    assert isolation_of(config(), role) == "read_uncommitted"
    assert isolation_of(reading_committed(config()), role) == "read_committed"
    for spelling in ("isolation.level", "consumer.isolation.level"):
        wished = config({spelling: "read_uncommitted"})
        assert isolation_of(reading_committed(wished), role) == "read_uncommitted"
    own = reading_committed(config({"global.consumer.isolation.level": "read_uncommitted"}))
    assert isolation_of(own, role) == ("read_uncommitted" if role == "global" else "read_committed")
