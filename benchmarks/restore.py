"""How fast state comes back from its changelog.

A contender counts a topic of many keys and is stopped. It is started again twice, with its local
state and without, each time with one more record in each partition waiting; the time from its start
until all of these have their results is taken. The difference of the two is the restoring.
"""

from __future__ import annotations

import shutil
import time
from typing import Any

from confluent_kafka import TopicPartition

from benchmarks import figures
from benchmarks.bench import Bench
from benchmarks.cluster import Progress
from benchmarks.contenders import EXACTLY_ONCE, Contender
from benchmarks.data import Feed
from benchmarks.processes import ContenderError
from benchmarks.throughput import Watch

PARTITIONS = 4
_COUNT = ("count", EXACTLY_ONCE)


def measure(bench: Bench, contender: Contender, keys: int) -> dict[str, Any]:
    """Measure one contender.

    Raises:
        ContenderError: it ended, or did not come to the end in time.
    """
    feed = Feed("every-key", keys, keys, PARTITIONS, contender.name)
    source = bench.cluster.fill(feed)
    application, target = f"{contender.name}-restore", f"out-{contender.name}-restore"
    bench.cluster.create(target, PARTITIONS)
    try:
        with bench.started(contender, application, _COUNT, target, [source]) as started:
            progress = Progress(bench.cluster, application, [feed])
            watch = Watch(bench, started.running, target, PARTITIONS)
            watch.until_committed(progress, feed.records)
            progress.close()
        changelog = f"{application}-counts-changelog"
        size = bench.cluster.stored_bytes(changelog)
        changes = bench.cluster.ends(changelog, PARTITIONS)
        intact = _restart(bench, contender, application, target, source)
        shutil.rmtree(bench.state_dir(application))
        wiped = _restart(bench, contender, application, target, source)
    finally:
        bench.forget(application)
        bench.cluster.drop([source])
    return figures.restoring(intact, wiped, changes, size)


def _restart(
    bench: Bench, contender: Contender, application: str, target: str, source: str
) -> float:
    """Return the seconds from the start until one new record of each partition has its result."""
    bench.cluster.await_empty_group(application)
    producer = bench.cluster.producer()
    for partition in range(PARTITIONS):
        value = b'{"id":1,"user":"u","product":"p","cents":1,"quantity":1,"at":0}'
        producer.produce(source, value, b"one more of %d" % partition, partition)
    producer.flush()
    consumer = bench.cluster.reader(f"restart-{application}")
    ends = bench.cluster.end_offsets(target, PARTITIONS)
    consumer.assign([TopicPartition(target, number, end) for number, end in enumerate(ends)])
    seen: set[bytes | str | None] = set()
    with bench.started(contender, application, _COUNT, target, [source]) as started:
        begin = started.running.started
        while len(seen) < PARTITIONS:
            message = consumer.poll(0.05)
            if message is not None and message.error() is None:
                seen.add(message.key())
            elif time.monotonic() > begin + bench.patience_seconds:
                raise ContenderError(started.running.tale("no results after a restart"))
        seconds = time.monotonic() - begin
    consumer.close()
    return seconds
