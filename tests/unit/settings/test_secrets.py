"""Secrets are recognised by their keys and do not show."""

from __future__ import annotations

import pytest

from penstock.settings.client_keys import CLIENT_KEYS
from penstock.settings.secrets import HIDDEN, is_secret, shown, without_secrets


def test_the_secrets_among_the_clients_keys() -> None:
    keys = frozenset().union(*CLIENT_KEYS.values())
    assert {key for key in keys if is_secret(key)} == {
        "sasl.jaas.config",
        "sasl.oauthbearer.assertion.private.key.file",
        "sasl.oauthbearer.assertion.private.key.passphrase",
        "sasl.oauthbearer.assertion.private.key.pem",
        "sasl.oauthbearer.client.credentials.client.id",
        "sasl.oauthbearer.client.credentials.client.secret",
        "sasl.oauthbearer.client.secret",
        "sasl.oauthbearer.config",
        "sasl.oauthbearer.extensions",
        "sasl.oauthbearer.token.endpoint.url",
        "sasl.password",
        "ssl.key.password",
        "ssl.key.pem",
        "ssl.keystore.key",
        "ssl.keystore.password",
        "ssl.truststore.password",
    }


@pytest.mark.parametrize(
    "key",
    [
        "consumer.sasl.password",
        "consumer_sasl_password",
        "app.db.PASSWORD",
        "app.api_key",
        "app.aws.access.key",
        "app.schema.registry.basic.auth.user.info",
        "app.github.token",
        "app.client_secret",
    ],
)
def test_a_secret_is_hidden_wherever_it_stands(key: str) -> None:
    assert shown(key, "hunter2") == HIDDEN


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "plain"),
        (5, "5"),
        (None, "None"),
        ("postgres://me:hunter2@db/x", "postgres://<hidden>@db/x"),
        ("-----BEGIN RSA PRIVATE KEY-----\nhunter2", HIDDEN),
        ("https://example.org/a", "https://example.org/a"),
        ("pg://db/x?user=ann&password=h%26&port=1", "pg://db/x?user=ann&password=<hidden>&port=1"),
        ("https://example.org/?api_key=h#top", "https://example.org/?api_key=<hidden>"),
        ("host=db password = 'h h' port=1", "host=db password = <hidden> port=1"),
        ("sslpassword=h,user=ann", "sslpassword=<hidden>,user=ann"),
        ("what is a password? none=5", "what is a password? none=5"),
        (["pg:///?password=h"], "['pg:///?password=<hidden>']"),
        ('host=db password="h h" port=1', "host=db password=<hidden> port=1"),
        (r"host=db password='it\'s h' port=1", "host=db password=<hidden> port=1"),
        ("jdbc:x://h;user=a;password={h;h}}h};a=1", "jdbc:x://h;user=a;password=<hidden>;a=1"),
        ("Pwd='h\\';Server=x", "Pwd=<hidden>;Server=x"),
        ("pg://h/db?password={h}h&x=1", "pg://h/db?password=<hidden>&x=1"),
        ("host=db password=h'h port=1", "host=db password=<hidden> port=1"),
    ],
)
def test_other_values_show_but_for_the_secrets_in_them(value: object, text: str) -> None:
    assert shown("app.value", value) == text


def test_a_secret_that_is_not_set_is_shown_as_such() -> None:
    assert shown("sasl.password", None) == "None"


def test_secrets_are_hidden_in_what_others_say() -> None:
    settings = {
        "sasl.password": "hunter2",
        "app.token": "hunter22",
        "poll.ms": "5",
        "app.secret": "",
    }
    text = "no 'hunter22' and 'hunter2' within 5 ms"
    assert without_secrets(text, settings) == f"no '{HIDDEN}' and '{HIDDEN}' within 5 ms"
