"""What a topology between DataFrames costs, against the same one between topics.

`python -m benchmarks.between` runs an application over the same records, in turns, until they are
processed: from a topic that is filled already to a topic that is not read (`topics`), and from
Parquet files through `penstock.spark.run` to Spark's sink `noop` (`between`). The difference is the
sink in front, the source behind, and the start of their queries. Processor time is that of this
process, the JVM and the Python workers, without the broker.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Sequence
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from benchmarks.sink import others_of_now, processor_seconds
from conformance.dataframes.on_spark import session
from penstock import Consumed, KafkaStreams, Materialized, Produced, StreamsBuilder, Topology
from penstock import serdes as of
from penstock import spark as streams
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock.application_states import State

RECORDS = 1_000_000
PARTITIONS = 4
PATIENCE_MS = 1_800_000
_SCHEMA = "key string, value string, timestamp long"
_numbers = count(1)


def relaying(name: str) -> Topology:
    """Change each value: what is around it weighs most."""
    builder = StreamsBuilder()
    orders = builder.stream(f"{name}-in", Consumed(of.string(), of.string()))
    orders.map_values(str.upper).to(f"{name}-out", Produced(of.string(), of.string()))
    return builder.build()


def counting(name: str) -> Topology:
    """Count by key, every update an output."""
    builder = StreamsBuilder()
    orders = builder.stream(f"{name}-in", Consumed(of.string(), of.string()))
    counts = orders.group_by_key().count(Materialized(f"{name}-counts", of.string(), of.long()))
    counts.to_stream().to(f"{name}-out", Produced(of.string(), of.long()))
    return builder.build()


TOPOLOGIES = {"map": relaying, "count": counting}


class Contest:
    """The two ways, and the records."""

    def __init__(
        self, spark: SparkSession, broker: LocalBroker, folder: Path, records: int
    ) -> None:
        self.spark, self.broker, self.folder, self.records = spark, broker, folder, records
        rows = spark.range(0, records, 1, PARTITIONS).selectExpr(
            "concat('user-', id % 10000) AS key",
            "concat('{\"order\": ', id, ', \"text\": \"', repeat('x', 80), '\"}') AS value",
            "1700000000000 + id AS timestamp",
        )
        rows.write.parquet(str(folder / "rows"))

    def topics(self, name: str, topology: Topology) -> Callable[[], None]:
        """Fill a topic; return what runs the application over it."""
        for end in ("in", "out"):
            self.broker.create_topic(f"{name}-{end}", PARTITIONS, {"retention.ms": "-1"})
        rows = self.spark.read.schema(_SCHEMA).parquet(str(self.folder / "rows"))
        writer = rows.write.format("penstock").mode("append").option("topic", f"{name}-in")
        writer.option("bootstrap.servers", self.broker.bootstrap_servers).save()

        def run() -> None:
            application = KafkaStreams(topology, self._config(name), spark=self.spark)
            application.start(available_now=True)
            assert application.wait_until(State.NOT_RUNNING, PATIENCE_MS), application.failure
            application.close()

        return run

    def between(self, name: str, topology: Topology) -> Callable[[], None]:
        """Return what runs the application between files and a sink of Spark."""
        files = self.spark.readStream.schema(_SCHEMA).parquet(str(self.folder / "rows"))
        folder = self.folder / f"{name}-run"

        def run() -> None:
            with streams.run(
                topology,
                {f"{name}-in": files},
                self._config(name),
                partitions=PARTITIONS,
                folder=folder,
                available_now=True,
            ) as result:
                read = _drained(result[f"{name}-out"], result.checkpoint("out"))
                assert read == self.records, f"{read} records of {self.records}"

        return run

    def _config(self, name: str) -> dict[str, Any]:
        return {
            "application.id": name,
            "bootstrap.servers": self.broker.bootstrap_servers,
            "state.dir": str(self.folder / "state"),
            "processing.guarantee": "exactly_once_v2",
            "statestore.cache.max.bytes": 0,
        }


def _drained(frame: DataFrame, checkpoint: str) -> int:
    writer = frame.writeStream.format("noop").option("checkpointLocation", checkpoint)
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    return sum(progress.numInputRows for progress in query.recentProgress)


def measured(run: Callable[[], None], others: Collection[int]) -> tuple[float, float]:
    """Return the seconds of a run, and the processor time of all processes but `others`."""
    began, used = time.perf_counter(), processor_seconds(os.getpid(), others)
    run()
    return time.perf_counter() - began, processor_seconds(os.getpid(), others) - used


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.between", description=__doc__)
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=TOPOLOGIES, nargs="+", default=list(TOPOLOGIES))
    given = parser.parse_args(arguments)
    runs: dict[tuple[str, str], list[tuple[float, float]]] = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalBroker(Path(folder) / "broker") as broker,
        others_of_now() as others,
        session(long=True) as spark,
    ):
        contest = Contest(spark, broker, Path(folder), given.records)
        ways = {"topics": contest.topics, "between": contest.between}
        for _ in range(given.rounds):
            for verb in given.only:
                for way, prepare in ways.items():
                    name = f"{way}-{verb}-{next(_numbers)}"
                    run = prepare(name, TOPOLOGIES[verb](name))
                    runs.setdefault((verb, way), []).append(measured(run, others))
    for (verb, way), found in runs.items():
        seconds, used = (median(figures) for figures in zip(*found, strict=True))
        cost = f"{used / given.records * 1e6:>8.2f} microseconds of processor"
        print(f"{verb:8} {way:10} {given.records / seconds:>10,.0f} records/s {cost}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
