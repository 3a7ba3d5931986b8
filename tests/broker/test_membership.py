"""Members of the group: one that another has taken the place of, one that leaves as it comes."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from confluent_kafka import ConsumerGroupState
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from penstock._engine.kafka.client.client_errors import TaskMigrated
from penstock._engine.kafka.client.clients import consumer_settings
from penstock._engine.kafka.client.groups import tasks_by_member
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock._engine.kafka.worker import membership
from penstock._engine.kafka.worker.membership import Membership
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig
from penstock.testing.broker import CreateTopic
from tests.broker.applications import PATIENCE_SECONDS

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]


GROUP = "membership"
JOIN_MS = 1000


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


def come(
    bootstrap_servers: str,
    topic: str,
    owner: Owner,
    *,
    name: str = "one",
    group: str = GROUP,
    **settings: int,
) -> Membership:
    """Join, unless told otherwise with the member id of another process."""
    given = {f"consumer.{key.replace('_', '.')}": value for key, value in settings.items()}
    config = StreamsConfig(
        {"application.id": group, "bootstrap.servers": bootstrap_servers, **given}
    )
    return Membership(
        {**consumer_settings(config, "group"), "group.instance.id": name}, topic, owner
    )


def join(broker: LocalBroker, topic: str) -> tuple[Membership, Owner]:
    """Come, and wait for the tasks."""
    owner = Owner()
    member = come(broker.bootstrap_servers, topic, owner)
    until = time.monotonic() + PATIENCE_SECONDS
    while not owner.tasks and time.monotonic() < until:
        member.poll(0.1)
    return member, owner


def poll_until_fenced(member: Membership) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        member.poll(0.1)


def test_a_member_that_was_fenced_joins_anew(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    """A join that was sent twice, through a network that held it back, fences the one who sent it:
    this ended the application (seed 3001 of tests/chaos, black-hole).
    """
    topic = kafka_topic("tasks")
    first, first_owner = join(kafka_broker, topic)
    second, _ = join(kafka_broker, topic)
    with pytest.raises(TaskMigrated, match="joins anew"):
        poll_until_fenced(first)
    assert first_owner.tasks == set()
    second.consumer.close()
    until = time.monotonic() + PATIENCE_SECONDS
    while not first_owner.tasks and time.monotonic() < until:
        first.poll(0.1)
    assert first_owner.tasks == {0}
    first.leave()


def test_a_member_that_is_fenced_again_and_again_says_why(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(membership, "_FENCED_TIMES", 0)
    topic = kafka_topic("tasks")
    first, _ = join(kafka_broker, topic)
    second, owner = join(kafka_broker, topic)
    with pytest.raises(StreamsError, match="another process has the same member id"):
        poll_until_fenced(first)
    first.leave()
    assert owner.tasks == {0}
    second.leave()


KILLED = """
import os, sys, time
from tests.broker.test_membership import Owner, come


class Killed(Owner):
    def tasks_assigned(self, tasks):
        print("joined", flush=True)
        if sys.argv[4] == "b":
            os.kill(os.getpid(), 9)

    def tasks_revoked(self, tasks):
        os.kill(os.getpid(), 9)


member = come(sys.argv[1], sys.argv[2], Killed(), name=sys.argv[4], group=sys.argv[3])
until = time.monotonic() + 60
while time.monotonic() < until:
    member.poll(0.05)
"""


def test_tasks_of_a_rebalance_in_whose_midst_all_were_killed_get_an_owner(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    """Both come back with the assignment of its first step: `a` has to give tasks up, `b` has none
    yet. No one ever gets those tasks unless a member joins anew.
    """
    topic, group = kafka_topic("tasks", partitions=4), "orphans"
    servers = kafka_broker.bootstrap_servers

    def start(name: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", KILLED, servers, topic, group, name]
        root = Path(__file__).parents[2]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root)

    first = start("a")
    assert first.stdout is not None
    assert first.stdout.readline() == "joined\n"
    second = start("b")
    for process in (first, second):
        assert process.wait(PATIENCE_SECONDS) == -signal.SIGKILL
        assert process.stdout is not None
        process.stdout.close()
    owners = {"a": Owner(), "b": Owner()}
    members = {name: come(servers, topic, owners[name], name=name, group=group) for name in owners}

    def poll_until(tasks: int) -> None:
        until = time.monotonic() + PATIENCE_SECONDS
        while sum(len(owner.tasks) for owner in owners.values()) < tasks:
            assert time.monotonic() < until, owners
            for member in members.values():
                member.poll(0.05)

    poll_until(2)
    admin = AdminClient({"bootstrap.servers": servers})
    given = tasks_by_member(admin, group, topic)
    assert {name: len(tasks) for name, tasks in given.items()} == {"a": 2, "b": 0}
    members["b"].rejoin()
    poll_until(4)
    assert owners["a"].tasks | owners["b"].tasks == {0, 1, 2, 3}
    for member in members.values():
        member.leave()


def test_who_leaves_before_its_join_is_answered_is_no_member(tmp_path: Path) -> None:
    settings = {"group.initial.rebalance.delay.ms": JOIN_MS}
    with LocalBroker(tmp_path, settings=settings) as broker:
        servers = broker.bootstrap_servers
        admin = AdminClient({"bootstrap.servers": servers})
        admin.create_topics([NewTopic("tasks", 1, 1)])["tasks"].result()
        member = come(servers, "tasks", Owner())

        def group() -> ConsumerGroupState:
            state: ConsumerGroupState
            state = admin.describe_consumer_groups([GROUP])[GROUP].result().state
            return state

        until = time.monotonic() + PATIENCE_SECONDS
        while group() is not ConsumerGroupState.PREPARING_REBALANCING:
            assert time.monotonic() < until
            member.poll(0.01)
        member.leave()
        assert group() is ConsumerGroupState.EMPTY


def test_who_was_silent_for_too_long_gets_tasks_again_although_another_has_joined(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    """A function hung while another worker joined: when it returned, the client kept the tasks of
    the rebalance in between, and the worker had given all up. No member processed anything
    (seed 7103004 of tests/chaos, hanging-function).
    """
    topic, short = (
        kafka_topic("tasks", 4),
        {"max_poll_interval_ms": 3000, "session_timeout_ms": 3000},
    )
    servers, owners = kafka_broker.bootstrap_servers, (Owner(), Owner())
    silent = come(servers, topic, owners[0], name="silent", group="silence", **short)
    until = time.monotonic() + PATIENCE_SECONDS
    while len(owners[0].tasks) < 4 and time.monotonic() < until:
        silent.poll(0.1)
    other = come(servers, topic, owners[1], name="other", group="silence", **short)
    silence = time.monotonic() + 3.5
    while time.monotonic() < silence:
        other.poll(0.1)
    lost = 0
    while not (lost and all(owner.tasks for owner in owners)) and time.monotonic() < until:
        other.poll(0.05)
        try:
            silent.poll(0.05)
        except TaskMigrated:
            lost += 1
    assert lost == 1
    assert owners[0].tasks | owners[1].tasks == {0, 1, 2, 3}
    assert not owners[0].tasks & owners[1].tasks
    silent.leave()
    other.leave()
