"""The lag of tasks that no worker runs, from the group's committed offsets on a real broker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from penstock import Consumed, Produced, StreamsBuilder, serdes
from penstock._engine.kafka.application import group_progress
from penstock._engine.kafka.application.group_progress import GroupProgress
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.client.groups import tasks_by_member
from penstock.settings import StreamsConfig
from penstock.testing.broker import CreateTopic, LocalBroker

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

TEXT = serdes.string()


@pytest.mark.parametrize(
    ("reset", "expected"), [("earliest", (10, 6, 4)), ("latest", (6, 6, 0))], ids=str
)
def test_what_is_not_committed_counts(
    kafka_broker: LocalBroker,
    kafka_topic: CreateTopic,
    tmp_path: Path,
    reset: str,
    expected: tuple[int, int, int],
) -> None:
    """Partition 0 has ten records, four of them committed; partition 1 has four and no commit."""
    lines, out, servers = kafka_topic(partitions=2), kafka_topic(), kafka_broker.bootstrap_servers
    builder = StreamsBuilder()
    builder.stream(lines, Consumed(TEXT, TEXT)).to(out, Produced(TEXT, TEXT))
    config = StreamsConfig(
        {
            "application.id": f"lag-{lines}",
            "bootstrap.servers": servers,
            "state.dir": str(tmp_path),
            "auto.offset.reset": reset,
        }
    )
    producer = Producer({"bootstrap.servers": servers})
    for partition, count in ((0, 10), (1, 4)):
        for number in range(count):
            producer.produce(lines, str(number).encode(), partition=partition)
    producer.flush()
    consumer = Consumer({"bootstrap.servers": servers, "group.id": config.application_id})
    consumer.commit(offsets=[TopicPartition(lines, 0, 4)], asynchronous=False)
    consumer.close()

    group = GroupProgress(prepare(builder.build(), config))

    lags = tuple(group.lag_of(tasks) for tasks in ({"0_0", "0_1"}, {"0_0"}, {"0_1"}))
    assert lags == expected
    assert group.lag_of(set()) == 0


def test_looks_that_follow_each_other_ask_the_broker_once(
    kafka_topic: CreateTopic,
    kafka_broker: LocalBroker,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines, servers = kafka_topic(), kafka_broker.bootstrap_servers
    builder = StreamsBuilder()
    builder.stream(lines, Consumed(TEXT, TEXT)).to(kafka_topic(), Produced(TEXT, TEXT))
    settings = {"application.id": f"once-{lines}", "bootstrap.servers": servers}
    config = StreamsConfig({**settings, "state.dir": str(tmp_path)})
    group = GroupProgress(prepare(builder.build(), config))
    asked = []
    real = tasks_by_member

    def counted(*arguments: Any) -> dict[str, set[int]]:
        asked.append(arguments)
        return real(*arguments)

    monkeypatch.setattr(group_progress, "tasks_by_member", counted)
    monkeypatch.setattr(group_progress, "_SAME_LOOK_SECONDS", 60.0)
    assert (group.tasks_of_others(()), group.tasks_without_member()) == (set(), set())
    assert len(asked) == 1
    monkeypatch.setattr(group_progress, "_SAME_LOOK_SECONDS", 0.0)
    group._held_until = 0.0
    assert (group.tasks_of_others(()), group.tasks_of_others(())) == (set(), set())
    assert len(asked) == 3
