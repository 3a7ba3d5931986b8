"""Asking the cluster something, with patience: faults that may pass are retried for a while."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, TypeVar

from confluent_kafka import KafkaError, KafkaException

from penstock import clock
from penstock._engine.kafka.faults import code_of
from penstock.errors import StreamsError

K = TypeVar("K")
T = TypeVar("T")

REQUEST_SECONDS = 10.0
"""How long one request may take."""

_PAUSE_SECONDS = 0.2

_MAY_PASS = frozenset(
    {
        KafkaError._ALL_BROKERS_DOWN,
        KafkaError._RESOLVE,
        KafkaError._TIMED_OUT,
        KafkaError._TRANSPORT,
        KafkaError.BROKER_NOT_AVAILABLE,
        KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
        KafkaError.COORDINATOR_NOT_AVAILABLE,
        KafkaError.LEADER_NOT_AVAILABLE,
        KafkaError.NETWORK_EXCEPTION,
        KafkaError.NOT_CONTROLLER,
        KafkaError.NOT_COORDINATOR,
        KafkaError.NOT_LEADER_FOR_PARTITION,
        KafkaError.REQUEST_TIMED_OUT,
        KafkaError.THROTTLING_QUOTA_EXCEEDED,
    }
)


def may_pass(error: KafkaError) -> bool:
    """Tell whether the same request may be answered later."""
    return error.code() in _MAY_PASS or error.retriable()


def patiently(what: str, ask: Callable[[], T], timeout_seconds: float) -> T:
    """Give what `ask` gives, asking again after faults that may pass.

    Raises:
        StreamsError: the fault did not pass in time; it begins with `what` could not be done.
        KafkaException: the cluster refused.
    """
    deadline = clock.monotonic() + timeout_seconds
    while True:
        try:
            return ask()
        except KafkaException as error:
            fault = code_of(error)
            if not may_pass(fault):
                raise
            if clock.monotonic() >= deadline:
                msg = (
                    f"{what} was not possible within {timeout_seconds:.0f} s: {fault.str()}; "
                    "is the Kafka cluster at 'bootstrap.servers' up, and do the security settings "
                    "fit it?"
                )
                raise StreamsError(msg) from error
        time.sleep(_PAUSE_SECONDS)


def until(true: Callable[[], bool], timeout_seconds: float) -> bool:
    """Wait until something is true; give False if it was not in time."""
    deadline = clock.monotonic() + timeout_seconds
    while not true():
        if clock.monotonic() >= deadline:
            return False
        time.sleep(_PAUSE_SECONDS)
    return True


def settle(futures: Mapping[K, Future[Any]]) -> tuple[dict[K, Any], dict[K, KafkaError]]:
    """Wait for all answers; give the good ones and the refusals, raise a fault that may pass."""
    answers: dict[K, Any] = {}
    refusals: dict[K, KafkaError] = {}
    for key, future in futures.items():
        try:
            answers[key] = future.result()
        except KafkaException as error:
            if may_pass(code_of(error)):
                raise
            refusals[key] = code_of(error)
    return answers, refusals
