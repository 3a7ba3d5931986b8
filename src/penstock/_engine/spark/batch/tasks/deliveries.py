"""Writes the outputs of a backfill's tasks to Kafka, in a Python worker, and reports progress.

Outputs that a later stage reads also become rows; repartition records become rows only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from penstock._clock import monotonic
from penstock._engine.control.protocol.client import ControlClient, DriverSilent
from penstock._engine.control.protocol.messages import ControlAddress, WorkerFailure
from penstock._engine.kafka.backfill.delivery import DeliverySite, TaskDelivery
from penstock._engine.planner.tasks import Partition, TaskPlan
from penstock._engine.runtime.commit import CommitOffset
from penstock._engine.runtime.records import Output
from penstock._engine.runtime.task import Task
from penstock.errors import StreamsError

_REPORT_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class DeliveryPack:
    """What workers need to write to Kafka."""

    site: DeliverySite
    task_indexes: Mapping[str, int]
    """The partition of each task in the task topic."""
    hidden: frozenset[str]
    """Repartition topics: a later stage reads their records; they are not written to Kafka."""
    passed_on: frozenset[str]
    """Topics whose records become rows for Spark."""
    control: ControlAddress = field(repr=False)


@dataclass(frozen=True, slots=True)
class TaskProgress:
    """How far a task of a backfill is."""

    task_id: str
    processed: int
    passed_on: int
    """Records for later stages to process."""


class Deliveries:
    """The writers to Kafka of the tasks of one Spark partition."""

    def __init__(self, pack: DeliveryPack, plans: Sequence[TaskPlan]) -> None:
        self._hidden, self._passed_on = pack.hidden, pack.passed_on
        self._control = ControlClient(pack.control)
        self._reported_at = 0.0
        self._passed = dict.fromkeys((plan.id for plan in plans), 0)
        self._by_task = {
            plan.id: TaskDelivery(pack.site, pack.task_indexes[plan.id]) for plan in plans
        }

    def take(self, task: Task, outputs: Sequence[Output]) -> list[Output]:
        """Queue outputs of a task for Kafka; return those that become rows."""
        hidden, passed_on = self._hidden, self._passed_on
        delivery = self._by_task[task.task_id]
        delivery.take([output for output in outputs if output[0] not in hidden])
        passed = [output for output in outputs if output[0] in passed_on]
        self._passed[task.task_id] += len(passed)
        if monotonic() - self._reported_at >= _REPORT_SECONDS:
            self._reported_at = monotonic()
            self._report(task)
        return passed

    def finish(self, task: Task, committed: Mapping[Partition, CommitOffset]) -> None:
        """Write the rest of a task's outputs, and the commit metadata for the live task."""
        delivery = self._by_task[task.task_id]
        delivery.committed(committed.items())
        delivery.finish()
        self._report(task)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the writers; report an error to the driver."""
        if isinstance(error, Exception):
            with suppress(DriverSilent):
                self._control.ask("failure", WorkerFailure.of(error))
        for delivery in self._by_task.values():
            delivery.close()
        self._control.close()

    def _report(self, task: Task) -> None:
        progress = TaskProgress(task.task_id, task.counters.processed, self._passed[task.task_id])
        # Spark notices a driver that is gone.
        with suppress(DriverSilent):
            self._control.ask("progress", progress)


def read_already(topic: str) -> StreamsError:
    """Return the error of a record for a topic that is an input of the run."""
    msg = (
        f"a record was sent to topic {topic!r}, which is an input of this run and has been read as "
        "it was given; send it to a topic that the topology does not read"
    )
    return StreamsError(msg)
