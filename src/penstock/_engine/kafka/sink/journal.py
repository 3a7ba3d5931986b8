"""The journal of a query's sink: a compacted topic of one partition, `penstock-sink-QUERY-journal`.

Batch writes share `penstock-sink-batch-journal`, which forgets them after a week. A journal is read
up to a record of one's own: what stands before it is then stable, also what transactions that were
open a moment ago have become.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from confluent_kafka import Consumer, KafkaError, TopicPartition

from penstock import _clock as clock
from penstock._engine.kafka.application.internal_topics import ensure_internal_topics
from penstock._engine.kafka.client.admin_calls import open_admin
from penstock._engine.kafka.client.clients import consumer_settings
from penstock._engine.kafka.client.denials import allowing
from penstock._engine.kafka.client.topics import end_offsets
from penstock._engine.kafka.sink.journal_state import JournalState
from penstock._engine.planner.internal_topics import InternalTopicPlan
from penstock._engine.runtime.records import Output
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

_log = logging.getLogger(__name__)

NAME_PREFIX = "penstock-sink-"
"""How journals, transactional ids and groups of sinks begin."""
_PARTITION = 0
_POLL_SECONDS = 1.0
_SILENT_SECONDS = 10.0
_MARGIN_SECONDS = 30.0
_WEEK_MS = 7 * 24 * 60 * 60 * 1000
# Small segments: what is compacted is never in the last one, and each reader reads all.
_STREAM_SETTINGS = {"segment.bytes": "4194304", "min.cleanable.dirty.ratio": "0.1"}
_BATCH_SETTINGS = {"cleanup.policy": "delete", "retention.ms": str(_WEEK_MS)}
TRANSACTION_TIMEOUT_MS = 300_000
"""A transaction of a batch's partition may be open so long, unless the user says otherwise."""


@dataclass(frozen=True, slots=True)
class JournalPlace:
    """Where the journal of a query is."""

    query: str
    topic: str
    start: int = 0
    """The first offset that may concern the query."""
    is_shared: bool = False
    """The journal of batch writes, each of which is a query with a single run."""

    @classmethod
    def of_query(cls, query: str) -> JournalPlace:
        """Return the place of the journal of a streaming query."""
        return cls(query, f"{NAME_PREFIX}{query}-journal")

    def record(self, kind: str, text: bytes) -> Output:
        """Return a record of the journal as it is written."""
        return (self.topic, _PARTITION, f"{self.query}/{kind}".encode(), text, None, ())


def sink_settings(given: Mapping[str, Any], query: str) -> StreamsConfig:
    """Return the settings of all clients of a query's sink."""
    return StreamsConfig(
        {
            "producer.transaction.timeout.ms": TRANSACTION_TIMEOUT_MS,
            **given,
            "application.id": f"{NAME_PREFIX}{query}",
            "processing.guarantee": "exactly_once_v2",
            "commit.interval.ms": 100,
        }
    )


def make_journal(config: StreamsConfig, place: JournalPlace) -> None:
    """Make the journal of a query unless it is there.

    Raises:
        StreamsError: it cannot be made.
    """
    plan = InternalTopicPlan(place.topic, "tasks", 1, _STREAM_SETTINGS)
    ensure_internal_topics(open_admin(config), {place.topic: plan}, config)


def begin_batch_journal(config: StreamsConfig, query: str) -> JournalPlace:
    """Return where in the journal of batch writes a new one begins; make the journal if needed.

    Raises:
        StreamsError: it cannot be made or looked at.
    """
    topic = f"{NAME_PREFIX}batch-journal"
    admin = open_admin(config)
    plan = InternalTopicPlan(topic, "tasks", 1, _BATCH_SETTINGS)
    ensure_internal_topics(admin, {topic: plan}, config)
    end = end_offsets(admin, [(topic, _PARTITION)])[topic, _PARTITION]
    return JournalPlace(query, topic, end, is_shared=True)


class JournalReader:
    """Reads a journal, each time from where it was before."""

    def __init__(self, config: StreamsConfig, place: JournalPlace) -> None:
        self.place, self.state = place, JournalState()
        self._prefix = f"{place.query}/".encode()
        self._position = place.start
        self._seconds = _MARGIN_SECONDS + _transaction_seconds(config)
        settings = {"auto.offset.reset": "earliest", "isolation.level": "read_committed"}
        self._consumer = Consumer({**consumer_settings(config, "restore"), **settings})

    def read_to_claim(self, id_: str, claim: str) -> JournalState:
        """Return what the journal says, read at least to a claim that is committed.

        Raises:
            StreamsError: it cannot be read.
        """
        self._consumer.assign([TopicPartition(self.place.topic, _PARTITION, self._position)])
        try:
            began, warned = clock.monotonic(), False
            while self.state.claims.get(id_) != claim:
                self._take(self._consumer.poll(_POLL_SECONDS))
                waited = clock.monotonic() - began
                if waited >= _SILENT_SECONDS and not warned:
                    warned = True
                    _log.warning(
                        "journal=%s is not readable yet: a writer died in its last step, and its "
                        "transaction is open until it is tried again, or for up to %.0f s",
                        self.place.topic,
                        self._seconds,
                    )
                if waited >= self._seconds:
                    raise StreamsError(self._unread(id_))
        finally:
            # Connected it stays, but fetches nothing until it is asked again.
            self._consumer.unassign()
        return self.state

    def close(self) -> None:
        """Close the connection."""
        self._consumer.close()

    def _unread(self, id_: str) -> str:
        return (
            f"the journal {self.place.topic!r} of the sink could not be read in "
            f"{self._seconds:.0f} s; does the broker answer, or has another process claimed "
            f"transactional id {id_!r} meanwhile?"
        )

    def _take(self, message: Any) -> None:
        if message is None:
            return
        error = message.error()
        if error is None:
            self._position = message.offset() + 1
            key, value = message.key() or b"", message.value()
            if key.startswith(self._prefix) and value is not None:
                self.state.apply(key.removeprefix(self._prefix).decode(), value)
        elif error.code() != KafkaError._PARTITION_EOF and not error.retriable():
            topic = self.place.topic
            reason = f"{error.str()}{allowing(error, 'READ', 'topic', topic)}"
            msg = f"the journal {topic!r} of the sink cannot be read: {reason}"
            raise StreamsError(msg)


def _transaction_seconds(config: StreamsConfig) -> float:
    given = config.client_settings("producer.").get("transaction.timeout.ms", 0)
    return float(given) / 1000
