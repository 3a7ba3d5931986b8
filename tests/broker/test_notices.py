"""Notices between the instances of an application, through a real topic."""

from __future__ import annotations

import time

import pytest

from penstock._engine.kafka.application.notices import NoticeBoard
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock.settings import StreamsConfig
from penstock.testing.broker import CreateTopic

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]


def wait_for_reason(board: NoticeBoard, seconds: float) -> str | None:
    until = time.monotonic() + seconds
    while (reason := board.shutdown_reason()) is None and time.monotonic() < until:
        time.sleep(0.05)
    return reason


@pytest.mark.parametrize("guarantee", ["at_least_once", "exactly_once_v2"])
def test_a_notice_reaches_all_that_run_and_none_that_start_later(
    guarantee: str, kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    topic = kafka_topic("tasks", partitions=3, config={"cleanup.policy": "compact"})
    config = StreamsConfig(
        {
            "application.id": "noticed",
            "bootstrap.servers": kafka_broker.bootstrap_servers,
            "processing.guarantee": guarantee,
        }
    )
    writer, reader = NoticeBoard(config, topic), NoticeBoard(config, topic)
    assert wait_for_reason(reader, 0.5) is None
    writer.post_shutdown("bad record")
    later = NoticeBoard(config, topic)
    assert wait_for_reason(reader, 60) == "bad record"
    assert wait_for_reason(later, 1) is None
    for board in (writer, reader, later):
        board.close()
    assert reader.shutdown_reason() is None
