"""Topics on the broker: counting partitions, making and checking internal topics, offsets.

Nothing that exists is changed, with one exception: the task topic, which is ours alone, grows when
a program gets more tasks. Internal topics that do not fit the program are explained, not repaired:
they hold the user's state.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from typing import Any, Literal, TypeAlias

from confluent_kafka import (
    IsolationLevel,
    KafkaError,
    KafkaException,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # it marks no exports
    AdminClient,
    ConfigResource,
    NewPartitions,
    NewTopic,
    OffsetSpec,
    ResourceType,
)

from penstock._engine.kafka.client.admin_calls import REQUEST_SECONDS, settle, until, with_retries
from penstock._engine.kafka.client.client_errors import code_of, is_outdated
from penstock._engine.kafka.client.denials import DENIED, allowing
from penstock._engine.planner.internal_topics import InternalTopicPlan, is_internal
from penstock._engine.planner.tasks import Partition
from penstock._engine.topology.nodes.stream_nodes import SourceNode, title_of
from penstock.errors import ConfigError, StreamsError
from penstock.settings import StreamsConfig

Isolation: TypeAlias = Literal["read_uncommitted", "read_committed"]

_log = logging.getLogger(__name__)

_PATIENCE_SECONDS = 60.0
_VISIBLE_SECONDS = 30.0
_BROKERS_OWN = frozenset({"__consumer_offsets", "__transaction_state", "__share_group_state"})
_ABSENT = KafkaError.UNKNOWN_TOPIC_OR_PART


def existing_topics(admin: AdminClient, timeout_seconds: float = _PATIENCE_SECONDS) -> list[str]:
    """Return the names of all topics a pattern may match, sorted."""
    metadata = with_retries(
        "listing the topics",
        lambda: admin.list_topics(timeout=REQUEST_SECONDS),
        timeout_seconds,
        admin,
    )
    return sorted(topic for topic in metadata.topics if topic not in _BROKERS_OWN)


def internal_topics(admin: AdminClient, application_id: str) -> list[str]:
    """Return the topics that are an application's own, sorted."""
    return [topic for topic in existing_topics(admin) if is_internal(topic, application_id)]


def partition_counts(
    admin: AdminClient,
    topics: Iterable[str],
    sources: Iterable[SourceNode] = (),
    timeout_seconds: float = _PATIENCE_SECONDS,
) -> dict[str, int]:
    """Return how many partitions each of the users' topics has; `sources` are those that read them.

    Raises:
        StreamsError: topics are missing, or may not be seen.
    """
    wanted = sorted(set(topics))
    counts = partition_counts_of(admin, wanted, timeout_seconds)
    missing = [topic for topic in wanted if topic not in counts]
    if missing:
        raise StreamsError(_missing_topics(missing, list(sources)))
    return counts


def output_partition_count(
    admin: AdminClient, topic: str, timeout_seconds: float = _PATIENCE_SECONDS
) -> int:
    """Return how many partitions a topic has that is written to.

    Raises:
        StreamsError: there is no such topic, or it may not be seen.
    """
    counts = partition_counts_of(admin, [topic], timeout_seconds)
    if topic not in counts:
        msg = (
            f"topic {topic!r} must exist before a partitioner can choose one of its partitions; "
            "create it, or correct the name"
        )
        raise StreamsError(msg)
    return counts[topic]


def wait_until_made(admin: AdminClient, counts: Mapping[str, int]) -> None:
    """Wait until topics that were made can be used: all their partitions are seen, and each has a
    leader. The controller's answer says less, and brokers get the metadata one after the other; so
    it must be seen as often in a row as there are brokers.

    Raises:
        StreamsError: that takes too long.
    """
    brokers = len(admin.list_topics(timeout=REQUEST_SECONDS).brokers)
    in_a_row = 0

    def usable() -> bool:
        nonlocal in_a_row
        seen = _led_counts(admin, counts)
        all_seen = all(seen.get(topic, 0) >= max(count, 1) for topic, count in counts.items())
        in_a_row = in_a_row + 1 if all_seen else 0
        return in_a_row >= brokers or (all_seen and usable())

    if counts and not until(usable, _VISIBLE_SECONDS):
        msg = (
            f"topics were made, but cannot be used {_VISIBLE_SECONDS:.0f} s later: "
            f"{', '.join(sorted(counts))}; were they deleted a moment ago? then start again"
        )
        raise StreamsError(msg)


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
    _tell_of_lost_state(missing, ran_before=len(missing) < len(wanted))
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
    _check_counts(wanted, partition_counts_of(admin, wanted, _PATIENCE_SECONDS))


