"""A case's topics on a broker: makes them, feeds them, and reads all that its application writes.

An onlooker must know when there is nothing more to come. A record is done when the offset
behind it is committed, and so is what it caused, down to the last sub-topology: `settle` waits for
that. Under exactly-once a topic is read to its end as it is, open transactions included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from time import sleep
from types import MappingProxyType
from typing import Any

from confluent_kafka import Consumer, KafkaError, Message, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from conformance.harness import Line, record_to_json, to_bytes
from conformance.plain_producer import PlainProducer, record_batch
from penstock._clock import monotonic
from penstock._engine.kafka.application.internal_topics import delete_internal_topics
from penstock._engine.kafka.client import admin_calls
from penstock._engine.kafka.client.topics import end_offsets, existing_topics
from penstock._engine.runtime.output.murmur2 import partition_of
from penstock.testing import TestRecord

Partition = tuple[str, int]

_OWN_TOPIC = "-penstock-tasks"
_NETWORK_SECONDS = 60.0
_POLL_SECONDS = 0.02
_AGAIN_SECONDS = 0.01


class NotSettledError(RuntimeError):
    """The application did not get through its input in time; the text says where it stands."""


class BrokerView:
    """The topics of one case, as an onlooker outside the application sees them."""

    def __init__(self, bootstrap_servers: str, application_id: str) -> None:
        # What goes wrong is raised; the clients' own log would only repeat it.
        connection: dict[str, Any] = {"bootstrap.servers": bootstrap_servers, "log_level": 0}
        self._application_id = application_id
        self._admin = AdminClient(connection)
        self._producer = PlainProducer(bootstrap_servers)
        # Of the application's group, to see what it has committed; it reads by itself, and so is
        # no member of the group.
        self._consumer = Consumer(
            {
                **connection,
                "group.id": application_id,
                "isolation.level": "read_committed",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "enable.partition.eof": True,
                "fetch.wait.max.ms": 10,
            }
        )
        self._made: set[str] = set()
        self._partitions: Mapping[str, int] = {}
        self._fed: set[tuple[str, int, int]] = set()
        self._reached: dict[Partition, int] = {}
        self._last_offsets: dict[Partition, int] = {}
        self._seen: dict[str, list[Line]] = {}

    def make_topics(
        self, names: Iterable[str], partitions: Mapping[str, int] = MappingProxyType({})
    ) -> None:
        """Make topics, of one partition if `partitions` does not say more; what an earlier run has
        left is removed first.
        """
        self._made = set(names)
        self._partitions = partitions
        self._delete()
        # The records are of 1970: a broker would delete them when it next looks for old ones.
        for_ever = {"retention.ms": "-1"}
        topics = [
            NewTopic(name, partitions.get(name, 1), 1, config=for_ever)
            for name in sorted(self._made)
        ]
        for made in self._admin.create_topics(topics).values() if topics else ():
            made.result()
        # The controller has made them; the broker hears of it a moment later.
        there = admin_calls.until(
            lambda: self._made <= set(existing_topics(self._admin)), _NETWORK_SECONDS
        )
        if not there:
            msg = f"topics are not there {_NETWORK_SECONDS:.0f} s after they were made"
            raise RuntimeError(msg)

    def look_on(self) -> None:
        """Begin to read: the application has made its internal topics."""
        described = self._admin.list_topics(timeout=_NETWORK_SECONDS).topics
        self._reached = {
            (name, partition): 0
            for name in self._topics(described)
            for partition in described[name].partitions
        }
        self._consumer.assign([TopicPartition(*partition, 0) for partition in self._reached])

    def topics(self) -> set[str]:
        """Return the topics that are looked at."""
        return {topic for topic, _ in self._reached}

    def feed(self, step: Line) -> None:
        """Write the record of a step."""

        topic, key = step["topic"], to_bytes(step.get("key"))
        partition = 0 if key is None else partition_of(key, self._partitions.get(topic, 1))
        headers = [(name, to_bytes(value)) for name, value in step.get("headers", ())]
        value, timestamp = to_bytes(step.get("value")), step.get("timestamp", 0)
        batch = record_batch(key, value, timestamp, headers)
        self._fed.add((topic, partition, self._producer.write(topic, partition, batch)))

    def settle(
        self, sources: Iterable[str], patience_seconds: float, check: Callable[[], None]
    ) -> dict[str, list[Line]]:
        """Wait until all that `sources` hold has been processed and committed; `check` is called
        meanwhile, to raise if that is not to be expected any more.

        Gives what the application has written since the last call.
        """
        read = [partition for partition in self._reached if partition[0] in set(sources)]
        until = monotonic() + patience_seconds
        while True:
            check()
            # In this order: what was committed when we asked has been written when we read.
            committed = self._committed(read)
            self._read_to_end(until)
            behind = {
                partition: (committed[partition], self._last_offsets[partition] + 1)
                for partition in read
                if partition in self._last_offsets
                and committed[partition] <= self._last_offsets[partition]
            }
            if not behind:
                return self.take()
            if monotonic() > until:
                msg = f"not done after {patience_seconds:.0f} s, (committed, end): {behind}"
                raise NotSettledError(msg)
            sleep(_AGAIN_SECONDS)

    def take(self) -> dict[str, list[Line]]:
        """Return what has been read since the last call, by topic."""
        seen, self._seen = self._seen, {}
        return dict(sorted(seen.items()))

    def read_rest(self) -> dict[str, list[Line]]:
        """Return what was written since the last call, by an application that has ended."""
        self._read_to_end(monotonic() + _NETWORK_SECONDS)
        return self.take()

    def close(self) -> None:
        """Remove the topics and what the broker knows of the application."""
        self._consumer.close()
        self._producer.close()
        self._delete()

    def _topics(self, existing: Iterable[str]) -> list[str]:
        prefix = f"{self._application_id}-"
        return sorted(
            name
            for name in existing
            if name in self._made or (name.startswith(prefix) and not name.endswith(_OWN_TOPIC))
        )

    def _committed(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        asked = [TopicPartition(*partition) for partition in partitions]
        answers = self._consumer.committed(asked, timeout=_NETWORK_SECONDS) if asked else []
        return {(answer.topic, answer.partition): answer.offset for answer in answers}

    def _read_to_end(self, until: float) -> None:
        ends = end_offsets(self._admin, self._reached)
        while any(self._reached[partition] < end for partition, end in ends.items()):
            if monotonic() > until:
                msg = f"not readable to the end, (reached, end): {_unread(self._reached, ends)}"
                raise NotSettledError(msg)
            message = self._consumer.poll(_POLL_SECONDS)
            if message is not None:
                self._take_in(message)

    def _take_in(self, message: Message) -> None:
        error, offset = message.error(), int(message.offset() or 0)
        partition = (str(message.topic()), int(message.partition() or 0))
        if error is not None:
            if error.code() == KafkaError._PARTITION_EOF:
                self._reached[partition] = max(self._reached[partition], offset)
            return
        self._reached[partition] = offset + 1
        self._last_offsets[partition] = offset
        if (*partition, offset) not in self._fed:
            self._seen.setdefault(partition[0], []).append(_to_json(message))

    def _delete(self) -> None:
        existing = self._admin.list_topics(timeout=_NETWORK_SECONDS).topics
        own = f"{self._application_id}{_OWN_TOPIC}"
        gone = [*self._topics(existing), *([own] if own in existing else [])]
        delete_internal_topics(self._admin, gone)
        self._delete_group()

    def _delete_group(self) -> None:
        for deleted in self._admin.delete_consumer_groups([self._application_id]).values():
            error = deleted.exception()
            if error is not None and error.args[0].code() != KafkaError.GROUP_ID_NOT_FOUND:
                msg = f"group {self._application_id!r} cannot be deleted: {error}"
                raise RuntimeError(msg) from error


def _unread(reached: Mapping[Partition, int], ends: Mapping[Partition, int]) -> dict[Any, Any]:
    return {
        partition: (reached[partition], end)
        for partition, end in ends.items()
        if reached[partition] < end
    }


def _to_json(message: Message) -> Line:
    key, value, (_, timestamp) = message.key(), message.value(), message.timestamp()
    headers: Any = message.headers() or ()
    return record_to_json(TestRecord(key, value, timestamp, headers))
