"""A cluster that does not answer is noticed although no request is pending."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import cast

import pytest
from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.client import admin_calls
from penstock._engine.kafka.client.admin_calls import RenewedAdmin
from penstock._engine.kafka.worker.reachability import Reachability

PATIENCE_SECONDS = 30.0


class FakeCluster:
    """Answers or does not."""

    def __init__(self) -> None:
        self.answers = True
        self.asked = 0

    def list_topics(self, topic: str, timeout: float) -> object:
        assert topic == "tasks"
        self.asked += 1
        if not self.answers:
            raise KafkaException(KafkaError(KafkaError._TRANSPORT))
        return object()


def wait_for(true: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not true():
        assert time.monotonic() < until
        time.sleep(0.001)


def test_a_cluster_that_is_away_is_noticed_and_so_is_its_return() -> None:
    cluster, now = FakeCluster(), [100.0]
    reachability = Reachability(cluster, "tasks", now=lambda: now[0], pause_seconds=0.001)
    wait_for(lambda: cluster.asked > 2)
    assert reachability.away_seconds() is None
    cluster.answers = False
    wait_for(lambda: reachability.away_seconds() == 0.0)
    now[0] = 112.0
    asked = cluster.asked
    wait_for(lambda: cluster.asked > asked + 2)
    assert reachability.away_seconds() == 12.0
    cluster.answers = True
    wait_for(lambda: reachability.away_seconds() is None)
    reachability.close()


def test_a_client_that_never_asks_again_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one does that a cluster has told of no brokers (librdkafka, issue 5301)."""
    monkeypatch.setattr(admin_calls, "_RENEWAL_SECONDS", 0.0)
    lost = FakeCluster()
    lost.answers = False
    clients = [lost, FakeCluster()]
    admin = RenewedAdmin(lambda: cast("AdminClient", clients.pop(0)))
    reachability = Reachability(cast("AdminClient", admin), "tasks", pause_seconds=0.001)
    wait_for(lambda: lost.asked > 0)
    wait_for(lambda: not clients and reachability.away_seconds() is None)
    reachability.close()
