"""An application in this process: prepared, hosted by one worker, stepped until it is done."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from confluent_kafka import Producer

from penstock import Topology
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.client.topic_io import TopicReader
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.worker import open_worker
from penstock._engine.runtime.records import Output
from penstock.settings import StreamsConfig
from penstock.testing.broker import LocalBroker

PATIENCE_SECONDS = 90


def settings(
    broker: LocalBroker, state_dir: Path, application_id: str, **more: Any
) -> StreamsConfig:
    """Return settings of an application that commits often and shows every update."""
    return StreamsConfig(
        {
            "application.id": application_id,
            "bootstrap.servers": broker.bootstrap_servers,
            "state.dir": str(state_dir),
            "processing.guarantee": "exactly_once_v2",
            "statestore.cache.max.bytes": 0,
            **more,
        }
    )


def run_until(
    topology: Topology, config: StreamsConfig, done: Callable[[list[Output]], bool]
) -> list[Output]:
    """Run an application until what it has committed satisfies `done`; give that."""
    blueprint, committed = prepare(topology, config), list[Output]()
    with TaskHost(blueprint) as host:
        worker = open_worker(blueprint, host, committed.extend)
        until = time.monotonic() + PATIENCE_SECONDS
        try:
            while not done(committed):
                assert time.monotonic() < until, f"only this was committed: {committed}"
                worker.step()
        except BaseException:
            worker.abandon()
            raise
        worker.close()
    return committed


def write(broker: LocalBroker, topic: str, rows: Iterable[tuple[str | None, str | None]]) -> None:
    """Write records, each to the partition that Kafka Streams expects its key in."""
    producer = Producer(
        {"bootstrap.servers": broker.bootstrap_servers, "partitioner": "murmur2_random"}
    )
    for key, value in rows:
        producer.produce(topic, value, key)
    producer.flush()


def latest(broker: LocalBroker, topic: str) -> dict[str, str | None]:
    """Return the last committed value of each key of a topic."""
    reader, rows = TopicReader(broker.bootstrap_servers, [topic]), dict[str, str | None]()
    until = time.monotonic() + PATIENCE_SECONDS
    while not reader.caught_up and time.monotonic() < until:
        for record in reader.read(1.0):
            key = (record.key or b"").decode()
            rows[key] = None if record.value is None else record.value.decode()
    reader.close()
    return rows
