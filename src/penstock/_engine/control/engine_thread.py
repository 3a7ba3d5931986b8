"""The engine thread in a worker process, or in the driver itself; it lives longer than one turn.

Each turn and each answer of the driver renews its lease. Turns alone would not do: a slot that
hangs keeps Spark from the next turn, and must not end the others. The thread keeps working between
two turns, so that the gap costs no latency. When the lease ends, the thread commits, leaves the
group and closes the stores.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import dataclass, field
from itertools import count

from penstock._clock import monotonic
from penstock._engine.control.executor_id import executor_id
from penstock._engine.control.printed_lines import PrintedLines, captured
from penstock._engine.control.program import Program, ShippedProgram
from penstock._engine.control.protocol.client import ControlClient, DriverSilent
from penstock._engine.control.protocol.messages import (
    ControlAddress,
    Instruction,
    Report,
    WorkerFailure,
)
from penstock._engine.control.question_poller import QuestionPoller
from penstock._engine.control.rare_collections import rare_collections
from penstock._engine.control.reporter import Reporter
from penstock._engine.control.result_rows import Rows, rows_of
from penstock._engine.kafka.tasks.standby import Standbys
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.reachability import Reachability
from penstock._engine.kafka.worker.worker import Worker, open_worker
from penstock._engine.metrics.record_failures import RecordFailure
from penstock._engine.metrics.restore_events import RestoreEvent
from penstock._engine.metrics.rows import MetricRow
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.queries.query_server import QueryServer
from penstock._engine.runtime.records import Output
from penstock.settings.values import RowKind

_REPORT_SECONDS = 0.25
_METRICS_SECONDS = 1.0
# Taking rows holds the interpreter lock against the engine: not with each commit.
_ROW_WAIT_SECONDS = 0.5
# An older instruction says nothing about this turn.
_HOLD_SECONDS = 5.0
_LAST_ANSWER_SECONDS = 5.0
# Of an engine that cannot be woken: after a question the next one may come soon, and must not wait
# for `poll.ms`.
_HOT_WAIT_MS = 2

_engines: dict[str, EngineThread] = {}

_numbers = count(1)
"""Numbers of reports. One row for all engines of this process, one after the other: to the driver
they may be the same worker, and a number that it has seen is a report sent twice."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One batch of the query: for which run of which application, and how long."""

    run_id: str
    control: ControlAddress
    seconds: float
    lease_seconds: float
    slot: tuple[int, int] = (0, 0)
    """The number of the turn, and the index of the slot in it."""
    program: Program = field(default=ShippedProgram(), repr=False)
    rows: RowKind = "timestamp"
    """What the worker keeps of each output record."""


