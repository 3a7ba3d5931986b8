"""Records that Kafka refuses, known before they are sent again.

A record that is larger than the client sends is known at once, so the sink asks the handler while
it has the source record in hand. A record that only the broker refuses is reported later, when the
transaction is lost and the source record is not known any more. So (1) the worker drops what is not
committed, (2) the refused records are noted here, by their content, and (3) the same records are
processed again: the sink meets the noted output, asks the handler and goes on. A broker refuses
whole batches; to find out which record it was, they are then sent one by one. At-least-once is the
same, and may write again what was written since the last commit.

Java gives all records of a refused batch to the handler, and a transaction in which one was refused
cannot be committed at all; here the others are written, with both guarantees.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple, TypeAlias

from confluent_kafka import KafkaError
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # it marks no exports
    AdminClient,
    ConfigResource,
    ResourceType,
)

from penstock import _clock as clock
from penstock._engine.kafka.client.admin_calls import REQUEST_SECONDS, settle
from penstock._engine.kafka.client.bulk import Unwritten
from penstock._engine.kafka.client.client_errors import RecordsRefused
from penstock._engine.runtime.records import Output
from penstock.errors import ProductionError, StreamsError

_log = logging.getLogger(__name__)

Mark: TypeAlias = bytes

# Of librdkafka, which counts a record as large as it may become.
_RECORD_BYTES = 36
# Of a batch, to which the broker's limit applies.
_BATCH_BYTES = 61
# Its default.
_ROOM_KILOBYTES = 1_048_576
_RULES_SECONDS = 60.0
_FRUITLESS = 4
_TOO_LARGE = "MSG_SIZE_TOO_LARGE"
_INVALID_TIMESTAMP = "INVALID_TIMESTAMP"
_INVALID_RECORD = "INVALID_RECORD"


class TopicRules(NamedTuple):
    """The limits of a topic."""

    max_bytes: int
    needs_key: bool
    before_ms: int
    after_ms: int
    known_until: float
    size_is_known: bool = True
    """No if batches are compressed: the broker counts their compressed size."""

    def breach(
        self, key: bytes | None, size: int, timestamp: int | None, now_ms: int
    ) -> tuple[str, str] | None:
        """Return code and reason why a record cannot be written, None if it can."""
        if self.needs_key and key is None:
            return _INVALID_RECORD, "it is without a key, and the topic is compacted"
        if self.size_is_known and size + _BATCH_BYTES > self.max_bytes:
            return _TOO_LARGE, (
                f"it is too large: {size} bytes, and the topic takes {self.max_bytes}; raise its "
                "'max.message.bytes'"
            )
        if timestamp is not None and timestamp >= 0:
            if timestamp > now_ms + self.after_ms:
                setting = "message.timestamp.after.max.ms"
            elif timestamp < now_ms - self.before_ms:
                setting = "message.timestamp.before.max.ms"
            else:
                return None
            return _INVALID_TIMESTAMP, (
                f"its time {timestamp} is farther from now than the topic's {setting!r} allows"
            )
        return None


class Refusals:
    """The records that Kafka is known to refuse; outlives the tasks. An `Acceptance`."""

    def __init__(
        self,
        producer: Mapping[str, Any],
        admin: Callable[[], AdminClient],
        changelogs: Iterable[str],
        now_ms: Callable[[], int],
        find_topic: Callable[[str], ProductionError | None],
    ) -> None:
        """`producer` are the settings of the producer, `find_topic` says why a topic that was
        not looked for before the start cannot be written to.
        """
        self._max_bytes = int(producer["message.max.bytes"])
        self._max_setting = "producer.max.request.size"
        # A record that is larger would wait for room for ever.
        room = 1024 * int(producer.get("queue.buffering.max.kbytes", _ROOM_KILOBYTES))
        if room < self._max_bytes:
            self._max_bytes, self._max_setting = room, "producer.buffer.memory"
        self._compresses = str(producer.get("compression.type", "none")) != "none"
        self._admin = admin
        self._changelogs = frozenset(changelogs)
        self._now_ms = now_ms
        self.missing = find_topic
        self._rules: dict[str, TopicRules] = {}
        self._watched: set[str] = set()
        self._noted: dict[Mark, tuple[str, str]] = {}
        self._met: set[Mark] = set()
        self._fruitless = 0
        self._caught = False
        self._batch_bytes: int | None = None
        self._one_by_one = False
        # Headers are counted only for records that may be too large.
        self.suspicious_bytes = self._max_bytes // 2

    def watches(self, topic: str) -> bool:
        return topic in self._watched

    def refusal_of(self, output: Output) -> ProductionError | None:
        topic, _, key, value, timestamp, headers = output
        size = wire_bytes(key, value, headers)
        if size > self._max_bytes:
            reason = (
                f"it is too large: {size} bytes, and the producer sends {self._max_bytes}; raise "
                f"{self._max_setting!r} and the topic's 'max.message.bytes'"
            )
            return _refusal(topic, _TOO_LARGE, reason)
        if topic not in self._watched:
            return None
        breach = None
        if self._noted:
            mark = _mark(topic, key, value)
            breach = self._noted.get(mark)
            if breach is not None:
                self._met.add(mark)
        rules = self._rules_in_force(topic)
        if breach is None and rules is not None:
            breach = rules.breach(key, size, timestamp, self._now_ms())
        if breach is None:
            return None
        self._caught = True
        return _refusal(topic, *breach)

    def note(self, fault: StreamsError) -> None:
        """Note the records that the broker has refused, if that is the fault, before the same
        records are processed again.

        Raises:
            StreamsError: that would not help.
        """
        if isinstance(fault, RecordsRefused):
            _log.warning("what is not committed is processed again to find a record: %s", fault)
            self._note(fault, fault.records)

    def _note(self, refused: RecordsRefused, records: Sequence[Unwritten]) -> None:
        lost = next((record for record in records if record.topic in self._changelogs), None)
        if lost is not None:
            msg = (
                f"a change of a store, a record of {wire_bytes(lost.key, lost.value)} bytes for "
                f"topic {lost.topic!r} could not be written: {lost.error.str()}; it is not passed "
                "over, whatever 'production.exception.handler' says: the store would lose the "
                f"change with the worker; {_hint_for_changelog(lost.error)}"
            )
            raise StreamsError(msg) from refused
        self._fruitless = 1 if self._caught else self._fruitless + 1
        self._caught = False
        if self._fruitless > _FRUITLESS:
            msg = (
                f"{refused}; the source record of it cannot be found, and the production exception "
                "handler not be asked: what the program writes for the same records is not the "
                "same each time; mend the record, or the topic"
            )
            raise StreamsError(msg) from refused
        topics = {record.topic for record in records}
        self._watched |= topics
        for topic, rules in topic_rules(self._admin(), topics).items():
            self._rules[topic] = rules._replace(size_is_known=not self._compresses)
        for place in {(record.topic, record.partition) for record in records}:
            self._find_guilty([record for record in records if record[:2] == place])

    def _find_guilty(self, batch: list[Unwritten]) -> None:
        """Note those of the records refused in one partition that are to blame."""
        rules, error = self._rules.get(batch[0].topic), batch[0].error
        if rules is not None and self._fruitless == 1:
            if error.name() == _INVALID_TIMESTAMP:
                return  # the sink sees whose time it is
            if any(self._breach(rules, record) for record in batch):
                return  # and so it does here
            if error.name() == _TOO_LARGE:
                # Together they were too much. Java: Sender splits the batch.
                self._batch_bytes = min(self._batch_bytes or rules.max_bytes, rules.max_bytes)
                return
        if self._one_by_one or len(batch) == 1:
            for record in batch:
                mark = _mark(record.topic, record.key, record.value)
                self._noted[mark] = record.error.name(), record.error.str()
        else:
            self._one_by_one = True

    def _breach(self, rules: TopicRules, record: Unwritten) -> tuple[str, str] | None:
        return rules.breach(record.key, wire_bytes(record.key, record.value), None, self._now_ms())

    def fit(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Return the settings of a producer, with batches as small as they have to be."""
        if self._one_by_one:
            settings = {**settings, "batch.num.messages": 1}
        if self._batch_bytes is not None:
            wanted = int(settings.get("batch.size", self._batch_bytes))
            settings = {**settings, "batch.size": min(wanted, self._batch_bytes)}
        return settings

    def committed(self) -> bool:
        """Forget the refused records that this commit has dealt with. Yes if the producer may have
        larger batches again.
        """
        if self._met:
            self._noted = {mark: why for mark, why in self._noted.items() if mark not in self._met}
            self._met.clear()
        calmed = self._one_by_one and not self._noted
        self._one_by_one = self._one_by_one and not calmed
        return calmed

    def _rules_in_force(self, topic: str) -> TopicRules | None:
        rules = self._rules.get(topic)
        if rules is not None and clock.monotonic() >= rules.known_until:
            # The user may have changed the topic; if not, the broker says so again.
            self._rules.pop(topic, None)
            return None
        return rules


