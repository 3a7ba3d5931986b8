"""Writing to topics and reading them, for people: the demonstration and the commands use it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_END,
    Consumer,
    KafkaError,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient

from penstock._clock import new_id
from penstock._engine.kafka.client.admin_calls import REQUEST_SECONDS
from penstock._engine.kafka.client.client_errors import is_retriable
from penstock._engine.kafka.client.topics import Isolation, end_offsets, existing_topics
from penstock._engine.kafka.client.translation import translate
from penstock._engine.planner.internal_topics import users_topics
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig
from penstock.settings.client_keys import Client

_BATCH_MESSAGES = 5000
_FLUSH_SECONDS = 30.0
_CRITICAL = 2


class Read(NamedTuple):
    """A record as it lies in a topic."""

    topic: str
    key: bytes | None
    value: bytes | None
    timestamp: int
    partition: int = 0
    offset: int = 0
    headers: tuple[tuple[str, bytes | None], ...] = ()


@dataclass(frozen=True, slots=True)
class Start:
    """Where reading begins: at an offset, at the first record from a time on, at the end, or, if
    nothing is said, at the beginning.
    """

    offset: int | None = None
    time_ms: int | None = None
    at_end: bool = False


_BEGINNING = Start()


class TopicWriter:
    """Writes records; keys go to the partitions that Kafka Streams expects them in."""

    def __init__(self, bootstrap_servers: str, config: StreamsConfig | None = None) -> None:
        failures: list[str] = []

        # No reference to the writer: a cycle would keep the client and its threads alive.
        def delivered(error: KafkaError | None, _message: object) -> None:
            if error is not None:
                failures.append(f"a record could not be written: {error.str()}")

        self._failures = failures
        self._producer = Producer(
            {
                **_connection(bootstrap_servers, "producer", config),
                "partitioner": "murmur2_random",
                "linger.ms": 5,
                # An unknown topic is missing: the default waits half a minute for it.
                "topic.metadata.propagation.max.ms": 5000,
                "on_delivery": delivered,
            }
        )

    def write(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        *,
        timestamp: int | None = None,
        partition: int | None = None,
        headers: Sequence[tuple[str, bytes | None]] = (),
    ) -> None:
        """Hand over a record; without a timestamp it has that of now."""
        given: dict[str, Any] = {"headers": list(headers)} if headers else {}
        if timestamp is not None:
            given["timestamp"] = timestamp
        if partition is not None:
            given["partition"] = partition
        try:
            self._producer.produce(topic, value, key, **given)
        except BufferError:
            self.flush()
            self._producer.produce(topic, value, key, **given)
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
    """Reads topics, by default from their beginning and what is committed only, and goes on as they
    grow.
    """

    def __init__(
        self,
        bootstrap_servers: str,
        topics: Iterable[str],
        config: StreamsConfig | None = None,
        *,
        start: Start = _BEGINNING,
        only_partition: int | None = None,
        isolation: Isolation = "read_committed",
    ) -> None:
        self._consumer = Consumer(
            {
                **_connection(bootstrap_servers, "consumer", config),
                # It never joins a group: it names its partitions itself.
                "group.id": f"penstock-reader-{new_id()}",
                "enable.auto.commit": False,
                "isolation.level": isolation,
                "enable.partition.eof": True,
                "auto.offset.reset": "earliest",
            }
        )
        places = [
            TopicPartition(topic, number)
            for topic in topics
            for number in _partitions(bootstrap_servers, topic, config, only_partition)
        ]
        self._behind = {(place.topic, place.partition) for place in places}
        self._consumer.assign(self._placed(places, start))

    @property
    def caught_up(self) -> bool:
        """Whether all partitions have been read to their ends."""
        return not self._behind

    def read(self, wait_seconds: float) -> list[Read]:
        """Return the records that have come, waiting at most so long for the first."""
        records = []
        for message in self._consumer.consume(_BATCH_MESSAGES, wait_seconds):
            error, topic = message.error(), str(message.topic())
            place = (topic, int(message.partition() or 0))
            if error is None:
                self._behind.add(place)
                records.append(_as_read(message))
            elif error.code() == KafkaError._PARTITION_EOF:
                self._behind.discard(place)
            elif not is_retriable(error):
                msg = f"topic {topic!r} cannot be read: {error.str()}"
                raise StreamsError(msg)
        return records

    def close(self) -> None:
        """Close the connection."""
        self._consumer.close()

    def _placed(self, places: list[TopicPartition], start: Start) -> list[TopicPartition]:
        if start.time_ms is not None:
            asked = [
                TopicPartition(place.topic, place.partition, start.time_ms) for place in places
            ]
            return self._consumer.offsets_for_times(asked, REQUEST_SECONDS)
        offset = OFFSET_BEGINNING if start.offset is None else start.offset
        for place in places:
            place.offset = OFFSET_END if start.at_end else offset
        return places


def record_count(bootstrap_servers: str, topic: str) -> int:
    """Return how many records were ever written to a topic, by producers without transactions."""
    places = [(topic, number) for number in range(partition_count(bootstrap_servers, topic))]
    return sum(end_offsets(AdminClient(_connection(bootstrap_servers, "admin")), places).values())


def partition_count(bootstrap_servers: str, topic: str, config: StreamsConfig | None = None) -> int:
    """Return how many partitions a topic has.

    Raises:
        StreamsError: there is no such topic.
    """
    admin = AdminClient(_connection(bootstrap_servers, "admin", config))
    known = existing_topics(admin)
    if topic not in known:
        listed = ", ".join(users_topics(known)) or "none"
        msg = f"there is no topic {topic!r}; topics are: {listed}"
        raise StreamsError(msg)
    return len(admin.list_topics(topic, timeout=REQUEST_SECONDS).topics[topic].partitions)


def _partitions(
    bootstrap_servers: str, topic: str, config: StreamsConfig | None, only: int | None
) -> Iterable[int]:
    count = partition_count(bootstrap_servers, topic, config)
    if only is None:
        return range(count)
    if only >= count:
        msg = f"topic {topic!r} has the partitions 0 to {count - 1}; there is no partition {only}"
        raise StreamsError(msg)
    return [only]


def _as_read(message: Any) -> Read:
    return Read(
        message.topic(),
        message.key(),
        message.value(),
        message.timestamp()[1],
        message.partition(),
        message.offset(),
        tuple(message.headers() or ()),
    )


def _connection(
    bootstrap_servers: str, client: Client, config: StreamsConfig | None = None
) -> dict[str, Any]:
    wishes = {} if config is None else translate(client, config.client_settings(f"{client}."))
    # librdkafka writes to the terminal whenever a broker goes; people look at it.
    return {**wishes, "bootstrap.servers": bootstrap_servers, "log_level": _CRITICAL}
