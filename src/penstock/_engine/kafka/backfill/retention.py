"""Changelogs of windows whose history ended long ago.

A broker deletes their records by their own times: the windows of an old history would be gone
before the live application has read them. So the changelogs keep what they would keep anyway, and
in addition as long as the history that feeds them lies back: of several inputs, the one that ended
first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from confluent_kafka.admin import (  # type: ignore[attr-defined]  # it marks no exports
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    OffsetSpec,
    ResourceType,
)

from penstock._engine.kafka.client.admin_calls import settle, with_retries
from penstock._engine.kafka.client.topic_history import Split, TopicRange, read_split
from penstock._engine.kafka.client.topics import ask_offsets
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.plan import SubtopologyPlan
from penstock._engine.runtime.records import TIMESTAMP
from penstock.errors import StreamsError

_PATIENCE_SECONDS = 60.0
_LONGEST_MS = 2**63 - 1
_LAST_RECORDS = 100


def latest_time(admin: AdminClient, settings: Mapping[str, Any], history: TopicRange) -> int | None:
    """Return about the time at which the history of a topic ends, None if it has no records: the
    largest of all partitions, or less where a partition is cut off earlier than the topic ends.
    """
    topic = history.topic
    places = [(topic, at) for at, end in history.ends.items() if end > history.starts[at]]
    newest = OffsetSpec.max_timestamp()  # type: ignore[no-untyped-call]
    answers, _ = ask_offsets(admin, places, newest, "read_committed")
    whole = {at for (_, at), one in answers.items() if one.offset < history.ends[at]}
    largest = [one.timestamp for (_, at), one in answers.items() if at in whole]
    times = [max(largest)] if largest else []
    for _, at in places:
        if at not in whole:
            cut = Split(topic, at, history.starts[at], history.ends[at])
            times += [time for time in [_time_before_end(settings, cut)] if time is not None]
    return min((time for time in times if time >= 0), default=None)


def _time_before_end(settings: Mapping[str, Any], split: Split) -> int | None:
    """Return the largest time of the last records of a split, None if it has none."""
    count = _LAST_RECORDS
    while True:
        # Offsets of aborted transactions and of what was compacted away have no records.
        start = max(split.start, split.end - count)
        read = read_split(settings, replace(split, start=start))
        times = [record[TIMESTAMP] for records in read for record in records]
        if times or start == split.start:
            return max(times, default=None)
        count *= 10


def inputs_of_windows(blueprint: Blueprint) -> dict[int, set[str]]:
    """Return the topics that feed each sub-topology with windows in changelogs, through others and
    their repartition topics as well.
    """
    plans = {task.subtopology.id: task.subtopology for task in blueprint.tasks}
    writers: dict[str, set[int]] = {}
    for id_, plan in plans.items():
        for topic in plan.sink_topics():
            writers.setdefault(topic, set()).add(id_)
    found = {}
    for id_, plan in plans.items():
        if not any(True for _ in _windowed(plan)):
            continue
        before, topics = {id_}, set[str]()
        waiting = [id_]
        while waiting:
            read = set(plans[waiting.pop()].source_topics())
            topics |= read - writers.keys()
            new = {one for topic in read for one in writers.get(topic, ())} - before
            before |= new
            waiting += new
        found[id_] = topics
    return found


def retentions(blueprint: Blueprint, ages_ms: Mapping[int, int]) -> dict[str, int]:
    """Return how long changelogs of windows must keep records if the history of each sub-topology
    ended so long ago; those that keep them long enough are left out.
    """
    additional_ms = blueprint.config.window_changelog_additional_retention_ms
    wanted = {}
    for task in blueprint.tasks:
        age_ms = ages_ms.get(task.subtopology.id, 0)
        for changelog, retention_ms in _windowed(task.subtopology):
            kept_ms = retention_ms + additional_ms
            if kept_ms < age_ms + retention_ms:
                wanted[changelog] = min(kept_ms + age_ms, _LONGEST_MS)
    return wanted


def _windowed(plan: SubtopologyPlan) -> Iterator[tuple[str, int]]:
    """Yield the changelogs of windows, and how long their windows are kept."""
    for store in plan.stores.values():
        times, kind = store.builder.times, store.builder.kind
        if store.changelog is not None and times is not None and kind != "versioned_key_value":
            yield store.changelog, times.retention_ms


def keep_windows(admin: AdminClient, blueprint: Blueprint, ages_ms: Mapping[int, int]) -> None:
    """Raise the retention of windowed changelogs for histories that ended so long ago, by
    sub-topology.

    Raises:
        StreamsError: the broker refuses.
    """
    resources = [
        ConfigResource(
            ResourceType.TOPIC,
            changelog,
            incremental_configs=[
                ConfigEntry(
                    "retention.ms",
                    str(retention_ms),
                    incremental_operation=AlterConfigOpType.SET,
                )
            ],
        )
        for changelog, retention_ms in sorted(retentions(blueprint, ages_ms).items())
    ]
    if not resources:
        return
    _, refusals = with_retries(
        "setting the retention of changelogs",
        lambda: settle(admin.incremental_alter_configs(resources)),
        _PATIENCE_SECONDS,
    )
    for resource, refusal in refusals.items():
        msg = (
            f"changelog {resource.name!r} cannot be given a longer retention, without which its "
            f"windows are deleted before the live application has read them: {refusal.str()}"
        )
        raise StreamsError(msg)
