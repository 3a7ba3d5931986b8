"""Checkpoints: the end offsets of the changelogs that local state is stored with.

The ends of the changelogs are asked for before a commit and stored after it has succeeded. A
successful commit of offsets proves that the generation of this member was still in force, so no
other member has written to its changelogs until then. Asked for after the commit, the ends of a
worker that stood still for a while would include the records of the next owner, which it never
restores.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress

from confluent_kafka.admin import AdminClient

from penstock._clock import monotonic
from penstock._engine.kafka.client.client_errors import BrokerAway, crash_point
from penstock._engine.kafka.client.topics import end_offsets, purge
from penstock._engine.kafka.tasks.assigned_task import AssignedTask
from penstock._engine.kafka.tasks.inputs import Inputs
from penstock._engine.kafka.tasks.pace import is_due
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.tasks import Partition
from penstock._engine.runtime.commit import CommitOffset
from penstock.errors import StreamsError

_log = logging.getLogger(__name__)

_CHECKPOINT_MS = 10_000
# Of tasks that have nothing to commit as well: so their state does not look old when it is not.
_CHECKPOINT_ALL_MS = 3_600_000
# Shorter than a transaction lasts, which is open meanwhile.
_ENDS_SECONDS = 3.0
_MARKER_SECONDS = 2.0
_MARKER_PAUSE_SECONDS = 0.02


class Checkpoints:
    """When local state gets a checkpoint, and the end offsets in it."""

    def __init__(self, admin: AdminClient, inputs: Inputs, now_ms: int) -> None:
        self._admin, self._inputs = admin, inputs
        self._last_ms = self._last_of_all_ms = now_ms

    def due(self, now_ms: int) -> bool:
        """Return whether the last checkpoint is so old that the next commit takes one."""
        return is_due(now_ms, self._last_ms, _CHECKPOINT_MS)

    def all_due(self, now_ms: int) -> bool:
        """Return whether the next checkpoint is to be one of all tasks."""
        return is_due(now_ms, self._last_of_all_ms, _CHECKPOINT_ALL_MS)

    def taken(self, now_ms: int, *, all_tasks: bool) -> None:
        """Mark a checkpoint as taken."""
        self._last_ms = now_ms
        if all_tasks:
            self._last_of_all_ms = now_ms

    def ends(
        self,
        tasks: Iterable[AssignedTask],
        offsets: Mapping[Partition, CommitOffset],
        flush: Callable[[], bool],
    ) -> dict[Partition, int]:
        """Return where the changelogs of `tasks` end with all that is about to be committed.

        Empty if `flush` has not written everything or the cluster does not answer: the next
        checkpoint will do.
        """
        crash_point("before-ends")
        tasks = list(tasks)
        changelogs = _changelogs(tasks)
        # Inputs that are changelogs: the state is that of the records before the committed offset,
        # which an input that rests has had since an earlier commit.
        ends = {place: at for each in tasks for place, at in each.task.next_offsets().items()}
        ends |= {partition: kept.offset for partition, kept in offsets.items()}
        if changelogs:
            if not flush():
                return {}
            try:
                ends |= end_offsets(self._admin, changelogs, "read_uncommitted", _ENDS_SECONDS)
            except BrokerAway:
                return {}
        crash_point("after-ends")
        return ends

    def resting(
        self, started: Iterable[AssignedTask], offsets: Mapping[Partition, CommitOffset]
    ) -> dict[Partition, CommitOffset]:
        """Return the last offsets of inputs that are not among the `offsets` of a commit, to be
        committed once more.

        The broker forgets the offset of an input that is not committed for
        `offsets.retention.minutes`: only topics that the group subscribes to are spared, and it
        subscribes to the task topic. It drops those of a topic with the topic. Committed again,
        they would fail the whole commit, or apply to the topic that is made next under this name;
        so what the broker has no more is left out. If it does not answer, the next time will do.
        """
        again: dict[Partition, CommitOffset] = {}
        for each in started:
            again.update(each.task.last_offsets())
        asked = again.keys() - offsets.keys()
        try:
            known = self._inputs.committed(sorted(asked), _ENDS_SECONDS)
        except StreamsError as error:
            _log.info("offsets of inputs that rest are not known: %s", error)
            return {}
        return {place: again[place] for place in asked if known[place] is not None}

    def wait_for_markers(self, started: Iterable[AssignedTask]) -> None:
        """Wait until the last transaction's markers are in the changelogs of `started`.

        The broker answers a commit before it writes them. A checkpoint before its marker would be
        lost with it if the changelog is cut at its end while the application rests.
        """
        changelogs = _changelogs(started)
        until = monotonic() + _MARKER_SECONDS
        with suppress(BrokerAway):
            while changelogs and monotonic() < until:
                stable = end_offsets(self._admin, changelogs, "read_committed", _ENDS_SECONDS)
                if stable == end_offsets(
                    self._admin, changelogs, "read_uncommitted", _ENDS_SECONDS
                ):
                    return
                time.sleep(_MARKER_PAUSE_SECONDS)


class RepartitionPurge:
    """Deletes the records of repartition topics that are read and committed, now and then."""

    def __init__(self, admin: AdminClient, blueprint: Blueprint, now_ms: int) -> None:
        self._admin, self._interval_ms = admin, blueprint.config.repartition_purge_interval_ms
        # The offsets of the task topic mean nothing, see `proving_offsets`.
        self._topics = blueprint.internal_topics - {blueprint.task_topic}
        self._last_ms = now_ms

    def committed(self, offsets: Mapping[Partition, CommitOffset], now_ms: int) -> None:
        """Delete what lies before these offsets, if it is due."""
        if is_due(now_ms, self._last_ms, self._interval_ms):
            self._last_ms = now_ms
            done = {at: kept.offset for at, kept in offsets.items() if at[0] in self._topics}
            purge(self._admin, done)


def _changelogs(tasks: Iterable[AssignedTask]) -> list[Partition]:
    return [
        changelog
        for each in tasks
        for changelog in each.task.restorable()
        if changelog not in each.offsets
    ]


def proving_offsets(tasks: Iterable[int], task_topic: str) -> dict[Partition, CommitOffset]:
    """Return offsets for a commit that would have none: the broker checks the generation of a
    commit only if there are offsets in it. Without that check a zombie would take the ends of the
    changelogs, or a transaction of timers only, for its own.

    They are those of the task topic, which are never read. Unlike an input, which may be one that a
    pattern matches, it is there as long as the application runs.
    """
    return {(task_topic, index): CommitOffset(0, "") for index in tasks}
