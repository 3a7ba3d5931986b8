"""Marks of committed offsets, kept with the state of an application: records in its task topic.

A group forgets offsets: `offsets.retention.minutes` after its last member has left, or when it is
deleted. The state stays, and would count all records again. So the first commit of each partition
leaves a mark, in the same transaction under exactly-once, right behind the commit under
at-least-once: a partition that has a mark and no committed offset is not read.

A mark is written again each hour, when its task is given away, and when the worker stops. The last
one of a worker that has stopped holds the offset that the state is at.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, fields

from confluent_kafka.admin import AdminClient

from penstock._clock import Clock
from penstock._engine.kafka.application.task_records import read_task_records
from penstock._engine.kafka.client.topics import PATIENCE_SECONDS, partition_counts_of
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.internal_topics import task_topic_name
from penstock._engine.planner.tasks import Partition
from penstock._engine.runtime.commit import CommitOffset
from penstock._engine.runtime.records import Output
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

_KEY = "offset:"
_LISTED = 5


@dataclass(frozen=True, slots=True)
class OffsetMark:
    """What was committed of a partition once."""

    offset: int
    metadata: str
    topic_id: str
    """A topic that was deleted and made anew has another one: its records are not in the state."""
    time_ms: int
    stopped: bool
    """Whether the worker stopped with this commit; else the state may be further."""

    def applies(self, partition: Partition, ids: Mapping[str, str]) -> bool:
        """Return whether the partition is still one of the topic that was committed."""
        return ids.get(partition[0]) == self.topic_id


Marks = dict[Partition, OffsetMark]
ReadMarks = Callable[[Collection[int] | None], Marks]
"""Reads the marks in partitions of the task topic, in all of them if it is given None."""


class OffsetMarks:
    """The marks that one worker writes, and what it refuses by those that it finds."""

    def __init__(self, blueprint: Blueprint, read: ReadMarks, clock: Clock) -> None:
        self._blueprint, self._read, self._clock = blueprint, read, clock
        # Without state nothing is counted twice, and Java's way is right: to read again.
        tasks = blueprint.tasks if blueprint.keeps_state else ()
        self._index_of = {
            partition: index for index, task in enumerate(tasks) for partition in task.inputs
        }
        self._committed: dict[Partition, CommitOffset] = {}
        """The last commit of each partition here."""
        self._at_first: Marks | None = None
        """The marks in all partitions of the task topic, if they had to be read."""
        self._all_due = False
        """Whether marks could not be written with their commit: the next one has them all."""

    def refuse_lost(self, missing: Iterable[Partition]) -> None:
        """Refuse to begin anew on partitions without a committed offset that have had one.

        Raises:
            BrokerAway: the cluster does not answer.
            StreamsError: it says which, and what to do.
        """
        asked = {partition for partition in missing if partition in self._index_of}
        if not asked:
            return
        lost = self._marked(asked, self._read({self._index_of[one] for one in asked}))
        if lost != asked:
            # Another program may have had them in other tasks. It runs no more: once is enough.
            if self._at_first is None:
                self._at_first = self._read(None)
            lost |= self._marked(asked, self._at_first)
        if lost:
            raise StreamsError(_refusal(self._blueprint.config.application_id, lost))

    def _marked(self, partitions: Iterable[Partition], marks: Marks) -> set[Partition]:
        ids = self._blueprint.topic_ids
        return {one for one in partitions if one in marks and marks[one].applies(one, ids)}

    def outputs(
        self, offsets: Mapping[Partition, CommitOffset], *, due: bool, stops: bool
    ) -> list[Output]:
        """Return the marks to be written with a commit of `offsets`: those of partitions that are
        committed for the first time since their task was opened, or all if they are `due` or were
        not written the last time.
        """
        marked = {at: kept for at, kept in offsets.items() if at in self._index_of}
        if due or self._all_due:
            marked = {**self._committed, **marked}
        else:
            marked = {at: kept for at, kept in marked.items() if at not in self._committed}
        return [self._output(at, kept, stops=stops) for at, kept in marked.items()]

    def committed(self, offsets: Mapping[Partition, CommitOffset], *, marked: bool) -> None:
        """Note a commit as performed, and whether what `outputs` returned for it is written."""
        self._all_due = not marked
        self._committed.update({at: kept for at, kept in offsets.items() if at in self._index_of})

    def forget(self, partitions: Iterable[Partition]) -> None:
        """Forget the partitions of a task that is closed: another worker may commit them now."""
        for partition in partitions:
            self._committed.pop(partition, None)

    def _output(self, partition: Partition, kept: CommitOffset, *, stops: bool) -> Output:
        topic, number = partition
        topic_id = self._blueprint.topic_ids.get(topic, "")
        mark = OffsetMark(kept.offset, kept.metadata, topic_id, self._clock.now_ms(), stops)
        key, value = f"{_KEY}{number}:{topic}".encode(), json.dumps(asdict(mark)).encode()
        return (self._blueprint.task_topic, self._index_of[partition], key, value, None, ())


def read_offset_marks(
    config: StreamsConfig, admin: AdminClient, tasks: Collection[int] | None = None
) -> Marks:
    """Return the last mark of each partition that an application has committed: what these
    partitions of its task topic have, or all.

    Raises:
        BrokerAway: the cluster does not answer.
        StreamsError: its task topic cannot be read.
    """
    topic = task_topic_name(config.application_id)
    if tasks is None:
        tasks = range(partition_counts_of(admin, [topic], PATIENCE_SECONDS).get(topic, 0))
    marks: Marks = {}
    for records in read_task_records(config, admin, topic, tasks).values():
        for key, value in records.items():
            if not key.startswith(_KEY.encode()):
                continue
            number, _, name = key.decode().removeprefix(_KEY).partition(":")
            partition, found = (name, int(number)), json.loads(value)
            # A later version may have written more.
            mark = OffsetMark(**{field.name: found[field.name] for field in fields(OffsetMark)})
            if partition not in marks or marks[partition].time_ms < mark.time_ms:
                marks[partition] = mark
    return marks


def _refusal(application_id: str, lost: Iterable[Partition]) -> str:
    numbers: dict[str, list[int]] = {}
    for topic, number in sorted(lost):
        numbers.setdefault(topic, []).append(number)
    listed = "; ".join(
        f"topic {topic!r}, partition {', '.join(map(str, of[:_LISTED]))}"
        f"{f' and {len(of) - _LISTED} more' if len(of) > _LISTED else ''}"
        for topic, of in numbers.items()
    )
    return (
        f"application {application_id!r} must go on from its committed offsets, but its group no "
        f"longer has those of {listed}; the state has seen these records and would count them "
        "twice: the group was deleted, or it had no members, or the program did not read the "
        "topic, for longer than the broker's 'offsets.retention.minutes'; stop all instances, then "
        "either commit the offsets that were kept with the state (penstock resume APP shows them), "
        "or start anew (penstock reset APP); if the program reads the topic again with new stores, "
        "which have not seen its records, set its offsets with kafka-consumer-groups "
        "--reset-offsets"
    )
