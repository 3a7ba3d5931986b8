"""Many simulated workers on the real control server: real sockets, threads of one process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, cast

from penstock._clock import monotonic
from penstock._engine.control.lag import ApplicationLag
from penstock._engine.control.members import Members
from penstock._engine.control.orphaned_tasks import OrphanedTasks
from penstock._engine.control.protocol.client import ControlClient
from penstock._engine.control.protocol.messages import Instruction, Report
from penstock._engine.control.protocol.server import ControlServer, Verb
from penstock._engine.control.slot_plan import Capacity, SlotPlan
from penstock._engine.control.status import RecordCounts
from penstock._engine.control.supervision import Supervision
from penstock._engine.metrics.rows import MetricRow
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.queries.question_queues import QuestionQueues
from penstock._engine.spark.streaming.query import ApplicationQuery
from penstock.application_states import State, StateMachine
from penstock.settings import StreamsConfig

TASK_VALUES = ("dropped-records-total", "dropped-records-rate", "active-process-ratio")


class Driver:
    """What the driver does with a report, without Spark: the query's own code and supervision."""

    def __init__(self, workers: int, tasks: int, replicas: int) -> None:
        self.task_ids = tuple(f"0_{number}" for number in range(tasks))
        self.states = StateMachine()
        self.supervision = Supervision(self.states, lambda: None)
        plan: Any = SimpleNamespace(
            tasks=[SimpleNamespace(id=task) for task in self.task_ids], ends=None
        )
        self.supervision.follow_plan(cast("Blueprint", plan))
        self.query = query_without_spark(
            self.task_ids, replicas, workers, self.supervision.take_report
        )
        self.supervision.follow_query(self.query)
        self.states.move(State.REBALANCING)
        verbs = {"report": Verb(Report, self.query._report)}
        self.server = ControlServer("127.0.0.1", verbs, self.query._hung_up)


def query_without_spark(
    tasks: tuple[str, ...], replicas: int, workers: int, on_report: Callable[[Report], None]
) -> Any:
    """Return a query that takes reports, and has not been started."""
    query: Any = ApplicationQuery.__new__(ApplicationQuery)
    query._config = StreamsConfig({"application.id": "crowd", "num.standby.replicas": replicas})
    query._on_report = on_report
    query._stop = query._closed = query.is_paused = False
    query._members, query._records, query._questions = Members(), RecordCounts(), QuestionQueues()
    query._last_numbers, query._hanging, query._active_at = {}, set(), monotonic()
    query._orphans = OrphanedTasks()
    query._is_followed = query._has_failed_early = False
    query._lock = threading.Lock()
    query._slots = SlotPlan(workers, lambda: Capacity(workers))
    query._slots.open_turn(1)
    query._tasks, query._lag = tasks, ApplicationLag(tasks)
    return query


def report_of(index: int, number: int, workers: int, tasks: tuple[str, ...]) -> Report:
    """Return a report like that of a worker that runs its share of the tasks."""
    own = tasks[index::workers]
    metrics = None
    if number % 4 == 1:
        values: dict[str, int | float | str] = {f"value-{each}": each * 1.5 for each in range(35)}
        metrics = (
            MetricRow("stream-thread-metrics", values),
            *(
                MetricRow("stream-task-metrics", dict.fromkeys(TASK_VALUES, 1.5), {"task-id": task})
                for task in own
            ),
        )
    return Report(
        f"worker-{index}",
        "running",
        tasks=dict.fromkeys(own, "running"),
        counters={task: {"process-total": number, "dropped-records-total": 0} for task in own},
        records_in=number * 100,
        lag=0,
        state_entries={"counts": number},
        home=f"machine-{index % 20}",
        slot=(1, index),
        number=number,
        pid=10_000 + index,
        metrics=metrics,
    )


@contextmanager
def crowd(
    driver: Driver, workers: int, reports: int, pause_seconds: float = 0.0
) -> Iterator[dict[str, Instruction]]:
    """Let each worker send `reports` reports over its own connection; yield their last answers
    while all are still connected.
    """
    answers: dict[str, Instruction] = {}
    clients = [ControlClient(driver.server.address) for _ in range(workers)]

    def work(index: int) -> None:
        due = time.monotonic() + pause_seconds * index / workers
        for number in range(1, reports + 1):
            time.sleep(max(0.0, due - time.monotonic()))
            due += pause_seconds
            report = report_of(index, number, workers, driver.task_ids)
            answers[report.member_id] = clients[index].ask("report", report, Instruction)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    try:
        yield answers
    finally:
        driver.query._stop = True  # no worker is missed
        for client in clients:
            client.close()
        driver.server.close()
