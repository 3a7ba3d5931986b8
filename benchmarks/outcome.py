"""What a contender has written: read once after a run, compared with what Java has written.

The output topics are stamped by the broker (LogAppendTime), so the same reading tells when each
record came, without a consumer that takes the contenders' cores while they are measured.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from dataclasses import dataclass, field

from confluent_kafka import KafkaError, TopicPartition

from benchmarks.cluster import Cluster
from benchmarks.workloads import Kind

TAKEN_BACK = ("pathway_diff", b"-1")
"""The header of a row that Pathway takes back, to give the changed one beside it."""


@dataclass(slots=True)
class Outcome:
    """The result of a run: a table's last value of each key, or a stream's records by digest."""

    table: dict[bytes, bytes] = field(default_factory=dict)
    stream: Counter[bytes] = field(default_factory=Counter)
    arrivals_ms: array[int] = field(default_factory=lambda: array("q"))
    """When each record was appended, in no particular order between partitions."""

    def add(self, kind: Kind, key: bytes, value: bytes | None) -> None:
        """Take a record as the last word on its key, or as one of many."""
        if kind == "stream":
            self.stream[digest(key, value)] += 1
        elif value is None:
            self.table.pop(key, None)
        else:
            self.table[key] = value

    @property
    def size(self) -> int:
        """Rows of the table, or records of the stream."""
        return len(self.table) or self.stream.total()


def digest(key: bytes, value: bytes | None) -> bytes:
    """Make a record short: many are kept."""
    parts = b"%d:%s" % (len(key), key), b"-" if value is None else b"+" + value
    return hashlib.blake2b(b"".join(parts), digest_size=12).digest()


def difference(expected: Outcome, got: Outcome) -> str | None:
    """Say how two outcomes differ; None if they are equal."""
    if expected.table != got.table:
        wrong = [
            key
            for key in expected.table.keys() | got.table.keys()
            if expected.table.get(key) != got.table.get(key)
        ]
        key = min(wrong)
        return (
            f"{len(wrong)} of {len(expected.table)} rows differ; the first is {key!r}: expected "
            f"{expected.table.get(key)!r}, got {got.table.get(key)!r}"
        )
    missing, surplus = expected.stream - got.stream, got.stream - expected.stream
    if missing or surplus:
        return (
            f"{missing.total()} of {expected.stream.total()} records are missing, "
            f"{surplus.total()} should not be there"
        )
    return None


def read(cluster: Cluster, topic: str, partitions: int, kind: Kind) -> Outcome:
    """Read a topic from its beginning to where it ends now."""
    consumer = cluster.reader(f"reading-{topic}")
    consumer.assign([TopicPartition(topic, number, 0) for number in range(partitions)])
    outcome, open_partitions = Outcome(), set(range(partitions))
    while open_partitions:
        for message in consumer.consume(10_000, 1.0):
            error = message.error()
            if error is None:
                if TAKEN_BACK not in (message.headers() or ()):
                    outcome.add(kind, message.key() or b"", message.value())
                outcome.arrivals_ms.append(message.timestamp()[1])
            elif error.code() == KafkaError._PARTITION_EOF:
                open_partitions.discard(message.partition() or 0)
            else:
                raise RuntimeError(str(error))
    consumer.close()
    return outcome
