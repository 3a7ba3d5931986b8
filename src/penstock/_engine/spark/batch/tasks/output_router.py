"""Routes the outputs of tasks to rows and, in a cycle, back to the tasks of the stage."""

from __future__ import annotations

from penstock._engine.planner.stages import JobPlan, Stage
from penstock._engine.planner.tasks import Partition, TaskPlan
from penstock._engine.runtime.output.murmur2 import partition_of
from penstock._engine.runtime.records import Output, RawRecord
from penstock._engine.runtime.task import Task
from penstock._engine.spark.batch.schemas import CHANGELOG
from penstock._engine.spark.batch.tasks.deliveries import Deliveries, read_already
from penstock._engine.spark.batch.tasks.rows import Rows
from penstock._engine.spark.batch.tasks.task_loops import Looped
from penstock.errors import StreamsError
from penstock.record import HeaderPairs


class OutputRouter:
    """Routes the outputs of the tasks of one Spark partition."""

    def __init__(
        self, job: JobPlan, stage: Stage, spark_partition: int, now_ms: int, keeps_changelogs: bool
    ) -> None:
        self.rows = Rows(spark_partition)
        self.deliveries: Deliveries | None = None
        """Of a backfill: the writers to Kafka."""
        self._partition_count = job.partition_count
        self._now_ms = now_ms
        self._keeps_changelogs = keeps_changelogs
        self._changelogs = {
            store.changelog
            for plan in stage.plans
            for store in plan.stores.values()
            if store.changelog is not None
        }
        self._hidden = job.hidden_topics
        self._inputs = job.inputs
        self._read = {topic for one in job.stages for topic in one.topics()}
        read = set(stage.topics())
        written = {topic for plan in stage.plans for topic in plan.sink_topics()}
        self._looped = read & written if stage.is_cycle else set()
        self._unforeseen = self._read - written
        self._skipped = set() if keeps_changelogs else self._changelogs
        self._next_offsets: dict[Partition, int] = {}

    def loops_back(self, topic: str) -> bool:
        """Return whether tasks of this stage both write and read a topic."""
        return topic in self._looped

    def in_turn(self, place: Partition, record: RawRecord) -> Looped:
        """Return a record of an earlier stage as the next of its queue: a cycle that writes the
        topic, too, numbers the records of both in the order in which its tasks get them.
        """
        if not self.loops_back(place[0]):
            return place, record
        return place, (self._next_offset(place), *record[1:])

    def take(self, plan: TaskPlan, task: Task, outputs: list[Output]) -> list[Looped]:
        """Take what a task has produced: for Kafka in a backfill, and for rows."""
        if self.deliveries is not None:
            outputs = self.deliveries.take(task, outputs)
        return self.route(plan, outputs)

    def route(self, plan: TaskPlan, outputs: list[Output]) -> list[Looped]:
        """Add outputs to the rows; return those that tasks of this stage read, as records."""
        back: list[Looped] = []
        at = self.rows.add_outputs(outputs, 0, self._skipped)
        while at < len(outputs):
            looped = self._route(plan, outputs[at])
            if looped is not None:
                back.append(looped)
            at = self.rows.add_outputs(outputs, at + 1, self._skipped)
        return back

    def _route(self, plan: TaskPlan, output: Output) -> Looped | None:
        topic, partition, key, value, timestamp, headers = output
        time = self._now_ms if timestamp is None else timestamp
        count = self._partition_count(topic)
        if partition is None:
            # Kafka's producers choose any partition for a record without a key; this one is fixed.
            partition = plan.partition % count if key is None else partition_of(key, count)
        elif topic in self._read and not 0 <= partition < count:
            # A sink may name any partition; a stage has tasks only for those that there are.
            raise _no_such_partition(topic, partition, count)
        place = (topic, partition)
        if topic in self._changelogs:
            self.rows.add_record(place, key, value, time, headers, kind=CHANGELOG)
            return None
        if topic in self._inputs:
            raise read_already(topic)
        if topic in self._unforeseen:
            raise _unforeseen(topic)
        if topic in self._looped:
            return self._looped_back(place, (time, key, value, headers))
        self.rows.places.setdefault(topic, [None] * count)
        self.rows.add_record(place, key, value, time, headers)
        return None

    def _looped_back(
        self, place: Partition, record: tuple[int, bytes | None, bytes | None, HeaderPairs]
    ) -> Looped:
        time, key, value, headers = record
        if self._keeps_changelogs or place[0] not in self._hidden:
            self.rows.add_record(place, key, value, time, headers)
        return place, (self._next_offset(place), *record)

    def _next_offset(self, place: Partition) -> int:
        offset = self._next_offsets.get(place, 0)
        self._next_offsets[place] = offset + 1
        return offset


def _unforeseen(topic: str) -> StreamsError:
    msg = (
        f"a record was sent to topic {topic!r}, which the topology reads, and the order of the "
        "stages does not allow for it, as no sink of this stage names the topic; write what the "
        "topology reads with to() and the name of the topic, and send dead letters to a topic that "
        "the topology does not read"
    )
    return StreamsError(msg)


def _no_such_partition(topic: str, partition: int, count: int) -> StreamsError:
    msg = (
        f"a record for topic {topic!r} could not be written: it has no partition {partition}, as "
        f"it has {count}; a partitioner must choose one that the topic has"
    )
    return StreamsError(msg)
