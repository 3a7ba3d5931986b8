"""What a worker reports of itself: its tasks, how far they are, and what they have counted.

Everything here only reads. `EngineThread` puts the figures into the reports to the driver.
"""

from __future__ import annotations

from penstock._engine.kafka.client.client_errors import BrokerAway
from penstock._engine.kafka.client.topics import end_offsets
from penstock._engine.kafka.tasks.assigned_task import WorkerHost
from penstock._engine.kafka.worker.task_set import TaskSet
from penstock._engine.kafka.worker.worker_clients import WorkerClients
from penstock._engine.metrics.record_failures import RecordFailure, merged
from penstock._engine.metrics.restore_events import RestoreEvent
from penstock._engine.planner.blueprint import Blueprint

_ENDS_SECONDS = 10.0
_FAILURE_KINDS_MAX = 50


class WorkerFigures:
    """The figures of one worker. Call it on the worker's thread."""

    def __init__(
        self, blueprint: Blueprint, tasks: TaskSet, clients: WorkerClients, host: WorkerHost
    ) -> None:
        self._blueprint = blueprint
        self._tasks = tasks
        self._clients = clients
        self._host = host

    def tasks(self) -> dict[str, str]:
        """Return the ids of the worker's tasks, each with "restoring" or "running"."""
        return {self._blueprint.tasks[index].id: "restoring" for index in self._tasks.to_open()} | {
            each.plan.id: "running" if each.started else "restoring"
            for each in self._tasks.opened.values()
        }

    def restoration(self) -> tuple[int, int]:
        """Return how many changelog offsets the tasks have restored, and how many are left."""
        jobs = [job for each in self._tasks.opened.values() for job in each.restoring]
        remaining = self._clients.restorer.remaining()
        if self._host.global_tables is not None:
            remaining += self._host.global_tables.remaining()
        return sum(job.reached - (job.start or 0) for job in jobs), remaining

    def take_restore_events(self) -> tuple[RestoreEvent, ...]:
        """Return the restore events since the last call."""
        return self._clients.restorer.take_events()

    def take_record_failures(self) -> tuple[RecordFailure, ...]:
        """Return the records that failed since the last call, one of each kind."""
        tasks = self._tasks.opened.values()
        failures = (one for each in tasks for one in each.task.counters.failures.take())
        return merged(failures, _FAILURE_KINDS_MAX)

    def state_entries(self) -> dict[str, int]:
        """Return about how many committed entries the worker's part of each store has."""
        entries: dict[str, int] = {}
        for each in self._tasks.opened.values():
            for name, count in each.task.state_entries().items():
                entries[name] = entries.get(name, 0) + count
        return entries

    def records_in(self) -> int:
        """Return how many records of the user's topics were processed, closed tasks included."""
        return self._tasks.records_in()

    def lag(self) -> int | None:
        """Return how many input records wait on the broker or here, None if not known."""
        on_broker = self._clients.inputs.lag()
        if on_broker is None:
            return None
        waiting = (each.buffered().values() for each in self._tasks.opened.values())
        return on_broker + sum(map(sum, waiting))

    def counters(self) -> dict[str, dict[str, int]]:
        """Return the counters of each task, and of what feeds the global tables."""
        counted = {
            each.plan.id: each.task.counters.by_name() for each in self._tasks.opened.values()
        }
        if self._host.global_tables is not None:
            counted |= self._host.global_tables.counters()
        return counted

    def caught_up(self) -> bool:
        """Yes if all inputs of all tasks have been read to their end and processed."""
        tasks = self._tasks
        return (
            bool(tasks.assigned)
            and len(tasks.opened) == len(tasks.assigned)
            and all(each.started and not each.has_records() for each in tasks.opened.values())
            and not any(self._clients.inputs.lags.values())
        )

    def drained(self) -> bool:
        """Yes if a bounded run has nothing left to do here: all is read, processed and committed,
        and the broker has no more of the topics without an end, those that the application writes
        itself, than was read.

        What is not yet readable counts, too: the broker answers a commit before it has written its
        marks, and until then the records behind it cannot be seen.
        """
        if not self.caught_up() or self._tasks.uncommitted():
            return False
        ends_known = self._blueprint.ends or {}
        own = [
            partition
            for each in self._tasks.opened.values()
            for partition in each.plan.inputs
            if partition not in ends_known
        ]
        try:
            ends = end_offsets(self._clients.admin, own, "read_uncommitted", _ENDS_SECONDS)
        except BrokerAway:
            return False
        return all(end <= self._clients.inputs.end_met(place) for place, end in ends.items())
