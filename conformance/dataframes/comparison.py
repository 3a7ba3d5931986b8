"""Whether a bounded run says what the reference says, and what Java recorded."""

from __future__ import annotations

import contextlib
import io
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from conformance.dataframes.feeding import (
    PARTITIONS,
    Inputs,
    inputs_of,
    reads_one_topic_at_a_time,
)
from conformance.dataframes.reference import Outcome, Reference, StoredRows
from conformance.harness import Line, Program, config_of, record_to_json
from penstock import Topology
from penstock._engine.planner.default_stores import with_default_stores
from penstock._engine.planner.stages import JobPlan, plan_job
from penstock._engine.spark.batch.start import settings_of
from penstock._engine.spark.batch.tasks.bounded_task import WallClockError, refuse_unfit
from penstock.errors import StreamsError
from penstock.record import Headers
from penstock.settings import StreamsConfig
from penstock.testing import TestRecord

RunJob: TypeAlias = Callable[[Topology, StreamsConfig, Inputs, int], tuple[Outcome, StoredRows]]
"""Runs a topology with these settings on inputs with so many partitions."""


def differences(
    load: Callable[[], Program], steps: list[Line], expected: list[Line] | None, run: RunJob
) -> Iterator[str]:
    """Yield how a program's bounded runs on 1, 2 and 5 partitions differ from the reference; and on
    one partition from what Java recorded, where the order of the steps is that of the run.
    """
    for partitions in PARTITIONS:
        with contextlib.redirect_stdout(io.StringIO()):
            topology, config = _fresh(load)
            inputs = inputs_of(steps, topology, partitions)
            plan = planned(topology, config, inputs, partitions)
            try:
                reference = Reference(plan, inputs)
            except StreamsError:
                yield from _not_failing(load, inputs, partitions, run)
                return
            # Programs may keep something for themselves: each run has one of its own.
            topology, config = _fresh(load)
            topics, stores = run(topology, config, inputs, partitions)
        place = f"{partitions} partitions"
        yield from _differing(f"{place}, topic", reference.topics, topics)
        filled = {name: rows for name, rows in reference.stores.items() if rows}
        shown = {name: rows for name, rows in stores.items() if name in filled}
        yield from _differing(f"{place}, store", filled, shown)
        if partitions == 1 and expected is not None and reads_one_topic_at_a_time(topology):
            yield from _differing("Java, topic", *_levelled(expected, topics, plan))


def _not_failing(
    load: Callable[[], Program], inputs: Inputs, partitions: int, run: RunJob
) -> Iterator[str]:
    """Yield a line if a run goes well that must not."""
    topology, config = _fresh(load)
    with contextlib.suppress(Exception):
        run(topology, config, inputs, partitions)
        yield f"  {partitions} partitions: expected to fail, got through"


def planned(topology: Topology, config: StreamsConfig, inputs: Inputs, partitions: int) -> JobPlan:
    """Plan a run all of whose topics have so many partitions."""
    return plan_job(topology, config, dict.fromkeys(inputs, partitions), {}, partitions)


def needs_wall_clock(load: Callable[[], Program], steps: list[Line]) -> bool:
    """Return whether a bounded run refuses a program for its timers."""
    topology, config = _fresh(load)
    inputs = inputs_of(steps, topology, 1)
    try:
        refuse_unfit(planned(topology, config, inputs, 1), 0)
    except WallClockError:
        return True
    return False


def say_nothing(_: str) -> None:
    """Take what a program logs: in which order tasks of several processes say it is no matter."""


def _fresh(load: Callable[[], Program]) -> tuple[Topology, StreamsConfig]:
    program = load()
    config = settings_of(config_of(program))
    return with_default_stores(program.topology(say_nothing), config), config


def _levelled(expected: list[Line], topics: Outcome, plan: JobPlan) -> tuple[Any, Any]:
    """Return by topic what Java recorded and what was written; of topics that several
    sub-topologies write, in any order.
    """
    java: dict[str, list[Any]] = {}
    for line in expected:
        for topic, records in line.get("output", {}).items():
            java.setdefault(topic, []).extend(records)
    seen = {
        topic: [
            record_to_json(TestRecord(key, value, time, headers=Headers(headers)))
            for key, value, time, headers in records
        ]
        for (topic, _), records in topics.items()
    }
    writers = Counter(
        topic for stage in plan.stages for one in stage.plans for topic in set(one.sink_topics())
    )
    for topic in (topic for topic, count in writers.items() if count > 1):
        for side in (java, seen):
            side[topic] = sorted(side.get(topic, []), key=repr)
    return java, seen


def _differing(what: str, expected: dict[Any, Any], got: dict[Any, Any]) -> Iterator[str]:
    for name in sorted({*expected, *got}, key=repr):
        wanted, seen = expected.get(name), got.get(name)
        if wanted != seen:
            yield f"  {what} {name}: expected {wanted!r}"[:2000]
            yield f"  {' ' * len(what)} {' ' * len(str(name))}       got {seen!r}"[:2000]
