"""The settings of a sink's clients. (Journals on a broker: tests/broker/test_sink.py.)"""

from __future__ import annotations

import pytest

from penstock._engine.kafka.sink.journal import sink_settings

SERVERS = {"bootstrap.servers": "b:1"}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, 300_000),
        ({"transaction.timeout.ms": 600_000}, 600_000),
        ({"producer.transaction.timeout.ms": 60_000}, 60_000),
        ({"transaction.timeout.ms": 600_000, "producer.transaction.timeout.ms": 60_000}, 60_000),
    ],
)
def test_a_transaction_may_be_open_as_long_as_the_user_says(
    given: dict[str, int], expected: int
) -> None:
    config = sink_settings({**SERVERS, "commit.interval.ms": 30_000, **given}, "query")
    assert int(config.client_settings("producer.")["transaction.timeout.ms"]) == expected
    assert config.application_id == "penstock-sink-query"
