"""A driver whose session has two executors of one core each, in processes of their own.

`python two_executors.py BOOTSTRAP STATE_DIR APPLICATION_ID` counts by key until its input ends.
Twice a second it prints a line of JSON: its state, its workers, and the slots of the next turn. A
line it reads is a command: `kill` lets Spark take away an executor, `request` asks for it again.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Mapping

from pyspark.sql import SparkSession

from penstock import Consumed, Grouped, KafkaStreams, Materialized, Produced, StreamsBuilder, serdes
from penstock._engine.spark.class_archive import QUICK_START, archive_option

TEXT, LONG = serdes.string(), serdes.long()


def session(settings: Mapping[str, str] | None = None) -> SparkSession:
    """Start a cluster: a master and workers in this JVM, executors in their own."""
    archive = archive_option()
    # If there is none yet, one JVM writes it, not three the same file.
    shared = archive if archive.startswith("-XX:SharedArchiveFile=") else ""
    return (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .appName("two-executors")
        .config(map=dict(settings or {}))
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.extraJavaOptions", f"{archive} {QUICK_START}")
        .config("spark.executor.extraJavaOptions", f"{shared} {QUICK_START}")
        .config("spark.locality.wait", "0")
        .getOrCreate()
    )


def application(bootstrap_servers: str, state_dir: str, name: str) -> KafkaStreams:
    """Count the records of each key."""
    builder = StreamsBuilder()
    (
        builder.stream(f"{name}-in", Consumed(TEXT, TEXT))
        .group_by_key(Grouped(key=TEXT, value=TEXT))
        .count(Materialized("counts", key=TEXT, value=LONG))
        .to_stream()
        .to(f"{name}-out", Produced(TEXT, LONG))
    )
    config = {
        "application.id": name,
        "bootstrap.servers": bootstrap_servers,
        "state.dir": state_dir,
        "processing.guarantee": "exactly_once_v2",
        "statestore.cache.max.bytes": 0,
        "penstock.turn.ms": 1000,
        "consumer.session.timeout.ms": 6000,
    }
    return KafkaStreams(builder.build(), config)


def tell(streams: KafkaStreams) -> None:
    """Print how it goes."""
    while True:
        threading.Event().wait(0.5)
        workers = [
            {"pid": report.pid, "state": report.state, "tasks": sorted(report.tasks)}
            for report in streams.reports().values()
        ]
        slots = streams._started_query()._slots.count()
        told = {"state": streams.state.value, "workers": workers, "slots": slots}
        print(json.dumps(told), flush=True)


def main(arguments: list[str]) -> None:
    """Run the application, and do what is said."""
    spark = session()
    spark.sparkContext.setLogLevel("OFF")
    context = spark.sparkContext._jsc.sc()
    streams = application(*arguments)
    streams.start()
    threading.Thread(target=tell, args=(streams,), daemon=True).start()
    for line in sys.stdin:
        if line.strip() == "kill":
            infos = context.statusStore().executorList(True)
            ids = [infos.apply(index).id() for index in range(infos.size())]
            context.killExecutor(next(name for name in ids if name != "driver"))
        else:
            # What was taken away was taken off the number that is wanted, which had none.
            context.requestExecutors(2)
    assert streams.close()
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
