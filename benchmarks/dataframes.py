"""What reading topics as DataFrames costs: `python -m benchmarks.dataframes [records]`.

A plain consumer, `history`, and the batch and streaming reads, all to the end of one topic, three
rounds each in turn; the best round counts. Processor time is that of all processes but the broker:
driver, JVM and Python workers. Rows go to Spark's sink `noop`.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition
from pyspark.sql import DataFrame, SparkSession

from benchmarks.cluster import BROKER_JVM
from benchmarks.processes import processor_seconds, tree
from penstock import serdes
from penstock import spark as streams
from penstock._engine.kafka.local_broker.broker import LocalBroker

RECORDS, PARTITIONS, ROUNDS = 1_000_000, 2, 3
TOPIC = "records"
VALUE = b'{"user": "user-%07d", "amount": %d, "note": "a record of about a hundred bytes........"}'


def main() -> None:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else RECORDS
    with tempfile.TemporaryDirectory() as folder:
        best = _best(Path(folder), count)
    for name, (seconds, used) in best.items():
        print(f"{name:24} {count / seconds:11,.0f} records/s {used / count * 1e6:7.2f} us CPU each")


def _best(folder: Path, count: int) -> dict[str, tuple[float, float]]:
    """Return the seconds and the processor seconds of the best round of each way."""
    with LocalBroker(folder / "broker", jvm_options=BROKER_JVM) as broker:
        broker.create_topic(TOPIC, PARTITIONS, {"retention.ms": "-1"})
        _fill(broker.bootstrap_servers, count)
        others = set(tree(os.getpid())) - {os.getpid()}
        spark = _session()
        ways = _ways(spark, broker.bootstrap_servers, count, folder)
        best = dict.fromkeys(ways, (float("inf"), float("inf")))
        for _ in range(ROUNDS):
            for name, way in ways.items():
                best[name] = min(best[name], _measured(way, others))
        spark.stop()
    return best


def _ways(
    spark: SparkSession, servers: str, count: int, folder: Path
) -> dict[str, Callable[[], None]]:
    config = {"bootstrap.servers": servers, "state.dir": str(folder / "state")}
    runs = iter(range(1000))

    def stream(**more: Any) -> None:
        frame = streams.read_stream(TOPIC, config, starting="earliest", spark=spark, **more)
        writer = frame.writeStream.format("noop").trigger(availableNow=True)
        checkpoint = str(folder / f"checkpoint-{next(runs)}")
        query = writer.option("checkpointLocation", checkpoint).start()
        query.awaitTermination()
        read = sum(progress.numInputRows for progress in query.recentProgress)
        assert read == count, read

    json = serdes.json()
    return {
        "plain consumer": lambda: _consume(servers, count),
        "history": lambda: _write(streams.history(TOPIC, config, spark=spark)),
        "read": lambda: _write(streams.read(TOPIC, config, spark=spark)),
        "read, JSON as text": lambda: _write(streams.read(TOPIC, config, value=json, spark=spark)),
        "read, table": lambda: _write(streams.read(TOPIC, config, table=True, spark=spark)),
        "read_stream": stream,
        "read_stream, 10 batches": lambda: stream(max_offsets_per_trigger=count // 10),
    }


def _write(frame: DataFrame) -> None:
    frame.write.format("noop").mode("overwrite").save()


def _measured(way: Callable[[], None], others: set[int]) -> tuple[float, float]:
    """Return how long it takes, and the processor time of all processes but `others`."""
    used, begin = _used(others), time.monotonic()
    way()
    return time.monotonic() - begin, _used(others) - used


def _used(others: set[int]) -> float:
    return sum(processor_seconds(pid) for pid in tree(os.getpid()) if pid not in others)


def _consume(servers: str, count: int) -> None:
    settings = {
        "bootstrap.servers": servers,
        "group.id": "plain",
        "enable.auto.commit": False,
        "enable.partition.eof": True,
        "isolation.level": "read_committed",
    }
    consumer = Consumer(settings)
    consumer.assign([TopicPartition(TOPIC, number, 0) for number in range(PARTITIONS)])
    ended = read = 0
    while ended < PARTITIONS:
        for message in consumer.consume(10_000, 1.0):
            error = message.error()
            if error is None:
                read += 1
            else:
                assert error.code() == KafkaError._PARTITION_EOF, error
                ended += 1
    consumer.close()
    assert read == count, read


def _fill(servers: str, count: int) -> None:
    producer = Producer({"bootstrap.servers": servers, "linger.ms": 20, "acks": "all"})
    for number in range(count):
        value = VALUE % (number % 10_000, number)
        producer.produce(TOPIC, value, b"user-%07d" % (number % 10_000), number % PARTITIONS)
        if number % 10_000 == 0:
            producer.flush()
    producer.flush()


def _session() -> SparkSession:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    made = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    return made


if __name__ == "__main__":
    main()
