"""Notices from one instance of an application to all others: records in its task topic.

The task topic is common to all instances, and no other program writes to it.
Its records mean nothing to the group protocol. A notice concerns those who run when it is written:
an instance reads from where the topic ended when it began, so an old notice stops no instance.

An instance also announces itself here, under a key of its own (`control/drivers.py`).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

from confluent_kafka import (
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)
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
_DRIVER = b"driver:"
_NETWORK_SECONDS = 10.0
_LAST_WORD_SECONDS = 2.0

Hear = Callable[[str, bytes | None], None]
"""Called with the id of an instance and its announcement; None: it has ended."""


class NoticeBoard:
    """Where one instance reads and writes notices; announcements of instances go to `hear`."""

    def __init__(self, config: StreamsConfig, task_topic: str, hear: Hear) -> None:
        self._config = config
        self._hear = hear
        self._producer: Producer | None = None
        self._failures: list[str] = []
        self._ended = False
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
        settings = self._settings()
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
                if message.error() is not None:
                    continue
                key = message.key() or b""
                if key == _SHUTDOWN:
                    return _reason(message.value() or b"")
                if key.startswith(_DRIVER):
                    self._hear(
                        key.removeprefix(_DRIVER).decode("utf-8", "replace"), message.value()
                    )
        return None

    def announce(self, driver_id: str, announcement: bytes | None) -> None:
        """Begin to write what an instance announces; None: it ends, and announces no more."""
        with self._lock:
            if self._consumer is None or self._ended:
                return
            self._ended = announcement is None
            key = _DRIVER + driver_id.encode()
            try:
                if self._producer is None:
                    self._producer = Producer(self._announcing())
                self._producer.produce(self._topic, announcement, key, _PARTITION)
                self._producer.poll(0)
            except (BufferError, KafkaException) as error:
                self._failures.append(str(error))

    def take_failure(self) -> str | None:
        """Return why an announcement did not arrive, None if none failed since the last call."""
        with self._lock:
            if self._producer is not None:
                self._producer.poll(0)
            failures = list(self._failures)
            self._failures.clear()
        return failures[-1] if failures else None

    @property
    def session_seconds(self) -> float:
        """How long the group keeps a member that says nothing."""
        return int(consumer_settings(self._config, "group")["session.timeout.ms"]) / 1000

    def close(self) -> None:
        """Close the connections, when the last announcement is written; nothing more is read."""
        with self._lock:
            consumer, self._consumer = self._consumer, None
            producer, self._producer = self._producer, None
        if producer is not None:
            producer.flush(_LAST_WORD_SECONDS)
        if consumer is not None:
            consumer.close()

    def _settings(self) -> dict[str, Any]:
        settings = producer_settings(self._config, "notices")
        # Not part of any work, so of no transaction.
        for key in ("transactional.id", "transaction.timeout.ms"):
            settings.pop(key, None)
        return settings

    def _announcing(self) -> dict[str, Any]:
        failures = self._failures

        # No reference to the board: a cycle would keep the client and its threads alive.
        def delivered(error: KafkaError | None, _message: Message) -> None:
            if error is not None:
                failures.append(error.str())

        return {
            **self._settings(),
            # As for any single record: see stored_program.py.
            "enable.idempotence": False,
            # An announcement must not overtake a later one, nor come when it holds no more.
            "max.in.flight.requests.per.connection": 1,
            "delivery.timeout.ms": int(self.session_seconds * 1000),
            "linger.ms": 0,
            "compression.type": "gzip",
            "on_delivery": delivered,
        }


def _reason(value: bytes) -> str:
    try:
        return str(json.loads(value)["reason"])
    except (ValueError, KeyError, TypeError):
        return "unknown"
