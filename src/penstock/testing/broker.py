"""Test against a real Kafka broker: a pytest plugin. In your `conftest.py`:

    pytest_plugins = ["penstock.testing.broker"]

A test that names the fixture `kafka_broker` gets a broker that all tests of the session share. It
needs Java 17; Kafka itself is fetched when it is first needed and kept for later.

For pytest, which would warn if a test imported this module before it is a plugin:
PYTEST_DONT_REWRITE (there are no assertions here).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Protocol

import pytest

from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock._engine.kafka.local_broker.directory_lock import BrokerError

__all__ = ["BrokerError", "CreateTopic", "LocalBroker", "kafka_broker", "kafka_topic"]


class CreateTopic(Protocol):
    """What `kafka_topic` returns: creates a topic and returns its name."""

    def __call__(
        self, name: str = "topic", partitions: int = 1, config: Mapping[str, str] | None = None
    ) -> str: ...


@pytest.fixture(scope="session")
def kafka_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalBroker]:
    """Run one broker for the whole session; `kafka_broker.bootstrap_servers` is its address."""
    with LocalBroker(tmp_path_factory.mktemp("kafka-broker")) as broker:
        yield broker


@pytest.fixture(scope="session")
def _topic_numbers() -> Iterator[int]:
    return itertools.count(1)


@pytest.fixture
def kafka_topic(kafka_broker: LocalBroker, _topic_numbers: Iterator[int]) -> CreateTopic:
    """Create topics of this test's own: `kafka_topic("words", partitions=4)` gives "words-7"."""

    def create(
        name: str = "topic", partitions: int = 1, config: Mapping[str, str] | None = None
    ) -> str:
        unique = f"{name}-{next(_topic_numbers)}"
        kafka_broker.create_topic(unique, partitions, config)
        return unique

    return create
