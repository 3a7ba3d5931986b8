"""Connections with TLS and SASL, said in Java's settings, to a real broker that asks for them."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("confluent_kafka", reason="the Kafka client is not installed")

from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition

from penstock import Consumed, StreamsBuilder, StreamsConfig, serdes
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.client.admin_calls import open_admin
from penstock._engine.kafka.client.clients import (
    check_clients,
    consumer_settings,
    producer_settings,
)
from penstock._engine.kafka.client.topics import partition_counts
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.worker import Worker, open_worker
from penstock._engine.planner.permissions import Need
from penstock.errors import ConfigError, StreamsError
from tests.broker.applications import PATIENCE_SECONDS
from tests.broker.certificates import Authority
from tests.broker.secured_broker import (
    MODULES,
    PASSWORD,
    SecuredBroker,
    add_scram_user,
    unsigned_token,
)

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

GUESSED = "guessed-password"


@pytest.fixture(scope="module")
def opened(secured: SecuredBroker) -> SecuredBroker:
    """Return a broker on which alice and her certificate may use one topic."""
    secured.broker.create_topic("in", 2)
    add_scram_user(secured.broker, "alice")
    secured.allow(
        "alice",
        [
            Need("topic", "in", frozenset({"READ", "WRITE"})),
            Need("group", "secured", frozenset({"READ"})),
        ],
    )
    return secured


@pytest.fixture(scope="module")
def token_endpoint() -> Iterator[str]:
    """Return the address of a server that exchanges the client's id and secret for a token."""

    class Endpoint(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            right = "YWxpY2U6aHVudGVyMi1odW50ZXIy"  # alice:hunter2-hunter2
            known = self.headers["Authorization"] == f"Basic {right}"
            answer = {"access_token": unsigned_token("alice"), "token_type": "Bearer"}
            text = json.dumps(answer if known else {"error": "invalid_client"}).encode()
            self.send_response(200 if known else 401)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Endpoint)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/token"
    server.shutdown()
    thread.join()
    server.server_close()


def token(_: str) -> tuple[str, float]:
    return unsigned_token("alice"), time.time() + 3600


def stale_token(_: str) -> tuple[str, float]:
    return unsigned_token("alice", -60), time.time() + 3600


def no_token(_: str) -> tuple[str, float]:
    raise PermissionError("the vault is closed")


def scram(secured: SecuredBroker, digest: str, password: str = PASSWORD) -> dict[str, Any]:
    line = f'{MODULES}scram.ScramLoginModule required username="alice" password="{password}";'
    return {
        **secured.tls("SASL"),
        "sasl.mechanism": f"SCRAM-SHA-{digest}",
        "sasl.jaas.config": line,
    }


def oauth(secured: SecuredBroker, **more: Any) -> dict[str, Any]:
    return {**secured.tls("SASL"), "sasl.mechanism": "OAUTHBEARER", **more}


def oidc(secured: SecuredBroker, endpoint: str, secret: str = PASSWORD) -> dict[str, Any]:
    line = (
        f"{MODULES}oauthbearer.OAuthBearerLoginModule required "
        f'clientId="alice" clientSecret="{secret}";'
    )
    return oauth(
        secured, **{"sasl.oauthbearer.token.endpoint.url": endpoint, "sasl.jaas.config": line}
    )


def ways_in(secured: SecuredBroker, endpoint: str) -> dict[str, dict[str, Any]]:
    """Return what a Java application would say, and a Python function for tokens."""
    alice = secured.authority.identity("alice")
    return {
        "PLAIN": secured.plain("alice"),
        "SCRAM-256": scram(secured, "256"),
        "SCRAM-512": scram(secured, "512"),
        "OAUTHBEARER": oauth(secured, oauth_cb=token),
        "OIDC": oidc(secured, endpoint),
        "certificate": secured.mutual(alice),
        "PKCS12": {
            **secured.tls("MUTUAL"),
            "ssl.keystore.location": str(alice.pkcs12(PASSWORD)),
            "ssl.keystore.password": PASSWORD,
        },
        "encrypted key": {
            **secured.tls("MUTUAL"),
            "ssl.certificate.location": str(alice.certificate),
            "ssl.key.location": str(alice.encrypted_key(PASSWORD)),
            "ssl.key.password": PASSWORD,
        },
    }


def test_every_client_gets_in_every_way(opened: SecuredBroker, token_endpoint: str) -> None:
    for way, given in ways_in(opened, token_endpoint).items():
        config = StreamsConfig({"application.id": "secured", **given})
        check_clients(config)
        assert partition_counts(open_admin(config), ["in"]) == {"in": 2}, way
        producer = Producer(producer_settings(config, "m"))
        producer.produce("in", way.encode(), partition=1)
        assert producer.flush(20) == 0, way
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


