"""A member of the group that another has taken the place of."""

from __future__ import annotations

import time
from collections.abc import Iterable

import pytest

from penstock._engine.kafka.broker import LocalBroker
from penstock._engine.kafka.clients import consumer_settings
from penstock._engine.kafka.membership import Membership
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig
from penstock.testing.broker import CreateTopic
from tests.broker.applications import PATIENCE_SECONDS

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]


class Owner:
    """Notes the tasks it is given."""

    def __init__(self) -> None:
        self.tasks: set[int] = set()

    def tasks_assigned(self, tasks: Iterable[int]) -> None:
        self.tasks.update(tasks)

    def tasks_revoked(self, tasks: Iterable[int]) -> None:
        self.tasks -= set(tasks)

    def tasks_lost(self, tasks: Iterable[int]) -> None:
        self.tasks -= set(tasks)


def join(broker: LocalBroker, topic: str) -> tuple[Membership, Owner]:
    """Join under the same name as anybody else, and wait for the tasks."""
    config = StreamsConfig(
        {"application.id": "fenced", "bootstrap.servers": broker.bootstrap_servers}
    )
    owner = Owner()
    settings = {**consumer_settings(config, "group"), "group.instance.id": "one"}
    member = Membership(settings, topic, owner)
    until = time.monotonic() + PATIENCE_SECONDS
    while not owner.tasks and time.monotonic() < until:
        member.poll(0.1)
    return member, owner


def test_who_was_fenced_leaves_without_a_word(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    topic = kafka_topic("tasks")
    first, _ = join(kafka_broker, topic)
    second, owner = join(kafka_broker, topic)

    def learn() -> None:
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until:
            first.poll(0.1)

    with pytest.raises(StreamsError, match="fenced"):
        learn()
    first.leave()
    assert owner.tasks == {0}
    second.leave()
