"""Joins on a real broker with a restart in the middle: what was kept and what waits is found again.

Once with the local state as it was left, once without it: then the changelogs bring it back.
"""

from __future__ import annotations

import time
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
from confluent_kafka import Producer

from penstock import (
    Consumed,
    Joined,
    JoinWindows,
    KTable,
    Materialized,
    Produced,
    StreamJoined,
    StreamsBuilder,
    Topology,
    serdes,
)
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.worker import open_worker
from penstock._engine.runtime.records import Output
from penstock.settings import StreamsConfig
from penstock.settings.table import JOIN_EMIT_INTERVAL
from penstock.testing.broker import CreateTopic

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

TEXT = serdes.string()
READ = Consumed(key=TEXT, value=TEXT)
WRITE = Produced(key=TEXT, value=TEXT)


def both(left: str | None, right: str | None) -> str:
    return f"{left or '-'}{right or '-'}"


class Application:
    """A program that can be stopped, and started again with or without its local state."""

    def __init__(self, topology: Topology, config: dict[str, Any]) -> None:
        self._config = StreamsConfig(
            {"processing.guarantee": "exactly_once_v2", "commit.interval.ms": 50, **config}
        )
        self._topology = topology
        self._outputs: list[Output] = []
        self._producer = Producer({"bootstrap.servers": self._config.bootstrap_servers})
        self._start()

    def write(self, topic: str, key: str, value: str, timestamp: int) -> None:
        self._producer.produce(topic, value, key, timestamp=timestamp)
        self._producer.flush()

    def values(self, topic: str, count: int) -> list[str]:
        """Work until so many records of a topic have come out and been committed."""
        until = time.monotonic() + 60
        while len(self._of(topic)) < count and time.monotonic() < until:
            self._worker.step()
        return self._of(topic)

    def work(self, topic: str, records: int) -> None:
        """Work until so many records of a changelog have come out."""
        assert len(self.values(topic, records)) >= records

    def restart(self, *, wiped: bool) -> None:
        self.close()
        if wiped:
            rmtree(self._config.state_dir)
        self._start()

    def close(self) -> None:
        self._worker.close()
        self._host.close()

    def _start(self) -> None:
        blueprint = prepare(self._topology, self._config)
        self._host = TaskHost(blueprint)
        self._worker = open_worker(blueprint, self._host, self._outputs.extend)

    def _of(self, topic: str) -> list[str]:
        return [
            value.decode(errors="replace") if value is not None else ""
            for name, _, _, value, _, _ in self._outputs
            if name == topic
        ]


@pytest.mark.parametrize("wiped", [False, True], ids=["local state", "changelog"])
def test_an_outer_join_goes_on_with_what_was_kept_and_what_waits(
    wiped: bool, kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    left, right, out = kafka_topic("left"), kafka_topic("right"), kafka_topic("out")
    builder = StreamsBuilder()
    builder.stream(left, READ).outer_join(
        builder.stream(right, READ),
        both,
        JoinWindows.of_time_difference(10),
        StreamJoined(key=TEXT, value=TEXT, other_value=TEXT, name="join", store_name="kept"),
    ).to(out, WRITE)
    name = f"outer-{left}"
    application = Application(
        builder.build(),
        {
            "application.id": name,
            "bootstrap.servers": kafka_broker.bootstrap_servers,
            "state.dir": str(tmp_path / "state"),
            JOIN_EMIT_INTERVAL: 0,
        },
    )
    application.write(left, "met", "A", 1000)
    application.write(left, "alone", "B", 1001)
    application.write(right, "lonely", "c", 1002)
    application.work(f"{name}-kept-outer-shared-join-store-changelog", 3)
    application.restart(wiped=wiped)
    application.write(right, "met", "a", 1005)
    assert application.values(out, 1) == ["Aa"]
    application.write(left, "later", "Z", 1100)
    assert application.values(out, 3) == ["Aa", "B-", "-c"]
    application.close()


@pytest.mark.parametrize("wiped", [False, True], ids=["local state", "changelog"])
def test_records_that_wait_for_late_rows_go_on_waiting(
    wiped: bool, kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    left, right, out = kafka_topic("left"), kafka_topic("right"), kafka_topic("out")
    builder = StreamsBuilder()
    table: KTable[str, str] = builder.table(
        right, READ, Materialized("rows", key=TEXT, value=TEXT, history_retention=60_000)
    )
    joined = Joined("joined", key=TEXT, value=TEXT, other_value=TEXT, grace=50)
    builder.stream(left, READ).left_join(table, both, joined).to(out, WRITE)
    name = f"grace-{left}"
    application = Application(
        builder.build(),
        {
            "application.id": name,
            "bootstrap.servers": kafka_broker.bootstrap_servers,
            "state.dir": str(tmp_path / "state"),
        },
    )
    application.write(left, "k", "A", 1000)
    application.work(f"{name}-joined-Buffer-changelog", 1)
    application.restart(wiped=wiped)
    application.write(right, "k", "late", 999)
    application.work(f"{name}-rows-changelog", 1)
    application.write(left, "k", "B", 1049)
    application.write(left, "x", "C", 1050)
    assert application.values(out, 1) == ["Alate"]
    application.write(left, "x", "D", 1099)
    assert application.values(out, 2) == ["Alate", "Blate"]
    application.close()
