"""Which program the application ran last: a record in its task topic, which every instance reads
before it makes or changes anything.

The first to start with a new program writes it down. A program that would not find its state again
is refused; see `planner/fingerprint.py` for what counts.
"""

from __future__ import annotations

import logging
from collections.abc import Container

from confluent_kafka import KafkaError, Producer
from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.application.task_records import read_task_records
from penstock._engine.kafka.client.clients import producer_settings
from penstock._engine.kafka.client.denials import allowing
from penstock._engine.kafka.client.topics import existing_topics
from penstock._engine.planner.fingerprint import (
    Fingerprint,
    ProgramChange,
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
    """Compare the program with the one that ran last; return its fingerprint if it must be stored,
    None if it is stored.

    Raises:
        StreamsError: it would not find its state again, and the user has not said that it may run.
    """
    now = fingerprint_of(topology)
    before, changes = _changes_since(now, topology, config, admin)
    for change in changes:
        _log.warning("application=%s since it ran last, %s", config.application_id, change.text)
    return None if before == now else now


def refuse_changed_program(topology: Topology, config: StreamsConfig, admin: AdminClient) -> None:
    """Refuse what `check_last_program` refuses, before anything is made; no warnings.

    Raises:
        StreamsError: it would not find its state again, and the user has not said that it may run.
    """
    _changes_since(fingerprint_of(topology), topology, config, admin)


def last_program(config: StreamsConfig, admin: AdminClient) -> Fingerprint | None:
    """Return the program that an application ran last; None if none is stored, or a later version
    of Penstock wrote it.

    Raises:
        StreamsError: the task topic cannot be read.
    """
    return _stored(config, admin, existing_topics(admin))


def remember_program(fingerprint: Fingerprint, config: StreamsConfig) -> None:
    """Store the program that the application runs from now on."""
    settings = producer_settings(config, "program")
    # A single record needs no transaction, and must not fence a running producer.
    settings.pop("transactional.id", None)
    settings.pop("transaction.timeout.ms", None)
    # Not idempotent either, for which librdkafka waits half a second: duplicates do no harm.
    settings["enable.idempotence"] = False
    failures: list[KafkaError] = []
    producer = Producer(
        {**settings, "on_delivery": lambda error, _: failures.append(error) if error else None}
    )
    topic = task_topic_name(config.application_id)
    producer.produce(topic, fingerprint.to_json().encode(), _KEY, _PARTITION)
    if producer.flush(_SECONDS) or failures:
        why = failures[0].str() if failures else "the broker does not answer in time"
        hint = allowing(failures[0], "WRITE", "topic", topic) if failures else ""
        msg = f"the program cannot be written down in task topic {topic!r}: {why}{hint}"
        raise StreamsError(msg)


def _changes_since(
    now: Fingerprint, topology: Topology, config: StreamsConfig, admin: AdminClient
) -> tuple[Fingerprint | None, list[ProgramChange]]:
    """Return the program that ran last and the changes since, if they do no harm or are accepted.

    Raises:
        StreamsError: the program would not find its state again.
    """
    application_id = config.application_id
    existing = set(existing_topics(admin))
    before = _stored(config, admin, existing)
    if before is None:
        return None, []
    changes = compare(before, now, lambda name: f"{application_id}-{name}" in existing)
    if any(not change.keeps_state for change in changes) and config.accepted_topology != now.id:
        raise StreamsError(
            refusal(changes, topology, application_id, f"{ACCEPT_CHANGED_TOPOLOGY!r} to {now.id!r}")
        )
    return before, changes


def _stored(
    config: StreamsConfig, admin: AdminClient, existing: Container[str]
) -> Fingerprint | None:
    topic = task_topic_name(config.application_id)
    if topic not in existing:
        return None
    kept = read_task_records(config, admin, topic, [_PARTITION])[_PARTITION]
    return read_fingerprint(kept[_KEY].decode()) if _KEY in kept else None
