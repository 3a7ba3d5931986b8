"""Sends single messages to topics, outside any transaction: the outbox's relay uses it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Producer

from penstock._engine.kafka.client.client_errors import code_of
from penstock._engine.kafka.client.clients import producer_settings
from penstock.settings import StreamsConfig

_FLUSH_SECONDS = 60.0

# The message, or its topic, is the cause. Of all else, a new client or another time may help.
_REFUSALS = frozenset(
    {
        KafkaError._UNKNOWN_PARTITION,
        KafkaError._UNKNOWN_TOPIC,
        KafkaError.INVALID_MSG,
        KafkaError.INVALID_RECORD,
        KafkaError.INVALID_TIMESTAMP,
        KafkaError.MSG_SIZE_TOO_LARGE,
        KafkaError.POLICY_VIOLATION,
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.UNKNOWN_TOPIC_OR_PART,
    }
)

_REFUSALS_OF_A_BATCH = frozenset(
    {
        KafkaError.INVALID_MSG,
        KafkaError.INVALID_RECORD,
        KafkaError.INVALID_TIMESTAMP,
        KafkaError.MSG_SIZE_TOO_LARGE,
    }
)


@dataclass(frozen=True, slots=True)
class Failure:
    """A message that has not arrived."""

    number: int
    reason: str
    is_refusal: bool
    """Whether another attempt would fail, too; if not, a new publisher may do better later."""
    is_of_batch: bool = False
    """Whether it may have been refused for another message of its batch."""


@dataclass(slots=True)
class Deliveries:
    """What has become of messages, by their numbers."""

    arrived: list[int] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)


class Publisher:
    """A producer that reports which of its messages have arrived."""

    def __init__(self, config: StreamsConfig, *, one_by_one: bool = False) -> None:
        """`one_by_one` sends each message in a batch of its own: a batch is refused as a whole."""
        config.check_for_cluster()
        self._deliveries = Deliveries()
        self._under_way: set[int] = set()
        # Workers only hear of failures; here each message that has arrived is marked.
        reports = {"delivery.report.only.error": False}
        batches = {"batch.num.messages": 1} if one_by_one else {}
        self._producer = Producer({**producer_settings(config, ""), **reports, **batches})

    def send(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        headers: Sequence[tuple[str, bytes | None]],
        number: int = 0,
    ) -> bool:
        """Hand over a message; return False if it was refused at once."""
        # No reference to the publisher: a cycle would keep the client and its threads alive.
        told = partial(_note, self._deliveries, self._under_way, number)
        try:
            self._produce(topic, value, key, list(headers), told)
        except KafkaException as error:
            told(code_of(error), None)
            return False
        self._under_way.add(number)
        self._producer.poll(0)
        return True

    def flush(self) -> Deliveries:
        """Wait until all has arrived, so long as is usual; return what has become of the messages
        since the last call.
        """
        self._producer.flush(_FLUSH_SECONDS)
        arrived, failed = self._deliveries.arrived, self._deliveries.failed
        reason = f"no answer in {_FLUSH_SECONDS:.0f} s"
        silent = [Failure(number, reason, is_refusal=False) for number in sorted(self._under_way)]
        # The lists themselves stay: answers that come late are put into them.
        done = Deliveries(arrived.copy(), [*failed, *silent])
        arrived.clear()
        failed.clear()
        return done

    def _produce(
        self,
        topic: str,
        value: bytes | None,
        key: bytes | None,
        headers: list[tuple[str, str | bytes | None]],
        told: Callable[[KafkaError | None, Any], None],
    ) -> None:
        try:
            self._producer.produce(topic, value, key, headers=headers, on_delivery=told)
        except BufferError:
            self._producer.flush(_FLUSH_SECONDS)
            self._producer.produce(topic, value, key, headers=headers, on_delivery=told)


def _note(
    deliveries: Deliveries,
    under_way: set[int],
    number: int,
    error: KafkaError | None,
    message: object,
) -> None:
    """Note what has become of a message; it is None if the client refused it at once."""
    under_way.discard(number)
    if error is None:
        deliveries.arrived.append(number)
    else:
        refusal = error.code() in _REFUSALS and not error.fatal()
        shared = refusal and message is not None and error.code() in _REFUSALS_OF_A_BATCH
        failure = Failure(number, error.str(), is_refusal=refusal, is_of_batch=shared)
        deliveries.failed.append(failure)
