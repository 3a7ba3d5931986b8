"""Changelogs of windows whose history ended long ago.

A broker deletes their records by their own times: the windows of an old history would be gone
before the live application has read them. So the changelogs keep what they would keep anyway, and
in addition as long as history lies back.
"""

from __future__ import annotations

from confluent_kafka.admin import (  # type: ignore[attr-defined]  # it marks no exports
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    OffsetSpec,
    ResourceType,
)

from penstock._engine.kafka.client.admin_calls import settle, with_retries
from penstock._engine.kafka.client.topics import ask_offsets, partition_counts
from penstock._engine.planner.blueprint import Blueprint
from penstock.errors import StreamsError

_PATIENCE_SECONDS = 60.0
_LONGEST_MS = 2**63 - 1


def latest_time(admin: AdminClient, topic: str) -> int | None:
    """Return the largest time of a topic's records, None if it has none."""
    count = partition_counts(admin, [topic])[topic]
    places = [(topic, number) for number in range(count)]
    newest = OffsetSpec.max_timestamp()  # type: ignore[no-untyped-call]
    answers, _ = ask_offsets(admin, places, newest, "read_committed")
    return max((one.timestamp for one in answers.values() if one.timestamp >= 0), default=None)


def retentions(blueprint: Blueprint, age_ms: int) -> dict[str, int]:
    """Return how long changelogs of windows must keep records if history ended so long ago; those
    that keep them long enough are left out.
    """
    additional_ms = blueprint.config.window_changelog_additional_retention_ms
    wanted = {}
    for task in blueprint.tasks:
        for store in task.subtopology.stores.values():
            times, builder = store.builder.times, store.builder
            if store.changelog is None or times is None or builder.kind == "versioned_key_value":
                continue
            kept_ms = times.retention_ms + additional_ms
            if kept_ms < age_ms + times.retention_ms:
                wanted[store.changelog] = min(kept_ms + age_ms, _LONGEST_MS)
    return wanted


def keep_windows(admin: AdminClient, blueprint: Blueprint, age_ms: int) -> None:
    """Raise the retention of windowed changelogs for a history that ended so long ago.

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
        for changelog, retention_ms in sorted(retentions(blueprint, age_ms).items())
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
