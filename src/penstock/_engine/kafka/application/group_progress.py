"""The progress of the whole group: all instances of an application, as the broker sees them.

An instance knows its own workers only. The group knows whether other instances have the remaining
tasks, and whether a bounded run is over: which member has which task, and up to where each input is
committed. A commit holds outputs and offsets, so what came of an input that is committed has been
written before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_END,
    Consumer,
    KafkaError,
    KafkaException,
    TopicPartition,
)

from penstock._clock import SystemClock, monotonic
from penstock._durations import to_milliseconds
from penstock._engine.kafka.client.admin_calls import renewed_admin
from penstock._engine.kafka.client.clients import consumer_settings
from penstock._engine.kafka.client.groups import committed_offsets, tasks_by_member
from penstock._engine.kafka.client.topics import end_offsets, first_offsets
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.tasks import Partition

_LOOK_SECONDS = 10.0
# State, lag and tasks without a member are looked for one after the other: one answer serves all.
_SAME_LOOK_SECONDS = 0.25


@dataclass(slots=True)
class Waves:
    """Up to where the group must have committed, wave by wave. Pure: all facts are arguments.

    The first wave are the ends of the user's topics. When it is through, all that came of them
    directly is in the application's own topics, whose ends are the second wave, and so on. There
    are no more waves than sub-topologies, unless they form a cycle. A wave in which nothing was
    written since the one before is the last in any case.
    """

    ends: Mapping[Partition, int]
    most: int | None
    """How many waves of own topics there can be, None if there is no such number."""
    targets: Mapping[Partition, int] = field(init=False)
    _written: Mapping[Partition, int] | None = field(init=False, default=None)
    _waves: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.targets = self.ends

    def next(self, written: Mapping[Partition, int]) -> bool:
        """Begin the next wave, the last one being through; `written` are the ends of the own topics
        now. Return whether all is over.
        """
        if not written or written == self._written or self._waves == self.most:
            return True
        self.targets = self._written = dict(written)
        self._waves += 1
        return False


class GroupProgress:
    """Asks the broker about the group of an application; used by one thread."""

    def __init__(self, blueprint: Blueprint) -> None:
        self._blueprint = blueprint
        self._config = blueprint.config
        self._admin = renewed_admin(blueprint.config)
        self._waves = Waves(blueprint.ends or {}, _most_waves(blueprint))
        self._own = sorted(
            {place for task in blueprint.tasks for place in task.inputs} - set(blueprint.ends or {})
        )
        self._last_missing: dict[Partition, int | None] = {}
        self._held: dict[str, set[int]] = {}
        self._held_until = 0.0

    def tasks_of_others(self, own_members: Collection[str]) -> set[str]:
        """Return the tasks that members other than these have; none while the group changes.

        Raises:
            StreamsError: the cluster does not answer.
        """
        tasks = self._blueprint.tasks
        return {
            tasks[index].id
            for member, indices in self._tasks_by_member().items()
            if member not in own_members
            for index in indices
            if index < len(tasks)
        }

    def tasks_without_member(self) -> set[str]:
        """Return the tasks that the group has given to no member; none while it changes.

        Raises:
            StreamsError: the cluster does not answer.
        """
        tasks, held = self._blueprint.tasks, self._tasks_by_member()
        given = {index for indices in held.values() for index in indices}
        return {task.id for index, task in enumerate(tasks) if held and index not in given}

    def _tasks_by_member(self) -> dict[str, set[int]]:
        if monotonic() >= self._held_until:
            group, topic = self._config.application_id, self._blueprint.task_topic
            self._held = tasks_by_member(self._admin, group, topic)
            self._held_until = monotonic() + _SAME_LOOK_SECONDS
        return self._held

    def lag_of(self, tasks: Collection[str]) -> int:
        """Return how many records of the inputs of these tasks the group has not committed.

        Raises:
            StreamsError: the cluster does not answer.
        """
        places = {
            place for task in self._blueprint.tasks if task.id in tasks for place in task.inputs
        }
        committed = committed_offsets(self._config, places)
        ends = end_offsets(self._admin, places)
        first = first_offsets(self._admin, places)
        # A group that begins at the end of a topic has nothing to catch up with yet.
        begun = {
            place: ends[place]
            if place not in committed and self._begins_at_the_end(place[0])
            else max(committed.get(place, 0), first[place])
            for place in places
        }
        limits = self._blueprint.ends or {}
        return sum(
            max(0, min(ends[place], limits.get(place, ends[place])) - begun[place])
            for place in places
        )

    def bounded_run_is_over(self) -> bool:
        """Ask once more; yes if all that the topics held at the start is processed and committed,
        by whichever instance, and all that came of it.

        Raises:
            StreamsError: the cluster does not answer.
        """
        targets = self._waves.targets
        committed = committed_offsets(self._config, targets)
        missing = {
            place: committed.get(place)
            for place, end in targets.items()
            if committed.get(place, -1) < end
        }
        unmoved, self._last_missing = missing == self._last_missing, missing
        if missing and not (unmoved and self._has_no_records_left(missing, targets)):
            return False
        self._last_missing = {}
        return self._waves.next(end_offsets(self._admin, self._own, "read_uncommitted"))

    def _has_no_records_left(
        self, missing: Mapping[Partition, int | None], targets: Mapping[Partition, int]
    ) -> bool:
        """Yes if only marks of transactions, or nothing at all, come before the targets."""
        begun = {
            place: OFFSET_BEGINNING if offset is None else offset
            for place, offset in missing.items()
            # A group that begins at the end of a topic leaves no trace until something comes.
            if offset is not None or not self._begins_at_the_end(place[0])
        }
        if not begun:
            return True
        # One record of each is enough.
        settings = {**consumer_settings(self._config, "restore"), "queued.min.messages": 1}
        consumer = Consumer(settings)
        try:
            try:
                begun = self._begun_by_time(consumer, begun)
            except KafkaException:
                return False  # the cluster is asked again
            consumer.assign([TopicPartition(*place, at) for place, at in begun.items()])
            return _all_end_first(consumer, begun, targets)
        finally:
            consumer.close()

    def _begins_at_the_end(self, topic: str) -> bool:
        return self._policies(topic) == {"latest"}

    def _policies(self, topic: str) -> set[str | timedelta]:
        if topic in self._blueprint.internal_topics:
            return {"earliest"}
        return {
            self._config.auto_offset_reset if source.offset_reset is None else source.offset_reset
            for task in self._blueprint.tasks
            for source in task.subtopology.sources()
            if topic in source.topics
        }

    def _begun_by_time(
        self, consumer: Consumer, begun: Mapping[Partition, int]
    ) -> dict[Partition, int]:
        """Return where partitions begin, those without an offset by the duration of their source;
        those without such a record are left out.
        """
        durations = {
            place: policy
            for place, offset in begun.items()
            for policy in self._policies(place[0])
            if offset == OFFSET_BEGINNING and isinstance(policy, timedelta)
        }
        asked = [
            TopicPartition(
                *place, max(SystemClock().now_ms() - to_milliseconds(ago, "offset_reset"), 0)
            )
            for place, ago in durations.items()
        ]
        found = consumer.offsets_for_times(asked, timeout=_LOOK_SECONDS) if asked else []
        at = {(place.topic, place.partition): place.offset for place in found}
        known = {place: at.get(place, offset) for place, offset in begun.items()}
        return {place: offset for place, offset in known.items() if offset != OFFSET_END}


def _all_end_first(
    consumer: Consumer, asked: Collection[Partition], targets: Mapping[Partition, int]
) -> bool:
    """Yes if each partition is read up to its target and no record comes."""
    waiting, deadline = set(asked), monotonic() + _LOOK_SECONDS
    while waiting and monotonic() < deadline:
        message = consumer.poll(0.5)
        if message is None:
            continue
        place = str(message.topic()), int(message.partition() or 0)
        error, offset = message.error(), int(message.offset() or 0)
        if error is not None and error.code() != KafkaError._PARTITION_EOF:
            return False
        if offset < targets[place]:
            # A record; or the end of what can be read, before a transaction that is still open.
            return False
        waiting.discard(place)
    return not waiting


def _most_waves(blueprint: Blueprint) -> int | None:
    """Return how many sub-topologies can follow each other; None if they form a cycle."""
    plans = {task.subtopology.id: task.subtopology for task in blueprint.tasks}
    readers: dict[int, set[int]] = {
        writer: {
            reader
            for reader, read in plans.items()
            if set(plan.sink_topics()) & set(read.source_topics())
        }
        for writer, plan in plans.items()
    }
    return None if _has_cycle(readers) else len(plans)


def _has_cycle(followers: Mapping[int, Iterable[int]]) -> bool:
    left = {one: set(after) for one, after in followers.items()}
    while left:
        last = {one for one, after in left.items() if not after & left.keys()}
        if not last:
            return True
        for one in last:
            del left[one]
    return False
