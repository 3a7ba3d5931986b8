"""Notices from one instance of an application to all others: records in its task topic.

The task topic is common to all instances, and no other program writes to it.
Its records mean nothing to the group protocol. A notice concerns those who run when it is written:
an instance reads from where the topic ended when it began, so an old notice stops no instance.
"""

from __future__ import annotations

import json
import threading

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.client.clients import (
    admin_settings,
    consumer_settings,
    producer_settings,
)
from penstock._engine.kafka.client.topics import end_offsets
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

_PARTITION = 0
_SHUTDOWN = b"shutdown-application"
_NETWORK_SECONDS = 10.0


class NoticeBoard:
    """Where one instance reads and writes notices."""

    def __init__(self, config: StreamsConfig, task_topic: str) -> None:
        self._config = config
        self._topic = task_topic
        self._lock = threading.Lock()
        # Asked for now: "the end" would be the end when the first fetch is answered.
        ends = end_offsets(AdminClient(admin_settings(config)), [(task_topic, _PARTITION)])
        start = ends[task_topic, _PARTITION]
        self._consumer: Consumer | None = Consumer(consumer_settings(config, "restore"))
        self._consumer.assign([TopicPartition(task_topic, _PARTITION, start)])

    def post_shutdown(self, reason: str) -> None:
        """Ask all instances to end.

        Raises:
            StreamsError: the notice could not be written.
        """
        settings = producer_settings(self._config, "notices")
        # Not part of any work, so of no transaction.
        for key in ("transactional.id", "transaction.timeout.ms"):
            settings.pop(key, None)
        failures: list[str] = []
        settings["on_delivery"] = lambda error, _: failures.append(str(error)) if error else None
        producer = Producer(settings)
        value = json.dumps({"reason": reason}).encode()
        producer.produce(self._topic, value, _SHUTDOWN, _PARTITION)
        if producer.flush(_NETWORK_SECONDS) or failures:
            why = failures[0] if failures else f"no answer within {_NETWORK_SECONDS:.0f} s"
            msg = f"the other instances could not be asked to end: {why}"
            raise StreamsError(msg)

    def shutdown_reason(self) -> str | None:
        """Return why an instance has asked all to end, None if none has since the last call."""
        with self._lock:
            while self._consumer is not None:
                message = self._consumer.poll(0)
                if message is None:
                    break
                if message.error() is None and message.key() == _SHUTDOWN:
                    return _reason(message.value() or b"")
        return None

    def close(self) -> None:
        """Close the connection; nothing more is read."""
        with self._lock:
            consumer, self._consumer = self._consumer, None
        if consumer is not None:
            consumer.close()


def _reason(value: bytes) -> str:
    try:
        return str(json.loads(value)["reason"])
    except (ValueError, KeyError, TypeError):
        return "unknown"
