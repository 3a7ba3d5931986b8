"""In a Python worker of an executor: the engine thread, which outlives the turns that pay for it.

A turn renews the lease, and so does an answer of the driver, which knows whether the query runs: a
slot that hangs keeps Spark from the next turn, and must not end the others. Between two turns the
thread goes on, so that the gap costs no latency. A lease that is not renewed ends the work: commit,
leave the group, close the stores.
"""

from __future__ import annotations

import gc
import os
import pickle
import sys
import threading
from array import array
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from operator import itemgetter
from typing import TypeAlias

from penstock._engine.control.client import ControlClient, DriverSilent
from penstock._engine.control.messages import (
    ControlAddress,
    Instruction,
    Report,
    WorkerFailure,
)
from penstock._engine.control.printed_lines import PrintedLines, caught
from penstock._engine.control.question_line import QuestionLine
from penstock._engine.control.reporter import Reporter
from penstock._engine.kafka.tasks.standby import Standbys
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.reachability import Reachability
from penstock._engine.kafka.worker.worker import Worker
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.queries.desk import Desk
from penstock._engine.runtime.output.collector import Output
from penstock.clock import SystemClock, monotonic

_REPORT_SECONDS = 0.25
_ROWS_KEPT = 200_000
# Whoever takes rows takes the interpreter from the engine: not with each commit.
_ROW_WAIT_SECONDS = 0.5
# An instruction that is older says nothing any more about the turn.
_HOLD_SECONDS = 5.0
_LAST_ANSWER_SECONDS = 5.0
# After a question the next one may come soon: it must not wait for `poll.ms`.
_HOT_WAIT_MS = 2

# Records are made of tuples by the million, and are no cycles: Python would look for these among
# them a hundred times as often, for a twentieth of its time.
_GARBAGE_THRESHOLDS = (70_000, 20, 20)

Times: TypeAlias = "array[int]"
"""Timestamps of records. As objects they would be let go of long after they have left the
processor's caches, by a thread that takes the interpreter from the engine: a tenth of all time in a
program with much output.
"""
_INT64 = "q"
_timestamp_of = itemgetter(4)  # of an Output

_engines: dict[str, EngineThread] = {}


@dataclass(frozen=True, slots=True)
class Program:
    """The application as it travels to the workers: inside what Spark sends them to run, which its
    own encryption covers and no page shows.
    """

    blueprint: bytes = field(default=b"", repr=False)
    paths: tuple[str, ...] = ()
    """Where the driver finds modules."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A stretch of work: for which run of which application, and how long."""

    run_id: str
    control: ControlAddress
    seconds: float
    lease_seconds: float
    seat: tuple[int, int] = (0, 0)
    """The number of the turn, and of the slot in it."""
    program: Program = field(default=Program(), repr=False)


