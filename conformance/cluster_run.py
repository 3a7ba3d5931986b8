"""Runs a case's `program.py` with KafkaStreams on Spark, against a broker, and observes it.

What an onlooker sees is written as in `harness.py`, a line per step, so that it can be compared
with Java's recordings. The next record is written when the one before is done, with all it caused:
what the test driver does by nature. All names are those of the recordings, since the broker is
cleared of a case's topics and group before the next.
"""

from __future__ import annotations

import importlib
import inspect
import io
import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from datetime import timedelta
from pathlib import Path
from time import sleep
from typing import Any

from conformance.broker_view import BrokerView
from conformance.harness import Case, Line, Observation, config_of, java_name, topology_text
from penstock import Topology
from penstock._clock import monotonic
from penstock._engine.control.protocol.messages import WorkerFailure
from penstock._engine.planner.plan import plan_global_stores, plan_subtopologies
from penstock._engine.planner.tasks import resolve_patterns
from penstock.application import KafkaStreams, State
from penstock.settings.table import JOIN_EMIT_INTERVAL, WINDOW_EMIT_INTERVAL

START_SECONDS = 240.0
STEP_SECONDS = 60.0

_PACE: dict[str, object] = {
    # One slot: a second worker would take over a task soon after the start, and start it anew.
    "num.stream.threads": 1,
    # As in the driver, all that is read is committed at once.
    "commit.interval.ms": 0,
    "penstock.turn.ms": 2000,
    # As in the driver, results that wait are looked for with every record.
    JOIN_EMIT_INTERVAL: 0,
    WINDOW_EMIT_INTERVAL: 0,
}
_PACE_OF_COMMITS: dict[str, object] = {
    # A cache shows how many records a commit has, and so does the changelog of a suppression.
    # Elsewhere it is better to see all that is there: a task takes the smallest timestamp of its
    # topics first.
    "consumer.max.poll.records": 1,
}
_FOLLOW_SECONDS = 1.0
"""How long to wait for a global table to follow its topic: it commits no offsets to see it by."""
_REPORT_SECONDS = 60.0
_POLL_SECONDS = 0.05


