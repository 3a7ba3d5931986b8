"""Writing and reading topics, with nothing but a Kafka client."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition

from examples.stage.show import Message, Stored

_SECONDS = 30.0
_QUIET = {"log_level": 2}


class Writer:
    """Writes messages; each key goes to the partition that Kafka Streams expects it in."""

    def __init__(self, bootstrap_servers: str) -> None:
        failures: list[str] = []

        def delivered(error: KafkaError | None, message: Any) -> None:
            if error is not None:
                failures.append(f"{message.topic()}: {error.str()}")

        self._failures = failures
        self._producer = Producer(
            {
                **_QUIET,
                "bootstrap.servers": bootstrap_servers,
                "partitioner": "murmur2_random",
                "linger.ms": 5,
                # So that a batch that is sent again is not behind the next one.
                "enable.idempotence": True,
                "on_delivery": delivered,
            }
        )

    def write(self, messages: Iterable[Message]) -> None:
        """Hand messages over."""
        for topic, key, value, timestamp in messages:
            try:
                self._producer.produce(topic, value, key, timestamp=timestamp)
            except BufferError:
                self.flush()
                self._producer.produce(topic, value, key, timestamp=timestamp)
            self._producer.poll(0)

    def flush(self) -> None:
        """Wait until all is written."""
        left = self._producer.flush(_SECONDS)
        if left or self._failures:
            why = self._failures[0] if self._failures else f"no answer in {_SECONDS:.0f} s"
            msg = f"{left + len(self._failures)} messages could not be written; {why}"
            raise RuntimeError(msg)


class Reader:
    """Reads what is committed in topics, from their beginnings, and goes on as they grow."""

    def __init__(self, bootstrap_servers: str, topics: Iterable[str]) -> None:
        settings: dict[str, Any] = {
            **_QUIET,
            "bootstrap.servers": bootstrap_servers,
            "group.id": "examples-reader",  # it joins no group: it names its partitions itself
            "enable.auto.commit": False,
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
            "auto.offset.reset": "earliest",
        }
        self._consumer = Consumer(settings)
        self._whole = Consumer({**settings, "isolation.level": "read_uncommitted"})
        partitions = [
            TopicPartition(topic, number, 0)
            for topic in topics
            for number in self._consumer.list_topics(topic, _SECONDS).topics[topic].partitions
        ]
        self._behind = {(place.topic, place.partition) for place in partitions}
        self._reached = dict.fromkeys(self._behind, 0)
        self._consumer.assign(partitions)

    @property
    def caught_up(self) -> bool:
        """Whether all partitions have been read to their ends."""
        return not self._behind

    def read(self, seconds: float) -> list[Stored]:
        """Give what has come, waiting so long at most."""
        records = []
        for message in self._consumer.consume(5000, seconds):
            place = (str(message.topic()), int(message.partition() or 0))
            error = message.error()
            if error is None:
                self._behind.add(place)
                headers: Any = tuple(message.headers() or ())
                timestamp = message.timestamp()[1]
                records.append(Stored(*place, message.key(), message.value(), timestamp, headers))
            elif error.code() == KafkaError._PARTITION_EOF:
                self._behind.discard(place)
                self._reached[place] = int(message.offset() or 0)
        return records

    def has_all(self) -> bool:
        """Tell whether nothing is left, not even what is committed but not yet to be seen: a broker
        answers a commit a moment before it shows what was committed.
        """
        return self.caught_up and all(
            self._whole.get_watermark_offsets(TopicPartition(*place), _SECONDS)[1] <= reached
            for place, reached in self._reached.items()
        )

    def close(self) -> None:
        """Let go of the connection."""
        self._consumer.close()
        self._whole.close()


def read_all(bootstrap_servers: str, topics: Iterable[str]) -> list[Stored]:
    """Give all that topics hold; the records of a partition are in their order."""
    reader = Reader(bootstrap_servers, topics)
    records = []
    while not reader.has_all():
        records += reader.read(0.5)
    reader.close()
    return records


def last_timestamp(records: Iterable[Stored]) -> int:
    """Give the latest time of all, -1 if there are none."""
    return max((record.timestamp for record in records), default=-1)
