"""An application with secrets in its settings, its serde and its database, for a test that looks
for them: `python planted_secrets.py STATE_DIR EVENT_LOG`, settings in PENSTOCK_ variables.

It prints where Spark's pages are, what it tells of itself, and ends when its input does.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from typing import Any

from pyspark.sql import SparkSession

from penstock import Consumed, Grouped, KafkaStreams, Materialized, Produced, StreamsBuilder, serdes
from penstock._engine.spark.class_archive import QUICK_START, archive_option
from penstock.application import State
from penstock.database import Database
from penstock.outbox import write_once
from penstock.schema_registry import SchemaRegistry
from penstock.settings import StreamsConfig

TEXT, NUMBER = serdes.string(), serdes.long()


def session(event_log: str) -> SparkSession:
    """Start Spark with its pages and an event log."""
    return (
        SparkSession.builder.master("local[2,4]")
        .config("spark.eventLog.enabled", "true")
        .config("spark.eventLog.dir", f"file://{event_log}")
        .config("spark.ui.port", "0")
        .config("spark.driver.extraJavaOptions", f"{archive_option()} {QUICK_START}")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )


def main(state_dir: str, event_log: str) -> None:
    """Run, tell, and wait for a line on standard input."""
    logging.basicConfig(stream=sys.stderr)
    logging.getLogger("penstock").setLevel(logging.DEBUG)
    config = StreamsConfig.from_environment(
        {
            "application.id": "planted",
            "state.dir": state_dir,
            "processing.guarantee": "exactly_once_v2",
            "penstock.turn.ms": 1000,
            "ssl.key.password": os.environ["PLANTED_KEY_PASSWORD"],
        }
    )
    secret = os.environ["PLANTED_PASSWORD"]
    database = Database(f"sqlite:{state_dir}/orders.db")
    # An address as users write it: with a password. Nothing connects to it.
    other = Database(f"postgresql://ada:{secret}@127.0.0.1:1/shop")
    registry = SchemaRegistry(
        f"http://ada:{secret}@127.0.0.1:1", {"basic.auth.user.info": f"ada:{secret}"}
    )
    unused = registry.avro()
    builder = StreamsBuilder()

    def save(transaction: Any, record: Any) -> None:
        assert other.is_postgresql
        assert unused is not None

    lines = builder.stream("lines", Consumed(TEXT, TEXT))
    lines.process_values(write_once(database, save, name="lines")).group_by(
        lambda key, word: word, Grouped("by-word", key=TEXT, value=TEXT)
    ).count(Materialized("counts", key=TEXT, value=NUMBER)).to_stream().to(
        "counts", Produced(TEXT, NUMBER)
    )
    spark = session(event_log)
    topology = builder.build()
    streams = KafkaStreams(topology, config, spark=spark)
    print(topology.describe(), repr(config), config, config.describe(), repr(registry), other)
    print(repr(unused), streams, flush=True)
    streams.start()
    assert streams.wait_until(State.RUNNING, 120_000), (streams.state, streams.failure)
    while (told := streams.progress()) is None or told["batchId"] < 2:
        streams.wait_until(State.ERROR, 200)
    print(json.dumps(told), streams.reports(), spark.streams.active, flush=True)
    print("LOOK", spark.sparkContext.uiWebUrl, flush=True)
    sys.stdin.readline()
    streams.close()
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
