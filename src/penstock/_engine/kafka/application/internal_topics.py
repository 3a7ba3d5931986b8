"""The internal topics of an application: made, checked, deleted.

Nothing that exists is changed, with one exception: the task topic, which is ours alone, grows when
a program gets more tasks. Internal topics that do not fit the program are explained, not repaired:
they hold the user's state.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping

from confluent_kafka import KafkaError
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # it marks no exports
    AdminClient,
    NewPartitions,
    NewTopic,
)

from penstock._engine.kafka.client.admin_calls import REQUEST_SECONDS, settle, until, with_retries
from penstock._engine.kafka.client.denials import DENIED, allowing
from penstock._engine.kafka.client.topics import (
    PATIENCE_SECONDS,
    VISIBLE_SECONDS,
    existing_topics,
    led_counts,
    partition_counts_of,
    settings_of_topics,
)
from penstock._engine.planner.internal_topics import (
    InternalTopicPlan,
    NamedTopics,
    internal_topics_among,
)
from penstock.errors import ConfigError, StreamsError
from penstock.settings import StreamsConfig

_log = logging.getLogger(__name__)


def internal_topics(
    admin: AdminClient, application_id: str, named: NamedTopics | None = None
) -> list[str]:
    """Return the topics that are an application's own, sorted; none that its program names."""
    topics = existing_topics(admin)
    return list(internal_topics_among(topics, application_id, named or NamedTopics()).own)


def ensure_internal_topics(
    admin: AdminClient, wanted: Mapping[str, InternalTopicPlan], config: StreamsConfig
) -> None:
    """Make the internal topics that are missing, and check those that exist.

    Raises:
        StreamsError: one cannot be made, or does not fit the program.
    """
    patience = max(config.task_timeout_ms / 1000, REQUEST_SECONDS)
    counts = partition_counts_of(admin, wanted, patience)
    for name, count in counts.items():
        if wanted[name].kind == "tasks" and count < wanted[name].partitions:
            _grow(admin, wanted[name], patience)
    _check_counts(wanted, counts)
    missing = [plan for name, plan in wanted.items() if name not in counts]
    _warn_of_lost_state(missing, ran_before=len(missing) < len(wanted))
    if missing:
        with_retries(
            "making internal topics",
            lambda: _create(admin, missing, config),
            timeout_seconds=patience,
        )
    _wait_until_visible(admin, wanted, [plan.name for plan in missing])
    _check_settings(admin, [plan for name, plan in wanted.items() if name in counts])


def may_create(admin: AdminClient, plans: Iterable[InternalTopicPlan]) -> list[bool]:
    """Return of each topic that does not exist yet whether it may be made; makes none."""
    new = [NewTopic(plan.name, plan.partitions, -1) for plan in plans]
    if not new:
        return []
    futures = admin.create_topics(new, validate_only=True, request_timeout=REQUEST_SECONDS)
    refusals = settle(futures)[1]
    return [
        topic.topic not in refusals or refusals[topic.topic].code() not in DENIED for topic in new
    ]


def check_partitions(admin: AdminClient, wanted: Mapping[str, InternalTopicPlan]) -> None:
    """Check the internal topics that exist; make and change nothing.

    Raises:
        StreamsError: one does not fit the program.
    """
    _check_counts(wanted, partition_counts_of(admin, wanted, PATIENCE_SECONDS))


def warn_of_forgetful_sources(admin: AdminClient, stores_of: Mapping[str, str]) -> None:
    """Warn of topics that are the changelogs of their tables, but lose rows; `stores_of` gives the
    topic of each store.
    """
    settings = settings_of_topics(admin, set(stores_of.values()))
    for store, topic in stores_of.items():
        if topic not in settings:
            continue
        entries = settings[topic]
        policy = entries["cleanup.policy"]
        deletes_by = [
            f"{key}={entries[key]}"
            for key in ("retention.ms", "retention.bytes")
            if entries[key] != "-1"
        ]
        if "delete" in policy and deletes_by:
            _log.warning(
                "topic=%s store=%s cleanup.policy=%s %s: the store is restored from this topic, "
                "and rows that the broker has deleted from it are not found again; set "
                "cleanup.policy=compact, or leave out reuse.ktable.source.topics",
                topic,
                store,
                policy,
                " ".join(deletes_by),
            )


def delete_internal_topics(admin: AdminClient, topics: Iterable[str]) -> None:
    """Delete topics, and wait until they are gone; those that do not exist are no fault."""
    names = sorted(set(topics))
    if not names:
        return

    def delete() -> dict[str, KafkaError]:
        futures = admin.delete_topics(names, operation_timeout=REQUEST_SECONDS)
        return settle(futures)[1]

    refusals = with_retries("deleting internal topics", delete, PATIENCE_SECONDS)
    for name, refusal in refusals.items():
        if refusal.code() != KafkaError.UNKNOWN_TOPIC_OR_PART:
            msg = f"internal topic {name!r} cannot be deleted: {refusal.str()}"
            raise StreamsError(msg)
    if not until(lambda: not partition_counts_of(admin, names, PATIENCE_SECONDS), VISIBLE_SECONDS):
        msg = f"internal topics are still there {VISIBLE_SECONDS:.0f} s after they were deleted"
        raise StreamsError(msg)


