"""A worker: one member of the application, running the tasks that the group gives it.

It knows nothing of Spark. Whoever hosts it runs `step` in a loop on one thread and says how long it
may go on. All clients are made by the thread that uses them, after any fork.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.client.client_errors import (
    BrokerAway,
    BrokerSilent,
    CommitPostponed,
    Patience,
    TaskCorrupted,
    TaskMigrated,
    crash_point,
)
from penstock._engine.kafka.client.clients import (
    admin_settings,
    consumer_settings,
    producer_settings,
)
from penstock._engine.kafka.client.topics import end_offsets, purge
from penstock._engine.kafka.tasks.assigned_task import LockedTasks, Running, TaskHome
from penstock._engine.kafka.tasks.inputs import InputReader
from penstock._engine.kafka.tasks.pace import is_due
from penstock._engine.kafka.tasks.restore import Restorer
from penstock._engine.kafka.worker.agreement import Agreement
from penstock._engine.kafka.worker.checkpoints import Checkpoints, offsets_again
from penstock._engine.kafka.worker.membership import Membership
from penstock._engine.kafka.worker.processing import Processing
from penstock._engine.kafka.worker.transactions import Committer, open_committer
from penstock._engine.metrics.restore_events import RestoreEvent
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.queries.desk import QueryableTask
from penstock._engine.runtime.commit import CommitOffset
from penstock._engine.runtime.output.collector import Output
from penstock.clock import Clock, SystemClock, monotonic
from penstock.errors import StateLockedError, StreamsError

_log = logging.getLogger(__name__)

_RESTORE_WAIT_SECONDS = 0.01

_COMMIT_AGAIN_MS = 500
_LAST_COMMITS = 10
_ENDS_SECONDS = 10.0


class Worker:
    """Runs tasks of one application."""

    def __init__(
        self,
        blueprint: Blueprint,
        member_id: str,
        home: TaskHome,
        on_commit: Callable[[Any], None],
        *,
        keep: Callable[[list[Output]], Any] = list,
        clock: Clock | None = None,
    ) -> None:
        """`on_commit` hears what `keep` kept of outputs, one call after the other, when they are
        committed.
        """
        self._blueprint = blueprint
        self._config = blueprint.config
        self._member_id = member_id
        self._home = home
        self._on_commit = on_commit
        self._keep = keep
        self._clock = clock or SystemClock()
        self._running: dict[int, Running] = {}
        self._assigned: set[int] = set()
        self._kept: list[Any] = []
        self._records_in_before = 0
        now_ms = self._clock.now_ms()
        self._last_commit_ms = self._last_purge_ms = now_ms
        self.joined = False
        self.wait_ms_max: int | None = None
        """How long a step may wait for records; None: as long as `poll.ms` says."""
        self._admin = AdminClient(admin_settings(self._config))
        self._checkpoints = Checkpoints(self._admin, now_ms)
        self._inputs = InputReader(consumer_settings(self._config, "input"), blueprint.ends)
        self._restorer = Restorer(consumer_settings(self._config, "restore"))
        group = consumer_settings(self._config, "group")
        group["group.instance.id"] = member_id
        group["client.id"] = blueprint.identity.shown_in(group["client.id"])
        self._membership = Membership(group, blueprint.task_topic, self)
        self._agreement = Agreement(
            self._admin, self._config.application_id, blueprint.identity, home.dead_members
        )
        self._patience = Patience(self._config.task_timeout_ms)
        self._locks = LockedTasks(member_id)
        self._committer = self._make_committer()
        self._processing = Processing(self._config, self._inputs, self._clock)
        home.crash_log.record_in_hand = self._processing.record_in_hand

    def step(self, *, paused: bool = False) -> bool:
        """Do a round: group, restore, read, process, commit. Tell whether it processed records."""
        try:
            self._membership.poll()
            if not self._global_tables_are_complete():
                return False
            self._committer.prepare()
            self._open_assigned()
            self._advance_restoration()
            processed = not paused and self._process_all()
            if self._commit_is_due():
                # A new generation refuses the metadata of the one before: hear of it first.
                self._membership.poll()
                self.commit()
        except CommitPostponed as postponed:
            self._commit_soon_again(postponed)
            return True
        except TaskCorrupted as corrupted:
            self._restore_anew(corrupted)
            return True
        except TaskMigrated as migrated:
            # Routine when workers join or leave; what was dropped is read again.
            _log.info("worker=%s dropped its uncommitted work: %s", self._member_id, migrated)
            self._home.refusals.note(migrated)
            self._drop_everything()
            if isinstance(migrated, BrokerAway):
                self._inputs.renew()
                self._patience.endure(migrated, monotonic())
            return True
        except StreamsError as error:
            if not self._home.set_aside(error, self._drop_everything):
                raise
            return True
        return processed

    def commit(self, *, checkpoint: bool = False) -> None:
        """Commit what all tasks have done since the last commit.

        Now and then, and when `checkpoint` asks for it, local state also learns up to where its
        changelog has come; what has been committed since is read once more after a crash.
        """
        self._last_commit_ms = self._clock.now_ms()
        offsets: dict[tuple[str, int], CommitOffset] = {}
        committing = []
        started = {index: each for index, each in self._running.items() if each.started}
        with self._processing.flushing():
            for running in started.values():
                commit = running.task.prepare_commit()
                if commit is not None:
                    committing.append(running)
                    offsets.update(commit.offsets)
        if not committing and not (checkpoint and started):
            return
        crash_point("before-send")
        self._send(committing)
        # The broker checks the generation of a commit only if there are offsets in it. Without that
        # check a zombie would take the ends below, or a transaction of timers only, for its own.
        offsets = offsets or offsets_again(started, self._blueprint.task_topic)
        self._check_owned(offsets)
        # Tasks that have nothing to commit now may have had before the last checkpoint.
        learning = list(started.values()) if checkpoint else committing
        ends = {}
        if checkpoint or self._checkpoints.due(self._clock.now_ms()):
            ends = self._checkpoints.ends(learning, offsets, self._committer.flush)
        self._committer.commit(offsets, self._membership.metadata)
        self._patience.calm()
        self._home.crash_log.got_on()
        self._maybe_purge(offsets)
        if self._home.refusals.committed():
            self._committer = self._make_committer()
        for running in learning:
            running.committed(ends)
        crash_point("after-apply")
        # As in Java the interval begins when a commit has ended: a slow one is not followed by the
        # next at once.
        self._last_commit_ms = self._clock.now_ms()
        if ends:
            self._checkpoints.taken(self._last_commit_ms)
        kept, self._kept = self._kept, []
        for outputs in kept:
            self._on_commit(outputs)

    def close(self) -> None:
        """Commit, leave the group and close everything."""
        self._processing.close()
        try:
            self._commit_at_last()
        except TaskMigrated:
            self._committer.abort()
        finally:
            self._close_tasks(list(self._running))
            self._committer.close()
            self._restorer.close()
            self._inputs.close()
            self._membership.leave()

    def abandon(self) -> None:
        """Close without a commit, after a failure; what is uncommitted is dropped."""
        self._processing.close()
        try:
            self._committer.abort()
        finally:
            for index in list(self._running):
                running = self._running.pop(index)
                # A process that can say why it fails has not died.
                running.let_go()
                running.task.discard()
                self._home.release(running.plan)
            self._committer.close()
            self._restorer.close()
            self._inputs.close()
            self._membership.leave()

    def _commit_at_last(self) -> None:
        for _ in range(_LAST_COMMITS):
            try:
                # The checkpoint lies before the marker of its own transaction. One that comes after
                # all work has nothing behind it that a changelog could delete while we rest.
                self.commit()
                if self._config.exactly_once:
                    started = [each for each in self._running.values() if each.started]
                    self._checkpoints.wait_for_markers(started)
                self.commit(checkpoint=True)
            except CommitPostponed as postponed:
                _log.warning("worker=%s cannot commit yet: %s", self._member_id, postponed)
                self._membership.poll(_COMMIT_AGAIN_MS / 1000)
            else:
                return

    def tasks(self) -> dict[str, str]:
        """Give the ids of this worker's tasks, and whether each is restoring or running."""
        waiting = self._assigned - set(self._running)
        return {self._blueprint.tasks[index].id: "restoring" for index in sorted(waiting)} | {
            running.plan.id: "running" if running.started else "restoring"
            for running in self._running.values()
        }

    def restoration(self) -> tuple[int, int]:
        """Give how many changelog offsets its tasks have come forward, and how many are left."""
        jobs = [job for running in self._running.values() for job in running.restoring]
        remaining = self._restorer.remaining()
        if self._home.global_tables is not None:
            remaining += self._home.global_tables.remaining()
        return sum(job.reached - (job.start or 0) for job in jobs), remaining

    def queryable(self) -> list[QueryableTask]:
        """Return what queries may read here."""
        tables = self._home.global_tables
        return [*self._running.values(), *([] if tables is None else [tables])]

    def doing(self) -> str:
        """Return what the engine thread is busy with, for a query that it does not answer."""
        function = self._processing.function
        place = self._processing.record_in_hand()
        return f"function {function or 'of the topology'}{place}" if place else "a commit, or Kafka"

    def take_restore_events(self) -> tuple[RestoreEvent, ...]:
        """Give how restoring has gone since the last call."""
        return self._restorer.take_events()

    def state_entries(self) -> dict[str, int]:
        """Give about how many committed entries its part of each store has."""
        entries: dict[str, int] = {}
        for running in self._running.values():
            for name, count in running.task.state_entries().items():
                entries[name] = entries.get(name, 0) + count
        return entries

    def records_in(self) -> int:
        """Give how many records of users were processed here, by tasks that have left as well."""
        return self._records_in_before + sum(map(self._records_in_of, self._running.values()))

    def lag(self) -> int | None:
        """Give how many records of the inputs wait on the broker or here, None if not known."""
        on_broker = self._inputs.lag()
        if on_broker is None:
            return None
        waiting = (running.buffered().values() for running in self._running.values())
        return on_broker + sum(map(sum, waiting))

    def counters(self) -> dict[str, dict[str, int]]:
        """Give what each task has counted, and what feeds the global tables."""
        counted = {
            running.plan.id: running.task.counters.by_name() for running in self._running.values()
        }
        if self._home.global_tables is not None:
            counted |= self._home.global_tables.counters()
        return counted

    def caught_up(self) -> bool:
        """Tell whether all inputs of all tasks have been read to their end and processed."""
        return (
            bool(self._assigned)
            and len(self._running) == len(self._assigned)
            and all(
                running.started and not running.has_records() for running in self._running.values()
            )
            and not any(self._inputs.lags.values())
        )

    def drained(self) -> bool:
        """Tell whether a bounded run has nothing left to do here: all is read, processed and
        committed, and the broker has no more of the topics without an end, those that the
        application writes itself, than was read.

        What is not yet readable counts, too: the broker answers a commit before it has written its
        marks, and until then the records behind it cannot be seen.
        """
        if not self.caught_up() or self._uncommitted():
            return False
        ends_known = self._blueprint.ends or {}
        own = [
            partition
            for running in self._running.values()
            for partition in running.plan.inputs
            if partition not in ends_known
        ]
        try:
            ends = end_offsets(self._admin, own, "read_uncommitted", _ENDS_SECONDS)
        except BrokerAway:
            return False
        return all(end <= self._inputs.end_met(place) for place, end in ends.items())

    # What the group tells us; called from within `Membership.poll`.

    def tasks_assigned(self, tasks: Iterable[int]) -> None:
        """Note new tasks; they are opened after the poll."""
        self._agreement.reconsider()
        self._assigned.update(index for index in tasks if index < len(self._blueprint.tasks))
        self.joined = True

    def tasks_revoked(self, tasks: Iterable[int]) -> None:
        """Finish revoked tasks: their work is committed before anybody else begins with them."""
        gone = set(tasks)
        self._assigned -= gone
        if not gone & set(self._running):
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
        """Drop lost tasks: others own them already."""
        self._assigned -= set(tasks)
        self._drop_everything()

    def _global_tables_are_complete(self) -> bool:
        """Read on in the global tables; tasks run when all that was there at the start is read."""
        tables = self._home.global_tables
        if tables is None:
            return True
        tables.work(0 if tables.complete else _RESTORE_WAIT_SECONDS)
        return tables.complete

    def _open_assigned(self) -> None:
        if self._membership.metadata is None or not self._agreement.reached(monotonic()):
            return
        for index in sorted(self._assigned - set(self._running)):
            try:
                running = Running(self._blueprint.tasks[index], self._home)
            except StateLockedError as locked:
                # Its last owner stands still or is about to close it: the next step tries again.
                self._locks.wait(locked, self._clock.now_ms())
                continue
            # Noted before anything can fail, so that it is closed.
            self._running[index] = running
            # Stable committed offsets first, then the ends of the changelogs: see restore.py.
            running.find_offsets(self._inputs, self._blueprint)
            running.find_what_to_restore(self._admin)
            self._restorer.begin(running.restoring)

    def _advance_restoration(self) -> None:
        waiting = [running for running in self._running.values() if not running.started]
        if not waiting:
            return
        self._restorer.work(_RESTORE_WAIT_SECONDS)
        for running in waiting:
            if all(job.done for job in running.restoring):
                running.start(self._clock.now_ms())
                self._inputs.add(running.offsets)
                self._patience.calm()

    def _process_all(self) -> bool:
        wait_ms = self._config.poll_ms
        if self._uncommitted():
            # Waiting must not put off the commit of what is done already.
            due_ms = self._last_commit_ms + self._config.commit_interval_ms
            wait_ms = min(wait_ms, max(0, due_ms - self._clock.now_ms()))
        if self.wait_ms_max is not None:
            wait_ms = min(wait_ms, self.wait_ms_max)
        if not all(running.started for running in self._running.values()):
            wait_ms = 0  # others are being restored
        batch = self._inputs.read(wait_ms / 1000, self._config.max_poll_records)
        self._home.placement.look(batch)
        for (topic, number), records in batch.items():
            self._owner_of(topic, number).add_records(topic, number, records)
        processed = self._processing.step(self._running)
        if processed:
            crash_point("processed")
        self._send(self._running.values())
        return processed

    def _owner_of(self, topic: str, number: int) -> Running:
        for running in self._running.values():
            if (topic, number) in running.offsets:
                return running
        msg = f"no task of this worker reads topic {topic!r}, partition {number}"
        raise StreamsError(msg)

    def _send(self, tasks: Iterable[Running]) -> None:
        for running in tasks:
            outputs = running.task.drain()
            if outputs:
                self._committer.send(outputs)
                if self._config.exactly_once:
                    self._kept.append(self._keep(outputs))
                else:
                    # Whoever reads sees them now; the commit, which may be far away, adds nothing.
                    self._on_commit(self._keep(outputs))

    def _commit_is_due(self) -> bool:
        if any(running.task.commit_requested for running in self._running.values()):
            return True
        if self._processing.must_commit() and self._uncommitted():
            return True
        if self._blueprint.ends is not None and self._uncommitted() and self.caught_up():
            return True
        interval_ms = self._config.commit_interval_ms
        return is_due(self._clock.now_ms(), self._last_commit_ms, interval_ms)

    def _commit_soon_again(self, postponed: CommitPostponed) -> None:
        now_ms = self._clock.now_ms()
        if isinstance(postponed, BrokerSilent):
            self._patience.endure(postponed, monotonic())
        _log.info("worker=%s commits a little later: %s", self._member_id, postponed)
        self._last_commit_ms = now_ms + _COMMIT_AGAIN_MS - self._config.commit_interval_ms

    def _uncommitted(self) -> bool:
        return any(running.task.uncommitted for running in self._running.values())

    def _records_in_of(self, running: Running) -> int:
        internal = self._blueprint.internal_topics
        users = any(topic not in internal for topic, _ in running.plan.inputs)
        return running.task.counters.processed if users else 0

    def _maybe_purge(self, offsets: Mapping[tuple[str, int], CommitOffset]) -> None:
        """Now and then delete the records of repartition topics that are read and committed."""
        now_ms = self._clock.now_ms()
        if is_due(now_ms, self._last_purge_ms, self._config.repartition_purge_interval_ms):
            self._last_purge_ms = now_ms
            internal = self._blueprint.internal_topics
            done = {at: kept.offset for at, kept in offsets.items() if at[0] in internal}
            purge(self._admin, done)

    def _check_owned(self, offsets: Iterable[tuple[str, int]]) -> None:
        owned = {
            partition
            for index in self._assigned
            for partition in self._blueprint.tasks[index].inputs
        } | {partition for running in self._running.values() for partition in running.plan.inputs}
        owned |= {(self._blueprint.task_topic, index) for index in self._running}
        strangers = set(offsets) - owned
        assert not strangers, f"offsets of partitions that are not ours: {strangers}"

    def _close_tasks(self, indices: Iterable[int]) -> None:
        for index in set(indices) & set(self._running):
            running = self._take_off(index)
            try:
                running.task.close()
            finally:
                self._home.release(running.plan)

    def _drop_everything(self) -> None:
        """Forget all that is not committed; tasks that are still ours begin where they were."""
        try:
            self._committer.abort()
        except Exception:
            _log.warning("worker=%s could not abort", self._member_id, exc_info=True)
        self._kept.clear()
        for index in list(self._running):
            running = self._take_off(index)
            running.task.discard()
            self._home.release(running.plan)
        self._committer = self._make_committer()

    def _restore_anew(self, corrupted: TaskCorrupted) -> None:
        """Delete the local state of a task that was being restored; it is opened again."""
        for index, running in list(self._running.items()):
            if any(job.partition == corrupted.changelog for job in running.restoring):
                _log.warning("task=%s restores its state anew: %s", running.plan.id, corrupted)
                self._take_off(index)
                running.task.discard()
                self._home.wipe(running.plan)

    def _take_off(self, index: int) -> Running:
        """Let nothing more come for a task of ours, which is then to be closed."""
        running = self._running.pop(index)
        self._records_in_before += self._records_in_of(running)
        self._inputs.remove(running.offsets)
        self._restorer.drop([job.partition for job in running.restoring])
        running.let_go()
        return running

    def _make_committer(self) -> Committer:
        settings = self._home.refusals.fit(producer_settings(self._config, self._member_id))
        return open_committer(settings, self._membership)
