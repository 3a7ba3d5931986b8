"""The consumer group of an application: who is in it, what it has committed, deleting it.

A group that does not exist has no members and no offsets, and is deleted already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from confluent_kafka import (
    Consumer,
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    KafkaError,
    KafkaException,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.client.admin_calls import REQUEST_SECONDS, ask_coordinator, with_retries
from penstock._engine.kafka.client.client_errors import code_of
from penstock._engine.kafka.client.clients import consumer_settings
from penstock._engine.kafka.client.denials import allowing
from penstock._engine.kafka.client.topics import Isolation
from penstock._engine.planner.reset import Member
from penstock._engine.planner.tasks import Partition
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

_PATIENCE_SECONDS = 60.0
_NO_GROUP = frozenset({KafkaError.GROUP_ID_NOT_FOUND})


@dataclass(frozen=True, slots=True)
class GroupMember:
    """A member of a group, as the broker knows it."""

    client_id: str
    instance_id: str
    host: str


def group_members(
    admin: AdminClient, group: str, patience_seconds: float = _PATIENCE_SECONDS
) -> list[GroupMember]:
    """Return the members of a group, with what each calls itself.

    Raises:
        StreamsError: the cluster does not answer.
    """
    answers = _described(admin, group, patience_seconds)
    return [
        GroupMember(
            str(member.client_id or ""),
            str(member.group_instance_id or ""),
            str(member.host).lstrip("/"),
        )
        for answer in answers.values()
        for member in answer.members
    ]


def members_of(admin: AdminClient, group: str) -> tuple[Member, ...]:
    """Return the members of a group, for a reset.

    Raises:
        StreamsError: the cluster does not answer.
    """
    answers = _described(admin, group)
    return tuple(
        Member(member.client_id or member.member_id, str(member.host).lstrip("/"))
        for answer in answers.values()
        for member in answer.members
    )


def tasks_by_member(admin: AdminClient, group: str, task_topic: str) -> dict[str, set[int]]:
    """Return the partitions of the task topic that each member of a stable group has, by its
    `group.instance.id`; nothing while the group changes.

    Raises:
        StreamsError: the cluster does not answer.
    """
    answers = _described(admin, group)
    return {
        member.group_instance_id or member.member_id: {
            place.partition
            for place in member.assignment.topic_partitions
            if place.topic == task_topic
        }
        for answer in answers.values()
        if answer.state is ConsumerGroupState.STABLE
        for member in answer.members
    }


def committed_offsets(
    config: StreamsConfig,
    partitions: Iterable[Partition] | None = None,
    patience_seconds: float = _PATIENCE_SECONDS,
) -> dict[Partition, int]:
    """Return the committed offsets of an application, of all partitions or of these.

    Raises:
        StreamsError: the cluster does not answer.
    """
    found = _read_offsets(config, partitions, "read_uncommitted", patience_seconds)
    return {place: offset for place, (offset, _) in found.items()}


def stable_offsets(
    config: StreamsConfig, patience_seconds: float = _PATIENCE_SECONDS
) -> dict[Partition, tuple[int, str]]:
    """Return the committed offsets of an application with their metadata, once those of
    transactions whose markers are late are among them.

    Raises:
        StreamsError: the cluster does not answer.
    """
    return _read_offsets(config, None, "read_committed", patience_seconds)


def _read_offsets(
    config: StreamsConfig,
    partitions: Iterable[Partition] | None,
    isolation: Isolation,
    patience_seconds: float,
) -> dict[Partition, tuple[int, str]]:
    """Ask a consumer that never joins the group: an admin client ends the process when it is told
    that a broker is no more the coordinator (decision 0011).
    """
    wanted = None if partitions is None else [TopicPartition(*one) for one in partitions]
    if wanted == []:
        return {}
    settings = {**consumer_settings(config, "input"), "isolation.level": isolation}
    seconds = min(patience_seconds, REQUEST_SECONDS)

    def ask() -> list[TopicPartition]:
        # A new one each time: one that has lost its coordinator may never find it again.
        consumer = Consumer(settings)
        try:
            places = _all_partitions(consumer, seconds) if wanted is None else wanted
            answers = consumer.committed(places, timeout=seconds) if places else []
        except KafkaException:
            # One that may not look for the coordinator does so until the time is over.
            message = consumer.poll(0)
            if message is not None and (refusal := message.error()) is not None:
                raise KafkaException(refusal) from None
            raise
        finally:
            consumer.close()
        for answer in answers:
            if (error := answer.error) is not None:
                # Transactions end: the client does not know that it may ask again.
                is_open = error.code() == KafkaError.UNSTABLE_OFFSET_COMMIT
                raise KafkaException(KafkaError(error.code(), error.str(), retriable=is_open))
        return answers

    what = f"asking for the committed offsets of application {config.application_id!r}"
    try:
        answers = with_retries(what, ask, patience_seconds)
    except KafkaException as error:
        raise _refused(what, config.application_id, code_of(error)) from error
    return {
        (answer.topic, answer.partition): (answer.offset, str(answer.metadata or ""))
        for answer in answers
        if answer.offset >= 0
    }


def _all_partitions(consumer: Consumer, timeout_seconds: float) -> list[TopicPartition]:
    """Return all partitions that can have a committed offset: one goes with its topic."""
    topics = consumer.list_topics(timeout=timeout_seconds).topics
    return [TopicPartition(name, number) for name in topics for number in topics[name].partitions]


def commit_offsets(admin: AdminClient, group: str, places: Iterable[TopicPartition]) -> None:
    """Commit offsets for a group without members.

    Raises:
        StreamsError: the cluster refuses, as while the group has members.
    """
    asked = ConsumerGroupTopicPartitions(group, list(places))
    try:
        answers: Mapping[str, Any] = ask_coordinator(admin.alter_consumer_group_offsets, [asked])[0]
    except KafkaException as error:
        msg = f"the offsets of application {group!r} cannot be changed: {code_of(error).str()}"
        raise StreamsError(msg) from error
    refused = [
        f"{place.topic} partition {place.partition}: {place.error.str()}"
        for answer in answers.values()
        for place in answer.topic_partitions
        if place.error is not None
    ]
    if refused or not answers:
        reason = "; ".join(refused) or "the group is in use"
        msg = f"the offsets of application {group!r} cannot be changed: {reason}"
        raise StreamsError(msg)


def delete_group(admin: AdminClient, group: str) -> None:
    """Delete a group and its committed offsets.

    Raises:
        StreamsError: the cluster refuses, as while the group has members.
    """
    _asked(
        admin,
        f"deleting the committed offsets of application {group!r}",
        lambda: ask_coordinator(admin.delete_consumer_groups, [group]),
    )


def _described(
    admin: AdminClient, group: str, patience_seconds: float = _PATIENCE_SECONDS
) -> dict[str, Any]:
    return _asked(
        admin,
        f"looking at the group of application {group!r}",
        lambda: ask_coordinator(admin.describe_consumer_groups, [group]),
        patience_seconds,
    )


def _asked(
    admin: AdminClient,
    what: str,
    ask: Callable[[], tuple[dict[str, Any], dict[str, KafkaError]]],
    patience_seconds: float = _PATIENCE_SECONDS,
) -> dict[str, Any]:
    """Return the answers; none of a group that does not exist."""
    answers, refusals = with_retries(what, ask, patience_seconds, admin)
    for group, refusal in refusals.items():
        if refusal.code() not in _NO_GROUP:
            raise _refused(what, group, refusal)
    return answers


def _refused(what: str, group: str, refusal: KafkaError) -> StreamsError:
    hint = allowing(refusal, "READ", "group", group)
    return StreamsError(f"{what} is refused: {refusal.str()}{hint}")
