"""TLS and SASL: Java's settings in librdkafka's words, and no secret in any message."""

from __future__ import annotations

import pytest

from penstock._engine.kafka.client.security import translate_security
from penstock.errors import ConfigError

PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"
OAUTH = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule"
KERBEROS = "com.sun.security.auth.module.Krb5LoginModule"


def jaas(line: str) -> dict[str, str]:
    return translate_security({"sasl.jaas.config": line})


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            f'{PLAIN} required username="alice" password="hunter2";',
            {"sasl.username": "alice", "sasl.password": "hunter2"},
        ),
        (
            f'{SCRAM} required\n  username=alice\n  password="a\\"b;c d";\n',
            {"sasl.username": "alice", "sasl.password": 'a"b;c d'},
        ),
        (
            f'{SCRAM} required username="alice" password="" tokenauth="true"',
            {"sasl.username": "alice", "sasl.password": ""},
        ),
        (
            f'{OAUTH} required clientId="me" clientSecret="s" scope="read" extension_tenant="t";',
            {
                "sasl.oauthbearer.client.id": "me",
                "sasl.oauthbearer.client.secret": "s",
                "sasl.oauthbearer.scope": "read",
                "sasl.oauthbearer.extensions": "tenant=t",
            },
        ),
        (f"{OAUTH} required;", {}),
        (
            f'{KERBEROS} required useKeyTab=true keyTab="/k" principal="p@EXAMPLE";',
            {"sasl.kerberos.keytab": "/k", "sasl.kerberos.principal": "p@EXAMPLE"},
        ),
    ],
)
def test_a_jaas_line_becomes_settings(line: str, expected: dict[str, str]) -> None:
    assert jaas(line) == expected


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("hunter2", "must look like: module required"),
        ('org.example.Mine required password="hunter2";', "must name Kafka's PlainLoginModule"),
        (f'{PLAIN} required password="hunter2";', 'must hold username="..." for PlainLoginModule'),
    ],
)
def test_a_jaas_line_that_cannot_be_used_is_not_shown(line: str, reason: str) -> None:
    with pytest.raises(ConfigError) as caught:
        jaas(line)
    assert str(caught.value).startswith(f"setting 'sasl.jaas.config' {reason}")
    assert "hunter2" not in str(caught.value)


def test_settings_of_librdkafka_go_before_the_jaas_line() -> None:
    line = f'{PLAIN} required username="alice" password="x";'
    given = {"sasl.jaas.config": line, "sasl.username": "bob"}
    assert translate_security(given) == {"sasl.username": "bob", "sasl.password": "x"}


@pytest.mark.parametrize(
    ("java", "expected"),
    [
        (
            {"ssl.truststore.type": "PEM", "ssl.truststore.location": "/t"},
            {"ssl.ca.location": "/t"},
        ),
        ({"ssl.truststore.location": "/t.pem"}, {"ssl.ca.location": "/t.pem"}),
        ({"ssl.truststore.certificates": "PEM"}, {"ssl.ca.pem": "PEM"}),
        (
            {
                "ssl.keystore.certificate.chain": "C",
                "ssl.keystore.key": "K",
                "ssl.key.password": "p",
            },
            {"ssl.certificate.pem": "C", "ssl.key.pem": "K", "ssl.key.password": "p"},
        ),
        (
            {"ssl.keystore.type": "PEM", "ssl.keystore.location": "/k", "ssl.key.password": "p"},
            {"ssl.key.location": "/k", "ssl.certificate.location": "/k", "ssl.key.password": "p"},
        ),
        (
            {
                "ssl.keystore.type": "PKCS12",
                "ssl.keystore.location": "/k",
                "ssl.keystore.password": "p",
                "ssl.key.password": "p",
            },
            {"ssl.keystore.location": "/k", "ssl.keystore.password": "p"},
        ),
        (
            {"ssl.keystore.location": "/k", "ssl.keystore.password": "p"},
            {"ssl.keystore.location": "/k", "ssl.keystore.password": "p"},
        ),
        (
            {"ssl.endpoint.identification.algorithm": ""},
            {"ssl.endpoint.identification.algorithm": "none"},
        ),
        ({"ssl.cipher.suites": "A,B"}, {"ssl.cipher.suites": "A:B"}),
        ({"ssl.ca.location": "/ca"}, {"ssl.ca.location": "/ca"}),
    ],
)
def test_certificates_are_pem(java: dict[str, str], expected: dict[str, str]) -> None:
    assert translate_security(java) == expected


