"""Inputs that are joined but not partitioned alike are refused before anything runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient

from penstock import (
    Consumed,
    Grouped,
    JoinWindows,
    KStream,
    Repartitioned,
    StreamJoined,
    StreamsBuilder,
    serdes,
)
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.client.topics import existing_topics
from penstock.errors import StreamsError
from penstock.testing.broker import CreateTopic, LocalBroker
from tests.broker.applications import settings

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

TEXT = serdes.string()
READ, GROUP = Consumed(TEXT, TEXT), Grouped(key=TEXT, value=TEXT)
NEAR, KEPT = JoinWindows.of_time_difference(1_000), StreamJoined("j", TEXT, TEXT, TEXT)

Stream = KStream[str, str]


def both(left: str, right: str) -> str:
    return f"{left}{right}"


def longest(key: str, value: str, held: str) -> str:
    return max(value, held, key=len)


JOINS: dict[str, Callable[[StreamsBuilder, str, str], object]] = {
    "stream-stream": lambda b, left, right: b.stream(left, READ).join(
        b.stream(right, READ), both, NEAR, KEPT
    ),
    "stream-table": lambda b, left, right: b.stream(left, READ).join(b.table(right, READ), both),
    "table-table": lambda b, left, right: b.table(left, READ).join(b.table(right, READ), both),
    "cogroup": lambda b, left, right: (
        b.stream(left, READ)
        .group_by_key(GROUP)
        .cogroup(longest)
        .cogroup(b.stream(right, READ).group_by_key(GROUP), longest)
        .aggregate(str)
    ),
}


@pytest.mark.parametrize("name", JOINS)
def test_both_topics_their_counts_and_the_fix_are_told_and_nothing_is_made(
    name: str, kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    left, right = kafka_topic("left", partitions=2), kafka_topic("right", partitions=3)
    builder = StreamsBuilder()
    JOINS[name](builder, left, right)
    config = settings(kafka_broker, tmp_path, f"app-{left}")
    with pytest.raises(StreamsError) as refused:
        prepare(builder.build(), config)
    text = str(refused.value)
    assert f"{left!r} has 2" in text
    assert f"{right!r} has 3" in text
    assert "repartition one of the streams" in text
    admin = AdminClient({"bootstrap.servers": kafka_broker.bootstrap_servers})
    assert [topic for topic in existing_topics(admin) if topic.startswith(f"app-{left}")] == []


def test_the_fix_helps(kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path) -> None:
    left, right = kafka_topic("left", partitions=2), kafka_topic("right", partitions=3)
    builder = StreamsBuilder()
    wider = builder.stream(left, READ).repartition(Repartitioned("wider", TEXT, TEXT, partitions=3))
    wider.join(builder.stream(right, READ), both, NEAR, KEPT)
    blueprint = prepare(builder.build(), settings(kafka_broker, tmp_path, f"app-{left}"))
    assert blueprint.partition_counts[f"app-{left}-wider-repartition"] == 3
    joined = [task.id for task in blueprint.tasks if (right, 0) in task.inputs or task.id[0] == "1"]
    assert len(joined) == 3