def topic_rules(admin: AdminClient, topics: Iterable[str]) -> dict[str, TopicRules]:
    """Return the rules of those topics whose settings may be seen."""
    resources = [ConfigResource(ResourceType.TOPIC, topic) for topic in topics]
    try:
        answers, _ = settle(admin.describe_configs(resources, request_timeout=REQUEST_SECONDS))
    except Exception as error:
        _log.info("the settings of topics cannot be looked at: %s", error)
        return {}
    until = clock.monotonic() + _RULES_SECONDS
    return {
        resource.name: TopicRules(
            max_bytes=int(entries["max.message.bytes"].value),
            needs_key="compact" in entries["cleanup.policy"].value,
            before_ms=int(entries["message.timestamp.before.max.ms"].value),
            after_ms=int(entries["message.timestamp.after.max.ms"].value),
            known_until=until,
        )
        for resource, entries in answers.items()
    }


def wire_bytes(
    key: bytes | None, value: bytes | None, headers: Iterable[tuple[str, bytes | None]] = ()
) -> int:
    """Return how large librdkafka takes a record to be."""
    size = _RECORD_BYTES + len(key or b"") + len(value or b"")
    for name, content in headers:
        for part in (name.encode(), content or b""):
            size += len(part) + _varint_bytes(len(part))
    return size


def _varint_bytes(number: int) -> int:
    return max(1, (2 * number).bit_length() + 6) // 7 if number else 1


def _mark(topic: str, key: bytes | None, value: bytes | None) -> Mark:
    digest = blake2b(repr((topic, key)).encode(), digest_size=16)
    digest.update(b"deleted" if value is None else b"=" + value)
    return digest.digest()


def _refusal(topic: str, code: str, reason: str) -> ProductionError:
    msg = f"a record for topic {topic!r} could not be written: {reason}"
    return ProductionError(msg, topic=topic, code=code)


def _hint_for_changelog(error: KafkaError) -> str:
    if error.code() == KafkaError.MSG_SIZE_TOO_LARGE:
        return (
            "keep less in one entry, or raise 'producer.max.request.size' and the topic's "
            "'max.message.bytes' ('topic.max.message.bytes')"
        )
    return "correct the topic's settings"
