"""Each stateful verb, its first half backfilled and its second half live: the results are those of
the test driver, which knows no handover. The job runs without Spark: its shuffles in plain Python,
all else as it is. (On Spark: tests/spark/test_backfill.py.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from conformance.broker_view import BrokerView
from conformance.dataframes.feeding import Fed, Inputs
from conformance.dataframes.without_spark import LocalJob
from penstock import Topology
from penstock._engine.control.protocol.messages import WorkerFailure
from penstock._engine.control.protocol.server import ControlServer, Verb
from penstock._engine.kafka.application.backfill_journal import BackfillPlan, InputPlan
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.backfill.admission import admit
from penstock._engine.kafka.backfill.handover import Handover
from penstock._engine.kafka.client.topic_history import (
    TopicRange,
    find_range,
    read_split,
    reading_settings,
)
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.worker import open_worker
from penstock._engine.planner.plan import plan_subtopologies
from penstock._engine.spark.batch.backfill import (
    can_be_direct,
    direct_pack,
    pack_delivery,
    plan_backfill,
    topics_with_history,
)
from penstock._engine.spark.batch.tasks.deliveries import TaskProgress
from penstock._engine.spark.batch.tasks.direct import (
    direct_tasks,
    is_direct,
    run_task,
)
from penstock._engine.spark.batch.tasks.topic_feeds import TopicFeeds
from penstock.settings import StreamsConfig
from penstock.testing.broker import LocalBroker
from tests.spark.stateful_programs import PROGRAMS, Program, Row
from tests.spark.stateful_restart import SETTINGS, build, driven

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

SECONDS = 120.0


EXACTLY_ONCE, AT_LEAST_ONCE = "exactly_once_v2", "at_least_once"
RUNS = [
    *((name, EXACTLY_ONCE) for name in PROGRAMS),
    # The guarantee makes little difference to what is handed over.
    *((name, AT_LEAST_ONCE) for name in ("until-close", "sessions", "foreign-key")),
]
BY_SPARK = {"regrouped", "foreign-key", "foreign-key-left", "global"}
"""Programs with repartition topics or global tables; the tasks of all others need only Kafka."""


@pytest.mark.parametrize(("name", "guarantee"), RUNS)
def test_the_live_half_goes_on_as_if_the_first_had_been_live(
    name: str, guarantee: str, kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    program = PROGRAMS[name]
    application_id = f"half-{name}"
    config = StreamsConfig(
        {
            "application.id": application_id,
            "bootstrap.servers": kafka_broker.bootstrap_servers,
            "state.dir": str(tmp_path),
            "processing.guarantee": guarantee,
            "commit.interval.ms": 20,
            **SETTINGS,
        }
    )
    view = BrokerView(kafka_broker.bootstrap_servers, application_id)
    partitions = {f"{name}-{end}": program.partitions.get(end, 1) for end in program.inputs()}
    try:
        view.make_topics([*partitions, f"{name}-out"], partitions)
        feed(view, name, program.before)
        backfill(build([name]), config, needs_spark=name in BY_SPARK)
        written = live(build([name]), config, view, name, program)
    finally:
        view.close()
    by_key: dict[str, list[tuple[str | None, int | None]]] = {}
    for record in written:
        by_key.setdefault(record["key"], []).append((record["value"], record["timestamp"]))
    assert by_key == driven(name)[name]


def backfill(topology: Topology, config: StreamsConfig, *, needs_spark: bool) -> None:
    """Backfill an application, as `penstock backfill` does, without Spark."""
    admitted = admit(topology, config, reset=False)
    blueprint = admitted.blueprint
    stretches = {
        topic: find_range(admitted.admin, topic) for topic in topics_with_history(blueprint)
    }
    inputs = {topic: InputPlan("kafka", one.starts, one.ends) for topic, one in stretches.items()}
    plan = BackfillPlan("run-1", admitted.program_id, 1000, inputs)
    handover = Handover(blueprint, plan, admitted.admin)
    handover.write_plan()
    job = plan_backfill(topology, admitted, stretches)
    control = ControlServer(
        "127.0.0.1", {"progress": Verb(TaskProgress, hear), "failure": Verb(WorkerFailure, hear)}
    )
    try:
        pack = pack_delivery(blueprint, plan.run_id, job, control.address)
        feeds = TopicFeeds(stretches, reading_settings(config))
        assert is_direct(job, feeds) == (not needs_spark)
        assert can_be_direct(topology, config.application_id) == (not needs_spark)
        # At least once: as those run whose history is not in Kafka.
        if config.exactly_once and not needs_spark:
            direct = direct_pack(job, plan, pack, feeds)
            for task in direct_tasks(job):
                run_task(direct, task)
        else:
            LocalJob(job, read(config, stretches), delivery=pack)
        handover.finish()
    finally:
        control.close()
        handover.close()


def hear(news: object) -> None:
    """A display that shows nothing."""


def read(config: StreamsConfig, stretches: Mapping[str, TopicRange]) -> Inputs:
    """Read the history of all topics."""
    inputs: Inputs = {topic: [] for topic in stretches}
    for topic, stretch in stretches.items():
        for split in stretch.splits(2):
            for records in read_split(reading_settings(config), split):
                inputs[topic] += [
                    Fed(split.partition, offset, timestamp, key, value, headers)
                    for offset, timestamp, key, value, headers in records
                ]
    return inputs


def live(
    topology: Topology, config: StreamsConfig, view: BrokerView, name: str, program: Program
) -> list[dict[str, Any]]:
    """Run the application on the second half; give all that its output topic holds then."""
    first = [row for row in program.after if row[0] in program.read_whole]
    then = [row for row in program.after if row[0] not in program.read_whole]
    feed(view, name, first)
    blueprint = prepare(topology, config)
    plans = plan_subtopologies(topology, config.application_id)
    sources = {topic for plan in plans for topic in plan.source_topics()}
    seen: list[dict[str, Any]] = []
    with TaskHost(blueprint) as host:
        worker = open_worker(blueprint, host, lambda outputs: None)
        view.look_on()
        seen += settle(view, sources, worker.step, name)
        for row in then:
            feed(view, name, [row])
            seen += settle(view, sources, worker.step, name)
        worker.close()
    return seen + view.read_rest().get(f"{name}-out", [])


def settle(
    view: BrokerView, sources: set[str], step: Callable[[], bool], name: str
) -> list[dict[str, Any]]:
    def work() -> None:
        step()

    return view.settle(sources, SECONDS, work).get(f"{name}-out", [])


def feed(view: BrokerView, name: str, rows: Sequence[Row]) -> None:
    """Write records."""
    for end, key, value, timestamp in rows:
        record = {"topic": f"{name}-{end}", "key": key, "value": value, "timestamp": timestamp}
        view.feed(record)
