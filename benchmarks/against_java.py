"""Penstock on Spark and Java Kafka Streams, side by side on one broker: `make bench-engine`.

Throughput: a topic is filled first; the rate is that of committed input offsets between a fifth and
nine tenths of it. Latency: records come at a steady rate; each result's time from being sent to
being visible to a read_committed consumer is taken. Contenders take turns, round by round.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from penstock._engine.kafka import jars
from penstock._engine.kafka.broker import LocalBroker

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
PARTITIONS = 4
CONTENDERS = ("penstock", "java")


class Bench:
    """A broker, its data, and the commands that start the contenders."""

    def __init__(self, folder: Path, broker: LocalBroker) -> None:
        self.folder = folder
        self.bootstrap = broker.bootstrap_servers
        self.admin = AdminClient({"bootstrap.servers": self.bootstrap})
        self.classpath = self._compile()
        self._number = 0

    def _compile(self) -> str:
        libraries = jars.resolve(["org.apache.kafka:kafka-streams:4.3.1"])
        classpath = os.pathsep.join(map(str, libraries))
        target = self.folder / "classes"
        subprocess.run(
            [
                "javac",
                "-nowarn",
                "-d",
                str(target),
                "-cp",
                classpath,
                str(HERE / "java" / "CountApp.java"),
            ],
            check=True,
        )
        return os.pathsep.join([str(target), classpath])

    def topic(self, name: str) -> str:
        """Make a topic that keeps everything."""
        new = NewTopic(name, PARTITIONS, 1, config={"retention.ms": "-1"})
        self.admin.create_topics([new])[name].result()
        return name

    @contextmanager
    def running(self, contender: str, source: str, guarantee: str) -> Iterator[tuple[str, str]]:
        """Run a contender under a new application id; give the id and its output topic."""
        self._number += 1
        application = f"{contender}-{self._number}"
        target = self.topic(f"{application}-out")
        arguments = [
            self.bootstrap,
            application,
            source,
            target,
            guarantee,
            str(self.folder / "state" / contender),
        ]
        command = (
            [sys.executable, str(HERE / "count_on_spark.py"), *arguments]
            if contender == "penstock"
            else ["java", "-Xmx2g", "-cp", self.classpath, "CountApp", *arguments]
        )
        log = (self.folder / f"{application}.log").open("w")
        process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            yield application, target
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=90)
            log.close()


def fill(bench: Bench, topic: str, records: int, keys: int) -> None:
    """Fill a topic with orders of random users."""
    producer = Producer(
        {
            "bootstrap.servers": bench.bootstrap,
            "linger.ms": 50,
            "queue.buffering.max.messages": 1_000_000,
            "partitioner": "murmur2_random",
        }
    )
    chance = random.Random(1)
    for number in range(records):
        user = f"u{chance.randrange(keys)}"
        value = msgspec.json.encode({"user": user, "amount": 1.5, "sent": 0})
        while True:
            try:
                producer.produce(topic, value, user, timestamp=1_700_000_000_000 + number)
                break
            except BufferError:
                producer.poll(0.1)
        if number % 1000 == 0:
            producer.poll(0)
    producer.flush()


def throughput(bench: Bench, contender: str, topic: str, records: int, guarantee: str) -> float:
    """Give records per second, by the committed offsets of the input."""
    with bench.running(contender, topic, guarantee) as (application, _):
        consumer = Consumer({"bootstrap.servers": bench.bootstrap, "group.id": application})
        partitions = [TopicPartition(topic, number) for number in range(PARTITIONS)]
        samples: list[tuple[float, int]] = []
        until = time.monotonic() + 300
        while time.monotonic() < until:
            answers = consumer.committed(partitions, timeout=30)
            samples.append((time.monotonic(), sum(max(0, answer.offset) for answer in answers)))
            if samples[-1][1] >= records:
                break
            time.sleep(0.05)
        consumer.close()
    begin = next(sample for sample in samples if sample[1] >= records * 0.2)
    end = next((sample for sample in samples if sample[1] >= records * 0.9), samples[-1])
    return (end[1] - begin[1]) / (end[0] - begin[0])


def latency(bench: Bench, contender: str, rate: int, seconds: int) -> list[float]:
    """Give the latencies, in milliseconds, of a steady stream, after the contender has come up."""
    source = bench.topic(f"steady-{contender}-{time.monotonic_ns()}")
    with bench.running(contender, source, "exactly_once_v2") as (_, target):
        sent: dict[str, float] = {}
        stop = threading.Event()

        def send() -> None:
            producer = Producer({"bootstrap.servers": bench.bootstrap, "linger.ms": 0})
            next_at, number = time.monotonic(), 0
            while not stop.is_set():
                key = f"k{number}"
                value = msgspec.json.encode({"user": key, "amount": 1.0, "sent": 0})
                sent[key] = time.monotonic()
                producer.produce(source, value, key)
                producer.poll(0)
                number += 1
                next_at += 1 / rate
                time.sleep(max(0.0, next_at - time.monotonic()))
            producer.flush()

        consumer = Consumer(
            {
                "bootstrap.servers": bench.bootstrap,
                "group.id": f"latency-{time.monotonic_ns()}",
                "isolation.level": "read_committed",
                "auto.offset.reset": "earliest",
                "fetch.wait.max.ms": 5,
            }
        )
        consumer.subscribe([target])
        sender = threading.Thread(target=send)
        sender.start()
        seen: list[tuple[float, float]] = []
        first: float | None = None
        while first is None or time.monotonic() < first + 10 + seconds:
            message = consumer.poll(0.05)
            if message is not None and message.error() is None:
                now = time.monotonic()
                first = first or now
                seen.append((now, (now - sent[str(message.key(), "ascii")]) * 1000))  # type: ignore[arg-type]
        stop.set()
        sender.join()
        consumer.close()
    assert first is not None
    return [value for at, value in seen if at > first + 10]


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """Give p50, p95, p99 and max."""
    cuts = statistics.quantiles(values, n=100)
    return {
        "p50": round(cuts[49], 1),
        "p95": round(cuts[94], 1),
        "p99": round(cuts[98], 1),
        "max": round(max(values), 1),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--keys", type=int, nargs="+", default=[10_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--guarantees", nargs="+", default=["exactly_once_v2", "at_least_once"])
    parser.add_argument("--latency-seconds", type=int, default=120)
    given = parser.parse_args()
    results: dict[str, Any] = {"throughput": {}, "latency_ms_at_500_per_second": {}}
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalBroker(Path(folder) / "broker", jvm_options=["-XX:TieredStopAtLevel=4"]) as broker,
    ):
        bench = Bench(Path(folder), broker)
        for keys in given.keys:
            print(f"filling a topic: {given.records} records, {keys} keys", flush=True)
            topic = bench.topic(f"orders-{keys}")
            fill(bench, topic, given.records, keys)
            for guarantee in given.guarantees:
                rates: dict[str, list[float]] = {contender: [] for contender in CONTENDERS}
                for number in range(given.rounds):
                    for contender in CONTENDERS:
                        rate = throughput(bench, contender, topic, given.records, guarantee)
                        rates[contender].append(rate)
                        print(
                            f"  {guarantee} {keys} keys {number + 1}: {contender} {rate:,.0f}/s",
                            flush=True,
                        )
                medians = {
                    contender: statistics.median(values) for contender, values in rates.items()
                }
                ratio = medians["penstock"] / medians["java"]
                print(f"  {guarantee}, {keys} keys: {ratio:.2f} x Java", flush=True)
                results["throughput"][f"{guarantee}, {keys} keys"] = {
                    **{contender: round(value) for contender, value in medians.items()},
                    "ratio_to_java": round(ratio, 2),
                }
        if given.latency_seconds:
            for contender in CONTENDERS:
                result = percentiles(latency(bench, contender, 500, given.latency_seconds))
                results["latency_ms_at_500_per_second"][contender] = result
                print(f"latency {contender}: {result}", flush=True)
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    RESULTS.write_text(json.dumps({**known, "engine": results}, indent=2) + "\n")


if __name__ == "__main__":
    main()
