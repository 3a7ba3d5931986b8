"""Looking at a cluster with a doctor's eyes: nothing is changed, and every question is short.

The one exception is the transactional id: whether it may be used is told by using it, for a
transaction that is never begun.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Producer, TopicCollection
from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.admin_calls import REQUEST_SECONDS, settle
from penstock._engine.kafka.clients import producer_settings
from penstock._engine.kafka.faults import code_of
from penstock._engine.planner.permissions import Need
from penstock.settings import StreamsConfig

_DENIED = frozenset(
    {
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.GROUP_AUTHORIZATION_FAILED,
        KafkaError.CLUSTER_AUTHORIZATION_FAILED,
    }
)


@dataclass(frozen=True, slots=True)
class ClusterFacts:
    """A cluster as its admin client sees it."""

    id: str
    brokers: int


def look_at_cluster(admin: AdminClient) -> ClusterFacts:
    """Tell which cluster it is and how many brokers it has."""
    described = admin.describe_cluster(request_timeout=REQUEST_SECONDS).result()
    return ClusterFacts(str(described.cluster_id), len(described.nodes))


def allowed(admin: AdminClient, need: Need) -> frozenset[str] | None:
    """Give the operations that are allowed on a thing; None if the cluster does not tell."""
    try:
        operations = _authorized(admin, need)
    except KafkaException as error:
        if code_of(error).code() in _DENIED:
            return frozenset()
        raise
    return None if operations is None else frozenset(one.name for one in operations)


def transaction_refusal(config: StreamsConfig) -> str | None:
    """Try to become a transactional producer; give why not, None if it is allowed."""
    producer = Producer(producer_settings(config, "doctor"))
    try:
        producer.init_transactions(REQUEST_SECONDS)
    except KafkaException as error:
        return config.without_secrets(code_of(error).str())
    return None


def _authorized(admin: AdminClient, need: Need) -> Any:
    asked: dict[str, Any] = {
        "include_authorized_operations": True,
        "request_timeout": REQUEST_SECONDS,
    }
    if need.resource == "cluster":
        return admin.describe_cluster(**asked).result().authorized_operations
    if need.resource == "group":
        futures = admin.describe_consumer_groups([need.name], **asked)
    else:
        futures = admin.describe_topics(TopicCollection([need.name]), **asked)
    answers, refusals = settle(futures)
    if refusals:
        # A group that does not exist yet tells nothing.
        denied = any(refusal.code() in _DENIED for refusal in refusals.values())
        return () if denied else None
    return answers[need.name].authorized_operations
