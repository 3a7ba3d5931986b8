"""The lag of tasks that no worker runs, from the group's committed offsets on a real broker."""

from __future__ import annotations

from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from penstock import Consumed, Produced, StreamsBuilder, serdes
from penstock._engine.kafka.application.group_progress import GroupProgress
from penstock._engine.kafka.application.preparation import prepare
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
