"""Another program, or another plan, does not work in the group of one that runs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewPartitions

from penstock import Consumed, Produced, StreamsBuilder, StreamsError, Topology, serdes
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.application.stored_program import last_program
from penstock._engine.kafka.application.topic_watch import TopicWatch
from penstock._engine.kafka.client.topics import existing_topics
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker import agreement
from penstock._engine.kafka.worker.worker import Worker, open_worker
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.fingerprint import fingerprint_of
from penstock._engine.planner.identity import Identity
from penstock.settings import StreamsConfig
from penstock.testing.broker import CreateTopic, LocalBroker
from tests.broker.applications import PATIENCE_SECONDS, settings

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

TEXT = serdes.string()
SHORT = {"consumer.session.timeout.ms": 3000}


def copying(source: str, sink: str) -> Topology:
    builder = StreamsBuilder()
    builder.stream(source, Consumed(TEXT, TEXT)).to(sink, Produced(TEXT, TEXT))
    return builder.build()


def shouting(source: str, sink: str) -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream(source, Consumed(TEXT, TEXT))
        .map_values(lambda value: value.upper())
        .to(sink, Produced(TEXT, TEXT))
    )
    return builder.build()


@contextmanager
def running(blueprint: Blueprint) -> Iterator[Worker]:
    """Run a worker that has all tasks."""
    with TaskHost(blueprint) as host:
        worker = open_worker(blueprint, host, lambda outputs: None)
        until = time.monotonic() + PATIENCE_SECONDS
        while list(worker.figures.tasks().values()) != ["running"] * len(blueprint.tasks):
            assert time.monotonic() < until
            worker.step()
        yield worker
        worker.close()


def config_of(broker: LocalBroker, state: Path, name: str) -> StreamsConfig:
    return settings(broker, state, name, **SHORT)


def test_another_stateless_program_with_the_same_application_id_is_refused(
    kafka_broker: LocalBroker,
    kafka_topic: CreateTopic,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(agreement, "_LEAVE_SECONDS", 0.0)
    source, sink = kafka_topic("in"), kafka_topic("out")
    blueprint = prepare(copying(source, sink), config_of(kafka_broker, tmp_path / "a", "same-id"))
    with running(blueprint):
        with pytest.raises(StreamsError, match="is run by another program: 1 members of its group"):
            prepare(shouting(source, sink), config_of(kafka_broker, tmp_path / "b", "same-id"))
        # The same program on another machine is welcome.
        prepare(copying(source, sink), config_of(kafka_broker, tmp_path / "b", "same-id"))
    # When it has ended, the other one may begin.
    prepare(shouting(source, sink), config_of(kafka_broker, tmp_path / "b", "same-id"))


def test_what_takes_long_starts_before_the_old_program_has_left_and_nothing_is_written(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    source, sink = kafka_topic("in"), kafka_topic("out")
    config = config_of(kafka_broker, tmp_path / "a", f"meanwhile-{source}")
    admin = AdminClient({"bootstrap.servers": kafka_broker.bootstrap_servers})

    def own_topics() -> set[str]:
        return {topic for topic in existing_topics(admin) if config.application_id in topic}

    before = copying(source, sink)
    blueprint, seen = prepare(before, config), []
    began_with = own_topics()
    with ExitStack() as old:
        old.enter_context(running(blueprint))

        def start() -> None:
            seen.append((last_program(config, admin), own_topics()))
            old.close()  # it leaves while the new one starts

        other = config_of(kafka_broker, tmp_path / "b", config.application_id)
        counting = StreamsBuilder()
        counting.stream(source, Consumed(TEXT, TEXT)).group_by_key().count().to_stream()
        prepare(counting.build(), other, start)
    assert seen == [(fingerprint_of(before), began_with)]
    assert own_topics() > began_with
    assert last_program(config, admin) == fingerprint_of(counting.build())


def test_a_worker_with_another_plan_opens_nothing_and_gives_up(
    kafka_broker: LocalBroker,
    kafka_topic: CreateTopic,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As if its driver had looked at the group before the other one was in it."""
    monkeypatch.setattr(agreement, "_LEAVE_SECONDS", 1.0)
    source, sink = kafka_topic("in", 2), kafka_topic("out")
    config = config_of(kafka_broker, tmp_path / "a", "two-plans")
    blueprint = prepare(copying(source, sink), config)
    other = replace(
        blueprint,
        config=config_of(kafka_broker, tmp_path / "b", "two-plans"),
        identity=Identity(blueprint.identity.program, "0" * 8),
    )
    with running(blueprint) as worker, TaskHost(other) as host:
        stranger = open_worker(other, host, lambda outputs: None)

        def both() -> None:
            until = time.monotonic() + PATIENCE_SECONDS
            while time.monotonic() < until:
                worker.step()
                stranger.step()
                assert "running" not in stranger.figures.tasks().values()

        with pytest.raises(StreamsError, match="which still have an old count of partitions"):
            both()
        stranger.abandon()
        until = time.monotonic() + PATIENCE_SECONDS
        while list(worker.figures.tasks().values()) != ["running"] * len(blueprint.tasks):
            assert time.monotonic() < until
            worker.step()


def test_added_partitions_and_deleted_topics_are_noticed(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    source, sink = kafka_topic("in", 2), kafka_topic("out")
    config, topology = config_of(kafka_broker, tmp_path, "watched"), copying(source, sink)
    watch = TopicWatch(topology, config, prepare(topology, config))
    assert watch.look() is None
    admin = AdminClient({"bootstrap.servers": kafka_broker.bootstrap_servers})
    for added in admin.create_partitions([NewPartitions(source, 3)]).values():
        added.result()
    until = time.monotonic() + PATIENCE_SECONDS
    while (change := watch.look()) is None:
        assert time.monotonic() < until
    assert str(change) == f"topic {source!r} has 3 partitions, it had 2"
    watch = TopicWatch(topology, config, prepare(topology, config))
    for deleted in admin.delete_topics([source]).values():
        deleted.result()
    while (change := watch.look()) is None:
        assert time.monotonic() < until
    assert str(change) == f"topic {source!r} is gone"


def test_a_topic_that_was_deleted_and_made_again_is_noticed(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    """Its first records would never be read: the offsets are those of the old topic."""
    source, sink = kafka_topic("in", 1), kafka_topic("out")
    config, topology = config_of(kafka_broker, tmp_path, "remade"), copying(source, sink)
    watch = TopicWatch(topology, config, prepare(topology, config))
    admin = AdminClient({"bootstrap.servers": kafka_broker.bootstrap_servers})
    for deleted in admin.delete_topics([source]).values():
        deleted.result()
    kafka_broker.create_topic(source, 1)
    until = time.monotonic() + PATIENCE_SECONDS
    while (change := watch.look()) is None:
        assert time.monotonic() < until
    assert str(change) == f"topic {source!r} was deleted and made again"
    assert change.must_end