def ways_out(secured: SecuredBroker, endpoint: str, home: Path) -> dict[str, dict[str, Any]]:
    """Return settings that do not open the door, by what the user must be told."""
    alice, stranger = secured.authority.identity("alice-2"), Authority(home, "stranger")
    expired = secured.authority.identity("alice-old", expired=True)
    password = "look at 'sasl.username' and 'sasl.password', or at 'sasl.jaas.config'"
    return {
        f"Invalid username or password; {password}": secured.plain("alice", GUESSED),
        f"invalid credentials with SASL mechanism SCRAM-SHA-512; {password}": scram(
            secured, "512", GUESSED
        ),
        "invalid_token.*; no valid token was got: look at 'oauth_cb'": oauth(
            secured, oauth_cb=stale_token
        ),
        "no valid token was got: .*the client's id and secret": oidc(secured, endpoint, GUESSED),
        "certificate, which is missing: 'ssl.keystore.location' must hold": secured.tls("MUTUAL"),
        "certificate, which was given: 'ssl.keystore.location' must .* an authority the": (
            secured.mutual(stranger.identity("mallory"))
        ),
        "certificate, which was given: 'ssl.keystore.location' must .* not expired": (
            secured.mutual(expired)
        ),
        "'ssl.truststore.location' .* must hold the authority that signed the broker's": {
            **secured.plain("alice", GUESSED),
            "ssl.truststore.location": str(stranger.certificate),
        },
        "the broker's certificate has expired: it must be renewed": secured.tls("EXPIRED"),
        "the broker's certificate is of another host .*not valid for '127.0.0.1'": (
            secured.tls("ELSEWHERE")
        ),
        "; is 'ssl.keystore.password' right": {
            **secured.tls("MUTUAL"),
            "ssl.keystore.location": str(alice.pkcs12(PASSWORD)),
            "ssl.keystore.password": GUESSED,
        },
        "; is it a key in PEM, and 'ssl.key.password' right": {
            **secured.tls("MUTUAL"),
            "ssl.certificate.location": str(alice.certificate),
            "ssl.key.location": str(alice.encrypted_key(PASSWORD)),
            "ssl.key.password": GUESSED,
        },
        "'ssl.truststore.location' .* every executor can read; '/no/ca.pem' is not there": {
            **secured.plain("alice", GUESSED),
            "ssl.truststore.location": "/no/ca.pem",
        },
    }


def test_who_is_not_let_in_is_told_at_once_and_no_secret_is_shown(
    opened: SecuredBroker, token_endpoint: str, tmp_path: Path
) -> None:
    """`task.timeout.ms` is five minutes: waiting does not help against a refused login."""
    for reason, given in ways_out(opened, token_endpoint, tmp_path).items():
        config = StreamsConfig({"application.id": "secured", **given})
        with pytest.raises(ConfigError, match=reason) as caught:
            open_admin(config)
        for shown in (repr(caught.value), repr(config), config.describe()):
            assert GUESSED not in shown
            assert PASSWORD not in shown


def test_a_function_for_tokens_that_fails_is_named_with_its_reason(opened: SecuredBroker) -> None:
    config = StreamsConfig({"application.id": "secured", **oauth(opened, oauth_cb=no_token)})
    with pytest.raises(
        ConfigError, match=r"'oauth_cb' must return .* got PermissionError: the vau"
    ):
        check_clients(config)


def test_a_password_that_is_no_longer_right_ends_a_running_application(
    secured: SecuredBroker, tmp_path: Path
) -> None:
    """It reads nothing at that moment, and would else seem to run for ever."""
    name, broker = "rotated", secured.broker
    broker.create_topic(name)
    add_scram_user(broker, name)
    given = {**scram(secured, "512"), "sasl.jaas.config": login(name)}
    config = StreamsConfig({"application.id": name, "state.dir": str(tmp_path), **given})
    secured.allow(
        name,
        [
            Need("topic", name, frozenset({"READ", "WRITE", "CREATE"}), prefixed=True),
            Need("group", name, frozenset({"READ"})),
        ],
    )
    builder = StreamsBuilder()
    text = serdes.string()
    builder.stream(name, Consumed(text, text)).for_each(lambda key, value: None)
    blueprint = prepare(builder.build(), config)
    with TaskHost(blueprint) as host:
        worker = open_worker(blueprint, host, list[Any]().extend)
        try:
            until(lambda: "running" in worker.figures.tasks().values(), worker)
            add_scram_user(broker, name, "another-password")
            broker.stop()  # connections that are open stay open
            broker.start()
            with pytest.raises(StreamsError, match=r"refuses the connection: .*'sasl.password'"):
                until(lambda: False, worker)
        finally:
            worker.abandon()


def login(user: str) -> str:
    return f'{MODULES}scram.ScramLoginModule required username="{user}" password="{PASSWORD}";'


def until(done: Callable[[], bool], worker: Worker) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not done():
        assert time.monotonic() < deadline, "nothing has happened"
        worker.step()
