"""A driver whose session has two executors of one core each, in processes of their own.

`python two_executors.py BOOTSTRAP STATE_DIR APPLICATION_ID` counts by key until its input ends.
Twice a second it prints a line of JSON: its state, its workers, and the slots of the next turn. A
line it reads is a command: `kill` lets Spark take away an executor, `request` asks for it again,
`stop` closes the application, `analytics` closes it and runs user analytics with HTTP,
`ask FILE` answers the questions in a file, in Python.
"""

from __future__ import annotations

import json
import runpy
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pyspark.sql import SparkSession

from penstock import Consumed, Grouped, KafkaStreams, Materialized, Produced, StreamsBuilder, serdes
from penstock._engine.spark.class_archive import QUICK_START, archive_option
from penstock.errors import StoreNotReadyError, StreamsError

TEXT, LONG = serdes.string(), serdes.long()
HTTP_TOKEN = "a-token-that-all-drivers-share"


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
        "penstock.spark.slots": "all",
        "consumer.session.timeout.ms": 6000,
    }
    return KafkaStreams(builder.build(), config)


def analytics(
    bootstrap_servers: str, state_dir: str, host: Literal["spark", "local"] = "spark"
) -> KafkaStreams:
    """User analytics, with its state over HTTP."""
    names = runpy.run_path(str(Path(__file__).with_name("user_analytics.py")))
    config = {
        **names["SETTINGS"],
        "bootstrap.servers": bootstrap_servers,
        "state.dir": state_dir,
        "penstock.turn.ms": 1000,
        "penstock.spark.slots": "all",
        "consumer.session.timeout.ms": 6000,
        "penstock.http.port": 0,
        "penstock.http.token": HTTP_TOKEN,
        "num.standby.replicas": 1,
    }
    return KafkaStreams(names["builder"].build(), config, host=host)


def answers(streams: KafkaStreams, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the stores say: keys together and one by one, ranges, all windows."""
    visits, views = streams.store("visits"), streams.store("views")
    keys = asked["keys"]
    return {
        "together": {key: row.value for key, row in visits.get_all(keys).items()},
        "keys": {key: row.value for key in keys if (row := visits.get(key)) is not None},
        "ranges": [
            [[key, row.value] for key, row in visits.range(*pair)] for pair in asked["ranges"]
        ],
        "windows": [[window.key, window.start, row.value] for window, row in views.all()],
        "table": sorted([row.key, row.value] for row in visits.to_dataframe().collect())
        if asked["table"]
        else None,
    }


def answers_when_ready(streams: KafkaStreams, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Ask again while tasks move or restore."""
    while True:
        try:
            return answers(streams, asked)
        except StoreNotReadyError:
            threading.Event().wait(0.5)


def tell(running: list[KafkaStreams]) -> None:
    """Print how it goes."""
    while True:
        threading.Event().wait(0.5)
        streams = running[-1]
        try:
            reports, query = streams.reports(), streams._started_query()
        except StreamsError:  # it has not begun
            continue
        workers = [
            {"pid": report.pid, "state": report.state, "tasks": sorted(report.tasks)}
            for report in reports.values()
        ]
        told = {
            "application": streams.application_id,
            "state": streams.state.value,
            "workers": workers,
            "slots": query._slots.count(),
        }
        print(json.dumps(told), flush=True)


def main(arguments: list[str]) -> None:
    """Run the application, and do what is said."""
    spark = session()
    spark.sparkContext.setLogLevel("OFF")
    context = spark.sparkContext._jsc.sc()
    running = [application(*arguments)]
    running[-1].start()
    threading.Thread(target=tell, args=(running,), daemon=True).start()
    for line in sys.stdin:
        match line.split():
            case ["kill"]:
                infos = context.statusStore().executorList(True)
                ids = [infos.apply(index).id() for index in range(infos.size())]
                context.killExecutor(next(name for name in ids if name != "driver"))
            case ["request"]:
                # What was taken away was taken off the number that is wanted, which had none.
                context.requestExecutors(2)
            case ["stop"]:
                assert running[-1].close()
            case ["analytics"]:
                assert running[-1].close()
                running.append(analytics(arguments[0], arguments[1]))
                running[-1].start()
            case ["ask", file]:
                found = answers_when_ready(running[-1], json.loads(Path(file).read_text()))
                written = Path(f"{file}.part")
                written.write_text(json.dumps(found))
                written.rename(f"{file}.answers")
    assert running[-1].close()
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
