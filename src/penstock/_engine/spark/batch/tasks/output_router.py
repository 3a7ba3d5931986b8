"""Routes the outputs of tasks to rows and, in a cycle, back to the tasks of the stage."""

from __future__ import annotations

from penstock._engine.planner.stages import JobPlan, Stage
from penstock._engine.planner.tasks import Partition, TaskPlan
from penstock._engine.runtime.output.murmur2 import partition_of
from penstock._engine.runtime.records import Output, RawRecord
from penstock._engine.spark.batch.schemas import CHANGELOG
from penstock._engine.spark.batch.tasks.deliveries import Deliveries
from penstock._engine.spark.batch.tasks.rows import Rows
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
        read = set(stage.topics())
        written = {topic for plan in stage.plans for topic in plan.sink_topics()}
        self._looped = read & written if stage.is_cycle else set()
        self._plainly: set[str] = set()
        """Topics that were met and whose records become rows, nothing else."""
        self._next_offsets: dict[Partition, int] = {}

    def loops_back(self, topic: str) -> bool:
        """Return whether tasks of this stage both write and read a topic."""
        return topic in self._looped

    def route(self, plan: TaskPlan, outputs: list[Output]) -> list[tuple[Partition, RawRecord]]:
        """Add outputs to the rows; return those that tasks of this stage read, as records."""
        back: list[tuple[Partition, RawRecord]] = []
        changelogs, plainly, add = self._changelogs, self._plainly, self.rows.add_record
        for topic, partition, key, value, timestamp, headers in outputs:
            if topic in changelogs and not self._keeps_changelogs:
                continue
            time = self._now_ms if timestamp is None else timestamp
            if partition is None:
                count = self._partition_count(topic)
                # Kafka's producers choose any partition for a record without a key; this one is
                # fixed.
                partition = plan.partition % count if key is None else partition_of(key, count)
            place = (topic, partition)
            if topic in plainly:
                add(place, key, value, time, headers)
            elif topic in changelogs:
                add(place, key, value, time, headers, CHANGELOG)
            elif topic in self._inputs:
                raise _read_already(topic)
            elif topic not in self._looped:
                plainly.add(topic)
                add(place, key, value, time, headers)
            else:
                back.append(self._looped_back(place, (time, key, value, headers)))
        return back

    def _looped_back(
        self, place: Partition, record: tuple[int, bytes | None, bytes | None, HeaderPairs]
    ) -> tuple[Partition, RawRecord]:
        time, key, value, headers = record
        if self._keeps_changelogs or place[0] not in self._hidden:
            self.rows.add_record(place, key, value, time, headers)
        offset = self._next_offsets.get(place, 0)
        self._next_offsets[place] = offset + 1
        return place, (offset, *record)


def _read_already(topic: str) -> StreamsError:
    msg = (
        f"a record was sent to topic {topic!r}, which is an input of this run and has been read as "
        "it was given; send it to a topic that the topology does not read"
    )
    return StreamsError(msg)
