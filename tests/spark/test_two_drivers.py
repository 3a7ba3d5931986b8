"""Two drivers of one application, and a slot that hangs, on Spark in earnest."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from penstock import KafkaStreams, State
from penstock._engine.control.protocol.messages import Report
from penstock._engine.control.status import GONE
from penstock._engine.kafka.local_broker.broker import LocalBroker
from tests.spark.hosted import hosted
from tests.spark.test_available_now import expected, read, topology, write
from tests.spark.test_control import living, shares, wait_for

pytestmark = pytest.mark.slow

PATIENCE_MS = 180_000


@pytest.mark.long
def test_two_bounded_runs_on_two_drivers_both_end(
    kafka_broker: LocalBroker, spark: SparkSession, tmp_path: Path
) -> None:
    servers, name = kafka_broker.bootstrap_servers, "two-bounded"
    for part in ("in", "out"):
        kafka_broker.create_topic(f"{name}-{part}", 3)
    write(servers, f"{name}-in", range(1000))
    runs = [
        KafkaStreams(
            topology(name),
            {
                "application.id": name,
                "bootstrap.servers": servers,
                "state.dir": str(tmp_path / str(number)),
                "processing.guarantee": "exactly_once_v2",
                "num.stream.threads": 1,
            },
            # Spark wants the names of queries to be unique within a session.
            spark=spark.newSession(),
        )
        for number in range(2)
    ]
    for streams in runs:
        streams.start(available_now=True)
    for streams in runs:
        assert streams.wait_until(State.NOT_RUNNING, PATIENCE_MS), (
            streams.state,
            streams.reports(),
        )
        assert streams.failure is None
    assert read(servers, f"{name}-out") == expected(range(1000))


def test_a_hung_slot_does_not_end_its_neighbours(
    kafka_broker: LocalBroker, spark: SparkSession, tmp_path: Path
) -> None:
    servers = kafka_broker.bootstrap_servers
    # The group keeps the tasks where they are; without a turn the lease would be over soon.
    settings = {
        "penstock.turn.ms": 500,
        "penstock.lease.ms": 3000,
        "consumer.session.timeout.ms": 45_000,
    }
    with hosted(servers, "hung", lambda s: s, spark, tmp_path, **settings) as (app, streams):
        wait_for(lambda: shares(streams) == [["0_0"], ["0_1"]])
        victim, healthy = sorted(living(streams), key=lambda report: report.pid)

        def of_healthy() -> Report:
            return streams.reports()[healthy.member_id]

        os.kill(victim.pid, signal.SIGSTOP)
        try:
            # Four reports a second at most: this is three leases later.
            enough = of_healthy().number + 40
            wait_for(lambda: of_healthy().number >= enough or of_healthy().state in GONE)
            assert (of_healthy().pid, of_healthy().state) == (healthy.pid, "running")
            assert streams.reports()[victim.member_id].state == "silent"
            app.write(*((f"k{number}", "x") for number in range(40)))
            assert app.read(1)
        finally:
            os.kill(victim.pid, signal.SIGCONT)
        assert len(app.read(40)) == 40