def test_a_java_trust_store_is_refused_with_how_to_convert_it() -> None:
    given = {"ssl.truststore.location": "/t.jks", "ssl.truststore.password": "hunter2"}
    with pytest.raises(ConfigError) as caught:
        translate_security(given)
    assert str(caught.value) == (
        "setting 'ssl.truststore.location' must be a file of PEM certificates; got a JKS store, "
        "'/t.jks'; convert it: keytool -importkeystore -srckeystore /t.jks -destkeystore "
        "store.p12 -deststoretype PKCS12; openssl pkcs12 -in store.p12 -nokeys -out ca.pem; then "
        "set 'ssl.truststore.location' to ca.pem and 'ssl.truststore.type' to 'PEM'"
    )


@pytest.mark.parametrize(
    "given",
    [
        {"ssl.truststore.location": "/t", "ssl.truststore.password": "hunter2"},
        {"ssl.truststore.location": "/t.p12", "ssl.truststore.password": "hunter2"},
        {"ssl.keystore.location": "/k.jks", "ssl.keystore.password": "hunter2"},
        {
            "ssl.keystore.location": "/k",
            "ssl.keystore.type": "JKS",
            "ssl.keystore.password": "hunter2",
        },
    ],
)
def test_other_java_stores_are_refused_without_their_passwords(given: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match=r"convert it: (keytool|openssl)") as caught:
        translate_security(given)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("java", "expected"),
    [
        (
            {
                "sasl.oauthbearer.token.endpoint.url": "https://id/token",
                "sasl.oauthbearer.client.credentials.client.id": "me",
                "sasl.oauthbearer.client.credentials.client.secret": "s",
            },
            {
                "sasl.oauthbearer.token.endpoint.url": "https://id/token",
                "sasl.oauthbearer.client.id": "me",
                "sasl.oauthbearer.client.secret": "s",
                "sasl.oauthbearer.method": "oidc",
            },
        ),
        (
            {
                "sasl.login.callback.handler.class": (
                    "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler"
                )
            },
            {},
        ),
        (
            {
                "sasl.oauthbearer.jwt.retriever.class": (
                    "org.apache.kafka.common.security.oauthbearer.JwtBearerJwtRetriever"
                )
            },
            {"sasl.oauthbearer.grant.type": "urn:ietf:params:oauth:grant-type:jwt-bearer"},
        ),
        (
            {"sasl.kerberos.kinit.cmd": "/usr/bin/kinit"},
            {
                "sasl.kerberos.kinit.cmd": (
                    '/usr/bin/kinit -R -t "%{sasl.kerberos.keytab}" -k %{sasl.kerberos.principal}'
                )
            },
        ),
        ({"sasl.kerberos.kinit.cmd": "kinit -R"}, {"sasl.kerberos.kinit.cmd": "kinit -R"}),
    ],
)
def test_tokens_and_tickets(java: dict[str, str], expected: dict[str, str]) -> None:
    assert translate_security(java) == expected


@pytest.mark.parametrize(
    "key", ["sasl.login.callback.handler.class", "sasl.oauthbearer.jwt.retriever.class"]
)
def test_java_code_is_refused_with_what_to_use_instead(key: str) -> None:
    with pytest.raises(ConfigError, match=rf"^setting '{key}' must be .* 'oauth_cb'"):
        translate_security({key: "org.example.Mine"})
