"""The journal of a query's sink: a compacted topic of one partition, `penstock-sink-QUERY-journal`.

Batch writes share `penstock-sink-batch-journal`, which forgets them after a week. A journal is read
up to a record of one's own: what stands before it is then stable, also what transactions that were
open a moment ago have become.

A writer that was killed in its last step leaves a transaction open, and what is behind its record
in the journal is not stable. The next run reads such records uncommitted, to know which ids it has
to fence (`ids_of_other_runs`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from confluent_kafka import Consumer, KafkaError, TopicPartition

from penstock import _clock as clock
from penstock._engine.kafka.application.internal_topics import ensure_internal_topics
from penstock._engine.kafka.client.admin_calls import open_admin
from penstock._engine.kafka.client.client_errors import is_retriable
from penstock._engine.kafka.client.clients import consumer_settings
from penstock._engine.kafka.client.denials import allowing
from penstock._engine.kafka.client.topics import end_offsets
from penstock._engine.kafka.sink.journal_state import JournalState, ids_of_other_runs
from penstock._engine.planner.internal_topics import JOURNAL_ENDING, SINK_PREFIX, InternalTopicPlan
from penstock._engine.runtime.records import Output
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

_log = logging.getLogger(__name__)

_PARTITION = 0
_POLL_SECONDS = 1.0
_SILENT_SECONDS = 10.0
_STALLED_SECONDS = 2.0
_REST_SECONDS = 10.0
_MARGIN_SECONDS = 30.0
_WEEK_MS = 7 * 24 * 60 * 60 * 1000
# Small segments: what is compacted is never in the last one, and each reader reads all.
_STREAM_SETTINGS = {"segment.bytes": "4194304", "min.cleanable.dirty.ratio": "0.1"}
_BATCH_SETTINGS = {"cleanup.policy": "delete", "retention.ms": str(_WEEK_MS)}
_TRANSACTION_TIMEOUT = "producer.transaction.timeout.ms"
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
        return cls(query, f"{SINK_PREFIX}{query}{JOURNAL_ENDING}")

    def record(self, kind: str, text: bytes) -> Output:
        """Return a record of the journal as it is written."""
        return (self.topic, _PARTITION, f"{self.query}/{kind}".encode(), text, None, ())


def sink_settings(given: Mapping[str, Any], query: str) -> StreamsConfig:
    """Return the settings of all clients of a query's sink."""
    own = {
        "application.id": f"{SINK_PREFIX}{query}",
        "processing.guarantee": "exactly_once_v2",
        "commit.interval.ms": 100,
    }
    wanted = StreamsConfig({**given, **own})
    if "transaction.timeout.ms" in wanted.client_settings("producer."):
        return wanted
    return StreamsConfig({**wanted.given(), _TRANSACTION_TIMEOUT: TRANSACTION_TIMEOUT_MS})


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
    topic = f"{SINK_PREFIX}batch{JOURNAL_ENDING}"
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
        self._settings = {**consumer_settings(config, "restore"), "auto.offset.reset": "earliest"}
        self._consumer = self._connect("read_committed")

    def read_to_claim(
        self, id_: str, claim: str, unblock: Callable[[], None] = lambda: None
    ) -> JournalState:
        """Return what the journal says, read at least to a claim that is committed. `unblock` is
        called whenever nothing was readable for some seconds.

        Raises:
            StreamsError: it cannot be read.
        """
        self._consumer.assign([TopicPartition(self.place.topic, _PARTITION, self._position)])
        try:
            began, warned = clock.monotonic(), False
            position, moved = self._position, began
            while self.state.claims.get(id_) != claim:
                self._take(self._consumer.poll(_POLL_SECONDS))
                if self._position != position:
                    position, moved = self._position, clock.monotonic()
                elif clock.monotonic() - moved >= _STALLED_SECONDS:
                    unblock()
                    moved = clock.monotonic()
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

    def ids_in_the_way(self, run_id: str) -> list[str]:
        """Return the ids of other runs that may have a transaction open behind what was read.

        Raises:
            StreamsError: the journal cannot be read.
        """
        records = []
        deadline = clock.monotonic() + _REST_SECONDS
        consumer = self._connect("read_uncommitted")
        try:
            consumer.assign([TopicPartition(self.place.topic, _PARTITION, self._position)])
            while clock.monotonic() < deadline:
                message = consumer.poll(_POLL_SECONDS)
                if message is None:
                    continue
                error = message.error()
                if error is not None and error.code() == KafkaError._PARTITION_EOF:
                    break
                self._check(error)
                if error is None and (record := self._record(message)) is not None:
                    records.append(record)
        finally:
            consumer.close()
        return ids_of_other_runs(records, self.state.run, run_id)

    def close(self) -> None:
        """Close the connection."""
        self._consumer.close()

    def _connect(self, isolation: str) -> Consumer:
        return Consumer({**self._settings, "isolation.level": isolation})

    def _unread(self, id_: str) -> str:
        return (
            f"the journal {self.place.topic!r} of the sink could not be read in "
            f"{self._seconds:.0f} s; does the broker answer, or has another process claimed "
            f"transactional id {id_!r} meanwhile?"
        )

    def _take(self, message: Any) -> None:
        if message is None:
            return
        self._check(message.error())
        if message.error() is None:
            self._position = message.offset() + 1
            if (record := self._record(message)) is not None:
                self.state.apply(*record)

    def _record(self, message: Any) -> tuple[str, bytes] | None:
        """Return kind and value of a record of the query, None if it is another's."""
        key, value = message.key() or b"", message.value()
        if not key.startswith(self._prefix) or value is None:
            return None
        return key.removeprefix(self._prefix).decode(), value

    def _check(self, error: KafkaError | None) -> None:
        if error is None or error.code() == KafkaError._PARTITION_EOF:
            return
        if not is_retriable(error):
            topic = self.place.topic
            reason = f"{error.str()}{allowing(error, 'READ', 'topic', topic)}"
            msg = f"the journal {topic!r} of the sink cannot be read: {reason}"
            raise StreamsError(msg)


def _transaction_seconds(config: StreamsConfig) -> float:
    given = config.client_settings("producer.").get("transaction.timeout.ms", 0)
    return float(given) / 1000
