"""What metrics cost: `python -m benchmarks.metrics_cost [RECORDS ROUNDS]`, on a broker of its own.

A worker without Spark reads a topic to its end. Counted is the processor time of the thread that
does the work, step by step; the median step counts. At the recording level INFO all that is
measured is turned off and on again, by chance, for single steps of one run, so that both modes
meet the same noise. DEBUG changes how a program is put together: it has runs of its own. Records
are a few bytes long, so nothing else hides the cost. What is done once a second, gathering the
metrics and encoding them for the driver, is measured apart.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from penstock import Consumed, Grouped, Materialized, Produced, StreamsBuilder, Topology, serdes
from penstock._engine.control.protocol.wire import encode
from penstock._engine.kafka.application.preparation import bounded, prepare
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock._engine.kafka.tasks import assigned_task
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.worker import Worker, open_worker
from penstock._engine.metrics.step_times import TaskTimes, ThreadTimes
from penstock.settings import StreamsConfig

KEYS = 2_000
_TEXT = serdes.string()
_TOPIC = "in"


def stateless() -> Topology:
    """Build a program without a store."""
    builder = StreamsBuilder()
    stream = builder.stream(_TOPIC, Consumed(_TEXT, _TEXT))
    stream.map_values(str.upper).to("out", Produced(_TEXT, _TEXT))
    return builder.build()


def count() -> Topology:
    """Build a count by key, in RocksDB behind a record cache."""
    builder = StreamsBuilder()
    counts = (
        builder.stream(_TOPIC, Consumed(_TEXT, _TEXT))
        .group_by_key(Grouped(key=_TEXT, value=_TEXT))
        .count(Materialized("counts", key=_TEXT, value=serdes.long()))
    )
    counts.to_stream().to("out", Produced(_TEXT, serdes.long()))
    return builder.build()


PROGRAMS: dict[str, Callable[[], Topology]] = {"stateless": stateless, "count": count}
RECORDS_MIN = 500
"""Steps with fewer records, as at the end of the topic, are not counted."""


def main(records: int = 1_000_000, rounds: int = 5) -> None:
    """Measure and print."""
    with (
        tempfile.TemporaryDirectory(prefix="penstock-cost-") as place,
        LocalBroker(f"{place}/broker", progress=lambda text: None) as broker,
    ):
        fill(broker.bootstrap_servers, records)
        for name, program in PROGRAMS.items():
            times: dict[str, list[float]] = {"off": [], "INFO": [], "DEBUG": []}
            for number in range(rounds):
                for level in ("INFO", "DEBUG"):
                    run = (f"{name}-{level}-{number}".lower(), broker.bootstrap_servers, place)
                    for mode, microseconds in measure(program(), level, *run).items():
                        times[mode].append(microseconds)
            report(name, times)


def fill(servers: str, records: int) -> None:
    """Write the topic."""
    topics = [NewTopic(_TOPIC, 2, 1), NewTopic("out", 2, 1)]
    admin = AdminClient({"bootstrap.servers": servers})
    for answer in admin.create_topics(topics).values():
        answer.result(30)
    producer = Producer({"bootstrap.servers": servers, "queue.buffering.max.messages": 10_000_000})
    for number in range(records):
        producer.produce(_TOPIC, b"v", b"k%d" % (number % KEYS), timestamp=1 + number)
    producer.flush(60)


def measure(
    topology: Topology, level: str, name: str, servers: str, place: str
) -> dict[str, float]:
    """Return the microseconds of a worker's thread for a record: at INFO also without metrics."""
    config = StreamsConfig(
        {
            "application.id": name,
            "bootstrap.servers": servers,
            "state.dir": f"{place}/state",
            "metrics.recording.level": level,
            "commit.interval.ms": 500,
        }
    )
    blueprint = bounded(prepare(topology, config))
    modes = ["off", "INFO"] if level == "INFO" else [level]
    steps: dict[str, list[float]] = {mode: [] for mode in modes}
    with TaskHost(blueprint) as host:
        worker = open_worker(blueprint, host, lambda outputs: None)
        while not worker.figures.records_in():
            worker.step()
        while not worker.figures.caught_up():
            random.shuffle(modes)
            for mode in modes:
                turn_metrics(on=mode != "off")
                before, begin = worker.figures.records_in(), time.thread_time()
                worker.step()
                seconds = time.thread_time() - begin
                records = worker.figures.records_in() - before
                if records >= RECORDS_MIN:
                    steps[mode].append(seconds / records * 1e6)
        turn_metrics(on=True)
        report_rows(worker, name)
        worker.close()
    return {mode: statistics.median(steps[mode]) for mode in modes}


def turn_metrics(*, on: bool) -> None:
    """Replace all that is measured by functions that do nothing, or put it back; both touch the
    same classes, so that both modes find Python's own caches in the same state.
    """
    for place, (instead, as_it_was) in _REPLACED.items():
        setattr(*place, as_it_was if on else instead)


def _nothing(*_given: object) -> int:
    return 0


def _empty(*_given: object) -> dict[str, Any]:
    return {}


_PLACES: dict[tuple[Any, str], Any] = {
    **{(ThreadTimes, name): _nothing for name in ("polled", "processed", "committed")},
    **{(TaskTimes, name): _nothing for name in ("read", "processed", "arrived", "sent")},
    (assigned_task, "consumed_bytes"): _nothing,
    (assigned_task, "produced"): _empty,
}
_REPLACED = {place: (instead, getattr(*place)) for place, instead in _PLACES.items()}


def report_rows(worker: Worker, name: str) -> None:
    """Print what gathering and encoding the metrics takes, each second."""
    begin = time.thread_time()
    for _ in range(50):
        encode(worker.metrics.rows(0))
    seconds = (time.thread_time() - begin) / 50
    print(f"{name:20} {seconds * 1000:.2f} ms each second to gather the metrics", flush=True)


def report(name: str, times: dict[str, list[float]]) -> None:
    """Print medians, and the medians of the differences within a round."""
    for level, values in times.items():
        pairs = [here / off - 1 for here, off in zip(values, times["off"], strict=True)]
        print(
            f"{name:10} {level:6} {statistics.median(values):6.3f} us per record "
            f"({min(values):.3f} .. {max(values):.3f}), {statistics.median(pairs):+.1%} "
            f"({min(pairs):+.1%} .. {max(pairs):+.1%})",
            flush=True,
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
