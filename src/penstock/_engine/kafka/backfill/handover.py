"""The driver's part of a backfill in Kafka: the plan before the first record, the offsets after the
last.

Both are written by one transactional producer: a driver that was replaced can finish nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from confluent_kafka import Consumer
from confluent_kafka.admin import AdminClient

from penstock._clock import SystemClock
from penstock._engine.kafka.application.backfill_journal import (
    PLAN_KEY,
    PLAN_PARTITION,
    PROGRESS_KEY,
    BackfillPlan,
    Progress,
    read_progress,
)
from penstock._engine.kafka.backfill.delivery import backfill_committer, prepare
from penstock._engine.kafka.client.clients import consumer_settings
from penstock._engine.kafka.client.topics import end_offsets
from penstock._engine.kafka.worker.offset_marks import OffsetMarks
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.runtime.commit import CommitOffset, encode_partition_time
from penstock._engine.runtime.position import UNKNOWN
from penstock._engine.runtime.records import Output
from penstock.errors import StreamsError


class Handover:
    """One driver of a backfill, from its plan to its end."""

    def __init__(self, blueprint: Blueprint, plan: BackfillPlan, admin: AdminClient) -> None:
        self._blueprint, self._plan, self._admin = blueprint, plan, admin
        self._committer = backfill_committer(blueprint.config, "driver")
        prepare(self._committer)

    def write_plan(self) -> None:
        """Store the plan, before anything is done."""
        self._send([(PLAN_KEY, self._plan.to_json(), PLAN_PARTITION)], {})

    def finish(self) -> int:
        """Commit the offsets at which the live application begins and forget the plan, in one
        transaction. Return how many records the tasks have written.

        Raises:
            StreamsError: a task is not done, or another driver has taken over.
        """
        config = self._blueprint.config
        tasks = self._blueprint.tasks
        progress = read_progress(config, self._admin, range(len(tasks)), self._plan.run_id)
        if undone := [task.id for task, one in zip(tasks, progress, strict=True) if not one.done]:
            msg = f"tasks {', '.join(undone)} of the backfill are not done: run it again"
            raise StreamsError(msg)
        forgotten = [
            (PLAN_KEY, None, PLAN_PARTITION),
            *((PROGRESS_KEY, None, index) for index in range(len(tasks))),
        ]
        self._send(forgotten, self._offsets(progress))
        return sum(one.records for one in progress)

    def close(self) -> None:
        """Close the producer."""
        self._committer.close()

    def _offsets(self, progress: Iterable[Progress]) -> dict[tuple[str, int], CommitOffset]:
        """Return the offsets at which the live application goes on, with the metadata that a live
        task would have committed: inputs where history ended, topics that the job wrote itself
        where they end.
        """
        places = [place for task in self._blueprint.tasks for place in task.inputs]
        made = [place for place in places if place[0] not in self._plan.inputs]
        ends: Mapping[tuple[str, int], int] = {
            **{
                (topic, number): end
                for topic, one in self._plan.inputs.items()
                for number, end in one.ends.items()
            },
            **end_offsets(self._admin, made),
        }
        metadata = {place: text for one in progress for place, text in one.metadata.items()}
        unknown = encode_partition_time(UNKNOWN)
        return {
            place: CommitOffset(ends[place], metadata.get(f"{place[0]}/{place[1]}", unknown))
            for place in places
        }

    def _send(
        self,
        records: Iterable[tuple[bytes, bytes | None, int]],
        offsets: Mapping[tuple[str, int], CommitOffset],
    ) -> None:
        topic = self._blueprint.task_topic
        outputs: list[Output] = [
            (topic, partition, key, value, None, ()) for key, value, partition in records
        ]
        # The state is as far as these offsets, also if the live application never starts in time.
        marks = OffsetMarks(self._blueprint, lambda tasks: {}, SystemClock())
        marked = marks.outputs(offsets, due=False, stops=True)
        # The group has no members, so any client may commit its offsets.
        consumer = Consumer(consumer_settings(self._blueprint.config, "input"))
        try:
            self._committer.send(outputs)
            self._committer.commit(offsets, consumer.consumer_group_metadata(), marked)
        finally:
            consumer.close()
