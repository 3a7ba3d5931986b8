"""The driver's part of a backfill in Kafka: the plan before the first record, the offsets after the
last.

Both are written by one transactional producer: a driver that was replaced can finish nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping

from confluent_kafka import Consumer
from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.backfill.delivery import backfill_committer, prepare
from penstock._engine.kafka.backfill.journal import (
    PLAN_KEY,
    PLAN_PARTITION,
    PROGRESS_KEY,
    BackfillPlan,
    Progress,
    read_progress,
)
from penstock._engine.kafka.clients import consumer_settings
from penstock._engine.kafka.topics import end_offsets
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.runtime.collector import Output
from penstock._engine.runtime.commit import (
    CommitOffset,
    decode_partition_time,
    encode_partition_time,
)
from penstock._engine.runtime.position import UNKNOWN
from penstock.clock import SystemClock
from penstock.errors import StreamsError

_log = logging.getLogger(__name__)

_DAY_MS = 24 * 60 * 60 * 1000


class Handover:
    """One driver of a backfill, from its plan to its end."""

    def __init__(self, blueprint: Blueprint, plan: BackfillPlan, admin: AdminClient) -> None:
        self._blueprint, self._plan, self._admin = blueprint, plan, admin
        self._committer = backfill_committer(blueprint.config, "driver")
        prepare(self._committer)

    def write_plan(self) -> None:
        """Write down what is going to be done, before anything is."""
        self._send([(PLAN_KEY, self._plan.to_json(), PLAN_PARTITION)], {})

    def finish(self) -> int:
        """Commit the offsets at which the live application begins and forget the plan, in one
        transaction. Give how many records the tasks have written.

        Raises:
            StreamsError: a task is not done, or another driver has taken over.
        """
        config = self._blueprint.config
        progress = [
            read_progress(config, self._admin, index, self._plan.run_id)
            for index in range(len(self._blueprint.tasks))
        ]
        tasks = self._blueprint.tasks
        if undone := [task.id for task, one in zip(tasks, progress, strict=True) if not one.done]:
            msg = f"tasks {', '.join(undone)} of the backfill are not done: run it again"
            raise StreamsError(msg)
        forgotten = [
            (PLAN_KEY, None, PLAN_PARTITION),
            *((PROGRESS_KEY, None, index) for index in range(len(tasks))),
        ]
        self._send(forgotten, self._offsets(progress))
        self._warn_of_forgetful_changelogs(progress)
        return sum(one.records for one in progress)

    def close(self) -> None:
        """Let go of the producer."""
        self._committer.close()

    def _offsets(self, progress: Iterable[Progress]) -> dict[tuple[str, int], CommitOffset]:
        """Give where the live application goes on: its inputs where history ended; what the job
        made itself, in repartition topics and others, where that ends, since it has been read.
        Beside them stands what a live task would have committed.
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

    def _warn_of_forgetful_changelogs(self, progress: Iterable[Progress]) -> None:
        texts = [text for one in progress for text in one.metadata.values()]
        latest_ms = max(map(decode_partition_time, texts), default=UNKNOWN)
        age_ms = SystemClock().now_ms() - latest_ms
        if latest_ms == UNKNOWN:
            return
        for changelog in forgetful_changelogs(self._blueprint, age_ms):
            _log.warning(
                "changelog=%s: history ends %.1f days ago, which is longer than the broker keeps "
                "its records: windows may be gone before the live application has read them; start "
                "it soon, or begin anew with a larger "
                "'windowstore.changelog.additional.retention.ms'",
                changelog,
                age_ms / _DAY_MS,
            )

    def _send(
        self,
        records: Iterable[tuple[bytes, bytes | None, int]],
        offsets: Mapping[tuple[str, int], CommitOffset],
    ) -> None:
        topic = self._blueprint.task_topic
        outputs: list[Output] = [
            (topic, partition, key, value, None, ()) for key, value, partition in records
        ]
        # Nobody is in the group: offsets of a group without members are anybody's to commit.
        consumer = Consumer(consumer_settings(self._blueprint.config, "input"))
        try:
            self._committer.send(outputs)
            self._committer.commit(offsets, consumer.consumer_group_metadata())
        finally:
            consumer.close()


def forgetful_changelogs(blueprint: Blueprint, age_ms: int) -> list[str]:
    """Give the changelogs of windows whose last records the broker deletes if they are so old."""
    additional_ms = blueprint.config.window_changelog_additional_retention_ms
    return sorted(
        {
            store.changelog
            for task in blueprint.tasks
            for store in task.subtopology.stores.values()
            if store.changelog is not None
            and store.builder.times is not None
            and store.builder.kind != "versioned_key_value"
            and store.builder.times.retention_ms + additional_ms < age_ms
        }
    )