def _create(admin: AdminClient, missing: list[InternalTopicPlan], config: StreamsConfig) -> None:
    of_all_topics = config.topic_settings()
    new = [
        NewTopic(
            plan.name,
            num_partitions=plan.partitions,
            replication_factor=config.replication_factor,
            # What the user says about internal topics must not break the one that assigns tasks.
            config=plan.settings_with({} if plan.kind == "tasks" else of_all_topics),
        )
        for plan in missing
    ]
    _, refusals = settle(
        admin.create_topics(new, operation_timeout=REQUEST_SECONDS, request_timeout=REQUEST_SECONDS)
    )
    for name, refusal in refusals.items():
        # Another instance of the application may have been quicker.
        if refusal.code() != KafkaError.TOPIC_ALREADY_EXISTS:
            raise _creation_refused(name, refusal)


def _creation_refused(name: str, refusal: KafkaError) -> StreamsError:
    failure = f"internal topic {name!r} cannot be made: {refusal.str()}"
    if refusal.code() == KafkaError.INVALID_REPLICATION_FACTOR:
        return ConfigError(f"{failure}; set 'replication.factor' to at most the number of brokers")
    if refusal.code() == KafkaError.INVALID_CONFIG:
        return ConfigError(f"{failure}; look at the settings that start with 'topic.'")
    if refusal.code() in {
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.CLUSTER_AUTHORIZATION_FAILED,
    }:
        hint = allowing(refusal, "CREATE", "topic", name)
        return StreamsError(f"{failure}{hint}; or make it by hand")
    return StreamsError(failure)


def _grow(admin: AdminClient, plan: InternalTopicPlan, patience_seconds: float) -> None:
    def grow() -> dict[str, KafkaError]:
        return settle(admin.create_partitions([NewPartitions(plan.name, plan.partitions)]))[1]

    for refusal in with_retries("growing the task topic", grow, patience_seconds).values():
        # Another instance of the application may have been quicker.
        if refusal.code() != KafkaError.INVALID_PARTITIONS:
            hint = allowing(refusal, "ALTER", "topic", plan.name)
            msg = f"task topic {plan.name!r} cannot be given more partitions: {refusal.str()}{hint}"
            raise StreamsError(msg)


def _wait_until_visible(
    admin: AdminClient, wanted: Mapping[str, InternalTopicPlan], made: Iterable[str]
) -> None:
    """Wait until all topics are seen, and those that were made can be used."""
    counts: dict[str, int] = {}
    led: dict[str, int] = {}

    def visible() -> bool:
        counts.update(partition_counts_of(admin, wanted, PATIENCE_SECONDS))
        led.update({**counts, **led_counts(admin, made)})
        return all(led.get(name, 0) >= plan.partitions for name, plan in wanted.items())

    arrived = until(visible, VISIBLE_SECONDS)
    _check_counts(wanted, counts)
    if not arrived:
        unseen = ", ".join(name for name in wanted if led.get(name, 0) < wanted[name].partitions)
        msg = (
            f"internal topics were made, but cannot be seen {VISIBLE_SECONDS:.0f} s later: "
            f"{unseen}; were they deleted a moment ago? then start again"
        )
        raise StreamsError(msg)


def _check_counts(wanted: Mapping[str, InternalTopicPlan], counts: Mapping[str, int]) -> None:
    wrong = [
        f"{name!r} has {count} partitions and must have {wanted[name].partitions}"
        for name, count in counts.items()
        if wanted[name].kind != "tasks" and count != wanted[name].partitions
    ]
    if wrong:
        msg = (
            f"internal topics do not fit the program: {'; '.join(wrong)}; partitions were added to "
            "an input, or the program was changed, and keys would meet the state of other keys; "
            "undo the change, start with a new 'application.id', or reset the application: "
            "penstock reset APP"
        )
        raise StreamsError(msg)


def _warn_of_lost_state(missing: Iterable[InternalTopicPlan], *, ran_before: bool) -> None:
    lost = [plan.name for plan in missing if plan.kind == "changelog"]
    if ran_before and lost:
        _log.warning(
            "changelog=%s is made anew, though the application has run before: if the store is not "
            "new, its changelog was deleted and its state begins empty",
            ",".join(lost),
        )


def _check_settings(admin: AdminClient, plans: Iterable[InternalTopicPlan]) -> None:
    """Warn of settings of existing topics under which records would be lost."""
    by_name = {plan.name: plan for plan in plans}
    for name, entries in settings_of_topics(admin, by_name).items():
        plan = by_name[name]
        policy = entries["cleanup.policy"]
        expected = plan.settings_with({})["cleanup.policy"]
        if set(policy.split(",")) != set(expected.split(",")):
            _log.warning(
                "topic=%s kind=%s cleanup.policy=%s should be %s: the broker deletes records that "
                "are still needed",
                plan.name,
                plan.kind,
                policy,
                expected,
            )
        if plan.kind == "repartition" and entries["retention.ms"] != "-1":
            _log.warning(
                "topic=%s kind=repartition retention.ms=%s should be -1: the broker deletes "
                "records before they are read",
                plan.name,
                entries["retention.ms"],
            )