class FileLog:
    """The `log` of a program that runs in other processes: lines of a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._taken = 0

    def __call__(self, line: str) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def take(self) -> list[str]:
        """Return the lines since the last call."""
        if not self._path.exists():
            return []
        lines = self._path.read_text(encoding="utf-8").split("\n")[:-1]
        fresh, self._taken = lines[self._taken :], len(lines)
        return [json.loads(line) for line in fresh]


OpenApplication = Callable[[Topology, Mapping[str, Any]], KafkaStreams]
"""Makes the application of a case, on whatever is to host it."""


def run(
    case: Case,
    open_application: OpenApplication,
    bootstrap_servers: str,
    guarantee: str = "exactly_once_v2",
) -> Observation:
    """Run the case and return what an onlooker sees.

    What workers tell when they report, `stdout` and `dropped`, is in the last line for all steps.

    Raises:
        RuntimeError: the application failed, or did not get through its input.
    """
    work = Path(tempfile.mkdtemp(prefix="penstock-conformance-"))
    program = importlib.import_module(case.module)
    log = FileLog(work / "log")
    topology: Topology = program.topology(log)
    config = {
        **config_of(program),
        "bootstrap.servers": bootstrap_servers,
        "processing.guarantee": guarantee,
        "state.dir": str(work / "state"),
        **_PACE,
    }
    if config["statestore.cache.max.bytes"] or "suppress(" in inspect.getsource(program):
        config |= _PACE_OF_COMMITS
    view = BrokerView(bootstrap_servers, str(config["application.id"]))
    printed = io.StringIO()
    try:
        view.make_topics(_topics_of(case, topology, config))
        streams = open_application(topology, config)
        # What the program logs of its failures is not compared, and not shown.
        with redirect_stdout(printed), redirect_stderr(io.StringIO()), streams:
            lines = _drive(case, topology, streams, view, log)
        if text := printed.getvalue().removesuffix("\n"):
            lines[-1]["stdout"] = text.split("\n")
    finally:
        view.close()
        shutil.rmtree(work, ignore_errors=True)
    return Observation(lines, topology_text(topology))


class ApplicationFailedError(RuntimeError):
    """The application failed; `failure` says of what."""

    def __init__(self, failure: WorkerFailure) -> None:
        super().__init__(f"the application failed: {failure.trace}")
        self.failure = failure


def _drive(
    case: Case, topology: Topology, streams: KafkaStreams, view: BrokerView, log: FileLog
) -> list[Line]:
    """Start the application, feed it step by step, and close it; give a line per step.

    If the case is meant to fail, the step that fails is the last.
    """
    lines: list[Line] = []
    try:
        _start(streams, view)
        _feed(case, topology, streams, view, lambda output: lines.append(_line(output, log)))
    except ApplicationFailedError as error:
        meant = case.expected[len(lines)].get("error")
        if meant is None:
            raise
        streams.wait_until(State.ERROR, timedelta(seconds=STEP_SECONDS))
        name = java_name(error.failure.error(), meant)
        return [*lines, {**_line(view.read_rest(), log), "error": name}]
    dropped = _dropped(streams)
    if not streams.close():
        msg = "the workers did not finish in time when they were asked to"
        raise RuntimeError(msg)
    _add_end(lines[-1], _line(view.read_rest(), log))
    if dropped:
        lines[-1]["dropped"] = dropped
    return lines


def _start(streams: KafkaStreams, view: BrokerView) -> None:
    streams.start()
    view.look_on()
    if not streams.wait_until(State.RUNNING, timedelta(seconds=START_SECONDS)):
        _check(streams)
        msg = f"not running after {START_SECONDS:.0f} s but {streams.state.value}"
        raise RuntimeError(msg)


def _feed(
    case: Case,
    topology: Topology,
    streams: KafkaStreams,
    view: BrokerView,
    done: Callable[[dict[str, list[Line]]], None],
) -> None:
    """Write record by record; `done` is given what came of each."""
    sources = _source_topics(topology, streams.application_id, view.topics())
    of_all = _global_topics(topology)
    for step in case.steps:
        view.feed(step)
        if step["topic"] in of_all:
            sleep(_FOLLOW_SECONDS)
        done(view.settle(sources, STEP_SECONDS, lambda: _check(streams)))


def _check(streams: KafkaStreams) -> None:
    if streams.failure is not None:
        raise ApplicationFailedError(streams.failure)


def _line(output: dict[str, list[Line]], log: FileLog) -> Line:
    parts = {"output": output, "log": log.take()}
    return {name: part for name, part in parts.items() if part}


def _add_end(last: Line, end: Line) -> None:
    """Add what closing did to what the last step did, as the recordings have it."""
    for topic, records in end.get("output", {}).items():
        last.setdefault("output", {}).setdefault(topic, []).extend(records)
    if log := end.get("log"):
        last.setdefault("log", []).extend(log)


def _dropped(streams: KafkaStreams) -> int:
    """Return what the workers have counted, as of their next report: they report a few times a
    second.
    """
    before = streams.reports()
    until = monotonic() + _REPORT_SECONDS
    while any(report is before.get(name) for name, report in streams.reports().items()):
        if monotonic() > until:
            msg = f"no report of the workers within {_REPORT_SECONDS:.0f} s"
            raise RuntimeError(msg)
        _check(streams)
        sleep(_POLL_SECONDS)
    return sum(
        counters.get("dropped-records-total", 0)
        for report in streams.reports().values()
        for counters in report.counters.values()
    )


def _topics_of(case: Case, topology: Topology, config: Mapping[str, object]) -> set[str]:
    """Return the topics that must be there before the start: all but internal ones."""
    application_id = str(config["application.id"])
    topics = {step["topic"] for step in case.steps}
    for plan in plan_subtopologies(topology, application_id):
        topics.update(plan.source_topics(), plan.sink_topics())
    topics.update(_global_topics(topology))
    topics.update(topic for line in case.expected for topic in line.get("output", {}))
    internal = f"{application_id}-"
    return {topic for topic in topics if not topic.startswith(internal)}


def _source_topics(topology: Topology, application_id: str, existing: Iterable[str]) -> set[str]:
    plans = plan_subtopologies(topology, application_id)
    resolved = [resolve_patterns(plan, existing) for plan in plans]
    return {topic for plan in resolved for topic in plan.source_topics()}


def _global_topics(topology: Topology) -> set[str]:
    plan = plan_global_stores(topology)
    return set() if plan is None else set(plan.source_topics())
