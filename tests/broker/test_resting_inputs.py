"""Offsets of inputs that rest are committed again, of topics that are still there."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient

from penstock import Consumed, Produced, StreamsBuilder, serdes
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.client.groups import committed_offsets
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.worker import open_worker
from penstock._engine.runtime.records import Output
from penstock.testing.broker import CreateTopic, LocalBroker
from tests.broker.applications import PATIENCE_SECONDS, settings, write

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

TEXT = serdes.string()


def until(happened: Callable[[], bool], step: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not happened():
        assert time.monotonic() < deadline
        step()


@pytest.mark.parametrize("guarantee", ["exactly_once_v2", "at_least_once"])
def test_a_topic_of_a_pattern_that_is_deleted_while_it_rests_does_not_stop_the_others(
    guarantee: str, kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    busy, out = kafka_topic("rests-busy"), kafka_topic("rests-out")
    deleted = f"{busy}-deleted"
    kafka_broker.create_topic(deleted, 1)
    builder = StreamsBuilder()
    builder.stream(re.compile(f"{busy}.*"), Consumed(TEXT, TEXT)).to(out, Produced(TEXT, TEXT))
    often = {"commit.interval.ms": 50, "processing.guarantee": guarantee}
    config = settings(kafka_broker, tmp_path, f"rests-{busy}", **often)
    admin = AdminClient({"bootstrap.servers": kafka_broker.bootstrap_servers})
    for topic in (busy, deleted):
        write(kafka_broker, topic, [("k", "1")])
    blueprint, seen = prepare(builder.build(), config), list[Output]()

    def committed() -> dict[tuple[str, int], int]:
        return committed_offsets(config)

    with TaskHost(blueprint) as host:
        worker = open_worker(blueprint, host, seen.extend)
        until(lambda: (deleted, 0) in committed() and (busy, 0) in committed(), worker.step)
        worker.commit(checkpoint=True, rests=True)
        for answer in admin.delete_topics([deleted], operation_timeout=10).values():
            answer.result()
        until(lambda: (deleted, 0) not in committed(), lambda: time.sleep(0.1))
        write(kafka_broker, busy, [("k", "2")])
        until(lambda: len(seen) >= 3, worker.step)
        begin = time.monotonic()
        worker.commit(checkpoint=True, rests=True)  # as each hour
        worker.commit(checkpoint=True)  # as for tasks that are revoked
        assert time.monotonic() - begin < 8
        write(kafka_broker, busy, [("k", "3")])
        until(lambda: len(seen) >= 4, worker.step)
        worker.close()
    assert len(seen) == 4
    assert committed()[busy, 0] >= 3
