"""Notices between the instances of an application, through a real topic."""

from __future__ import annotations

import time
from random import Random

import pytest

from penstock._engine.kafka.application.notices import NoticeBoard
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock.settings import StreamsConfig
from penstock.testing.broker import CreateTopic

PATIENCE_SECONDS = 60.0

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

    def board() -> NoticeBoard:
        return NoticeBoard(config, topic, lambda driver_id, announcement: None)

    writer, reader = board(), board()
    assert wait_for_reason(reader, 0.5) is None
    writer.post_shutdown("bad record")
    later = board()
    assert wait_for_reason(reader, 60) == "bad record"
    assert wait_for_reason(later, 1) is None
    for one in (writer, reader, later):
        one.close()
    assert reader.shutdown_reason() is None


class Heard:
    """What a board brings of other instances."""

    def __init__(self, config: StreamsConfig, topic: str) -> None:
        self.announcements: list[tuple[str, bytes | None]] = []
        self.board = NoticeBoard(config, topic, lambda *heard: self.announcements.append(heard))

    def wait(self, count: int) -> list[tuple[str, bytes | None]]:
        until = time.monotonic() + PATIENCE_SECONDS
        while len(self.announcements) < count and time.monotonic() < until:
            assert self.board.shutdown_reason() is None
            assert self.board.take_failure() is None
            time.sleep(0.05)
        return self.announcements


def test_announcements_reach_all_that_run_in_order_and_the_last_word_is_written(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    topic = kafka_topic("drivers", partitions=1, config={"cleanup.policy": "compact"})
    config = StreamsConfig(
        {
            "application.id": "announced",
            "bootstrap.servers": kafka_broker.bootstrap_servers,
            "processing.guarantee": "exactly_once_v2",
            "consumer.session.timeout.ms": 7000,
        }
    )
    first, second = Heard(config, topic), Heard(config, topic)
    assert first.board.session_seconds == 7
    for number in range(20):
        first.board.announce("a", b"%d" % number)
    expected: list[tuple[str, bytes | None]] = [("a", b"%d" % number) for number in range(20)]
    assert second.wait(20) == expected
    assert first.wait(20) == expected  # an instance knows its own id
    first.board.announce("a", None)
    first.board.announce("a", b"a ghost")
    first.board.close()
    assert second.wait(21) == [*expected, ("a", None)]
    # What was announced before is nothing to one that starts later.
    later = Heard(config, topic)
    second.board.announce("b", b"here")
    assert later.wait(1) == [("b", b"here")]
    for one in (second, later):
        one.board.close()
    later.board.announce("b", b"closed")


def test_an_announcement_that_fails_is_reported(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    topic = kafka_topic("small", partitions=1, config={"max.message.bytes": "1000"})
    config = StreamsConfig(
        {"application.id": "failing", "bootstrap.servers": kafka_broker.bootstrap_servers}
    )
    board = NoticeBoard(config, topic, lambda *heard: None)
    try:
        board.announce("a", Random(1).randbytes(20_000))
        until, failure = time.monotonic() + PATIENCE_SECONDS, None
        while failure is None and time.monotonic() < until:
            failure = board.take_failure()
            time.sleep(0.05)
        assert failure is not None
        assert "size" in failure
        assert board.take_failure() is None
        board.announce("a", bytes(20 << 20))  # the client itself refuses it
        assert "size" in (board.take_failure() or "")
    finally:
        board.close()
