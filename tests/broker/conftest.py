"""Fixtures of the tests that need a real broker."""

from __future__ import annotations

import pytest

from penstock._engine.kafka import distribution
from penstock.errors import StreamsError


@pytest.fixture(scope="session", name="_kafka_can_be_had")
def kafka_can_be_had() -> None:
    """Skip where there is no Java, or Kafka's jars cannot be fetched."""
    try:
        distribution.fetch(print)
    except StreamsError as error:
        pytest.skip(str(error))
