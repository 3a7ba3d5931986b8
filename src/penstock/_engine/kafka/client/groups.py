"""The consumer group of an application: who is in it, what it has committed, deleting it.

A group that does not exist has no members and no offsets, and is deleted already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from confluent_kafka import (
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    KafkaError,
    KafkaException,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.client.admin_calls import REQUEST_SECONDS, settle, with_retries
from penstock._engine.kafka.client.client_errors import code_of
from penstock._engine.kafka.client.denials import allowing
from penstock._engine.planner.reset import Member
from penstock._engine.planner.tasks import Partition
from penstock.errors import StreamsError

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
    admin: AdminClient,
    group: str,
    partitions: Iterable[Partition] | None = None,
    patience_seconds: float = _PATIENCE_SECONDS,
) -> dict[Partition, int]:
    """Return the committed offsets of a group, of all partitions or of these.

    Raises:
        StreamsError: the cluster does not answer.
    """
    places = None if partitions is None else [TopicPartition(*one) for one in partitions]
    if places == []:
        return {}
    asked = [ConsumerGroupTopicPartitions(group, places)]
    request_seconds = min(patience_seconds, REQUEST_SECONDS)
    answers = _asked(
        admin,
        f"asking for the committed offsets of application {group!r}",
        lambda: admin.list_consumer_group_offsets(asked, request_timeout=request_seconds),
        patience_seconds,
    )
    return {
        (place.topic, place.partition): place.offset
        for answer in answers.values()
        for place in answer.topic_partitions
        if place.offset >= 0
    }


def stable_offsets(
    admin: AdminClient, group: str, patience_seconds: float = _PATIENCE_SECONDS
) -> dict[Partition, tuple[int, str]]:
    """Return the committed offsets of a group with their metadata, once those of transactions whose
    markers are late are among them.

    Raises:
        StreamsError: the cluster does not answer.
    """
    asked = [ConsumerGroupTopicPartitions(group)]

    def ask() -> tuple[dict[str, Any], dict[str, KafkaError]]:
        answers, refusals = settle(
            admin.list_consumer_group_offsets(
                asked, require_stable=True, request_timeout=REQUEST_SECONDS
            )
        )
        for answer in answers.values():
            for place in answer.topic_partitions:
                if place.error is not None:
                    # Transactions end: the client does not know that it may ask again.
                    is_open = place.error.code() == KafkaError.UNSTABLE_OFFSET_COMMIT
                    fault = KafkaError(place.error.code(), place.error.str(), retriable=is_open)
                    raise KafkaException(fault)
        return answers, refusals

    what = f"asking for the committed offsets of application {group!r}"
    answers = _checked(what, *with_retries(what, ask, patience_seconds, admin))
    return {
        (place.topic, place.partition): (place.offset, str(place.metadata or ""))
        for answer in answers.values()
        for place in answer.topic_partitions
        if place.offset >= 0
    }


def commit_offsets(admin: AdminClient, group: str, places: Iterable[TopicPartition]) -> None:
    """Commit offsets for a group without members.

    Raises:
        StreamsError: the cluster refuses, as while the group has members.
    """
    asked = ConsumerGroupTopicPartitions(group, list(places))
    try:
        answers: Mapping[str, Any] = settle(admin.alter_consumer_group_offsets([asked]))[0]
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
        lambda: admin.delete_consumer_groups([group], request_timeout=REQUEST_SECONDS),
    )


def _described(
    admin: AdminClient, group: str, patience_seconds: float = _PATIENCE_SECONDS
) -> dict[str, Any]:
    return _asked(
        admin,
        f"looking at the group of application {group!r}",
        lambda: admin.describe_consumer_groups([group], request_timeout=REQUEST_SECONDS),
        patience_seconds,
    )


def _asked(
    admin: AdminClient,
    what: str,
    ask: Callable[[], Mapping[str, Future[Any]]],
    patience_seconds: float = _PATIENCE_SECONDS,
) -> dict[str, Any]:
    """Return the answers; none of a group that does not exist."""
    answers, refusals = with_retries(what, lambda: settle(ask()), patience_seconds, admin)
    return _checked(what, answers, refusals)


def _checked(
    what: str, answers: dict[str, Any], refusals: Mapping[str, KafkaError]
) -> dict[str, Any]:
    for group, refusal in refusals.items():
        if refusal.code() not in _NO_GROUP:
            hint = allowing(refusal, "READ", "group", group)
            msg = f"{what} is refused: {refusal.str()}{hint}"
            raise StreamsError(msg)
    return answers
