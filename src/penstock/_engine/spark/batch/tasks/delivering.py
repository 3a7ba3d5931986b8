"""In a Python worker: what the tasks of a backfill write goes to Kafka, and the driver is told how
far they are.

What a later stage reads goes on as rows; repartition records go nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from penstock._clock import monotonic
from penstock._engine.control.client import ControlClient, DriverSilent
from penstock._engine.control.messages import ControlAddress, WorkerFailure
from penstock._engine.kafka.backfill.delivery import DeliverySite, TaskDelivery
from penstock._engine.planner.tasks import TaskPlan
from penstock._engine.runtime.commit import CommitOffset
from penstock._engine.runtime.input.record_queue import TopicPartition
from penstock._engine.runtime.output.collector import Output
from penstock._engine.runtime.task import Task

_TELL_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class DeliveryPack:
    """What workers must know to write; travels to them."""

    site: DeliverySite
    task_indexes: Mapping[str, int]
    """The partition of the task topic that stands for each task."""
    hidden: frozenset[str]
    """Repartition topics: what goes there is read by a later stage and written nowhere."""
    passed_on: frozenset[str]
    """Topics whose records must be known to Spark."""
    control: ControlAddress = field(repr=False)


@dataclass(frozen=True, slots=True)
class TaskNews:
    """How far a task of a backfill is."""

    task_id: str
    processed: int
    passed_on: int
    """Records that later stages have to process."""


class Deliveries:
    """The deliveries of the tasks of one Spark partition."""

    def __init__(self, pack: DeliveryPack, plans: Sequence[TaskPlan]) -> None:
        self._hidden, self._passed_on = pack.hidden, pack.passed_on
        self._control = ControlClient(pack.control)
        self._told_at = 0.0
        self._passed = dict.fromkeys((plan.id for plan in plans), 0)
        self._by_task = {
            plan.id: TaskDelivery(pack.site, pack.task_indexes[plan.id]) for plan in plans
        }

    def take(self, task: Task, outputs: Sequence[Output]) -> list[Output]:
        """Take outputs of a task; give those that Spark must know of, too."""
        hidden, passed_on = self._hidden, self._passed_on
        delivery = self._by_task[task.task_id]
        delivery.take([output for output in outputs if output[0] not in hidden])
        passed = [output for output in outputs if output[0] in passed_on]
        self._passed[task.task_id] += len(passed)
        if monotonic() - self._told_at >= _TELL_SECONDS:
            self._told_at = monotonic()
            self._tell(task)
        return passed

    def finish(self, task: Task, committed: Mapping[TopicPartition, CommitOffset]) -> None:
        """Write the rest of a task, and what the live task must know beside its offsets."""
        delivery = self._by_task[task.task_id]
        delivery.committed(committed.items())
        delivery.finish()
        self._tell(task)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let go of everything; tell the driver if something went wrong."""
        if isinstance(error, Exception):
            with suppress(DriverSilent):
                self._control.ask("failure", WorkerFailure.of(error))
        for delivery in self._by_task.values():
            delivery.close()
        self._control.close()

    def _tell(self, task: Task) -> None:
        news = TaskNews(task.task_id, task.counters.processed, self._passed[task.task_id])
        # A driver that is gone is noticed by Spark.
        with suppress(DriverSilent):
            self._control.ask("progress", news)