class EngineThread:
    """Runs a worker on a thread of its own, as long as its lease lasts."""

    def __init__(self, turn: Turn) -> None:
        self._control_address, self._program = turn.control, turn.program
        self._lease_seconds, self._lease_until = turn.lease_seconds, 0.0
        self._instruction, self._answered_at = Instruction(), 0.0
        self.renew(turn)
        self._rows: Times = array(_INT64)
        self._rows_lock = threading.Lock()
        self._ended = threading.Event()
        self._records_in = self._records_out = 0
        self._numbers = count(1)
        self._printed = PrintedLines()
        self._desk = Desk()
        self._internal_topics: frozenset[str] = frozenset()
        self._bounded = False
        self._member_id = "unknown"
        self._home = ""
        self._thread = threading.Thread(target=self._run, name="penstock-engine", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def renew(self, turn: Turn) -> None:
        """Let the lease last until a while after the end of `turn`."""
        self._seat = turn.seat
        self._extend_lease(turn.seconds + turn.lease_seconds)

    @property
    def held(self) -> bool:
        """Whether the driver wants the turn to go on after its end."""
        return self._instruction.hold and monotonic() - self._answered_at < _HOLD_SECONDS

    def take_rows(self, wait_seconds: float) -> Times:
        """Wait a little, or until the engine ends; give the times of the outputs committed since
        the last call.
        """
        self._ended.wait(wait_seconds)
        with self._rows_lock:
            rows, self._rows = self._rows, array(_INT64)
        return rows

    def _run(self) -> None:
        control = ControlClient(self._control_address)
        try:
            if control.ask("report", Report(self._member_id, "starting"), Instruction).stop:
                return
            program, self._program = self._program, Program()
            _find_modules_in(program.paths)
            blueprint: Blueprint = pickle.loads(program.blueprint)
            del program
            self._internal_topics = blueprint.internal_topics
            self._bounded = blueprint.ends is not None
            with caught(self._printed):
                self._host(blueprint, control)
            control.ask("report", self._last_report("closed"), Instruction)
        except DriverSilent as silent:
            print(f"this worker has ended: {silent}", file=sys.stderr, flush=True)
        except BaseException as error:
            # The driver decides what becomes of it, also of sys.exit in an `init`; raising here
            # would only tell Spark. The whole trace is for the executor's log.
            failure = WorkerFailure.of(error)
            print(failure.trace, file=sys.stderr, flush=True)
            with suppress(DriverSilent):
                control.ask("report", self._last_report("failed", failure), Instruction)
        finally:
            self._ended.set()
            control.close()
            _free_clients()

    def _host(self, blueprint: Blueprint, control: ControlClient) -> None:
        with TaskHost(blueprint) as host:
            self._member_id = host.member_id
            self._home = host.home
            worker = Worker(
                blueprint, host.member_id, host, self._committed, keep=self._times_of_results
            )
            replicas = blueprint.config.num_standby_replicas
            standbys = Standbys(blueprint, host) if replicas else None
            gc.set_threshold(*_GARBAGE_THRESHOLDS)
            reachability = Reachability(blueprint.config, blueprint.task_topic)
            reporter = Reporter(
                control, self._answered, reachability.away_seconds, self._printed.take
            )
            questions = QuestionLine(
                self._control_address, host.member_id, self._desk, worker.doing
            )
            try:
                self._work(worker, standbys, reporter)
            finally:
                questions.close()
                self._desk.close()
                reachability.close()
                if not reporter.close(_LAST_ANSWER_SECONDS):
                    control.close()  # the last report takes another connection
                if standbys is not None:
                    standbys.close()

    def _work(self, worker: Worker, standbys: Standbys | None, reporter: Reporter) -> None:
        next_report = 0.0
        try:
            while not (instruction := self._instruction).stop and self._has_lease():
                if reporter.ready and monotonic() >= next_report:
                    reporter.post(self._report(worker))
                    next_report = monotonic() + _REPORT_SECONDS
                if self._desk.has_questions:
                    self._desk.serve(worker.queryable())
                worker.wait_ms_max = _HOT_WAIT_MS if self._desk.is_hot else None
                worker.step(paused=instruction.paused)
                if standbys is not None:
                    standbys.work(instruction.standbys, monotonic())
        except BaseException:
            self._records_in = worker.records_in()
            worker.abandon()
            raise
        self._records_in = worker.records_in()
        worker.close()

    def _answered(self, instruction: Instruction) -> None:
        self._instruction, self._answered_at = instruction, monotonic()
        if instruction.renew and not instruction.stop:
            self._extend_lease(self._lease_seconds)

    def _extend_lease(self, seconds: float) -> None:
        self._lease_until = max(self._lease_until, monotonic() + seconds)

    def _has_lease(self) -> bool:
        return monotonic() < self._lease_until

    def _report(self, worker: Worker) -> Report:
        tasks = worker.tasks()
        restored, remaining = worker.restoration()
        self._records_in = worker.records_in()
        return Report(
            self._member_id,
            "restoring" if "restoring" in tasks.values() else "running",
            tasks=tasks,
            counters=worker.counters(),
            restored=restored,
            restore_remaining=remaining,
            caught_up=worker.drained() if self._bounded else worker.caught_up(),
            records_in=self._records_in,
            records_out=self._records_out,
            lag=worker.lag(),
            printed=self._printed.take(),
            state_entries=worker.state_entries(),
            restore_events=worker.take_restore_events(),
            home=self._home,
            seat=self._seat,
            joined=worker.joined,
            number=next(self._numbers),
        )

    def _last_report(self, state: str, failure: WorkerFailure | None = None) -> Report:
        return Report(
            self._member_id,
            state,
            records_in=self._records_in,
            records_out=self._records_out,
            printed=self._printed.take(),
            failure=failure,
            number=next(self._numbers),
        )

    def _times_of_results(self, outputs: list[Output]) -> Times:
        """Give the times of those outputs that are no business of ours but the user's."""
        internal = self._internal_topics
        results = [each for each in outputs if each[0] not in internal] if internal else outputs
        times = list(map(_timestamp_of, results))
        try:
            return array(_INT64, times)
        except TypeError:  # some have none: they have the time at which they are sent
            now_ms = SystemClock().now_ms()
            return array(_INT64, [now_ms if time is None else time for time in times])

    def _committed(self, times: Times) -> None:
        self._records_out += len(times)
        with self._rows_lock:
            self._rows += times
            # They are a view: if nobody takes them, the oldest are let go.
            del self._rows[:-_ROWS_KEPT]


def _free_clients() -> None:
    """Have the worker's Kafka clients freed: they hear callbacks of those who hold them, and a
    process can have a few hundred at most in its life if nobody looks for such circles.
    """
    gc.unfreeze()
    gc.collect()


def _find_modules_in(paths: Iterable[str]) -> None:
    """Let the user's functions import what they could import in the driver, where it is there."""
    sys.path.extend(path for path in paths if path not in sys.path and os.path.exists(path))


def take_turn(turn: Turn) -> Iterator[Times]:
    """Keep this process's engine going for a turn; give the times of the outputs it commits."""
    engine = _engines.get(turn.run_id)
    if engine is None or not engine.alive:
        engine = _engines[turn.run_id] = EngineThread(turn)
    engine.renew(turn)
    gc.unfreeze()
    until = monotonic() + turn.seconds
    while engine.alive and ((left := until - monotonic()) > 0 or engine.held):
        rows = engine.take_rows(_ROW_WAIT_SECONDS if left <= 0 else min(left, _ROW_WAIT_SECONDS))
        if rows:
            yield rows
    # An engine that has just ended has committed once more.
    if rows := engine.take_rows(0):
        yield rows
    # Spark's worker now collects garbage among all that lives here, with the engine standing still:
    # there is nothing for it to look at until the next turn.
    gc.freeze()
