"""Each stateful verb on Spark, with a restart in the middle: `make restarts`.

`python -m tests.spark.stateful_restart` runs each program of `stateful_programs.py` on its own,
with its local state kept and with it deleted; names of programs choose some. Half of the input is
processed, the application is closed and started again, and gets the rest. For each key of the
output topic the records must be those of TopologyTestDriver, which knows no restarts. With
`--backfill` the first half is not processed live, but by a Spark job.
"""

from __future__ import annotations

import argparse
import itertools
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from conformance.broker_view import BrokerView
from conformance.on_spark import hosting_session
from penstock import KafkaStreams, State, StreamsBuilder, Topology, serdes
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock._engine.planner.plan import plan_subtopologies
from penstock._engine.spark.batch.backfill import backfill
from penstock.settings import StreamsConfig
from penstock.settings.table import JOIN_EMIT_INTERVAL, WINDOW_EMIT_INTERVAL
from penstock.testing import TopologyTestDriver
from tests.spark.stateful_programs import PROGRAMS, Program, Row

START_SECONDS = 240.0
STEP_SECONDS = 120.0

Results = dict[str, dict[str, list[tuple[str | None, int | None]]]]
"""By program and key: values and timestamps, in order."""

Wipe = Callable[[list[Path]], list[Path]]
"""Which of the directories of tasks are deleted between the two runs."""

WIPES: dict[str, Wipe] = {
    "kept": lambda tasks: [],
    "deleted": lambda tasks: tasks,
    "half of it deleted": lambda tasks: tasks[::2],
}

SETTINGS: dict[str, object] = {
    "statestore.cache.max.bytes": 0,
    JOIN_EMIT_INTERVAL: 0,
    WINDOW_EMIT_INTERVAL: 0,
    # The records are of 1970: a broker would soon delete them from the changelogs of windows.
    "windowstore.changelog.additional.retention.ms": 100 * 365 * 24 * 3_600_000,
}
_TEXT = serdes.string()


def build(names: Iterable[str]) -> Topology:
    """Draw programs, side by side."""
    builder = StreamsBuilder()
    for name in names:
        PROGRAMS[name].draw(builder, name)
    return builder.build()


def driven(name: str) -> Results:
    """Return the results of the test driver."""
    program = PROGRAMS[name]
    with TopologyTestDriver(build([name]), {"application.id": "driven", **SETTINGS}) as driver:
        for rows in (program.before, program.after):
            for end, key, value, timestamp in _in_order(program, rows):
                topic = driver.create_input_topic(f"{name}-{end}", _TEXT, _TEXT)
                topic.pipe_input(key, value, timestamp=timestamp)
        out = driver.create_output_topic(f"{name}-out", _TEXT, _TEXT).read_records()
    by_key: dict[str, list[tuple[str | None, int | None]]] = {}
    for record in out:
        by_key.setdefault(str(record.key), []).append((record.value, record.timestamp))
    return {name: by_key}


def hosted(
    names: Sequence[str], spark: SparkSession, servers: str, work: Path, wipe: Wipe, **more: Any
) -> Results:
    """Return the results of one application on Spark that has all these programs."""

    def first_half(run: _Run, state: Path) -> None:
        run.through({name: PROGRAMS[name].before for name in names}, spark)
        for task in wipe(_task_directories(state)):
            shutil.rmtree(task)

    return _in_two_halves(names, spark, servers, work, first_half, **more)


def backfilled(
    names: Sequence[str], spark: SparkSession, servers: str, work: Path, **more: Any
) -> Results:
    """Return the results of the same application when its first half is a Spark job."""

    def first_half(run: _Run, state: Path) -> None:
        run.backfill({name: PROGRAMS[name].before for name in names}, spark)

    return _in_two_halves(names, spark, servers, work, first_half, **more)


def _in_two_halves(
    names: Sequence[str],
    spark: SparkSession,
    servers: str,
    work: Path,
    first_half: Callable[[_Run, Path], None],
    **more: Any,
) -> Results:
    application_id = f"restart-{'-'.join(names)}"[:60]
    topology = build(names)
    config = {
        "application.id": application_id,
        "bootstrap.servers": servers,
        "state.dir": str(work),
        "processing.guarantee": "exactly_once_v2",
        "num.stream.threads": 1,
        "commit.interval.ms": 20,
        "penstock.turn.ms": 2000,
        **SETTINGS,
        **more,
    }
    view = BrokerView(servers, application_id)
    partitions = {
        f"{name}-{end}": PROGRAMS[name].partitions.get(end, 1)
        for name in names
        for end in PROGRAMS[name].inputs()
    }
    try:
        view.make_topics([*partitions, *(f"{name}-out" for name in names)], partitions)
        run = _Run(names, topology, config, view)
        first_half(run, work / application_id)
        run.through({name: PROGRAMS[name].after for name in names}, spark)
        return _by_program(names, run.seen)
    finally:
        view.close()


