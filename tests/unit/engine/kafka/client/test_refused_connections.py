"""Which setting a refused connection points to; tests/broker/test_secured.py asks a real broker."""

from __future__ import annotations

from pathlib import Path

import pytest
from confluent_kafka import KafkaError, KafkaException

from penstock import StreamsConfig
from penstock._engine.kafka.client.refused_connections import (
    advice,
    check_files,
    check_token_function,
    client_refused,
    is_refusal,
    lacks_token,
)
from penstock.errors import ConfigError


@pytest.mark.parametrize(
    ("reason", "setting"),
    [
        ("SASL authentication error: Invalid username or password", "'sasl.password'"),
        ("Unsupported SASL mechanism: PLAIN", "'sasl.mechanism'"),
        ("Failed to acquire SASL OAUTHBEARER token: no", "'oauth_cb'"),
        ("ssl/tls alert bad certificate: SSL alert number 42", "'ssl.keystore.location'"),
        # No broker to ask why: no address in the text.
        ("SSL handshake failed: certificate verify failed", "'ssl.truststore.location'"),
        ("something else", "'security.protocol'"),
    ],
)
def test_each_reason_points_to_its_setting(reason: str, setting: str) -> None:
    assert setting in advice(reason, {})


def test_an_alert_of_the_broker_is_a_refusal_though_the_client_takes_it_for_a_broken_line() -> None:
    alert = KafkaError(KafkaError._TRANSPORT, "Receive failed: SSL alert number 46")
    assert is_refusal(alert)
    assert not is_refusal(KafkaError(KafkaError._TRANSPORT, "Connection refused"))
    assert is_refusal(KafkaError(KafkaError._AUTHENTICATION, "no"))


def test_a_token_that_was_not_got_may_be_got_later() -> None:
    told = "Failed to acquire SASL OAUTHBEARER token: the vault is closed"
    assert lacks_token(KafkaError(KafkaError._AUTHENTICATION, told))
    assert not lacks_token(KafkaError(KafkaError._AUTHENTICATION, "Invalid username"))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    there = tmp_path / "ca.pem"
    there.write_text("")
    check_files({"ssl.ca.location": str(there), "ssl.key.location": None})
    with pytest.raises(ConfigError, match=r"'ssl.keystore.location' .* '/no/k.p12' is not there"):
        check_files({"ssl.keystore.location": "/no/k.p12"})


def test_what_the_client_refuses_is_told_without_secrets() -> None:
    config = StreamsConfig({"application.id": "a", "ssl.keystore.password": "hunter2"})
    told = "Failed to parse PKCS#12 with hunter2"
    error = client_refused(KafkaException(KafkaError(KafkaError._INVALID_ARG, told)), config)
    assert str(error) == (
        "a setting of the Kafka clients is refused: Failed to parse PKCS#12 with <hidden>; "
        "is 'ssl.keystore.password' right?"
    )


def test_a_function_for_tokens_must_return_a_pair_and_its_answer_is_not_shown() -> None:
    check_token_function(StreamsConfig({"application.id": "a"}))
    good = {"application.id": "a", "oauth_cb": lambda _: ("token", 1.0)}
    check_token_function(StreamsConfig(good))
    bad = {"application.id": "a", "oauth_cb": lambda _: "eyJsecret"}
    with pytest.raises(ConfigError, match="got a str that is not such a pair") as caught:
        check_token_function(StreamsConfig(bad))
    assert "eyJsecret" not in str(caught.value)
