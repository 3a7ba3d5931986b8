"""All connections of a worker are reset at once: it connects anew and goes on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer
from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.client.clients import admin_settings, producer_settings
from penstock._engine.kafka.worker.transactions import ExactlyOnce
from penstock._engine.runtime.commit import CommitOffset
from penstock.settings import StreamsConfig
from tests.chaos.cluster import Cluster

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

PATIENCE_SECONDS = 60.0


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """Return a broker behind a proxy."""
    with Cluster(tmp_path / "cluster") as cluster:
        cluster.brokers[0].create_topic("out")
        yield cluster


def joined(cluster: Cluster) -> Consumer:
    """Make a member of a group."""
    member = Consumer({"bootstrap.servers": cluster.direct, "group.id": "resets"})
    member.subscribe(["out"])
    until = time.monotonic() + PATIENCE_SECONDS
    while not member.assignment():
        assert time.monotonic() < until
        member.poll(0.1)
    return member


def test_offsets_join_a_transaction_after_all_connections_were_reset(cluster: Cluster) -> None:
    """The client would begin at its bootstrap servers again, and forget for ever who coordinates
    the group (librdkafka, issue 5511): each reset cost half a minute.
    """
    member = joined(cluster)
    config = StreamsConfig(
        {
            "application.id": "resets",
            "bootstrap.servers": cluster.servers,
            "processing.guarantee": "exactly_once_v2",
        }
    )
    committer = ExactlyOnce(producer_settings(config, "one"))
    committer.prepare()
    metadata: Any = member.consumer_group_metadata()
    for number in range(3):
        committer.send([("out", 0, b"key", b"value", 0, ())])
        # Raises if the offsets are not taken in 20 s.
        committer.commit({("out", 0): CommitOffset(number, "")}, metadata)
        cluster.proxies.reset()
        # Time for the client to notice, or it would find the connection of before.
        time.sleep(0.5)
    committer.close()
    member.close()


def test_the_group_can_be_looked_at_after_all_connections_were_reset(cluster: Cluster) -> None:
    """The admin client forgot the coordinator as well: members that wait to know each other before
    they begin waited for ever.
    """
    member = joined(cluster)
    config = StreamsConfig({"application.id": "resets", "bootstrap.servers": cluster.servers})
    admin = AdminClient(admin_settings(config))
    for _ in range(3):
        described = admin.describe_consumer_groups(["resets"], request_timeout=10)
        assert len(described["resets"].result().members) == 1
        cluster.proxies.reset()
        time.sleep(0.5)
        # It is connected again: no new connection wakes what waits for the coordinator.
        admin.list_topics(timeout=10)
    member.close()