class _Run:
    """An application that is started more than once, and what it has written so far."""

    def __init__(
        self, names: Sequence[str], topology: Topology, config: Mapping[str, Any], view: BrokerView
    ) -> None:
        self._names, self._topology, self._config, self._view = names, topology, config, view
        self._looks_on = False
        self.seen: dict[str, list[dict[str, Any]]] = {}

    def through(self, rows: Mapping[str, Sequence[Row]], spark: SparkSession) -> None:
        """Start, feed all programs a record at a time, wait for what comes of it, and close."""
        first = {name: _read_whole(PROGRAMS[name], rows[name]) for name in self._names}
        then = {name: _step_by_step(PROGRAMS[name], rows[name]) for name in self._names}
        for name, all_at_once in first.items():
            self._feed(name, all_at_once)
        streams = KafkaStreams(self._topology, self._config, spark=spark)
        streams.start()
        try:
            if not streams.wait_until(State.RUNNING, int(START_SECONDS * 1000)):
                _check(streams)
                msg = f"not running after {START_SECONDS:.0f} s: {streams.state}"
                raise RuntimeError(msg)
            if not self._looks_on:
                self._view.look_on()
                self._looks_on = True
            sources = self._sources()
            for step in itertools.zip_longest(*then.values()):
                for name, row in zip(then, step, strict=True):
                    self._feed(name, [] if row is None else [row])
                self._add(self._view.settle(sources, STEP_SECONDS, lambda: _check(streams)))
        finally:
            closed = streams.close()
        if not closed:
            raise RuntimeError("the workers did not finish in time when they were asked to")
        self._add(self._view.read_rest())

    def backfill(self, rows: Mapping[str, Sequence[Row]], spark: SparkSession) -> None:
        """Feed all programs their records, and process them as a Spark job."""
        for name in self._names:
            self._feed(name, rows[name])
        backfill(self._topology, StreamsConfig(self._config), spark=spark)

    def _feed(self, name: str, rows: Iterable[Row]) -> None:
        for end, key, value, timestamp in rows:
            record = {"topic": f"{name}-{end}", "key": key, "value": value, "timestamp": timestamp}
            self._view.feed(record)

    def _sources(self) -> set[str]:
        plans = plan_subtopologies(self._topology, str(self._config["application.id"]))
        return {topic for plan in plans for topic in plan.source_topics()}

    def _add(self, written: dict[str, list[dict[str, Any]]]) -> None:
        for topic, records in written.items():
            self.seen.setdefault(topic, []).extend(records)


def _check(streams: KafkaStreams) -> None:
    if streams.failure is not None:
        msg = f"the application failed: {streams.failure.trace}"
        raise RuntimeError(msg)


def _read_whole(program: Program, rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row[0] in program.read_whole]


def _step_by_step(program: Program, rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row[0] not in program.read_whole]


def _in_order(program: Program, rows: Sequence[Row]) -> list[Row]:
    return [*_read_whole(program, rows), *_step_by_step(program, rows)]


def _task_directories(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir() and "_" in path.name)


def _by_program(names: Iterable[str], seen: Mapping[str, list[dict[str, Any]]]) -> Results:
    results: Results = {}
    for name in names:
        by_key = results[name] = {}
        for record in seen.get(f"{name}-out", []):
            by_key.setdefault(record["key"], []).append((record["value"], record["timestamp"]))
    return results


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the programs named on the command line, or all; return 0 if all agree."""
    parser = argparse.ArgumentParser(prog="tests.spark.stateful_restart")
    parser.add_argument("names", nargs="*", metavar="program", choices=[*PROGRAMS, []])
    parser.add_argument("--together", action="store_true", help="as one application")
    parser.add_argument("--guarantee", default="exactly_once_v2")
    parser.add_argument("--backfill", action="store_true", help="the first half as a Spark job")
    options = parser.parse_args(arguments)
    names = options.names or list(PROGRAMS)
    groups = [names] if options.together else [[name] for name in names]
    failed = 0
    with (
        tempfile.TemporaryDirectory(prefix="penstock-restarts-") as work,
        LocalBroker(Path(work) / "broker") as broker,
        hosting_session(Path(work) / "spark") as spark,
    ):
        ways: dict[str, Wipe | None] = {"backfilled": None} if options.backfill else {**WIPES}
        for (number, group), (called, wipe) in itertools.product(enumerate(groups), ways.items()):
            began, state = time.monotonic(), Path(work) / f"state-{number}-{called[:4]}"
            settings = {"processing.guarantee": options.guarantee}
            servers = broker.bootstrap_servers
            if wipe is None:
                got = backfilled(group, spark, servers, state, **settings)
            else:
                got = hosted(group, spark, servers, state, wipe, **settings)
            for name in group:
                wrong = got[name] != driven(name)[name]
                failed += wrong
                seconds = time.monotonic() - began
                print(f"{'FAIL' if wrong else 'ok'} {name}, state {called} ({seconds:.1f} s)")
                if wrong:
                    print(f"  driver: {driven(name)[name]}\n  spark:  {got[name]}")
                sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
