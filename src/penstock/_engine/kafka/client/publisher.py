"""Sends single messages to topics, outside any transaction: the outbox's relay uses it."""

from __future__ import annotations

from collections.abc import Sequence

from confluent_kafka import KafkaError, Producer

from penstock._engine.kafka.client.clients import producer_settings
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

_FLUSH_SECONDS = 60.0


class Publisher:
    """A producer that reports whether all its messages have arrived."""

    def __init__(self, config: StreamsConfig) -> None:
        config.check_for_cluster()
        failures: list[str] = []

        # No reference to the publisher: a cycle would keep the client and its threads alive.
        def delivered(error: KafkaError | None, _message: object) -> None:
            if error is not None:
                failures.append(error.str())

        self._failures = failures
        self._producer = Producer({**producer_settings(config, ""), "on_delivery": delivered})

    def send(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        headers: Sequence[tuple[str, bytes | None]],
    ) -> None:
        """Hand over a message."""
        try:
            self._producer.produce(topic, value, key, headers=list(headers))
        except BufferError:
            self._producer.flush(_FLUSH_SECONDS)
            self._producer.produce(topic, value, key, headers=list(headers))
        self._producer.poll(0)

    def flush(self) -> None:
        """Wait until all has arrived.

        Raises:
            StreamsError: something has not.
        """
        left = self._producer.flush(_FLUSH_SECONDS)
        if left or self._failures:
            why = self._failures[0] if self._failures else f"no answer in {_FLUSH_SECONDS:.0f} s"
            count = left + len(self._failures)
            self._failures.clear()
            msg = f"{count} messages could not be published: {why}"
            raise StreamsError(msg)
