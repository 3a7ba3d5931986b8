"""Which faults mean what, and how long they are endured; the crash points have tests of their own
in tests/crash.
"""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaError

from penstock._engine.kafka.client.client_errors import (
    BrokerAway,
    TaskTimeout,
    is_migration,
    is_retriable,
    is_unsettled,
)
from penstock.errors import StreamsError

FAULT = BrokerAway("nobody answers")


def test_faults_are_endured_until_the_timeout() -> None:
    timeout = TaskTimeout(3000)
    timeout.record_failure(FAULT, now=100.0)
    timeout.record_failure(FAULT, now=102.9)
    with pytest.raises(StreamsError) as caught:
        timeout.record_failure(FAULT, now=103.5)
    assert str(caught.value) == (
        "the work could not go on for 4 s, which is as long as 'task.timeout.ms' allows; "
        "tried 3 times, at last: nobody answers"
    )
    assert caught.value.__cause__ is FAULT
    assert not isinstance(caught.value, BrokerAway)


def test_an_answer_in_between_lets_the_time_begin_anew() -> None:
    timeout = TaskTimeout(3000)
    timeout.record_failure(FAULT, now=100.0)
    timeout.reset()
    timeout.record_failure(FAULT, now=200.0)
    timeout.record_failure(FAULT, now=202.0)


def test_a_timeout_of_nothing_means_no_second_try() -> None:
    with pytest.raises(StreamsError, match="tried 1 times"):
        TaskTimeout(0).record_failure(FAULT, now=5.0)


def test_a_request_on_a_connection_that_was_replaced_is_made_again() -> None:
    """Seen at the first request to a cluster of three brokers."""
    error = KafkaError(-137)
    assert error.str() == "Local: Broker handle destroyed without termination"
    assert is_retriable(error)


def test_what_may_pass_is_not_what_is_lost() -> None:
    away, stale = KafkaError(KafkaError._TRANSPORT), KafkaError(KafkaError.ILLEGAL_GENERATION)
    fenced = KafkaError(KafkaError.FENCED_INSTANCE_ID)
    assert [is_retriable(error) for error in (away, stale, fenced)] == [True, False, False]
    assert [is_migration(error) for error in (away, stale, fenced)] == [False, True, True]
    assert [is_unsettled(error) for error in (away, stale, fenced)] == [False, True, False]
