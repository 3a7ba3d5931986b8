"""A program for crash tests, and a host for it that is nothing but a process: no Spark.

`python -m tests.crash.two_counts BOOTSTRAP STATE_DIR APPLICATION_ID GUARANTEE` works until SIGTERM.
Records are counted by key, then, behind a repartition topic, by the first letter of the key: every
effect of an input record is seen in both counts, exactly once or not.
"""

from __future__ import annotations

import signal
import sys
import threading

from penstock import Consumed, Grouped, Materialized, Produced, StreamsBuilder, Topology, serdes
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.worker import open_worker
from penstock.settings import StreamsConfig

TEXT, LONG = serdes.string(), serdes.long()


def topology(application_id: str) -> Topology:
    """Count by key, and the counts' updates by first letter."""
    builder = StreamsBuilder()
    by_key = (
        builder.stream(f"{application_id}-in", Consumed(TEXT, TEXT))
        .group_by_key(Grouped(key=TEXT, value=TEXT))
        .count(Materialized("by-key", key=TEXT, value=LONG))
        .to_stream()
    )
    by_key.to(f"{application_id}-by-key", Produced(TEXT, LONG))
    (
        by_key.group_by(lambda key, count: key[0], Grouped("letters", key=TEXT, value=LONG))
        .count(Materialized("by-letter", key=TEXT, value=LONG))
        .to_stream()
        .to(f"{application_id}-by-letter", Produced(TEXT, LONG))
    )
    return builder.build()


def settings(
    bootstrap_servers: str, state_dir: str, application_id: str, guarantee: str
) -> StreamsConfig:
    """Commit often, and show every update."""
    return StreamsConfig(
        {
            "application.id": application_id,
            "bootstrap.servers": bootstrap_servers,
            "state.dir": state_dir,
            "processing.guarantee": guarantee,
            "commit.interval.ms": 100,
            "statestore.cache.max.bytes": 0,
            "consumer.session.timeout.ms": 3000,
            "producer.transaction.timeout.ms": 3000,
        }
    )


def main(arguments: list[str]) -> None:
    """Work until told to stop."""
    config = settings(*arguments)
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    blueprint = prepare(topology(config.application_id), config)
    with TaskHost(blueprint) as host:
        worker = open_worker(blueprint, host, lambda outputs: None)
        print("ready", flush=True)
        while not stop.is_set():
            worker.step()
        worker.close()
    print("closed", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
