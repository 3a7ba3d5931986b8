"""Two instances of one application, as two drivers have them, each with one worker in this process:
when each of them runs, and when their bounded runs are over.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from confluent_kafka import Producer

from penstock import Consumed, Grouped, Materialized, Produced, StreamsBuilder, Topology, serdes
from penstock._engine.control.instance import Instance
from penstock._engine.control.protocol.messages import Report
from penstock._engine.kafka.application.agreed_ends import Ends, agree_on_ends
from penstock._engine.kafka.application.group_progress import GroupProgress
from penstock._engine.kafka.application.preparation import bounded, prepare
from penstock._engine.kafka.client.admin_calls import open_admin
from penstock._engine.kafka.client.groups import tasks_by_member
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.worker import open_worker
from penstock._engine.planner.blueprint import Blueprint
from penstock.settings import StreamsConfig
from penstock.testing.broker import CreateTopic, LocalBroker
from tests.broker.applications import PATIENCE_SECONDS, latest, settings, write

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

TEXT = serdes.string()
LOOK_SECONDS = 0.3


def counting(lines: str, out: str) -> Topology:
    """Count by word, behind a repartition topic."""
    builder = StreamsBuilder()
    (
        builder.stream(lines, Consumed(TEXT, TEXT))
        .group_by(lambda key, word: word, Grouped("words", key=TEXT, value=TEXT))
        .count(Materialized("counts", key=TEXT, value=serdes.long()))
        .to_stream()
        .map_values(str)
        .to(out, Produced(TEXT, TEXT))
    )
    return builder.build()


class OneInstance:
    """What a driver and its worker do, without Spark between them."""

    def __init__(self, blueprint: Blueprint, host: TaskHost) -> None:
        self.worker = open_worker(blueprint, host, lambda outputs: None)
        self._member_id = host.member_id
        self.over = False
        self._is_bounded = blueprint.ends is not None
        self._instance = Instance((one.id for one in blueprint.tasks), bounded=self._is_bounded)
        self._group = GroupProgress(blueprint)
        self._look_at = 0.0
        self._reports: dict[str, Report] = {}

    @property
    def running(self) -> bool:
        return self._instance.is_running(self._reports)

    def step(self) -> None:
        """Work, report, look at the group, and close when it is over."""
        if self.over:
            return
        self.worker.step()
        if time.monotonic() < self._look_at:
            return
        self._look_at = time.monotonic() + LOOK_SECONDS
        worker = self.worker
        report = Report(
            self._member_id,
            "running",
            tasks=worker.figures.tasks(),
            counters=worker.figures.counters(),
            caught_up=self._is_bounded and worker.figures.drained(),
            joined=worker.joined,
        )
        self._reports = {self._member_id: report}
        over = self._instance.is_over(report)
        if self._instance.look_at_group(self._group, self._reports) or over:
            self.over = True
            worker.close()


@contextmanager
def instance(blueprint: Blueprint) -> Iterator[OneInstance]:
    with TaskHost(blueprint) as host:
        one = OneInstance(blueprint, host)
        try:
            yield one
        finally:
            if not one.over:
                one.worker.abandon()


def step_until(true: Callable[[], bool], *instances: OneInstance) -> None:
    """Run each instance on a thread of its own: a commit may wait for a rebalance, and that
    for the other instance.
    """
    done, failures = threading.Event(), list[BaseException]()

    def work(one: OneInstance) -> None:
        try:
            while not done.is_set() and not one.over:
                one.step()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(one,), daemon=True) for one in instances]
    for thread in threads:
        thread.start()
    until = time.monotonic() + PATIENCE_SECONDS
    try:
        while not failures and not true():
            assert time.monotonic() < until, [one.worker.figures.tasks() for one in instances]
            time.sleep(0.02)
    finally:
        done.set()
        for thread in threads:
            thread.join(PATIENCE_SECONDS)
    assert failures == []


def both_have_had_tasks(*instances: OneInstance) -> bool:
    return all(one.over or one.worker.figures.tasks() for one in instances)


def config_of(
    broker: LocalBroker, folder: Path, name: str, guarantee: str = "exactly_once_v2"
) -> StreamsConfig:
    more = {"processing.guarantee": guarantee, "consumer.session.timeout.ms": 6000}
    return settings(broker, folder, name, **more)


def words(numbers: range) -> list[tuple[str, str]]:
    return [(str(number), f"w{number % 5}") for number in numbers]


def counts(numbers: range) -> dict[str, str]:
    return {word: str(count) for word, count in Counter(w for _, w in words(numbers)).items()}


@pytest.mark.parametrize("guarantee", ["exactly_once_v2", "at_least_once"])
def test_two_bounded_runs_of_one_application_both_end(
    guarantee: str, kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    lines, out = kafka_topic("lines", 3), kafka_topic("out", 3)
    topology, name = counting(lines, out), f"two-{lines}"
    write(kafka_broker, lines, words(range(100)))
    first = bounded(prepare(topology, config_of(kafka_broker, tmp_path / "1", name, guarantee)))
    write(kafka_broker, lines, words(range(100, 200)))
    second = bounded(prepare(topology, config_of(kafka_broker, tmp_path / "2", name, guarantee)))
    write(kafka_broker, lines, words(range(200, 300)))
    with instance(first) as one, instance(second) as two:
        step_until(lambda: both_have_had_tasks(one, two), one, two)
        step_until(lambda: one.over and two.over, one, two)
    result, wanted = latest(kafka_broker, out), counts(range(200))
    if guarantee == "exactly_once_v2":
        assert result == wanted
    else:
        assert all(int(result[word] or 0) >= int(count) for word, count in wanted.items())


def test_a_bounded_run_takes_over_from_one_that_dies(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    lines, out = kafka_topic("lines", 3), kafka_topic("out", 3)
    topology, name = counting(lines, out), f"heir-{lines}"
    write(kafka_broker, lines, words(range(100)))
    first = bounded(prepare(topology, config_of(kafka_broker, tmp_path / "1", name)))
    second = bounded(prepare(topology, config_of(kafka_broker, tmp_path / "2", name)))
    with instance(first) as one:
        with instance(second) as two:
            step_until(lambda: both_have_had_tasks(one, two), one, two)
        step_until(lambda: one.over, one)
    assert latest(kafka_broker, out) == counts(range(100))


def test_inputs_that_end_with_marks_of_transactions_are_read_to_their_end(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    lines, out = kafka_topic("lines", 2), kafka_topic("out", 2)
    servers = {"bootstrap.servers": kafka_broker.bootstrap_servers}
    producer = Producer({**servers, "transactional.id": lines})
    producer.init_transactions(30)
    for end in (producer.commit_transaction, producer.abort_transaction):
        producer.begin_transaction()
        for number in range(20):
            producer.produce(lines, b"w", str(number).encode(), partition=number % 2)
        producer.flush()
        end(30)
    topology, name = counting(lines, out), f"marked-{lines}"
    first = bounded(prepare(topology, config_of(kafka_broker, tmp_path / "1", name)))
    second = bounded(prepare(topology, config_of(kafka_broker, tmp_path / "2", name)))
    with instance(first) as one, instance(second) as two:
        step_until(lambda: both_have_had_tasks(one, two), one, two)
        step_until(lambda: one.over and two.over, one, two)
    assert latest(kafka_broker, out) == {"w": "20"}


def test_each_instance_runs_with_its_own_tasks_also_with_none(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    lines, out = kafka_topic("lines", 2), kafka_topic("out", 1)
    builder = StreamsBuilder()
    builder.stream(lines, Consumed(TEXT, TEXT)).to(out, Produced(TEXT, TEXT))
    topology, name = builder.build(), f"pair-{lines}"
    configs = [config_of(kafka_broker, tmp_path / str(number), name) for number in range(3)]
    blueprints = [prepare(topology, config) for config in configs]
    with instance(blueprints[0]) as one:
        step_until(lambda: one.running, one)
        with instance(blueprints[1]) as two, instance(blueprints[2]) as three:
            all_three = (one, two, three)
            step_until(lambda: all(each.running for each in all_three), *all_three)
            shares = sorted(len(each.worker.figures.tasks()) for each in all_three)
            assert shares == [0, 1, 1]
            admin = open_admin(configs[0])
            held = tasks_by_member(admin, name, blueprints[0].task_topic)
            assert sorted(map(sorted, held.values())) == [[], [0], [1]]
        step_until(lambda: one.running and len(one.worker.figures.tasks()) == 2, one)


def test_runs_that_begin_at_the_same_moment_agree_on_their_ends(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    """Neither has the later ends in all partitions: each would wait for the other."""
    lines, out = kafka_topic("lines", 2), kafka_topic("out", 2)
    config = config_of(kafka_broker, tmp_path, f"agreed-{lines}")
    blueprint, admin = prepare(counting(lines, out), config), open_admin(config)
    first: Ends = {(lines, 0): 10, (lines, 1): 20}
    second: Ends = {(lines, 0): 11, (lines, 1): 19}
    agreed: list[Ends] = []

    def ask() -> Ends:
        topic = blueprint.task_topic
        agreed.append(agree_on_ends(config, admin, topic, lambda: second))
        return first

    agreed.append(agree_on_ends(config, admin, blueprint.task_topic, ask))
    assert agreed == [second, {(lines, 0): 11, (lines, 1): 20}]
    # A run that begins later does not heed those of the past.
    third: Ends = {(lines, 0): 1, (lines, 1): 1}
    assert agree_on_ends(config, admin, blueprint.task_topic, lambda: third) == third
