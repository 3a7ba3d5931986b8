"""An application on Spark for tests: topics, a program, records in, records out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from pyspark.sql import SparkSession

from penstock import Consumed, KStream, Produced, StreamsBuilder, serdes
from penstock.application import KafkaStreams, State

TEXT = serdes.string()
PATIENCE_SECONDS = 120.0


class Hosted:
    """An application that reads `<name>-in` and writes `<name>-out`."""

    def __init__(self, bootstrap_servers: str, name: str, partitions: int = 2) -> None:
        self.bootstrap_servers = bootstrap_servers
        self.name = name
        admin = AdminClient({"bootstrap.servers": bootstrap_servers})
        topics = [NewTopic(f"{name}-{end}", partitions, 1) for end in ("in", "out")]
        for created in admin.create_topics(topics).values():
            created.result()
        self._producer = Producer({"bootstrap.servers": bootstrap_servers, "linger.ms": 0})
        self._consumer = Consumer(
            {
                "bootstrap.servers": bootstrap_servers,
                "group.id": f"{name}-reader",
                "isolation.level": "read_committed",
                "auto.offset.reset": "earliest",
            }
        )
        self._consumer.subscribe([f"{name}-out"])
        self.seen: list[tuple[str, str]] = []

    def write(self, *pairs: tuple[str, str]) -> None:
        """Write records to the input."""
        for key, value in pairs:
            self._producer.produce(f"{self.name}-in", value, key)
        self._producer.flush()

    def write_to_all(self, partitions: int) -> None:
        """Write one record to each of so many partitions of the input, with a client that has not
        known the topic before.
        """
        producer = Producer({"bootstrap.servers": self.bootstrap_servers})
        for number in range(partitions):
            producer.produce(f"{self.name}-in", "p", f"p{number}", number)
        producer.flush()

    def read(self, count: int, seconds: float = PATIENCE_SECONDS) -> list[tuple[str, str]]:
        """Wait until that many records have come out altogether; give them all."""
        until = time.monotonic() + seconds
        while len(self.seen) < count and time.monotonic() < until:
            for message in self._consumer.consume(500, 0.2):
                if message.error() is None:
                    key, value = message.key(), message.value()
                    assert key is not None
                    assert value is not None
                    self.seen.append((key.decode(), value.decode()))
        return self.seen

    def close(self) -> None:
        """Close the reader."""
        self._consumer.close()


@contextmanager
def hosted(
    bootstrap_servers: str,
    name: str,
    say: Callable[[KStream[str, str]], KStream[str, str]],
    spark: SparkSession,
    state_dir: Path,
    **settings: Any,
) -> Iterator[tuple[Hosted, KafkaStreams]]:
    """Run a program on Spark; it is running when this gives it."""
    application = Hosted(bootstrap_servers, name)
    builder = StreamsBuilder()
    say(builder.stream(f"{name}-in", Consumed(TEXT, TEXT))).to(f"{name}-out", Produced(TEXT, TEXT))
    config = {
        "application.id": name,
        "bootstrap.servers": bootstrap_servers,
        "state.dir": str(state_dir),
        "processing.guarantee": "exactly_once_v2",
        "penstock.turn.ms": 2000,
        "penstock.spark.slots": "all",
        "consumer.session.timeout.ms": 6000,
        **settings,
    }
    streams = KafkaStreams(builder.build(), config, spark=spark)
    streams.start()
    try:
        assert streams.wait_until(State.RUNNING, 120_000), (streams.state, streams.failure)
        yield application, streams
    finally:
        streams.close()
        application.close()
