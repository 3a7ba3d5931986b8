"""A worker: one member of the group, which runs the tasks that the group assigns to it.

It knows nothing of Spark. Its host calls `step` in a loop on one thread, until it calls `close` or
`abandon`. The clients come from outside (`worker_clients.py`), the figures for reports are read in
`figures.py`, and the order in which a commit becomes durable is in `transactions.py`.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from typing import Any

from penstock._clock import Clock, SystemClock, monotonic
from penstock._engine.kafka.client.client_errors import (
    BrokerAway,
    BrokerSilent,
    CommitPostponed,
    TaskCorrupted,
    TaskMigrated,
    TaskTimeout,
    crash_point,
)
from penstock._engine.kafka.tasks.assigned_task import (
    AssignedTask,
    LockedTasks,
    WorkerHost,
    find_offsets,
    find_what_to_restore,
)
from penstock._engine.kafka.tasks.open_transactions import OpenTransactions
from penstock._engine.kafka.tasks.pace import is_due
from penstock._engine.kafka.worker.agreement import Agreement
from penstock._engine.kafka.worker.checkpoints import Checkpoints, RepartitionPurge, proving_offsets
from penstock._engine.kafka.worker.figures import WorkerFigures
from penstock._engine.kafka.worker.freed_memory import FreedMemory
from penstock._engine.kafka.worker.offset_marks import OffsetMarks
from penstock._engine.kafka.worker.processing import Processing
from penstock._engine.kafka.worker.silence import open_silence
from penstock._engine.kafka.worker.task_set import TaskSet
from penstock._engine.kafka.worker.worker_clients import WorkerClients, open_clients
from penstock._engine.kafka.worker.worker_metrics import WorkerMetrics
from penstock._engine.metrics.step_times import ThreadTimes
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.queries.query_server import QueryableTask
from penstock._engine.runtime.commit import CommitOffset
from penstock._engine.runtime.records import Output
from penstock.errors import StateLockedError, StreamsError

_log = logging.getLogger(__name__)

_RESTORE_WAIT_SECONDS = 0.01
_COMMIT_AGAIN_MS = 500
_LAST_COMMITS = 10


def open_worker(
    blueprint: Blueprint,
    host: WorkerHost,
    on_commit: Callable[[Any], None],
    *,
    keep: Callable[[list[Output]], Any] = list,
    clock: Clock | None = None,
) -> Worker:
    """Make a worker with Kafka clients of its own, on the thread that runs it."""
    clients = open_clients(blueprint, host)
    return Worker(blueprint, host, clients, on_commit, keep=keep, clock=clock)


class Worker:
    """Runs tasks of one application."""

    def __init__(
        self,
        blueprint: Blueprint,
        host: WorkerHost,
        clients: WorkerClients,
        on_commit: Callable[[Any], None],
        *,
        keep: Callable[[list[Output]], Any] = list,
        clock: Clock | None = None,
    ) -> None:
        """After a commit `on_commit` is called with `keep(outputs)` for each batch of outputs in
        it, in order.
        """
        self._blueprint = blueprint
        self._config = blueprint.config
        self._member_id = host.member_id
        self._host = host
        self._clients = clients
        self.admin = clients.admin
        """Any thread may ask the cluster with it."""
        self._on_commit = on_commit
        self._keep = keep
        self._clock = clock or SystemClock()
        self._tasks = TaskSet(blueprint)
        self._kept: list[Any] = []
        self._last_commit_ms = now_ms = self._clock.now_ms()
        self.joined = False
        self._woken = threading.Event()
        self.wait_ms_max: int | None = None
        """How long a step may wait for records; None: as long as `poll.ms` says."""
        self.figures = WorkerFigures(blueprint, self._tasks, clients, host)
        self._times = ThreadTimes(monotonic(), now_ms)
        debug = self._config.records_debug_metrics
        self.metrics = WorkerMetrics(self._tasks, clients.inputs, host, self._times, debug=debug)
        self._checkpoints = Checkpoints(clients.admin, clients.inputs, now_ms)
        self._purge = RepartitionPurge(clients.admin, blueprint, now_ms)
        self._inputs = clients.inputs
        self._open_transactions = OpenTransactions(clients.inputs)
        self._restorer = clients.restorer
        self._membership = clients.join(self)
        self._agreement = Agreement(
            clients.admin, self._config.application_id, blueprint.identity, host.dead_members
        )
        self._task_timeout = TaskTimeout(self._config.task_timeout_ms)
        self._locks = LockedTasks(self._member_id)
        self._marks = OffsetMarks(blueprint, clients.read_marks, self._clock)
        self._committer = clients.make_committer(self._membership)
        self._processing = Processing(self._config, self._inputs, self._clock, self._times)
        self._silence = open_silence(clients.admin, self._inputs, blueprint.ends)
        self._freed_memory = FreedMemory()
        host.crash_log.record_in_hand = self._processing.record_in_hand

    def step(self, *, paused: bool = False) -> bool:
        """Do a round: group, restore, read, process, commit. Yes if it processed records."""
        try:
            self._membership.poll()
            if not self._global_tables_are_complete():
                return False
            self._committer.prepare()
            self._open_assigned()
            self._advance_restoration()
            processed = self._rest() if paused else self._process_all()
            if self._commit_is_due():
                # A new generation refuses the metadata of the one before: poll first.
                self._membership.poll()
                all_due = self._checkpoints.all_due(self._clock.now_ms())
                self.commit(checkpoint=all_due, rests=all_due)
        except CommitPostponed as postponed:
            self._commit_soon_again(postponed)
            return True
        except TaskCorrupted as corrupted:
            self._restore_anew(corrupted)
            return True
        except TaskMigrated as migrated:
            # Routine when workers join or leave; what was dropped is read again.
            _log.info("worker=%s dropped its uncommitted work: %s", self._member_id, migrated)
            self._host.refusals.note(migrated)
            self._drop_everything()
            if isinstance(migrated, BrokerAway):
                self._inputs.renew()
                self._task_timeout.record_failure(migrated, monotonic())
            return True
        except StreamsError as error:
            if not self._host.set_aside(error, self._drop_everything):
                raise
            return True
        return processed

    def commit(self, *, checkpoint: bool = False, rests: bool = False, stops: bool = False) -> None:
        """Commit what all tasks have done since the last commit; if `rests`, inputs that rest too.
        `stops` says that it is the last commit of this worker.

        Now and then, and if `checkpoint`, local state also gets a checkpoint: the end of its
        changelog. What has been committed since is read once more after a crash.
        """
        self._last_commit_ms = begin_ms = self._clock.now_ms()
        begin = monotonic()
        offsets: dict[tuple[str, int], CommitOffset] = {}
        committing = []
        started = self._tasks.started()
        with self._processing.flushing():
            for each in started.values():
                commit = each.task.prepare_commit()
                if commit is not None:
                    committing.append(each)
                    offsets.update(commit.offsets)
        if not committing and not (checkpoint and started):
            return
        crash_point("before-send")
        flushed = monotonic()
        self._send(committing)
        if rests:
            offsets |= self._checkpoints.resting(started.values(), offsets)
        offsets = offsets or proving_offsets(started, self._blueprint.task_topic)
        self._tasks.check_owned(offsets)
        # Tasks that have nothing to commit now may have had before the last checkpoint.
        checkpointed = list(started.values()) if checkpoint else committing
        ends = {}
        if checkpoint or self._checkpoints.due(self._clock.now_ms()):
            ends = self._checkpoints.ends(checkpointed, offsets, self._committer.flush)
        marks = self._marks.outputs(offsets, due=checkpoint, stops=stops)
        marked = self._committer.commit(offsets, self._membership.metadata, marks)
        self._marks.committed(offsets, marked=marked)
        end = monotonic()
        self._times.committed(end - begin, end - flushed)
        self._task_timeout.reset()
        self._host.crash_log.reset_deaths()
        self._purge.committed(offsets, self._clock.now_ms())
        if self._host.refusals.committed():
            self._committer = self._clients.make_committer(self._membership)
        for each in checkpointed:
            each.committed(ends, begin_ms)
        crash_point("after-apply")
        # As in Java the interval begins when a commit has ended: a slow one is not followed by the
        # next at once.
        self._last_commit_ms = self._clock.now_ms()
        if ends:
            self._checkpoints.taken(self._last_commit_ms, all_tasks=checkpoint)
        kept, self._kept = self._kept, []
        for outputs in kept:
            self._on_commit(outputs)

    def queryable(self) -> list[QueryableTask]:
        """Return what queries may read here."""
        tables = self._host.global_tables
        return [*self._tasks.opened.values(), *([] if tables is None else [tables])]

    def wake(self) -> bool:
        """End the wait for records, and a step that lasts before its next task; any thread may
        call this. No if the client cannot be woken.
        """
        self._woken.set()
        return self._inputs.wake()

    def rejoin(self) -> None:
        """Commit, leave the group and join it again, so that it assigns all tasks anew."""
        try:
            self.commit(checkpoint=True)
        except (TaskMigrated, CommitPostponed) as error:
            _log.info("worker=%s joins again without a commit: %s", self._member_id, error)
        self._membership.rejoin()

    def doing(self) -> str:
        """Return what the engine thread is busy with, for a query that it does not answer."""
        function = self._processing.function
        place = self._processing.record_in_hand()
        return f"function {function or 'of the topology'}{place}" if place else "a commit, or Kafka"

    def close(self) -> None:
        """Commit, leave the group and close everything."""
        self._processing.close()
        self._silence.close()
        with ExitStack() as closing:
            # In reverse, each whatever the others raise.
            closing.callback(self._membership.leave)
            closing.callback(self._inputs.close)
            closing.callback(self._restorer.close)
            closing.callback(self._committer.close)
            closing.callback(lambda: self._close_tasks(list(self._tasks.opened)))
            try:
                self._commit_at_last()
            except TaskMigrated:
                self._committer.abort()

    def abandon(self) -> None:
        """Close without a commit, after a failure; what is uncommitted is dropped."""
        self._processing.close()
        self._silence.close()
        try:
            self._committer.abort()
            self._mark_last_commit()
        finally:
            for index in list(self._tasks.opened):
                failed = self._tasks.pop(index)
                # A process that can say why it fails has not died.
                failed.clear_marker()
                failed.task.discard()
                self._host.release(failed.plan)
            self._committer.close()
            self._restorer.close()
            self._inputs.close()
            self._membership.leave()

    def _mark_last_commit(self) -> None:
        """Leave the marks of what is committed, for a failed application may stand still for long;
        not while brokers are away: the report waits. At-least-once changelogs may be further.
        """
        marks = self._marks.outputs({}, due=True, stops=self._config.exactly_once)
        if marks and not self._task_timeout.has_begun:
            offsets = proving_offsets(self._tasks.started(), self._blueprint.task_topic)
            with suppress(StreamsError):
                self._committer.commit(offsets, self._membership.metadata, marks)

    def _commit_at_last(self) -> None:
        for _ in range(_LAST_COMMITS):
            try:
                # The checkpoint lies before the marker of its own transaction. One that comes after
                # all work has nothing behind it that a changelog could delete while the worker is
                # down.
                self.commit()
                if self._config.exactly_once:
                    self._checkpoints.wait_for_markers(self._tasks.started().values())
                self.commit(checkpoint=True, rests=True, stops=True)
            except CommitPostponed as postponed:
                _log.warning("worker=%s cannot commit yet: %s", self._member_id, postponed)
                self._membership.poll(_COMMIT_AGAIN_MS / 1000)
            else:
                return

    # The TaskOwner of the membership: called from within `Membership.poll`.

    def tasks_assigned(self, tasks: Iterable[int]) -> None:
        """Add tasks; they are opened after the poll."""
        self._agreement.reconsider()
        self._tasks.assign(tasks)
        self.joined = True

    def tasks_revoked(self, tasks: Iterable[int]) -> None:
        """Finish revoked tasks: their work is committed before the next owner begins with them."""
        gone = set(tasks)
        self._tasks.assigned -= gone
        if not gone & set(self._tasks.opened):
            return
        try:
            self.commit(checkpoint=True)
        except TaskMigrated:
            self._drop_everything()
        except CommitPostponed as postponed:
            # The next owner processes it again; what stays here is committed later.
            _log.info("worker=%s could not commit what it gives: %s", self._member_id, postponed)
        self._close_tasks(gone)

    def tasks_lost(self, tasks: Iterable[int]) -> None:
        """Drop lost tasks: other members own them already."""
        self._tasks.assigned -= set(tasks)
        self._drop_everything()

    def _global_tables_are_complete(self) -> bool:
        """Read on in the global tables; tasks run when all that was there at the start is read."""
        tables = self._host.global_tables
        if tables is None:
            return True
        tables.work(0 if tables.complete else _RESTORE_WAIT_SECONDS)
        return tables.complete

    def _open_assigned(self) -> None:
        to_open = self._tasks.to_open()
        # A member without new tasks has nothing to agree on: in a large group, all would ask for
        # all others at each change.
        if self._membership.metadata is None or not (to_open or self._agreement.is_new):
            return
        if not self._agreement.reached(monotonic()):
            return
        opening = []
        for index in to_open:
            try:
                opened = AssignedTask(self._blueprint.tasks[index], self._host)
            except StateLockedError as locked:
                # Its last owner stands still or is about to close it: the next step tries again.
                self._locks.wait(locked, self._clock.now_ms())
                continue
            # Noted before anything can fail, so that it is closed.
            self._tasks.opened[index] = opened
            self._times.created += 1
            opening.append(opened)
        if not opening:
            return
        # For all of them at once: a worker that gets hundreds would ask as often, and take no part
        # in the group meanwhile. Stable committed offsets first, then the ends: see restore.py.
        find_offsets(opening, self._inputs, self._blueprint, self._marks.refuse_lost)
        for outdated in find_what_to_restore(opening, self._clients.admin, self._clock.now_ms()):
            self._restore_anew(outdated, only_store=True)
        for each in self._tasks.kept(opening):
            self._restorer.begin(each.restoring)

    def _advance_restoration(self) -> None:
        waiting = [each for each in self._tasks.opened.values() if not each.started]
        if not waiting:
            self._freed_memory.give_back()
            now = monotonic()
            self._restorer.rest(now)
            self._host.crash_log.survive(now)
            return
        begin, before = monotonic(), sum(each.restored() for each in waiting)
        self._restorer.work(_RESTORE_WAIT_SECONDS)
        end, after = monotonic(), sum(each.restored() for each in waiting)
        self._times.restored(after - before, end - begin)
        for each in waiting:
            if all(job.done for job in each.restoring):
                each.start(self._clock.now_ms())
                self._inputs.add(each.offsets)
                self._task_timeout.reset()
                if each.restored():
                    self._freed_memory.note()

    def _rest(self) -> bool:
        """Wait while the application is paused, until a question comes; not while tasks restore."""
        if all(each.started for each in self._tasks.opened.values()):
            self._woken.wait(self._config.poll_ms / 1000)
        self._woken.clear()
        return False

    def _process_all(self) -> bool:
        started = self._tasks.started().values()
        wait_ms = self._silence.shorten(self._config.poll_ms, started)
        if self._tasks.uncommitted():
            # Waiting must not put off the commit of what is done already.
            due_ms = self._last_commit_ms + self._config.commit_interval_ms
            wait_ms = min(wait_ms, max(0, due_ms - self._clock.now_ms()))
        if self.wait_ms_max is not None:
            wait_ms = min(wait_ms, self.wait_ms_max)
        if not all(each.started for each in self._tasks.opened.values()):
            wait_ms = 0  # others are being restored
        begin = monotonic()
        batch = self._inputs.read(wait_ms / 1000, self._config.max_poll_records)
        end = monotonic()
        self._times.polled(sum(map(len, batch.values())), end - begin)
        self._host.placement.look(batch)
        self._open_transactions.look(end)
        for (topic, number), records in batch.items():
            self._tasks.owner_of(topic, number).add_records(topic, number, records)
        # A question waits a moment, or for one task that takes longer, not for all of them.
        processed = self._processing.step(self._tasks.opened, self._woken.is_set)
        # The question is answered before the next step.
        self._woken.clear()
        if processed:
            crash_point("processed")
        with self._processing.watching():
            self._silence.look(started, monotonic())
        self._send(self._tasks.opened.values())
        return processed

    def _send(self, tasks: Iterable[AssignedTask]) -> None:
        for each in tasks:
            outputs = each.take_outputs(self._clock.now_ms())
            if outputs:
                self._committer.send(outputs)
                if self._config.exactly_once:
                    self._kept.append(self._keep(outputs))
                else:
                    # Readers see them now; the commit, which may be far away, adds nothing.
                    self._on_commit(self._keep(outputs))

    def _commit_is_due(self) -> bool:
        # Java: TaskManager.maybeCommitActiveTasksPerUserRequested.
        tasks = (each.task for each in self._tasks.opened.values())
        if any(task.commit_requested and task.uncommitted for task in tasks):
            return True
        is_bounded = self._blueprint.ends is not None
        if self._tasks.uncommitted() and (
            self._processing.must_commit() or (is_bounded and self.figures.caught_up())
        ):
            return True
        return is_due(self._clock.now_ms(), self._last_commit_ms, self._config.commit_interval_ms)

    def _commit_soon_again(self, postponed: CommitPostponed) -> None:
        now_ms = self._clock.now_ms()
        if isinstance(postponed, BrokerSilent):
            self._task_timeout.record_failure(postponed, monotonic())
        _log.info("worker=%s commits a little later: %s", self._member_id, postponed)
        self._last_commit_ms = now_ms + _COMMIT_AGAIN_MS - self._config.commit_interval_ms

    def _close_tasks(self, indices: Iterable[int]) -> None:
        """Close tasks, all of them, also if a user's `close` raises; then raise it."""
        with ExitStack() as closing:
            for index in set(indices) & set(self._tasks.opened):
                closed = self._detach(index)
                closing.callback(self._host.release, closed.plan)
                closing.callback(closed.task.close)

    def _drop_everything(self) -> None:
        """Drop all uncommitted work; tasks that are still ours begin at their committed offsets."""
        try:
            self._committer.abort()
        except Exception:
            _log.warning("worker=%s could not abort", self._member_id, exc_info=True)
        self._kept.clear()
        for index in list(self._tasks.opened):
            dropped = self._detach(index)
            dropped.task.discard()
            self._host.release(dropped.plan)
        self._committer = self._clients.make_committer(self._membership)

    def _restore_anew(self, corrupted: TaskCorrupted, *, only_store: bool = False) -> None:
        """Delete the local state of a task that was being restored, or only that of the changelog;
        the task is opened again.
        """
        for index, each in list(self._tasks.opened.items()):
            stores = {job.store for job in each.restoring if job.partition == corrupted.changelog}
            if stores:
                _log.warning("task=%s restores its state anew: %s", each.plan.id, corrupted)
                self._detach(index)
                each.task.discard()
                # Other stores may have no changelog: nothing could bring them back.
                self._host.wipe(each.plan, stores if only_store else None)

    def _detach(self, index: int) -> AssignedTask:
        """Stop reading and restoring for a task, which is then to be closed."""
        detached = self._tasks.pop(index)
        self._times.closed += 1
        self._inputs.remove(detached.offsets)
        self._marks.forget(detached.offsets)
        self._restorer.drop([job.partition for job in detached.restoring])
        detached.clear_marker()
        self._freed_memory.note()
        return detached
