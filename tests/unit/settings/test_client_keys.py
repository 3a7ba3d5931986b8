"""The clients' keys: each is one that librdkafka has, or one that is translated."""

from __future__ import annotations

import pytest

from penstock.settings.client_keys import CLIENT_KEYS, PREFIXES, Client, clients_knowing


@pytest.mark.parametrize(
    ("key", "clients"),
    [
        ("security.protocol", ["consumer", "producer", "admin"]),
        ("fetch.min.bytes", ["consumer"]),
        ("linger.ms", ["producer"]),
        ("retries", ["producer", "admin"]),
        ("socket.timeout.ms", ["consumer", "producer", "admin"]),
        ("queued.min.messages", ["consumer"]),
        ("no.such.key", []),
    ],
)
def test_a_key_is_known_to_its_clients(key: str, clients: list[Client]) -> None:
    assert clients_knowing(key) == clients


def test_every_prefix_is_for_a_client() -> None:
    assert set(PREFIXES.values()) == set(CLIENT_KEYS)
