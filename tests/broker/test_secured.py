"""Connections with TLS and SASL, said in Java's settings, to a real broker that asks for them."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip(
    "confluent_kafka", reason="the Kafka client is not installed; make engine installs it"
)

from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)

from penstock import StreamsConfig
from penstock._engine.kafka import java, loopback
from penstock._engine.kafka.admin_calls import open_admin
from penstock._engine.kafka.clients import check_clients, consumer_settings, producer_settings
from penstock._engine.kafka.topics import partition_counts
from penstock.errors import ConfigError
from penstock.testing.broker import LocalBroker

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

MODULES = "org.apache.kafka.common.security."
PASSWORD = "hunter2-hunter2"


@dataclass(frozen=True, slots=True)
class SecuredBroker:
    """A broker, where its secured listeners are, and the files that open them."""

    sasl: str
    tls: str
    store: Path
    certificate: Path


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredBroker]:
    home = tmp_path_factory.mktemp("secured")
    store, certificate = make_certificate(home)
    plain, controller, sasl, tls = loopback.free_ports(4)
    ports = {"PLAINTEXT": plain, "SASL_PLAINTEXT": sasl, "SSL": tls}
    settings = {
        **listeners(ports, controller),
        **sasl_settings(),
        "ssl.keystore.type": "PKCS12",
        "ssl.keystore.location": store,
        "ssl.keystore.password": PASSWORD,
        "ssl.key.password": PASSWORD,
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": certificate,
        "ssl.client.auth": "required",
    }
    with LocalBroker(home / "broker", plain, settings=settings) as broker:
        broker.create_topic("in", 2)
        add_scram_user(broker)
        host = loopback.HOST
        yield SecuredBroker(f"{host}:{sasl}", f"{host}:{tls}", store, certificate)


def make_certificate(home: Path) -> tuple[Path, Path]:
    """Make a key store and the certificate in it, which signs itself: for both sides."""
    keytool = Path(java.find().path).resolve().with_name("keytool")
    store, certificate = home / "store.p12", home / "certificate.pem"
    opened = ("-alias", "kafka", "-keystore", str(store), "-storepass", PASSWORD)
    made = ("-keyalg", "EC", "-storetype", "PKCS12", "-dname", "CN=kafka", "-validity", "3")
    for command in (
        ("-genkeypair", *opened, *made, "-ext", f"san=ip:{loopback.HOST}"),
        ("-exportcert", "-rfc", *opened, "-file", str(certificate)),
    ):
        subprocess.run([keytool, *command], check=True, capture_output=True)
    return store, certificate


def listeners(ports: Mapping[str, int], controller: int) -> dict[str, str]:
    public = ",".join(f"{name}://{loopback.HOST}:{port}" for name, port in ports.items())
    return {
        "listeners": f"{public},CONTROLLER://{loopback.HOST}:{controller}",
        "advertised.listeners": public,
        "controller.quorum.voters": f"1@{loopback.HOST}:{controller}",
        "listener.security.protocol.map": ",".join(
            ["CONTROLLER:PLAINTEXT", *(f"{name}:{name}" for name in ports)]
        ),
    }


def sasl_settings() -> dict[str, str]:
    listener = "listener.name.sasl_plaintext."
    return {
        "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,OAUTHBEARER",
        f"{listener}plain.sasl.jaas.config": (
            f'{MODULES}plain.PlainLoginModule required user_alice="{PASSWORD}";'
        ),
        f"{listener}scram-sha-256.sasl.jaas.config": (f"{MODULES}scram.ScramLoginModule required;"),
        f"{listener}oauthbearer.sasl.jaas.config": (
            f"{MODULES}oauthbearer.OAuthBearerLoginModule required "
            'unsecuredLoginStringClaim_sub="broker";'
        ),
    }


def add_scram_user(broker: LocalBroker) -> None:
    admin = open_admin(
        StreamsConfig({"application.id": "a", "bootstrap.servers": broker.bootstrap_servers})
    )
    how = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096)
    user = UserScramCredentialUpsertion("alice", how, PASSWORD.encode())
    for added in admin.alter_user_scram_credentials([user]).values():
        added.result()


def token(_: str) -> tuple[str, float]:
    """Give a token without a signature: {"alg":"none"}, {"sub":"alice","iat":0,"exp":2**33}."""
    header = "eyJhbGciOiJub25lIn0"
    claims = "eyJzdWIiOiJhbGljZSIsImlhdCI6MCwiZXhwIjo4NTg5OTM0NTkyfQ"
    return f"{header}.{claims}.", time.time() + 3600


def login(module: str, password: str = PASSWORD) -> str:
    return f'{MODULES}{module} required username="alice" password="{password}";'


def settings(secured: SecuredBroker, way: str) -> dict[str, Any]:
    """Give what a Java application would say, and a Python function for tokens."""
    sasl = {"bootstrap.servers": secured.sasl, "security.protocol": "SASL_PLAINTEXT"}
    tls = {"bootstrap.servers": secured.tls, "security.protocol": "SSL"}
    ways: dict[str, dict[str, Any]] = {
        "PLAIN": {
            **sasl,
            "sasl.mechanism": "PLAIN",
            "sasl.jaas.config": login("plain.PlainLoginModule"),
        },
        "SCRAM": {
            **sasl,
            "sasl.mechanism": "SCRAM-SHA-256",
            "sasl.jaas.config": login("scram.ScramLoginModule"),
        },
        "OAUTHBEARER": {**sasl, "sasl.mechanism": "OAUTHBEARER", "oauth_cb": token},
        "TLS": {
            **tls,
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(secured.certificate),
            "ssl.keystore.type": "PKCS12",
            "ssl.keystore.location": str(secured.store),
            "ssl.keystore.password": PASSWORD,
        },
        "wrong password": {
            **sasl,
            "sasl.mechanism": "PLAIN",
            "sasl.jaas.config": login("plain.PlainLoginModule", "guessed-password"),
        },
        "unknown certificate": tls,
    }
    return ways[way]


@pytest.mark.parametrize("way", ["PLAIN", "SCRAM", "OAUTHBEARER", "TLS"])
def test_every_client_gets_in(secured: SecuredBroker, way: str) -> None:
    config = StreamsConfig({"application.id": "secured", **settings(secured, way)})
    check_clients(config)
    assert partition_counts(open_admin(config), ["in"]) == {"in": 2}
    producer = Producer(producer_settings(config, "m"))
    producer.produce("in", way.encode(), partition=1)
    assert producer.flush(20) == 0
    assert read_all(config)[-1] == way.encode()


def read_all(config: StreamsConfig) -> list[bytes | None]:
    consumer = Consumer(consumer_settings(config, "input"))
    consumer.assign([TopicPartition("in", 1, 0)])
    values: list[bytes | None] = []
    while (message := consumer.poll(20)) is not None:
        error = message.error()
        if error is not None:
            assert error.code() == KafkaError._PARTITION_EOF
            break
        values.append(message.value())
    consumer.close()
    return values


@pytest.mark.parametrize(
    ("way", "reason"),
    [
        ("wrong password", "Authentication failed: Invalid username or password"),
        ("unknown certificate", "certificate verify failed|broker certificate could not be"),
    ],
)
def test_who_is_not_let_in_is_told_at_once_and_no_secret_is_shown(
    secured: SecuredBroker, way: str, reason: str
) -> None:
    given = {"application.id": "secured", **settings(secured, way)}
    config = StreamsConfig(given)
    with pytest.raises(ConfigError, match=reason) as caught:
        open_admin(config)
    shown = f"{caught.value!r} {config!r} {config.describe()}"
    assert "guessed-password" not in shown
