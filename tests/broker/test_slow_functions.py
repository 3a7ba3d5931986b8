"""Slow functions and stalled neighbours hold a worker up; they neither end it nor lose its work."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import Any

import pytest

from penstock import Consumed, Produced, StreamsBuilder, serdes
from penstock._clock import monotonic
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.slow_functions import SlowFunctionWatch
from penstock._engine.kafka.worker.worker import open_worker
from penstock._engine.state.files.directory import StateDirectory
from penstock.testing.broker import CreateTopic, LocalBroker
from tests.broker.applications import PATIENCE_SECONDS, run_until, settings, write

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

TEXT = serdes.string()
RECORDS = 600


def dawdle(value: str) -> str:
    time.sleep(0.01)
    return value


@pytest.mark.parametrize("guarantee", ["exactly_once_v2", "at_least_once"])
def test_a_slow_function_gets_on_although_a_whole_read_takes_longer_than_a_poll_may(
    guarantee: str,
    kafka_broker: LocalBroker,
    kafka_topic: CreateTopic,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    source, sink = kafka_topic("in"), kafka_topic("out")
    write(kafka_broker, source, [("k", str(number)) for number in range(RECORDS)])
    builder = StreamsBuilder()
    builder.stream(source, Consumed(TEXT, TEXT)).map_values(dawdle).to(sink, Produced(TEXT, TEXT))
    short: dict[str, Any] = {
        "processing.guarantee": guarantee,
        "commit.interval.ms": 100,
        "consumer.max.poll.interval.ms": 3000,
        "consumer.session.timeout.ms": 3000,
    }
    config = settings(kafka_broker, tmp_path, f"dawdles-{guarantee}", **short)
    with caplog.at_level(logging.WARNING, "penstock"):
        outputs = run_until(builder.build(), config, lambda seen: len(seen) >= RECORDS)
    assert [output[3] for output in outputs] == [str(number).encode() for number in range(RECORDS)]
    assert "function 'dawdle' (" in caplog.text
    assert "takes 0.0" in caplog.text


def test_a_task_whose_last_owner_stands_still_is_waited_for(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    source = kafka_topic("in", 1)
    builder = StreamsBuilder()
    builder.stream(source, Consumed(TEXT, TEXT)).for_each(lambda key, value: None)
    config = settings(kafka_broker, tmp_path, "waits-for-lock")
    blueprint = prepare(builder.build(), config)
    owner = StateDirectory(config.state_dir, config.application_id).lock_task("0_0")
    with TaskHost(blueprint) as host:
        worker = open_worker(blueprint, host, lambda outputs: None)
        until = time.monotonic() + PATIENCE_SECONDS
        while worker.figures.tasks() != {"0_0": "restoring"} and time.monotonic() < until:
            worker.step()
        for _ in range(5):
            worker.step()
        assert worker.figures.tasks() == {"0_0": "restoring"}
        owner.release()
        while worker.figures.tasks() != {"0_0": "running"} and time.monotonic() < until:
            worker.step()
        assert worker.figures.tasks() == {"0_0": "running"}
        worker.close()


def test_a_function_that_does_not_return_is_named(caplog: pytest.LogCaptureFixture) -> None:
    watch = SlowFunctionWatch(hang_seconds=0.0)
    with caplog.at_level(logging.WARNING, "penstock"):
        watch.begin(monotonic())
        until = time.monotonic() + PATIENCE_SECONDS
        while not caplog.records and time.monotonic() < until:
            dawdle("x")
        watch.end()
    watch.close()
    assert "test_slow_functions.py" in caplog.text
    assert "has not returned for" in caplog.text
