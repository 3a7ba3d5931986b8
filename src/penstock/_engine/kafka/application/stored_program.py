"""Which program the application ran last: a record in its task topic, which every instance reads
before it makes or changes anything.

The first to start with a new program writes it down. A program that would not find its state again
is refused (`planner/fingerprint.py` says what counts), and so is one whose types have lost fields
of what is stored (`planner/stored_types.py`).
"""

from __future__ import annotations

import json
import logging
from collections.abc import Container, Mapping
from dataclasses import dataclass, field

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
from penstock._engine.planner.stored_types import (
    StoredTypes,
    accepting_names,
    refusal_of_removed,
    removed_fields,
    types_of,
)
from penstock._engine.topology.topology import Topology
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig
from penstock.settings.table import ACCEPT_CHANGED_TOPOLOGY, ACCEPT_REMOVED_FIELDS

_log = logging.getLogger(__name__)

_KEY = b"program"
_PARTITION = 0
_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class StoredProgram:
    """What the task topic has of a program."""

    fingerprint: Fingerprint
    types: StoredTypes = field(default_factory=dict)
    """Empty in a record of an earlier version: what it did not note is not compared."""
    removed: Mapping[str, int] = field(default_factory=dict)
    """The fields whose loss was accepted, and how often; those that came again are among them."""

    def to_json(self) -> str:
        """Return it as text, which versions before the types read, too."""
        document = json.loads(self.fingerprint.to_json())
        document |= {"types": self.types, "removed": self.removed}
        return json.dumps(document, sort_keys=True, separators=(",", ":"))


def check_last_program(
    topology: Topology, config: StreamsConfig, admin: AdminClient
) -> StoredProgram | None:
    """Compare the program with the one that ran last; return what must be stored of it, None if
    that is stored.

    Raises:
        StreamsError: it would not find its state again, or lose fields of it, and the user has not
            said that it may run.
    """
    before, now, warnings = _changes_since(topology, config, admin)
    for warning in warnings:
        _log.warning("application=%s since it ran last, %s", config.application_id, warning)
    return None if before == now else now


def refuse_changed_program(topology: Topology, config: StreamsConfig, admin: AdminClient) -> None:
    """Refuse what `check_last_program` refuses, before anything is made; no warnings.

    Raises:
        StreamsError: it would not find its state again, or lose fields of it, and the user has not
            said that it may run.
    """
    _changes_since(topology, config, admin)


def last_program(config: StreamsConfig, admin: AdminClient) -> Fingerprint | None:
    """Return the program that an application ran last; None if none is stored, or a later version
    of Penstock wrote it.

    Raises:
        StreamsError: the task topic cannot be read.
    """
    stored = _stored(config, admin, existing_topics(admin))
    return None if stored is None else stored.fingerprint


def remember_program(program: StoredProgram, config: StreamsConfig) -> None:
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
    producer.produce(topic, program.to_json().encode(), _KEY, _PARTITION)
    if producer.flush(_SECONDS) or failures:
        why = failures[0].str() if failures else "the broker does not answer in time"
        hint = allowing(failures[0], "WRITE", "topic", topic) if failures else ""
        msg = f"the program cannot be written down in task topic {topic!r}: {why}{hint}"
        raise StreamsError(msg)


def _changes_since(
    topology: Topology, config: StreamsConfig, admin: AdminClient
) -> tuple[StoredProgram | None, StoredProgram, list[str]]:
    """Return the program that ran last, this one, and what has changed, if it does no harm or is
    accepted.

    Raises:
        StreamsError: the program would not find its state again, or lose fields of it.
    """
    fingerprint, types = fingerprint_of(topology), types_of(topology, config)
    existing = set(existing_topics(admin))
    before = _stored(config, admin, existing)
    if before is None:
        return None, StoredProgram(fingerprint, types), []

    def exists(topic: str) -> bool:
        return f"{config.application_id}-{topic}" in existing

    changes = compare(before.fingerprint, fingerprint, exists)
    _refuse_changes(changes, fingerprint.id, topology, config)
    removed = removed_fields(
        before.types,
        topology,
        config,
        lambda name: (log := fingerprint.stores[name].log) is None or exists(log),
    )
    names = accepting_names(removed, before.removed)
    if not set(names.values()) <= set(config.accepted_removed_fields):
        raise StreamsError(
            refusal_of_removed(names.values(), config.application_id, ACCEPT_REMOVED_FIELDS)
        )
    times = {name: before.removed.get(name, 0) + 1 for name in names}
    told = [change.text for change in changes]
    told += [f"what is stored in {name!r} is let go" for name in names]
    return before, StoredProgram(fingerprint, types, {**before.removed, **times}), told


def _refuse_changes(
    changes: list[ProgramChange], id: str, topology: Topology, config: StreamsConfig
) -> None:
    if all(change.keeps_state for change in changes) or config.accepted_topology == id:
        return
    accepting = f"{ACCEPT_CHANGED_TOPOLOGY!r} to {id!r}"
    raise StreamsError(refusal(changes, topology, config.application_id, accepting))


def _stored(
    config: StreamsConfig, admin: AdminClient, existing: Container[str]
) -> StoredProgram | None:
    topic = task_topic_name(config.application_id)
    if topic not in existing:
        return None
    kept = read_task_records(config, admin, topic, [_PARTITION])[_PARTITION]
    if _KEY not in kept:
        return None
    text = kept[_KEY].decode()
    fingerprint = read_fingerprint(text)
    if fingerprint is None:
        return None
    document = json.loads(text)
    return StoredProgram(fingerprint, document.get("types", {}), document.get("removed", {}))