class EngineThread:
    """Runs a worker on a thread of its own, as long as its lease lasts."""

    def __init__(self, turn: Turn) -> None:
        self._control_address, self._program = turn.control, turn.program
        self._own_process = turn.program.own_process
        self._lease_seconds, self._lease_until = turn.lease_seconds, 0.0
        self._instruction, self._answered_at = Instruction(), 0.0
        self.renew(turn)
        self._rows = rows_of(turn.rows)
        self._ended = threading.Event()
        self._records_in = self._records_out = 0
        self._record_failures: tuple[RecordFailure, ...] = ()
        self._standby_events: tuple[RestoreEvent, ...] = ()
        self._next_metrics = 0.0
        self._printed = PrintedLines()
        self._queries = QueryServer()
        self._internal_topics: frozenset[str] = frozenset()
        self._bounded = False
        self._must_rejoin = False
        self._member_id = "unknown"
        self._home = ""
        self._thread = threading.Thread(target=self._run, name="penstock-engine", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    @property
    def is_current(self) -> bool:
        return self._thread is threading.current_thread()

    def join(self, seconds: float) -> bool:
        """Wait until the thread has ended; yes if it has."""
        self._thread.join(seconds)
        return not self.alive

    def renew(self, turn: Turn) -> None:
        """Extend the lease to `lease_seconds` after the end of `turn`."""
        self._slot = turn.slot
        self._extend_lease(turn.seconds + turn.lease_seconds)

    @property
    def held(self) -> bool:
        """Whether the driver wants the turn to last beyond its end."""
        return self._instruction.hold and monotonic() - self._answered_at < _HOLD_SECONDS

    def gives_way(self, turn: int) -> bool:
        """Whether the driver wants this turn to end before its time."""
        return self._instruction.give_way == turn

    def take_rows(self, wait_seconds: float) -> Rows:
        """Wait `wait_seconds`, or until the engine ends; return the rows of the outputs committed
        since the last call.
        """
        self._ended.wait(wait_seconds)
        return self._rows.take()

    def _run(self) -> None:
        control = ControlClient(self._control_address)
        try:
            if control.ask("report", Report(self._member_id, "starting"), Instruction).stop:
                return
            program, self._program = self._program, ShippedProgram()
            blueprint = program.open()
            del program
            self._internal_topics = blueprint.internal_topics
            self._bounded = blueprint.ends is not None
            with captured(self._printed) if self._own_process else nullcontext():
                self._host(blueprint, control)
            control.ask("report", self._last_report("closed"), Instruction)
        except DriverSilent as silent:
            print(f"this worker has ended: {silent}", file=sys.stderr, flush=True)
        except BaseException as error:
            # The driver handles the failure, also sys.exit in an `init`: Spark does not see what
            # is raised here. The executor's log gets the whole trace.
            failure = WorkerFailure.of(error)
            if self._own_process:
                print(failure.trace, file=sys.stderr, flush=True)
            with suppress(DriverSilent):
                control.ask("report", self._last_report("failed", failure), Instruction)
        finally:
            self._ended.set()
            control.close()
            _free_clients(own_process=self._own_process)

    def _host(self, blueprint: Blueprint, control: ControlClient) -> None:
        with TaskHost(blueprint) as host:
            self._member_id = host.member_id
            self._home = host.state_location
            worker = open_worker(blueprint, host, self._committed, keep=self._rows_of_results)
            replicas = blueprint.config.num_standby_replicas
            standbys = Standbys(blueprint, host) if replicas else None
            with ExitStack() as closing:
                if standbys is not None:
                    closing.callback(self._close_standbys, standbys)
                closing.enter_context(rare_collections())
                reachability = Reachability(worker.admin, blueprint.task_topic)
                closing.callback(reachability.close)
                reporter = Reporter(
                    control, self._answered, reachability.away_seconds, self._printed.take
                )
                closing.callback(_close_reporter, reporter, control)
                closing.callback(self._queries.close)
                questions = QuestionPoller(
                    self._control_address, host.member_id, self._queries, worker
                )
                closing.callback(questions.close)
                self._work(worker, standbys, reporter)

    def _work(self, worker: Worker, standbys: Standbys | None, reporter: Reporter) -> None:
        next_report = 0.0
        try:
            while not (instruction := self._instruction).stop and self._has_lease():
                if reporter.ready and monotonic() >= next_report:
                    reporter.post(self._report(worker, standbys))
                    next_report = monotonic() + _REPORT_SECONDS
                    self._queries.drop_old()
                if self._queries.has_questions:
                    copies = [] if standbys is None else standbys.queryable()
                    self._queries.serve([*worker.queryable(), *copies])
                if self._must_rejoin:
                    self._must_rejoin = False
                    worker.rejoin()
                worker.wait_ms_max = _HOT_WAIT_MS if self._queries.is_hot else None
                worker.step(paused=instruction.paused)
                if standbys is not None:
                    begin = monotonic()
                    standbys.work(instruction.standbys, begin)
                    worker.metrics.updated_standbys(monotonic() - begin)
        except BaseException:
            self._records_in = worker.figures.records_in()
            self._record_failures = worker.figures.take_record_failures()
            self._queries.close()
            worker.abandon()
            raise
        self._records_in = worker.figures.records_in()
        # To commit and to leave the group may take seconds: questions go elsewhere meanwhile.
        self._queries.close()
        worker.close()

    def _answered(self, instruction: Instruction) -> None:
        self._instruction, self._answered_at = instruction, monotonic()
        self._must_rejoin |= instruction.rejoin
        if instruction.renew and not instruction.stop:
            self._extend_lease(self._lease_seconds)

    def _extend_lease(self, seconds: float) -> None:
        self._lease_until = max(self._lease_until, monotonic() + seconds)

    def _has_lease(self) -> bool:
        return monotonic() < self._lease_until

    def _report(self, worker: Worker, standbys: Standbys | None) -> Report:
        tasks = worker.figures.tasks()
        restored, remaining = worker.figures.restoration()
        self._records_in = worker.figures.records_in()
        # Those of a copy that became a task come before those of the task.
        copied = () if standbys is None else standbys.take_events()
        return Report(
            self._member_id,
            "restoring" if "restoring" in tasks.values() else "running",
            tasks=tasks,
            counters=worker.figures.counters(),
            restored=restored,
            restore_remaining=remaining,
            caught_up=worker.figures.drained() if self._bounded else worker.figures.caught_up(),
            records_in=self._records_in,
            records_out=self._records_out,
            lag=worker.figures.lag(),
            printed=self._printed.take(),
            state_entries=worker.figures.state_entries(),
            restore_events=copied + worker.figures.take_restore_events(),
            record_failures=worker.figures.take_record_failures(),
            home=self._home,
            executor=executor_id(),
            slot=self._slot,
            joined=worker.joined,
            number=next(_numbers),
            metrics=self._metrics(worker, standbys),
        )

    def _metrics(self, worker: Worker, standbys: Standbys | None) -> tuple[MetricRow, ...] | None:
        """Return the metrics of the worker, None if a second is not over."""
        now = monotonic()
        if now < self._next_metrics:
            return None
        self._next_metrics = now + _METRICS_SECONDS
        updated = {} if standbys is None else standbys.updated
        behind = {} if standbys is None else standbys.behind()
        kept = len(self._instruction.standbys)
        return worker.metrics.rows(kept, joined=worker.joined, updated=updated, behind=behind)

    def _last_report(self, state: str, failure: WorkerFailure | None = None) -> Report:
        return Report(
            self._member_id,
            state,
            records_in=self._records_in,
            records_out=self._records_out,
            printed=self._printed.take(),
            restore_events=self._standby_events,
            record_failures=self._record_failures,
            home=self._home,
            executor=executor_id(),
            slot=self._slot,
            failure=failure,
            number=next(_numbers),
        )

    def _close_standbys(self, standbys: Standbys) -> None:
        standbys.close()
        self._standby_events = standbys.take_events()

    def _rows_of_results(self, outputs: list[Output]) -> Rows:
        """Return the rows of the outputs to the user's topics."""
        rows: Rows = self._rows.of(outputs, self._internal_topics)
        return rows

    def _committed(self, rows: Rows) -> None:
        self._records_out += len(rows)
        self._rows.add(rows)


def _close_reporter(reporter: Reporter, control: ControlClient) -> None:
    if not reporter.close(_LAST_ANSWER_SECONDS):
        control.close()  # the last report takes another connection


def _free_clients(*, own_process: bool) -> None:
    """Free the worker's Kafka clients. Their callbacks refer to their owners, and without a
    collection of such cycles a process can make a few hundred clients in its life. What is frozen
    in the user's process is theirs.
    """
    if own_process:
        gc.unfreeze()
    gc.collect()


def begin_turn(turn: Turn) -> EngineThread:
    """Have this process's engine work for a turn; start it if there is none."""
    engine = _engines.get(turn.run_id)
    if engine is None or not engine.alive:
        engine = _engines[turn.run_id] = EngineThread(turn)
    engine.renew(turn)
    return engine


def take_turn(turn: Turn) -> Iterator[Rows]:
    """Run this process's engine for a turn; yield the rows of the outputs it commits."""
    engine = begin_turn(turn)
    if turn.program.own_process:
        gc.unfreeze()
    until = monotonic() + turn.seconds
    while engine.alive and ((left := _left(engine, turn, until)) > 0 or engine.held):
        rows = engine.take_rows(_ROW_WAIT_SECONDS if left <= 0 else min(left, _ROW_WAIT_SECONDS))
        if rows:
            yield rows
    # An engine that has just ended has committed once more.
    if rows := engine.take_rows(0):
        yield rows
    # Spark's worker now collects garbage, and the engine stops meanwhile: frozen objects are
    # skipped until the next turn. In the user's own process what is frozen is theirs.
    if turn.program.own_process:
        gc.freeze()


def wait_for_end(run_id: str, seconds: float) -> bool:
    """Wait until the engine of a run has ended in this process; yes if it has, or never began."""
    engine = _engines.get(run_id)
    return engine is None or engine.join(seconds)


def is_engine_of(run_id: str) -> bool:
    """Return whether this thread is the engine of a run."""
    engine = _engines.get(run_id)
    return engine is not None and engine.is_current


def _left(engine: EngineThread, turn: Turn, until: float) -> float:
    return 0.0 if engine.gives_way(turn.slot[0]) else until - monotonic()
