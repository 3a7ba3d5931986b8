"""Spark's own progress tells the truth: its rows are the committed records of the output topics."""

from __future__ import annotations

import json
import time
from datetime import datetime
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from penstock import Grouped, KafkaStreams, KStream, Materialized, serdes
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock._engine.metrics.rows import CLIENT, THREAD
from penstock.metrics import to_prometheus
from tests.spark.hosted import TEXT, hosted

BATCHES, BATCH = 5, 40
PATIENCE_SECONDS = 60.0


def counted(stream: KStream[str, str]) -> KStream[str, str]:
    """Return a count for each record; changelog and repartition topic are no outputs."""
    return (
        stream.group_by(lambda key, value: value, Grouped("by-value", key=TEXT, value=TEXT))
        .count(Materialized("counts", key=TEXT, value=serdes.long()))
        .to_stream()
        .map_values(str)
    )


@pytest.mark.slow
def test_the_rows_of_all_turns_are_the_committed_output_records(
    kafka_broker: LocalBroker, spark: SparkSession, tmp_path: Path
) -> None:
    settings = {
        "statestore.cache.max.bytes": 0,
        "penstock.turn.ms": 1500,
        "metrics.recording.level": "DEBUG",
    }
    servers = kafka_broker.bootstrap_servers
    with hosted(servers, "progress", counted, spark, tmp_path, **settings) as (
        application,
        streams,
    ):
        (query,) = spark.streams.active
        for batch in range(1, BATCHES + 1):
            application.write(*((f"k{number}", f"v{number % 7}") for number in range(BATCH)))
            assert len(application.read(batch * BATCH)) == batch * BATCH
            _wait_for_turns(query, 1)
        _check_store_metrics(streams)  # what workers send once a second is there
        _wait_for_turns(query, 2)
        rows = [progress["numInputRows"] for progress in query.recentProgress]
        assert sum(rows) == BATCHES * BATCH
        assert sum(count > 0 for count in rows) >= 3
        _check_figures(query, streams)


def _check_figures(query: StreamingQuery, streams: KafkaStreams) -> None:
    """Spark's progress also tells what Spark does not know of."""
    told = [json.loads(progress["sources"][0]["latestOffset"]) for progress in query.recentProgress]
    last = told[-1]
    assert datetime.fromisoformat(last.pop("asOf")).tzinfo is not None
    # RocksDB estimates: it counts a key again for each change that is not compacted yet.
    assert last.pop("stateEntries")["counts"] >= 7
    (store,) = last.pop("stateOperators")
    assert store["operatorName"] == "counts"
    assert store["numRowsTotal"] >= 7
    assert store["stateBytes"] > 0
    assert (store["numStateStoreInstances"], store["numRowsUpdated"]) == (2, BATCHES * BATCH)
    assert last == {
        "workers": 2,
        "tasks": {"running": 4, "restoring": 0},
        "lag": 0,
        "restoreRemaining": 0,
        "recordsIn": BATCHES * BATCH,
        "recordsOut": BATCHES * BATCH,
        "recordsInLastTurn": 0,
        "recordsOutLastTurn": 0,
    }
    # Each record is of one turn.
    assert sum(turn["recordsOutLastTurn"] for turn in told) == BATCHES * BATCH
    assert sum(turn["recordsInLastTurn"] for turn in told) == BATCHES * BATCH
    progress = streams.progress()
    assert progress is not None
    assert progress["sources"][0]["latestOffset"]["recordsOut"] == BATCHES * BATCH
    _check_metrics(streams)


def _check_metrics(streams: KafkaStreams) -> None:
    metrics = streams.metrics()
    of_client = {name.name: value for name, value in metrics.items() if name.group == CLIENT}
    assert (of_client["state"], of_client["alive-stream-threads"]) == ("RUNNING", 2)
    assert (of_client["running-tasks"], of_client["missing-tasks"]) == (4, 0)
    assert (of_client["records-lag"], of_client["records-out-total"]) == (0, BATCHES * BATCH)
    processed = {
        name.tag("thread-id"): value
        for name, value in metrics.items()
        if name.group == THREAD and name.name == "process-total"
    }
    assert len(processed) == 2
    consumed = [value for name, value in metrics.items() if name.name == "records-consumed-total"]
    # Workers send their metrics once a second, each at a moment of its own.
    assert sum(map(int, consumed)) > 0
    assert sum(map(int, processed.values())) > 0
    assert "kafka_streams_stream_metrics_state" in to_prometheus(metrics)


def _check_store_metrics(streams: KafkaStreams) -> None:
    """Each record is one get and one put of the store, whichever worker has its task."""
    expected = dict.fromkeys(("put-total", "get-total"), BATCHES * BATCH)
    until = time.monotonic() + PATIENCE_SECONDS
    while (found := _of_store(streams, *expected)) != expected:
        assert time.monotonic() < until, found
        time.sleep(0.1)
    assert _of_store(streams, "bytes-written-total", "state-bytes").keys() == {
        "bytes-written-total",
        "state-bytes",
    }


def _of_store(streams: KafkaStreams, *names: str) -> dict[str, int]:
    """Return metrics of the store, those of all its tasks together."""
    found: dict[str, int] = {}
    for name, value in streams.metrics().items():
        if name.name in names and name.tag("rocksdb-state-id") == "counts":
            found[name.name] = found.get(name.name, 0) + int(value)
    return found


def _wait_for_turns(query: StreamingQuery, count: int) -> None:
    """Wait until as many more turns have ended."""
    wanted = len(query.recentProgress) + count
    until = time.monotonic() + PATIENCE_SECONDS
    while len(query.recentProgress) < wanted:
        assert time.monotonic() < until, "Spark takes no turns"
        time.sleep(0.1)
