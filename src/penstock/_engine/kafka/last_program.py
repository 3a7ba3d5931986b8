"""Which program the application ran last: a record in its task topic, which every instance reads
before it makes or changes anything.

The first to start with a new program writes it down. A program that would not find its state again
is refused; see `planner/fingerprint.py` for what counts.
"""

from __future__ import annotations

import logging
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from penstock import clock
from penstock._engine.kafka.clients import consumer_settings, producer_settings
from penstock._engine.kafka.topics import end_offsets, existing_topics
from penstock._engine.planner.fingerprint import (
    Fingerprint,
    compare,
    fingerprint_of,
    read_fingerprint,
    refusal,
)
from penstock._engine.planner.internal_topics import task_topic_name
from penstock._engine.topology.topology import Topology
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig
from penstock.settings.table import ACCEPT_CHANGED_TOPOLOGY

_log = logging.getLogger(__name__)

_KEY = b"program"
_PARTITION = 0
_SECONDS = 30.0


def check_last_program(
    topology: Topology, config: StreamsConfig, admin: AdminClient
) -> Fingerprint | None:
    """Compare the program with the one that ran last; give its fingerprint if it is to be written
    down, None if it has been.

    Raises:
        StreamsError: it would not find its state again, and the user has not said that it may run.
    """
    now, application_id = fingerprint_of(topology), config.application_id
    existing = set(existing_topics(admin))
    topic = task_topic_name(application_id)
    text = _read(config, admin, topic) if topic in existing else None
    before = None if text is None else read_fingerprint(text)
    if before is None:
        return now
    changes = compare(before, now, lambda name: f"{application_id}-{name}" in existing)
    if any(not change.keeps_state for change in changes) and config.accepted_topology != now.id:
        raise StreamsError(
            refusal(changes, topology, application_id, f"{ACCEPT_CHANGED_TOPOLOGY!r} to {now.id!r}")
        )
    for change in changes:
        _log.warning("application=%s since it ran last, %s", application_id, change.text)
    return None if before == now else now


def remember_program(fingerprint: Fingerprint, config: StreamsConfig) -> None:
    """Write down the program that the application runs from now on."""
    settings = producer_settings(config, "program")
    # One record that stands for itself: no transaction, and nobody to be fenced by it.
    settings.pop("transactional.id", None)
    settings.pop("transaction.timeout.ms", None)
    # Nor a number to know doubles by, for which librdkafka waits half a second: they do no harm.
    settings["enable.idempotence"] = False
    failures: list[KafkaError] = []
    producer = Producer(
        {**settings, "on_delivery": lambda error, _: failures.append(error) if error else None}
    )
    topic = task_topic_name(config.application_id)
    producer.produce(topic, fingerprint.to_json().encode(), _KEY, _PARTITION)
    if producer.flush(_SECONDS) or failures:
        why = failures[0].str() if failures else "the broker does not answer in time"
        msg = f"the program cannot be written down in task topic {topic!r}: {why}"
        raise StreamsError(msg)


def _read(config: StreamsConfig, admin: AdminClient, topic: str) -> str | None:
    """Give what was written down last, None if nothing was."""
    end = end_offsets(admin, [(topic, _PARTITION)])[topic, _PARTITION]
    if end == 0:
        return None
    consumer = Consumer(_settings(config))
    try:
        consumer.assign([TopicPartition(topic, _PARTITION, OFFSET_BEGINNING)])
        return _last_value(consumer, topic, end)
    finally:
        consumer.close()


def _last_value(consumer: Consumer, topic: str, end: int) -> str | None:
    last: bytes | None = None
    deadline = clock.monotonic() + _SECONDS
    while clock.monotonic() < deadline:
        message = consumer.poll(1.0)
        if message is None:
            continue
        error = message.error()
        if error is None:
            if message.key() == _KEY:
                last = message.value()
            if int(message.offset() or 0) + 1 >= end:
                break
        elif error.code() == KafkaError._PARTITION_EOF:
            break
        elif not error.retriable():
            msg = f"task topic {topic!r} cannot be read: {error.str()}"
            raise StreamsError(msg)
    else:
        msg = f"task topic {topic!r} cannot be read in {_SECONDS:.0f} s"
        raise StreamsError(msg)
    return None if last is None else last.decode()


def _settings(config: StreamsConfig) -> dict[str, Any]:
    # Compaction may have taken the first records away: begin with what there is.
    return {**consumer_settings(config, "restore"), "auto.offset.reset": "earliest"}
