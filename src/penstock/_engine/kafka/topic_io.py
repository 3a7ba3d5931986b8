"""Writing to topics and reading them, for people: the demonstration and the commands use it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.admin_calls import REQUEST_SECONDS
from penstock._engine.kafka.topics import end_offsets, existing_topics
from penstock.clock import new_id
from penstock.errors import StreamsError

_BATCH_MESSAGES = 5000
_FLUSH_SECONDS = 30.0
_CRITICAL = 2


class Read(NamedTuple):
    """A record as it lies in a topic."""

    topic: str
    key: bytes | None
    value: bytes | None
    timestamp: int


class TopicWriter:
    """Writes records; keys go to the partitions that Kafka Streams expects them in."""

    def __init__(self, bootstrap_servers: str) -> None:
        failures: list[str] = []

        # It does not know the writer: a client is gone only when nobody knows it any more.
        def delivered(error: KafkaError | None, _message: object) -> None:
            if error is not None:
                failures.append(f"a record could not be written: {error.str()}")

        self._failures = failures
        self._producer = Producer(
            {
                **_connection(bootstrap_servers),
                "partitioner": "murmur2_random",
                "linger.ms": 5,
                # A topic that nobody knows is missing: the default waits half a minute for it.
                "topic.metadata.propagation.max.ms": 5000,
                "on_delivery": delivered,
            }
        )

    def write(self, topic: str, key: bytes | None, value: bytes | None) -> None:
        """Hand over a record."""
        try:
            self._producer.produce(topic, value, key)
        except BufferError:
            self.flush()
            self._producer.produce(topic, value, key)
        self._producer.poll(0)

    def flush(self) -> None:
        """Wait until all is written.

        Raises:
            StreamsError: something could not be.
        """
        left = self._producer.flush(_FLUSH_SECONDS)
        if left:
            msg = f"{left} records could not be written in {_FLUSH_SECONDS:.0f} s"
            raise StreamsError(msg)
        if self._failures:
            raise StreamsError(self._failures[0])


class TopicReader:
    """Reads topics from their beginning, what is committed only, and goes on as they grow."""

    def __init__(self, bootstrap_servers: str, topics: Iterable[str]) -> None:
        self._consumer = Consumer(
            {
                **_connection(bootstrap_servers),
                # It never joins a group: it names its partitions itself.
                "group.id": f"penstock-reader-{new_id()}",
                "enable.auto.commit": False,
                "isolation.level": "read_committed",
                "enable.partition.eof": True,
                "auto.offset.reset": "earliest",
            }
        )
        partitions = {
            (topic, number)
            for topic in topics
            for number in range(partition_count(bootstrap_servers, topic))
        }
        self._behind = set(partitions)
        self._consumer.assign([TopicPartition(*place, 0) for place in partitions])

    @property
    def caught_up(self) -> bool:
        """Whether all partitions have been read to their ends."""
        return not self._behind

    def read(self, wait_seconds: float) -> list[Read]:
        """Give what has come, waiting at most so long for the first record."""
        records = []
        for message in self._consumer.consume(_BATCH_MESSAGES, wait_seconds):
            error, topic = message.error(), str(message.topic())
            place = (topic, int(message.partition() or 0))
            if error is None:
                self._behind.add(place)
                records.append(Read(topic, message.key(), message.value(), message.timestamp()[1]))
            elif error.code() == KafkaError._PARTITION_EOF:
                self._behind.discard(place)
            elif not error.retriable():
                msg = f"topic {topic!r} cannot be read: {error.str()}"
                raise StreamsError(msg)
        return records

    def close(self) -> None:
        """Let go of the connection."""
        self._consumer.close()


def record_count(bootstrap_servers: str, topic: str) -> int:
    """Give how many records were ever written to a topic, by producers without transactions."""
    places = [(topic, number) for number in range(partition_count(bootstrap_servers, topic))]
    return sum(end_offsets(AdminClient(_connection(bootstrap_servers)), places).values())


def partition_count(bootstrap_servers: str, topic: str) -> int:
    """Give how many partitions a topic has.

    Raises:
        StreamsError: there is no such topic.
    """
    admin = AdminClient(_connection(bootstrap_servers))
    known = existing_topics(admin)
    if topic not in known:
        told = ", ".join(name for name in known if not name.endswith("-penstock-tasks")) or "none"
        msg = f"there is no topic {topic!r}; topics are: {told}"
        raise StreamsError(msg)
    return len(admin.list_topics(topic, timeout=REQUEST_SECONDS).topics[topic].partitions)


def _connection(bootstrap_servers: str) -> dict[str, Any]:
    # librdkafka writes to the terminal whenever a broker goes; people look at it.
    return {"bootstrap.servers": bootstrap_servers, "log_level": _CRITICAL}
