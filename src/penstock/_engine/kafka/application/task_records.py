"""What an application stores about itself: records in its task topic, the last of each key wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from confluent_kafka import Consumer, KafkaError, TopicPartition
from confluent_kafka.admin import AdminClient

from penstock import _clock as clock
from penstock._engine.kafka.client.client_errors import BrokerAway, is_retriable
from penstock._engine.kafka.client.clients import consumer_settings
from penstock._engine.kafka.client.denials import allowing
from penstock._engine.kafka.client.topics import end_offsets
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

_SECONDS = 30.0
# A commit is answered before its markers are in all partitions; an open transaction takes longer.
_MARKER_SECONDS = 5.0


def read_task_records(
    config: StreamsConfig, admin: AdminClient, topic: str, partitions: Iterable[int]
) -> dict[int, dict[bytes, bytes]]:
    """Return the last committed value of each key, by partition of the task topic: with what a
    transaction has just committed, without what an open one has written.

    Raises:
        BrokerAway: the cluster does not answer.
        StreamsError: it cannot be read.
    """
    asked = list(partitions)
    ends = end_offsets(admin, [(topic, partition) for partition in asked])
    used = {partition: end for (_, partition), end in ends.items() if end > 0}
    last = _read_to(config, topic, used) if used else {}
    return {
        partition: {
            key: value for key, value in last.get(partition, {}).items() if value is not None
        }
        for partition in asked
    }


def _read_to(
    config: StreamsConfig, topic: str, ends: Mapping[int, int]
) -> dict[int, dict[bytes, bytes | None]]:
    settings = {"auto.offset.reset": "earliest", "isolation.level": "read_committed"}
    consumer = Consumer({**consumer_settings(config, "restore"), **settings})
    try:
        # Not "the beginning", which the client takes half a second to ask for. What compaction has
        # taken away is passed over.
        consumer.assign([TopicPartition(topic, partition, 0) for partition in ends])
        return _read(consumer, topic, ends)
    finally:
        consumer.close()


def _read(
    consumer: Consumer, topic: str, ends: Mapping[int, int]
) -> dict[int, dict[bytes, bytes | None]]:
    last: dict[int, dict[bytes, bytes | None]] = {partition: {} for partition in ends}
    unread = set(ends)
    held_until: dict[int, float] = {}
    """By partition: the next record is of a transaction, which may be a committed one."""
    deadline = clock.monotonic() + _SECONDS
    while (now := clock.monotonic()) < deadline:
        unread -= {partition for partition, until in held_until.items() if until < now}
        if not unread:
            return last
        message = consumer.poll(0.2)
        if message is None:
            continue
        error, partition = message.error(), int(message.partition() or 0)
        if error is None:
            last[partition][message.key() or b""] = message.value()
            if int(message.offset() or 0) + 1 >= ends[partition]:
                unread.discard(partition)
        elif error.code() == KafkaError._PARTITION_EOF:
            if int(message.offset() or 0) >= ends[partition]:
                unread.discard(partition)
            held_until.setdefault(partition, now + _MARKER_SECONDS)
        elif not is_retriable(error):
            reason = f"{error.str()}{allowing(error, 'READ', 'topic', topic)}"
            msg = f"task topic {topic!r} cannot be read: {reason}"
            raise StreamsError(msg)
    msg = f"task topic {topic!r} cannot be read in {_SECONDS:.0f} s"
    raise BrokerAway(msg)
