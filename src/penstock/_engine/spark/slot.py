"""In a Python worker of an executor: the engine thread, which outlives the turns that pay for it.

A turn renews the lease; between two turns the thread goes on, so that the gap costs no latency. A
lease that nobody renews ends the work: commit, leave the group, close the stores.
"""

from __future__ import annotations

import gc
import logging
import pickle
import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from penstock._engine.kafka.task_host import TaskHost
from penstock._engine.kafka.worker import Worker
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.runtime.collector import Output
from penstock._engine.spark.control import (
    ControlAddress,
    ControlClient,
    Instruction,
    Report,
    WorkerFailure,
)
from penstock.clock import monotonic

_log = logging.getLogger(__name__)

_STEP_WAIT_SECONDS = 0.02
_REPORT_SECONDS = 0.25
_ROWS_KEPT = 200_000
_ROW_WAIT_SECONDS = 0.2

_engines: dict[str, EngineThread] = {}


@dataclass(frozen=True, slots=True)
class Turn:
    """A stretch of work: for which run of which application, and how long."""

    run_id: str
    control: ControlAddress
    seconds: float
    lease_seconds: float


class EngineThread:
    """Runs a worker on a thread of its own, as long as its lease lasts."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._lease_until = monotonic() + turn.seconds + turn.lease_seconds
        self._rows: deque[Output] = deque(maxlen=_ROWS_KEPT)
        self._have_rows = threading.Event()
        self._records_out = 0
        self._thread = threading.Thread(target=self._run, name="penstock-engine", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def renew(self, turn: Turn) -> None:
        """Let the lease last until a while after the end of `turn`."""
        self._lease_until = monotonic() + turn.seconds + turn.lease_seconds

    def take_rows(self, wait_seconds: float) -> list[Output]:
        """Give the outputs committed since the last call, waiting a little if there are none."""
        self._have_rows.wait(wait_seconds)
        self._have_rows.clear()
        rows: list[Output] = []
        while self._rows:
            rows.append(self._rows.popleft())
        return rows

    def _run(self) -> None:
        control = ControlClient(self._turn.control)
        member_id = "unknown"
        try:
            if control.ask("report", Report(member_id, "starting")).stop:
                return
            blueprint: Blueprint = pickle.loads(control.ask("blueprint"))
            with TaskHost(blueprint) as host:
                member_id = host.member_id
                worker = Worker(blueprint, member_id, host, self._committed)
                # Spark's worker collects garbage after each turn; what is here by now stays anyway.
                gc.freeze()
                self._work(worker, control, member_id)
            control.ask("report", Report(member_id, "closed", records_out=self._records_out))
        except Exception as error:
            # The driver decides what becomes of it; raising here would only tell Spark.
            _log.exception("worker=%s failed", member_id)
            failure = WorkerFailure.of(error)
            control.ask("report", Report(member_id, "failed", failure=failure))
        finally:
            self._have_rows.set()
            control.close()

    def _work(self, worker: Worker, control: ControlClient, member_id: str) -> None:
        next_report = 0.0
        instruction = Instruction()
        try:
            while not instruction.stop and monotonic() < self._lease_until:
                if monotonic() >= next_report:
                    instruction = control.ask("report", self._report(worker, member_id))
                    next_report = monotonic() + _REPORT_SECONDS
                worker.step(_STEP_WAIT_SECONDS, paused=instruction.paused)
        except BaseException:
            worker.abandon()
            raise
        worker.close()

    def _report(self, worker: Worker, member_id: str) -> Report:
        tasks = worker.tasks()
        restoring = "restoring" in tasks.values()
        return Report(
            member_id,
            "restoring" if restoring else "running",
            tasks=tasks,
            counters=worker.counters(),
            restore_remaining=worker.restore_remaining(),
            caught_up=worker.caught_up(),
            records_out=self._records_out,
        )

    def _committed(self, outputs: list[Output]) -> None:
        self._records_out += len(outputs)
        self._rows.extend(outputs)
        self._have_rows.set()


def take_turn(turn: Turn) -> Iterator[list[Output]]:
    """Keep this process's engine going for a turn; give the outputs it commits."""
    engine = _engines.get(turn.run_id)
    if engine is None or not engine.alive:
        engine = _engines[turn.run_id] = EngineThread(turn)
    engine.renew(turn)
    until = monotonic() + turn.seconds
    while monotonic() < until and engine.alive:
        rows = engine.take_rows(_ROW_WAIT_SECONDS)
        if rows:
            yield rows
