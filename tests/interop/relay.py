"""One application that Java and Penstock run in turns: its topics, and what came of its input."""

from __future__ import annotations

import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, ConsumerGroupState, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from pyspark.sql import SparkSession

from conformance import java
from penstock import KafkaStreams
from penstock.application import State
from tests.interop.word_counts import topology

HERE = Path(__file__).parent
PARTITIONS = 2
PATIENCE_SECONDS = 180.0


class Relay:
    """Words go in, counts come out, whichever side runs the application."""

    def __init__(
        self, bootstrap_servers: str, application_id: str, guarantee: str, work: Path
    ) -> None:
        self.application_id = application_id
        self._servers = bootstrap_servers
        self._guarantee = guarantee
        self._work = work
        # What goes wrong is raised; the clients' own log would go on when the broker has ended.
        connection: dict[str, Any] = {"bootstrap.servers": bootstrap_servers, "log_level": 0}
        self._admin = AdminClient(connection)
        self._producer = Producer(connection)
        self._written: Counter[str] = Counter()
        self._counts: dict[str, list[int]] = {}
        topics = [NewTopic(f"{application_id}-{end}", PARTITIONS, 1) for end in ("in", "out")]
        for created in self._admin.create_topics(topics).values():
            created.result()
        self._consumer = Consumer(
            {
                "bootstrap.servers": bootstrap_servers,
                "group.id": f"{application_id}-onlooker",
                "isolation.level": "read_committed",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
            }
        )
        self._consumer.subscribe([f"{application_id}-out"])

    def write(self, words: str) -> None:
        """Write words to the input, all under different keys."""
        for word in words.split():
            self._written[word] += 1
            key = f"{word}-{self._written[word]}"
            self._producer.produce(f"{self.application_id}-in", word, key)
        self._producer.flush()

    def counts(self) -> dict[str, list[int]]:
        """Wait until there is a count for each word written; give all counts of each word."""

        def all_counted() -> bool:
            for message in self._consumer.consume(100, 0.2):
                key, value = message.key(), message.value()
                if message.error() is None and key is not None and value is not None:
                    self._counts.setdefault(key.decode(), []).append(int.from_bytes(value, "big"))
            return sum(map(len, self._counts.values())) >= self._written.total()

        _wait(all_counted, "words are not counted")
        return self._counts

    def counted_once(self) -> dict[str, list[int]]:
        """Return the counts there must be: 1, 2, 3, ... for each word."""
        return {word: list(range(1, count + 1)) for word, count in self._written.items()}

    def wait_for_words_left_halfway(self) -> None:
        """Wait until the repartition topic has words that are not counted."""
        consumer = Consumer(
            {
                "bootstrap.servers": self._servers,
                "group.id": f"{self.application_id}-second-onlooker",
                "isolation.level": "read_committed",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
            }
        )
        consumer.subscribe([f"{self.application_id}-by-word-repartition"])
        counted, seen = sum(map(len, self._counts.values())), 0

        def some_are_left() -> bool:
            nonlocal seen
            seen += sum(message.error() is None for message in consumer.consume(100, 0.2))
            return seen > counted

        try:
            _wait(some_are_left, "words do not come to the repartition topic")
        finally:
            consumer.close()

    @contextmanager
    def java(self, part: str = "whole") -> Iterator[subprocess.Popen[str]]:
        """Run the Java application."""
        state = str(self._work / "java")
        process = subprocess.Popen(
            java.command(
                HERE / "java",
                "WordCounts",
                self._servers,
                self.application_id,
                self._guarantee,
                state,
                part,
            ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            yield process
        except BaseException:
            process.kill()
            raise
        finally:
            said, _ = process.communicate(timeout=60)
        assert process.returncode == 0, said
        self._wait_until_the_group_is_empty()

    @contextmanager
    def penstock(self, spark: SparkSession, part: str = "whole") -> Iterator[KafkaStreams]:
        """Run the application with Penstock, on Spark."""
        config = {
            "application.id": self.application_id,
            "bootstrap.servers": self._servers,
            "processing.guarantee": self._guarantee,
            "state.dir": str(self._work / "penstock"),
            "statestore.cache.max.bytes": 0,
            "commit.interval.ms": 100,
            "penstock.turn.ms": 2000,
        }
        program = topology(self.application_id, half=part == "half")
        with KafkaStreams(program, config, spark=spark) as streams:
            streams.start()
            yield streams
            if part == "half":
                assert streams.wait_until(State.ERROR, timedelta(seconds=PATIENCE_SECONDS))
            assert streams.close()
        self._wait_until_the_group_is_empty()

    def close(self) -> None:
        """Close the onlooker."""
        self._consumer.close()

    def _wait_until_the_group_is_empty(self) -> None:
        """Both sides may be handed an application when its group is empty."""

        def is_empty() -> bool:
            groups = self._admin.describe_consumer_groups([self.application_id])
            state = groups[self.application_id].result().state
            return bool(state is ConsumerGroupState.EMPTY)

        _wait(is_empty, "the group is not empty")


def _wait(done: Callable[[], bool], complaint: str) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not done():
        assert time.monotonic() < until, f"{complaint} after {PATIENCE_SECONDS:.0f} s"
        time.sleep(0.05)
