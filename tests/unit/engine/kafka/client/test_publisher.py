"""Which failures are the message's own; with a broker: tests/broker/test_outbox_relay.py."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaError

from penstock._engine.kafka.client.publisher import Deliveries, Failure, _note


def failure(error: KafkaError) -> Failure:
    deliveries, under_way = Deliveries(), {7}
    _note(deliveries, under_way, 7, error, None)
    assert (deliveries.arrived, under_way) == ([], set())
    (failed,) = deliveries.failed
    return failed


@pytest.mark.parametrize(
    "name",
    [
        "INVALID_MSG",
        "INVALID_RECORD",
        "INVALID_TIMESTAMP",
        "MSG_SIZE_TOO_LARGE",
        "POLICY_VIOLATION",
        "TOPIC_AUTHORIZATION_FAILED",
        "UNKNOWN_TOPIC_OR_PART",
        "_UNKNOWN_PARTITION",
        "_UNKNOWN_TOPIC",
    ],
)
def test_a_message_that_would_fail_again_is_refused(name: str) -> None:
    assert failure(KafkaError(getattr(KafkaError, name))).is_refusal


@pytest.mark.parametrize(
    "name",
    [
        "_AUTHENTICATION",
        "_DESTROY",
        "_FATAL",
        "_MSG_TIMED_OUT",
        "_PURGE_QUEUE",
        "_QUEUE_FULL",
        "CLUSTER_AUTHORIZATION_FAILED",
        "INVALID_PRODUCER_EPOCH",
        "KAFKA_STORAGE_ERROR",
        "NOT_LEADER_FOR_PARTITION",
        "OUT_OF_ORDER_SEQUENCE_NUMBER",
        "UNKNOWN",
        "UNKNOWN_PRODUCER_ID",
    ],
)
def test_of_all_else_another_client_or_time_may_help(name: str) -> None:
    """Setting such a message aside would not help: the next one would fail alike."""
    assert not failure(KafkaError(getattr(KafkaError, name))).is_refusal


def test_a_client_that_is_of_no_use_any_more_refuses_nothing() -> None:
    error = KafkaError(KafkaError.INVALID_MSG, "out of order", fatal=True)
    assert not failure(error).is_refusal
