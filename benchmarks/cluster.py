"""The broker of a benchmark: topics, data, offsets, and what is written on its disk."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from confluent_kafka import (
    Consumer,
    ConsumerGroupState,
    IsolationLevel,
    KafkaException,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient, OffsetSpec  # type: ignore[attr-defined]
from confluent_kafka.cimpl import NewTopic

from benchmarks.data import Feed
from penstock._engine.kafka.local_broker.broker import LocalBroker

# A broker that is busy for long gains by Java's second compiler, which LocalBroker leaves out.
BROKER_JVM = ("-XX:TieredStopAtLevel=4", "-Xmx1g", "-Xms1g")

_ATTEMPTS = 900

Say = Callable[[str], None]


class Cluster:
    """A broker and the topics that were made on it."""

    def __init__(self, broker: LocalBroker, say: Say) -> None:
        self.bootstrap = broker.bootstrap_servers
        self._data = broker.data_dir / "kafka"
        self._say = say
        self._admin = AdminClient({"bootstrap.servers": self.bootstrap})
        self._filled: set[str] = set()

    def create(self, topic: str, partitions: int, **config: str) -> None:
        """Make a topic that keeps everything."""
        new = NewTopic(topic, partitions, 1, config={"retention.ms": "-1", **config})
        self._admin.create_topics([new])[topic].result()
        # The controller answers before the broker itself knows who leads the partitions: a
        # request for offsets that comes too early fails for ten seconds.
        for _ in range(_ATTEMPTS):
            known = self._admin.list_topics(timeout=60).topics.get(topic)
            leaders = [each.leader for each in known.partitions.values()] if known else []
            if len(leaders) == partitions and min(leaders) >= 0:
                return
            time.sleep(0.1)
        msg = f"topic {topic} has no leaders after {_ATTEMPTS / 10:.0f} s"
        raise RuntimeError(msg)

    def fill(self, feed: Feed) -> str:
        """Make and fill an input topic, once; give its name."""
        if feed.topic not in self._filled:
            begin = time.monotonic()
            self.create(feed.topic, feed.partitions)
            self._send(feed)
            self._filled.add(feed.topic)
            seconds = time.monotonic() - begin
            self._say(f"filled {feed.topic}: {feed.records:,} records in {seconds:.0f} s")
        return feed.topic

    def drop(self, prefixes: Iterable[str]) -> None:
        """Delete the topics whose names begin so: what a contender has left."""
        starts = tuple(prefixes)
        topics = [
            name for name in self._admin.list_topics(timeout=60).topics if name.startswith(starts)
        ]
        if topics:
            for deleted in self._admin.delete_topics(topics).values():
                deleted.exception()

    def ends(self, topic: str, partitions: int) -> int:
        """Return the number of offsets that a read_committed consumer can see, markers included."""
        return sum(self.end_offsets(topic, partitions))

    def end_offsets(self, topic: str, partitions: int) -> list[int]:
        """Return the ends that a read_committed consumer can see, partition by partition."""
        latest = OffsetSpec.latest()  # type: ignore[no-untyped-call]
        asked = {TopicPartition(topic, number): latest for number in range(partitions)}
        for attempt in range(_ATTEMPTS):
            answers = self._admin.list_offsets(asked, isolation_level=IsolationLevel.READ_COMMITTED)
            try:
                ends = {where.partition: each.result().offset for where, each in answers.items()}
            except KafkaException:
                if attempt == _ATTEMPTS - 1:
                    raise
                # A new topic's leader may not know yet that it is one, and a client remembers it.
                time.sleep(0.1)
                self._admin = AdminClient({"bootstrap.servers": self.bootstrap})
            else:
                return [ends[number] for number in range(partitions)]
        raise AssertionError

    def await_empty_group(self, group: str) -> None:
        """Wait until a group has no members: Java's leave only when their session is over, and that
        is no part of what is measured.
        """
        for _ in range(_ATTEMPTS):
            described = self._admin.describe_consumer_groups([group])[group].result()
            if described.state == ConsumerGroupState.EMPTY:
                return
            time.sleep(0.1)
        msg = f"group {group} still has members after {_ATTEMPTS / 10:.0f} s"
        raise RuntimeError(msg)

    def stored_bytes(self, topic: str) -> int:
        """Return the size of a topic on the broker's disk."""
        logs = (path for path in self._data.glob(f"{topic}-*/*.log") if path.is_file())
        return sum(path.stat().st_size for path in logs)

    def _send(self, feed: Feed) -> None:
        producer = self.producer()
        for number, (key, value, timestamp) in enumerate(feed.rows()):
            while True:
                try:
                    producer.produce(feed.topic, value, key, timestamp=timestamp)
                    break
                except BufferError:
                    producer.poll(0.1)
            if number % 1000 == 0:
                producer.poll(0)
        producer.flush()

    def producer(self) -> Producer:
        """Make a producer that partitions as Java does."""
        return Producer(
            {
                "bootstrap.servers": self.bootstrap,
                "linger.ms": 20,
                "queue.buffering.max.messages": 500_000,
                "partitioner": "murmur2_random",
            }
        )

    def reader(self, group: str) -> Consumer:
        """Make a consumer that sees what is committed."""
        return Consumer(
            {
                "bootstrap.servers": self.bootstrap,
                "group.id": group,
                "isolation.level": "read_committed",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "enable.partition.eof": True,
                "fetch.wait.max.ms": 5,
            }
        )


class Progress:
    """How many input records a consumer group has committed."""

    def __init__(self, cluster: Cluster, group: str, feeds: Sequence[Feed]) -> None:
        self._consumer = cluster.reader(group)
        self._partitions = [
            TopicPartition(feed.topic, number)
            for feed in feeds
            for number in range(feed.partitions)
        ]

    def committed(self) -> int:
        """Ask the broker."""
        answers = self._consumer.committed(self._partitions, timeout=60)
        return sum(max(0, answer.offset) for answer in answers)

    def close(self) -> None:
        """Close the consumer."""
        self._consumer.close()


@contextmanager
def cluster(folder: Path, say: Say) -> Iterator[Cluster]:
    """Run a broker for a while."""
    with LocalBroker(folder / "broker", jvm_options=BROKER_JVM) as broker:
        yield Cluster(broker, say)
