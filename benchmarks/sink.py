"""The exactly-once sink against a plain producer: records a second, and processor time of each.

`python -m benchmarks.sink` writes the same rows of a Parquet file to a topic of four partitions, in
turns: a producer in Python (without transactions; and the engine's own, in C), a batch write, a
stream by options and by `write_stream`. `read only` is Spark's work without a sink. Processor time
is that of this process, the JVM and the Python workers, without the broker.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from statistics import median

from pyspark.sql import DataFrame, SparkSession

from benchmarks.processes import tree
from conformance.dataframes.on_spark import session
from penstock._engine.kafka.client.clients import producer_settings
from penstock._engine.kafka.client.topic_io import TopicReader, TopicWriter
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock._engine.kafka.worker.transactions import ExactlyOnce
from penstock._engine.runtime.records import Output
from penstock.settings import StreamsConfig
from penstock.spark import write_stream

RECORDS = 1_000_000
PARTITIONS = 4
_CHUNK = 10_000
_SCHEMA = "key string, value string, timestamp long"
_numbers = count(1)


def processor_seconds(root: int, without: Collection[int] = ()) -> float:
    """Return the processor time of a process and all its descendants, those that ended included;
    `without` names processes that do not count, and neither do their descendants.
    """
    parents: dict[int, int] = {}
    used: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text("utf-8").rpartition(")")[2].split()
            except OSError:
                continue  # it has just ended
            parents[int(folder.name)] = int(fields[1])
            used[int(folder.name)] = sum(map(int, fields[11:15]))
    mine = {root}
    while more := {pid for pid, of in parents.items() if of in mine} - mine - set(without):
        mine |= more
    return sum(used[pid] for pid in mine) / os.sysconf("SC_CLK_TCK")


@contextmanager
def others_of_now() -> Iterator[set[int]]:
    """Yield the processes that this one has started until now: the broker."""
    yield set(tree(os.getpid())) - {os.getpid()}


class Contest:
    """The contenders, and what they write."""

    def __init__(
        self,
        spark: SparkSession,
        broker: LocalBroker,
        folder: Path,
        records: int,
        others: Collection[int],
    ) -> None:
        self.spark, self.broker, self.folder, self.records = spark, broker, folder, records
        self._others = others
        self.config = {"bootstrap.servers": broker.bootstrap_servers}
        rows = spark.range(0, records, 1, PARTITIONS).selectExpr(
            "concat('user-', id % 10000) AS key",
            "concat('{\"order\": ', id, ', \"text\": \"', repeat('x', 80), '\"}') AS value",
            "1700000000000 + id AS timestamp",
        )
        rows.write.parquet(str(folder / "rows"))
        self.outputs: list[Output] = [
            ("", None, row.key.encode(), row.value.encode(), row.timestamp, ())
            for row in self._rows().toLocalIterator()
        ]

    def read_only(self, _topic: str) -> None:
        """Let Spark read the rows, and drop them."""
        self._rows().write.format("noop").mode("append").save()

    def plain_producer(self, topic: str) -> None:
        """Write without transactions, a record at a time."""
        writer = TopicWriter(self.broker.bootstrap_servers)
        for _, _, key, value, timestamp, _ in self.outputs:
            writer.write(topic, key, value, timestamp=timestamp)
        writer.flush()

    def transaction(self, topic: str) -> None:
        """Write one transaction as the engine does."""
        given = {**self.config, "application.id": topic, "processing.guarantee": "exactly_once_v2"}
        given["producer.transaction.timeout.ms"] = "300000"
        committer = ExactlyOnce(producer_settings(StreamsConfig(given), "0"))
        committer.prepare()
        for at in range(0, len(self.outputs), _CHUNK):
            committer.send([(topic, *one[1:]) for one in self.outputs[at : at + _CHUNK]])
        while not committer.flush():
            pass
        committer.commit({}, None)

    def batch(self, topic: str) -> None:
        """Write a batch DataFrame."""
        writer = self._rows().write.format("penstock").mode("append").options(**self.config)
        writer.option("topic", topic).save()

    def stream(self, topic: str) -> None:
        """Write a stream by options."""
        writer = self._stream().writeStream.format("penstock").options(**self.config)
        writer = writer.option("topic", topic).option("checkpointLocation", self._checkpoint(topic))
        writer.trigger(availableNow=True).start().awaitTermination()

    def write_stream(self, topic: str) -> None:
        """Write a stream placed and sorted."""
        query = write_stream(
            self._stream(),
            topic,
            self.config,
            checkpoint=self._checkpoint(topic),
            trigger={"availableNow": True},
        )
        query.awaitTermination()

    def measure(self, contender: Callable[[str], None]) -> tuple[float, float]:
        """Return records a second, and microseconds of processor time for a record."""
        topic = f"sink-{next(_numbers)}"
        self.broker.create_topic(topic, PARTITIONS)
        began, used = time.perf_counter(), processor_seconds(os.getpid(), self._others)
        contender(topic)
        seconds = time.perf_counter() - began
        spent = processor_seconds(os.getpid(), self._others) - used
        if contender != self.read_only:
            self._check(topic)
        return self.records / seconds, spent / self.records * 1e6

    def _check(self, topic: str) -> None:
        reader = TopicReader(self.broker.bootstrap_servers, [topic])
        found = 0
        while not reader.caught_up:
            found += len(reader.read(1.0))
        reader.close()
        assert found == self.records, f"{found} records of {self.records} were written"

    def _rows(self) -> DataFrame:
        return self.spark.read.schema(_SCHEMA).parquet(str(self.folder / "rows"))

    def _stream(self) -> DataFrame:
        return self.spark.readStream.schema(_SCHEMA).parquet(str(self.folder / "rows"))

    def _checkpoint(self, topic: str) -> str:
        return str(self.folder / f"checkpoint-{topic}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sink", description=__doc__)
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args(arguments)
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalBroker(Path(folder) / "broker") as broker,
        others_of_now() as others,
        session(long=True) as spark,
    ):
        contest = Contest(spark, broker, Path(folder), given.records, others)
        contenders = {
            "read only": contest.read_only,
            "plain producer": contest.plain_producer,
            "transaction in C": contest.transaction,
            "batch": contest.batch,
            "stream": contest.stream,
            "write_stream": contest.write_stream,
        }
        runs: dict[str, list[tuple[float, float]]] = {name: [] for name in contenders}
        for _ in range(given.rounds):
            for name, contender in contenders.items():
                runs[name].append(contest.measure(contender))
    for name, found in runs.items():
        rates, costs = zip(*found, strict=True)
        cost = f"{median(costs):>8.2f} microseconds of processor"
        print(f"{name:18} {median(rates):>10,.0f} records/s {cost}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
