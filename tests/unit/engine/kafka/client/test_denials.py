"""What is not allowed is told with its ACL; tests/broker/test_permissions.py asks a real broker."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, cast

import pytest
from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AclOperation, AdminClient  # type: ignore[attr-defined]

from penstock import Consumed, Produced, StreamsBuilder, StreamsConfig, serdes
from penstock._engine.kafka.client.denials import allowing, check_permissions
from penstock._engine.planner.layout import Layout, draft_of, lay_out
from penstock.errors import StreamsError

TEXT = serdes.string()
CONFIG = StreamsConfig({"application.id": "app"})
ALL = ("DESCRIBE", "READ", "WRITE", "ALTER", "DESCRIBE_CONFIGS")


class FakeAdmin:
    """Tells what `allowed` says of each topic; of others, that all is allowed."""

    def __init__(self, **allowed: Any) -> None:
        self._allowed = allowed

    def describe_topics(self, topics: Any, **_: Any) -> dict[str, Future[Any]]:
        return {name: self._answer(name) for name in topics.topic_names}

    def describe_consumer_groups(self, names: list[str], **_: Any) -> dict[str, Future[Any]]:
        return {name: self._answer("group") for name in names}

    def _answer(self, name: str) -> Future[Any]:
        answer: Future[Any] = Future()
        allowed = self._allowed.get(name, ALL)
        if isinstance(allowed, int):
            answer.set_exception(KafkaException(KafkaError(allowed)))
        else:
            operations = None if allowed is None else [AclOperation[one] for one in allowed]
            answer.set_result(SimpleNamespace(authorized_operations=operations))
        return answer


def check(**allowed: Any) -> None:
    check_permissions(cast("AdminClient", FakeAdmin(**allowed)), layout(), CONFIG)


def layout() -> Layout:
    builder = StreamsBuilder()
    builder.stream("in", Consumed(TEXT, TEXT)).to("out", Produced(TEXT, TEXT))
    return lay_out(draft_of(builder.build(), "app"), {"in": 1}, CONFIG)


def test_everything_that_is_missing_is_named_at_once() -> None:
    with pytest.raises(StreamsError) as caught:
        check(**{"in": ["DESCRIBE"], "out": ["DESCRIBE", "READ"]})
    assert str(caught.value).startswith(
        "application 'app' may not do what it needs: READ on topic 'in', WRITE on topic 'out' "
        "missing; an administrator allows it: kafka-acls.sh --add "
    )


@pytest.mark.parametrize(
    "untold", [None, [], KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError.GROUP_ID_NOT_FOUND]
)
def test_a_cluster_that_does_not_tell_is_taken_at_its_word_later(untold: Any) -> None:
    check(**{"in": untold, "group": untold})


def test_a_group_that_may_not_be_seen_is_missing() -> None:
    with pytest.raises(StreamsError, match=r"needs: READ on group 'app' missing"):
        check(group=KafkaError.GROUP_AUTHORIZATION_FAILED)


def test_only_a_denial_is_told_what_to_allow() -> None:
    denied = KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED)
    assert allowing(denied, "READ", "topic", "in") == (
        "; the application needs READ on topic 'in': kafka-acls.sh --add --allow-principal "
        "User:YOU --operation Read --topic in"
    )
    assert allowing(KafkaError(KafkaError._TIMED_OUT), "READ", "topic", "in") == ""
