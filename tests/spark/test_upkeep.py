"""A running application follows its topics, and finds the function that ends its processes."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewPartitions
from pyspark.sql import SparkSession

from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock.application import KafkaStreams, State
from penstock.handlers import LogAndContinueProcessingExceptionHandler
from tests.spark.hosted import PATIENCE_SECONDS, hosted

pytestmark = pytest.mark.slow


def wait_for(streams: KafkaStreams, *states: State) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while streams.state not in states and time.monotonic() < until:
        time.sleep(0.1)
    assert streams.state in states


def test_added_partitions_are_read_and_a_deleted_topic_ends_the_application(
    kafka_broker: LocalBroker, spark: SparkSession, tmp_path: Path
) -> None:
    servers = kafka_broker.bootstrap_servers
    admin = AdminClient({"bootstrap.servers": servers})
    with hosted(servers, "grows", lambda s: s.map_values(str.upper), spark, tmp_path) as (
        app,
        streams,
    ):
        app.write(*((f"k{number}", "a") for number in range(50)))
        app.read(50)
        for added in admin.create_partitions([NewPartitions("grows-in", 6)]).values():
            added.result()
        # The reader's own clients learn of them later than the application does.
        until = time.monotonic() + PATIENCE_SECONDS
        while set(tasks_of(streams)) != {f"0_{number}" for number in range(6)}:
            assert time.monotonic() < until
            time.sleep(0.2)
        app.write_to_all(6)
        assert sorted(app.read(56))[:50] == sorted((f"k{number}", "A") for number in range(50))
        assert sorted(value for _, value in app.seen)[50:] == ["P"] * 6
        wait_for(streams, State.RUNNING)
        for deleted in admin.delete_topics(["grows-in"]).values():
            deleted.result()
        wait_for(streams, State.ERROR)
        assert streams.failure is not None
        assert "grows-in" in streams.failure.message


def tasks_of(streams: KafkaStreams) -> list[str]:
    return [
        task
        for report in streams.reports().values()
        for task, state in report.tasks.items()
        if state == "running"
    ]


def end_process(value: str) -> str:
    if value == "deadly":
        os._exit(3)
    return value.upper()


def test_a_function_that_ends_its_process_is_found_and_its_record_skipped(
    kafka_broker: LocalBroker,
    spark: SparkSession,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    handler = {"processing.exception.handler": LogAndContinueProcessingExceptionHandler()}
    servers = kafka_broker.bootstrap_servers
    with hosted(
        servers, "deadly", lambda s: s.map_values(end_process), spark, tmp_path, **handler
    ) as (
        app,
        _,
    ):
        app.write(*(("k", f"v{number}") for number in range(20)), ("k", "deadly"), ("k", "after"))
        assert [value for _, value in app.read(21)] == [
            *(f"V{number}" for number in range(20)),
            "AFTER",
        ]
    told = capfd.readouterr().err
    assert "called os._exit(3) at topic 'deadly-in'" in told
    assert "is processed record by record" in told
