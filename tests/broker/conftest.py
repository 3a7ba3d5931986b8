"""Fixtures of the tests that need a real broker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from penstock._engine.kafka.local_broker import distribution
from penstock.errors import StreamsError
from tests.broker.secured_broker import SecuredBroker, secured_broker

USERS = ["alice", "poor", *(f"user-{number}" for number in range(30))]


@pytest.fixture(scope="session", name="_kafka_can_be_had")
def kafka_can_be_had() -> None:
    """Skip where there is no Java, or Kafka's jars cannot be fetched."""
    try:
        distribution.fetch(print)
    except StreamsError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def secured(
    tmp_path_factory: pytest.TempPathFactory, _kafka_can_be_had: None
) -> Iterator[SecuredBroker]:
    """Run one broker with SASL, TLS and ACLs for the whole session."""
    with secured_broker(tmp_path_factory.mktemp("secured"), USERS) as broker:
        yield broker
