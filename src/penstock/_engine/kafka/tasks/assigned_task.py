"""A task of a worker, from being opened to its start: where it reads on, and what it restores."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import timedelta
from typing import Protocol, TypeAlias

from confluent_kafka.admin import AdminClient

from penstock._clock import SystemClock, monotonic
from penstock._durations import to_milliseconds
from penstock._engine.kafka.client.client_errors import TaskCorrupted
from penstock._engine.kafka.client.topics import PATIENCE_SECONDS, end_offsets
from penstock._engine.kafka.tasks.careful_run import CarefulRun
from penstock._engine.kafka.tasks.global_tables import GlobalTables
from penstock._engine.kafka.tasks.inputs import Inputs, starting_offset
from penstock._engine.kafka.tasks.key_placement import Placement
from penstock._engine.kafka.tasks.outdated_state import (
    AgedState,
    find_outdated,
    states_on_disk,
)
from penstock._engine.kafka.tasks.pace import is_due
from penstock._engine.kafka.tasks.refused_records import Refusals
from penstock._engine.kafka.tasks.restore import RestoreJob
from penstock._engine.metrics.step_times import TaskTimes
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.tasks import Partition, TaskPlan
from penstock._engine.queries.questions import Position as QueryPosition
from penstock._engine.runtime.records import OUTPUT_TIMESTAMP, Output, RawRecord
from penstock._engine.runtime.sizes import consumed_bytes, produced
from penstock._engine.runtime.stores.task_stores import TaskStore
from penstock._engine.runtime.task import Task
from penstock._engine.state.files.attempts import AttemptFile
from penstock._engine.state.files.crash_log import CrashLog
from penstock._engine.state.files.state_times import StateTimes
from penstock.errors import StateLockedError

_log = logging.getLogger(__name__)

Committed: TypeAlias = tuple[int, str] | None
"""A committed offset and its metadata, None if there is none."""

_HANDOVER_MS = 5_000
_WARN_AGAIN_MS = 60_000
# An earlier time of local state is as right, and the file need not be written at each checkpoint.
_NOTE_AGAIN_MS = 60_000
_OUTPUTS_SAMPLED = 16
AGES_SECONDS = 0.05
"""How often the ages of records are sampled."""


class WorkerHost(Protocol):
    """What a worker needs of the process that hosts it: opened tasks, each locked against other
    workers on this machine, and what is shared by all of them. Implemented by `TaskHost`.
    """

    @property
    def member_id(self) -> str: ...
    @property
    def global_tables(self) -> GlobalTables | None: ...
    @property
    def refusals(self) -> Refusals: ...
    @property
    def placement(self) -> Placement: ...
    @property
    def crash_log(self) -> CrashLog: ...
    def open(self, plan: TaskPlan) -> Task: ...
    def release(self, plan: TaskPlan) -> None: ...
    def wipe(self, plan: TaskPlan, stores: Iterable[str] | None = None) -> None: ...
    def attempts(self, plan: TaskPlan) -> AttemptFile: ...
    def state_times(self, plan: TaskPlan) -> StateTimes: ...
    def dead_members(self) -> Collection[str]: ...
    def set_aside(self, error: BaseException, drop_tasks: Callable[[], None]) -> bool: ...


def find_offsets(
    tasks: Collection[AssignedTask],
    inputs: Inputs,
    blueprint: Blueprint,
    refuse_lost: Callable[[Iterable[Partition]], None],
) -> None:
    """Read where the tasks were committed, with one request. `refuse_lost` is called with the
    partitions of which nothing is committed.
    """
    committed = inputs.committed([place for each in tasks for place in each.plan.inputs])
    refuse_lost([place for place, at in committed.items() if at is None])
    for each in tasks:
        each.begin_at(committed, blueprint, inputs)


def find_what_to_restore(
    tasks: Collection[AssignedTask], admin: AdminClient, now_ms: int
) -> list[TaskCorrupted]:
    """Read where the changelogs of the tasks end, at once; call `find_offsets` first. Return an
    error for each of them that is no help to local state that is too old.
    """
    changelogs = [place for each in tasks for place in each.changelogs()]
    ends = end_offsets(admin, changelogs, "read_uncommitted") if changelogs else {}
    for each in tasks:
        each.restore_to(ends, now_ms)
    states = [state for each in tasks for state in each.aged_states()]
    outdated = find_outdated(states, admin, now_ms, PATIENCE_SECONDS)
    for each in tasks:
        each.note_empty()
    return outdated


class LockedTasks:
    """Tasks whose directory another process holds: warns now and then while they are tried again.
    Java: StreamThread tries again after a LockException.
    """

    def __init__(self, member_id: str) -> None:
        self._member_id = member_id
        self._silent_until_ms: dict[str, int] = {}

    def wait(self, locked: StateLockedError, now_ms: int) -> None:
        """Note that a task could not be opened. A handover takes a moment and causes no warning."""
        place = str(locked.path)
        until_ms = self._silent_until_ms.setdefault(place, now_ms + _HANDOVER_MS)
        if now_ms >= until_ms:
            self._silent_until_ms[place] = now_ms + _WARN_AGAIN_MS
            _log.warning("worker=%s waits, and tries again: %s", self._member_id, locked)


class AssignedTask:
    """A task of a worker: being restored, or running."""

    __slots__ = (
        "_attempts",
        "_careful",
        "_complete_ms",
        "_has_marker",
        "_marked",
        "_next_ages",
        "_position",
        "_times",
        "next_age",
        "offsets",
        "plan",
        "restoring",
        "started",
        "task",
        "times",
    )

    def __init__(self, plan: TaskPlan, host: WorkerHost) -> None:
        self.plan = plan
        self.task = host.open(plan)
        self._attempts = host.attempts(plan)
        self._times = host.state_times(plan)
        self._complete_ms = 0
        self._careful: CarefulRun | None = None
        self._marked = self._has_marker = False
        self._next_ages = self.next_age = 0.0
        self._position: QueryPosition = {}
        self.offsets: dict[tuple[str, int], int] = {}
        """Where to begin to read, once restored."""
        self.restoring: list[RestoreJob] = []
        self.started = False
        self.times = TaskTimes(monotonic())
        """What is measured of the task, for metrics."""

    def begin_at(
        self, committed: Mapping[Partition, Committed], blueprint: Blueprint, inputs: Inputs
    ) -> None:
        """Take the committed offsets; a partition without one begins as its source says."""
        plan = self.plan
        policies = {
            topic: source.offset_reset
            for source in plan.subtopology.sources()
            for topic in source.topics
        }
        for partition in plan.inputs:
            topic, _ = partition
            if (place := committed[partition]) is None:
                internal = topic in blueprint.internal_topics
                policy = "earliest" if internal else policies.get(topic)
                if policy is None:
                    policy = blueprint.config.auto_offset_reset
                self.offsets[partition] = (
                    inputs.offset_at(
                        partition, SystemClock().now_ms() - to_milliseconds(policy, topic)
                    )
                    if isinstance(policy, timedelta)
                    else starting_offset(policy, topic)
                )
            else:
                offset, metadata = place
                self.offsets[partition] = offset
                self.task.resume(partition, offset, metadata)

    def changelogs(self) -> list[Partition]:
        """Return the changelogs that are no inputs; call `begin_at` first."""
        return [each for each in self.task.restorable() if each not in self.offsets]

    def restore_to(self, ends: Mapping[Partition, int], now_ms: int) -> None:
        """Make the restore jobs of the stores, with the ends of the `changelogs` after `now_ms`."""
        self.restoring = [
            RestoreJob(
                partition,
                store.changelog_offset(),
                self._end_of_input(partition, store) if goes_on else ends[partition],
                store.restore,
                store.name,
                goes_on=goes_on,
                keeps_headers=store.keeps_headers,
            )
            for partition, store in self.task.restorable().items()
            for goes_on in (partition in self.offsets,)
        ]
        self._complete_ms = now_ms

    def aged_states(self) -> list[AgedState]:
        """Return what is to be restored to stores on disk, with the times of their state."""
        return states_on_disk(self.restoring, self.task.restorable(), self.plan, self._times)

    def note_empty(self) -> None:
        """Note the time for stores that are restored from the beginning: from now on all deletions
        of what they read are kept for long enough. That of other stores stays until they are
        complete.
        """
        if empty := [job.store for job in self.restoring if job.start is None]:
            self._times.note(empty, self._complete_ms)

    def _end_of_input(self, partition: Partition, store: TaskStore) -> int:
        """Return where to stop in an input that is its table's changelog: what is not committed is
        yet to be processed.
        """
        return max(self.offsets[partition], store.changelog_offset() or 0)

    def start(self, now_ms: int) -> None:
        """Start the restored task; carefully, if its process has died here before."""
        attempt = self._attempts.begin(self.offsets)
        if attempt.careful:
            _log.warning(
                "task=%s is processed record by record: its process has died %d times at one place",
                self.plan.id,
                attempt.deaths,
            )
            self._careful = CarefulRun(self.task, attempt, self._attempts)
            self._marked = self._has_marker = True
        self._note_complete(self._complete_ms)
        self.task.start(now_ms)
        self.started = True
        # All that is restored is committed.
        self._position = self.position(uncommitted=True)

    def add_records(self, topic: str, number: int, records: list[RawRecord]) -> None:
        """Take in records of one partition, in offset order."""
        self.times.read(topic, len(records), consumed_bytes(topic, records))
        (self._careful or self.task).add_records(topic, number, records)

    def take_outputs(self, now_ms: int) -> list[Output]:
        """Return what the task has produced since the last call, counted by topic."""
        outputs = self.task.drain()
        if outputs:
            sinks = self.task.sink_names
            for topic, (count, size) in produced(outputs).items():
                if topic in sinks:
                    self.times.sent(topic, count, size)
            now = monotonic()
            if now >= self._next_ages:
                self._next_ages = now + AGES_SECONDS
                self._take_ages(outputs, now_ms, now)
        return outputs

    def _take_ages(self, outputs: list[Output], now_ms: int, now: float) -> None:
        """Take the ages of the last few outputs, one of each sink: they stand for all of them."""
        sinks = self.task.sink_names
        last = {output[0]: output[OUTPUT_TIMESTAMP] for output in outputs[-_OUTPUTS_SAMPLED:]}
        for topic, timestamp in last.items():
            if timestamp is not None and topic in sinks:
                self.times.arrived(sinks[topic], now_ms - timestamp, now)

    def process(self, now_ms: int, limit: int, deadline: float) -> int:
        """Process up to `limit` records until `deadline`; return how many were processed."""
        if self._careful is not None:
            if self._careful.is_over:
                self._careful.end()
                self._careful = None
            else:
                return self._careful.process(now_ms, limit, deadline)
        if not self._marked and self.task.has_records():
            # Once, for the first records: a process that gets past them has not died there.
            self._attempts.mark()
            self._marked = self._has_marker = True
        return self.task.process(now_ms, limit, deadline)

    def buffered(self) -> dict[tuple[str, int], int]:
        """Return how many records of each partition wait here."""
        if self._careful is None:
            return self.task.buffered()
        waiting = self._careful.buffered()
        return {
            place: count + waiting.get(place, 0) for place, count in self.task.buffered().items()
        }

    def has_records(self) -> bool:
        """Return whether records wait to be processed."""
        return any(self.buffered().values())

    def committed(self, ends: Mapping[tuple[str, int], int], now_ms: int) -> None:
        """Mark the work of the task as committed; `ends` are the end offsets of its changelogs,
        asked for after `now_ms`.
        """
        self.task.committed(ends)
        if ends and is_due(now_ms, self._complete_ms, _NOTE_AGAIN_MS):
            self._note_complete(now_ms)
        self._position = self.position(uncommitted=True)
        if self._has_marker and self._careful is None:
            self._attempts.clear()
            self._has_marker = False

    def _note_complete(self, now_ms: int) -> None:
        self._complete_ms = now_ms
        if stores := [store.name for store in self.task.restorable().values() if store.is_on_disk]:
            self._times.note(stores, now_ms)

    # What a query sees: queries/query_server.py.

    @property
    def partition(self) -> int:
        return self.plan.partition

    @property
    def is_ready(self) -> bool:
        return self.started

    def has_store(self, name: str) -> bool:
        return self.task.task_store(name) is not None

    def store(self, name: str) -> TaskStore | None:
        return self.task.task_store(name)

    def position(self, *, uncommitted: bool) -> QueryPosition:
        if not uncommitted:
            return self._position
        position: QueryPosition = {}
        if not self.started:
            return position  # what is committed is not restored yet
        for (topic, number), offset in self.task.next_offsets().items():
            position.setdefault(topic, {})[number] = offset - 1
        return position

    def offsets_behind(self) -> int:
        return sum(max(0, job.end - job.reached) for job in self.restoring)

    def restored(self) -> int:
        """Return how many changelog records were restored."""
        return sum(job.restored for job in self.restoring)

    def restore_progress(self, store: str) -> tuple[int, int] | None:
        jobs = () if self.started else self.restoring
        return next(((job.reached, job.end) for job in jobs if job.store == store), None)

    def clear_marker(self) -> None:
        """Remove the mark of a possible death: this process lives and gives the task up."""
        if self._has_marker:
            self._attempts.clear()
