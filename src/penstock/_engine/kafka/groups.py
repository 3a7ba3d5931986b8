"""The consumer group of an application: who is in it, what it has committed, deleting it.

A group that does not exist has no members and no offsets, and is deleted already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaError
from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.admin_calls import REQUEST_SECONDS, patiently, settle
from penstock._engine.planner.reset import Member, Partition
from penstock.errors import StreamsError

_PATIENCE_SECONDS = 60.0
_NO_GROUP = frozenset({KafkaError.GROUP_ID_NOT_FOUND})


def members_of(admin: AdminClient, group: str) -> tuple[Member, ...]:
    """Give who is in a group.

    Raises:
        StreamsError: the cluster does not tell.
    """
    answers = _asked(
        f"looking at the group of application {group!r}",
        lambda: admin.describe_consumer_groups([group], request_timeout=REQUEST_SECONDS),
    )
    return tuple(
        Member(member.client_id or member.member_id, str(member.host).lstrip("/"))
        for answer in answers.values()
        for member in answer.members
    )


def committed_offsets(admin: AdminClient, group: str) -> dict[Partition, int]:
    """Give what a group has committed.

    Raises:
        StreamsError: the cluster does not tell.
    """
    asked = [ConsumerGroupTopicPartitions(group)]
    answers = _asked(
        f"asking for the committed offsets of application {group!r}",
        lambda: admin.list_consumer_group_offsets(asked, request_timeout=REQUEST_SECONDS),
    )
    return {
        (place.topic, place.partition): place.offset
        for answer in answers.values()
        for place in answer.topic_partitions
        if place.offset >= 0
    }


def delete_group(admin: AdminClient, group: str) -> None:
    """Delete a group and with it all that it has committed.

    Raises:
        StreamsError: the cluster refuses, as while somebody is in it.
    """
    _asked(
        f"deleting the committed offsets of application {group!r}",
        lambda: admin.delete_consumer_groups([group], request_timeout=REQUEST_SECONDS),
    )


def _asked(what: str, ask: Callable[[], Mapping[str, Future[Any]]]) -> dict[str, Any]:
    """Give the answers; none of a group that does not exist."""
    answers, refusals = patiently(what, lambda: settle(ask()), _PATIENCE_SECONDS)
    for refusal in refusals.values():
        if refusal.code() not in _NO_GROUP:
            msg = f"{what} is refused: {refusal.str()}"
            raise StreamsError(msg)
    return answers