def warn_of_forgetful_sources(admin: AdminClient, stores_of: Mapping[str, str]) -> None:
    """Warn of topics that are the changelogs of their tables, but lose rows; `stores_of` gives the
    topic of each store.
    """
    by_resource = {
        ConfigResource(ResourceType.TOPIC, topic): store for store, topic in stores_of.items()
    }
    if not by_resource:
        return
    answers, _ = with_retries(
        "asking for the settings of the topics of tables",
        lambda: settle(admin.describe_configs(list(by_resource), request_timeout=REQUEST_SECONDS)),
        _PATIENCE_SECONDS,
    )
    for resource, entries in answers.items():
        policy = entries["cleanup.policy"].value
        deletes_by = [
            f"{key}={entries[key].value}"
            for key in ("retention.ms", "retention.bytes")
            if entries[key].value != "-1"
        ]
        if "delete" in policy and deletes_by:
            _log.warning(
                "topic=%s store=%s cleanup.policy=%s %s: the store is restored from this topic, "
                "and rows that the broker has deleted from it are not found again; set "
                "cleanup.policy=compact, or leave out reuse.ktable.source.topics",
                resource.name,
                by_resource[resource],
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

    refusals = with_retries("deleting internal topics", delete, _PATIENCE_SECONDS)
    for name, refusal in refusals.items():
        if refusal.code() != _ABSENT:
            msg = f"internal topic {name!r} cannot be deleted: {refusal.str()}"
            raise StreamsError(msg)
    if not until(
        lambda: not partition_counts_of(admin, names, _PATIENCE_SECONDS), _VISIBLE_SECONDS
    ):
        msg = f"internal topics are still there {_VISIBLE_SECONDS:.0f} s after they were deleted"
        raise StreamsError(msg)


def purge(admin: AdminClient, offsets: Mapping[Partition, int]) -> None:
    """Delete the records before each offset; do not wait.

    Committed records are not needed any more, so a purge that fails is logged, not raised: the next
    one covers it.
    """
    if not offsets:
        return
    positions = [
        TopicPartition(topic, number, offset) for (topic, number), offset in offsets.items()
    ]
    for place, future in admin.delete_records(positions).items():
        future.add_done_callback(_logging_failure(place))


def end_offsets(
    admin: AdminClient,
    partitions: Iterable[Partition],
    isolation: Isolation = "read_uncommitted",
    timeout_seconds: float = _PATIENCE_SECONDS,
) -> dict[Partition, int]:
    """Return the end offset of each partition: after all records, or before the first open
    transaction.

    Raises:
        StreamsError: the cluster does not answer, or refuses.
    """
    return _offsets(admin, partitions, OffsetSpec.latest(), isolation, timeout_seconds)  # type: ignore[no-untyped-call]


def first_offsets(admin: AdminClient, partitions: Iterable[Partition]) -> dict[Partition, int]:
    """Return the first offset that each partition still has; raises as `end_offsets` does."""
    return _offsets(admin, partitions, OffsetSpec.earliest(), "read_uncommitted", _PATIENCE_SECONDS)  # type: ignore[no-untyped-call]


def _offsets(
    admin: AdminClient,
    partitions: Iterable[Partition],
    spec: OffsetSpec,
    isolation: Isolation,
    timeout_seconds: float,
) -> dict[Partition, int]:
    level = IsolationLevel[isolation.upper()]
    asked = {TopicPartition(*partition): spec for partition in partitions}
    if not asked:
        return {}

    def ask() -> tuple[dict[TopicPartition, Any], dict[TopicPartition, KafkaError]]:
        futures = admin.list_offsets(asked, isolation_level=level, request_timeout=REQUEST_SECONDS)
        try:
            return settle(futures)
        except KafkaException as error:
            if not is_outdated(code_of(error)):
                raise
            # The client asks the leaders it knows of, and does not look for new ones by itself.
            known = admin.list_topics(timeout=REQUEST_SECONDS).topics
            absent = {place: code_of(error) for place in asked if place.topic not in known}
            if not absent:
                raise
            return {}, absent

    answers, refusals = with_retries("asking for end offsets", ask, timeout_seconds, admin)
    for place, refusal in refusals.items():
        msg = (
            f"the end of topic {place.topic!r}, partition {place.partition} cannot be told: "
            f"{refusal.str()}{allowing(refusal, 'DESCRIBE', 'topic', place.topic)}"
        )
        raise StreamsError(msg)
    return {(place.topic, place.partition): answer.offset for place, answer in answers.items()}


def partition_counts_of(
    admin: AdminClient, topics: Iterable[str], timeout_seconds: float
) -> dict[str, int]:
    """Return how many partitions those of `topics` have that exist."""
    found = describe_topics(admin, topics, timeout_seconds)
    return {name: len(answer.partitions) for name, answer in found.items()}


def _led_counts(admin: AdminClient, topics: Iterable[str]) -> dict[str, int]:
    """Return how many partitions of those topics that exist have a leader: before they have, they
    cannot be read or written.
    """
    answers = describe_topics(admin, topics, _PATIENCE_SECONDS)
    return {
        name: sum(partition.leader is not None for partition in answer.partitions)
        for name, answer in answers.items()
    }


def describe_topics(
    admin: AdminClient, topics: Iterable[str], timeout_seconds: float
) -> dict[str, Any]:
    """Return what the cluster knows of those of `topics` that exist."""
    names = list(topics)
    if not names:
        return {}

    def ask() -> tuple[dict[str, Any], dict[str, KafkaError]]:
        # Unlike a metadata request for a name, this makes no topic where brokers make them freely.
        collection = TopicCollection(names)
        return settle(admin.describe_topics(collection, request_timeout=REQUEST_SECONDS))

    answers, refusals = with_retries("asking for topics", ask, timeout_seconds, admin)
    for name, refusal in refusals.items():
        if refusal.code() != _ABSENT:
            hint = allowing(refusal, "DESCRIBE", "topic", name)
            msg = f"topic {name!r} cannot be looked at: {refusal.str()}{hint}"
            raise StreamsError(msg)
    return answers


def _missing_topics(missing: list[str], sources: list[SourceNode]) -> str:
    parts = []
    for topic in missing:
        readers = [title_of(source) for source in sources if topic in source.topics]
        reader = f", read by {', '.join(readers)}" if readers else ""
        parts.append(f"{topic!r}{reader}")
    return (
        f"source topics must exist before the application starts; missing: {'; '.join(parts)}; "
        "create them with as many partitions as there shall be tasks, or correct the names"
    )


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
        counts.update(partition_counts_of(admin, wanted, _PATIENCE_SECONDS))
        led.update({**counts, **_led_counts(admin, made)})
        return all(led.get(name, 0) >= plan.partitions for name, plan in wanted.items())

    arrived = until(visible, _VISIBLE_SECONDS)
    _check_counts(wanted, counts)
    if not arrived:
        unseen = ", ".join(name for name in wanted if led.get(name, 0) < wanted[name].partitions)
        msg = (
            f"internal topics were made, but cannot be seen {_VISIBLE_SECONDS:.0f} s later: "
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


def _tell_of_lost_state(missing: Iterable[InternalTopicPlan], *, ran_before: bool) -> None:
    lost = [plan.name for plan in missing if plan.kind == "changelog"]
    if ran_before and lost:
        _log.warning(
            "changelog=%s is made anew, though the application has run before: if the store is not "
            "new, its changelog was deleted and its state begins empty",
            ",".join(lost),
        )


def _check_settings(admin: AdminClient, plans: Iterable[InternalTopicPlan]) -> None:
    """Warn of settings of existing topics under which records would be lost."""
    by_resource = {ConfigResource(ResourceType.TOPIC, plan.name): plan for plan in plans}
    if not by_resource:
        return
    answers, _ = with_retries(
        "asking for the settings of internal topics",
        lambda: settle(admin.describe_configs(list(by_resource), request_timeout=REQUEST_SECONDS)),
        _PATIENCE_SECONDS,
    )
    for resource, entries in answers.items():
        plan = by_resource[resource]
        policy = entries["cleanup.policy"].value
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
        if plan.kind == "repartition" and entries["retention.ms"].value != "-1":
            _log.warning(
                "topic=%s kind=repartition retention.ms=%s should be -1: the broker deletes "
                "records before they are read",
                plan.name,
                entries["retention.ms"].value,
            )


def _logging_failure(place: TopicPartition) -> Any:
    def log_failure(future: Future[Any]) -> None:
        error = future.exception()
        if error is not None:
            hint = (
                allowing(code_of(error), "DELETE", "topic", place.topic)
                if isinstance(error, KafkaException)
                else ""
            )
            _log.warning(
                "topic=%s partition=%s could not be purged: %s%s",
                place.topic,
                place.partition,
                error,
                hint,
            )

    return log_failure
