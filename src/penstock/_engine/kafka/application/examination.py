"""Checks of a cluster for `penstock doctor`: nothing is changed, and every request is short.

The one exception is the transactional id: only using it shows whether it is allowed. No transaction
is begun.
"""

from __future__ import annotations

from dataclasses import dataclass

from confluent_kafka import KafkaException, Producer
from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.client.admin_calls import REQUEST_SECONDS
from penstock._engine.kafka.client.client_errors import code_of
from penstock._engine.kafka.client.clients import producer_settings
from penstock.settings import StreamsConfig


@dataclass(frozen=True, slots=True)
class ClusterFacts:
    """A cluster as its admin client sees it."""

    id: str
    brokers: int


def look_at_cluster(admin: AdminClient) -> ClusterFacts:
    """Return which cluster it is and how many brokers it has."""
    listed = admin.list_topics(timeout=REQUEST_SECONDS)
    return ClusterFacts(str(listed.cluster_id), len(listed.brokers))


def transaction_refusal(config: StreamsConfig) -> str | None:
    """Try to become a transactional producer; return why not, None if it is allowed."""
    producer = Producer(producer_settings(config, "doctor"))
    try:
        producer.init_transactions(REQUEST_SECONDS)
    except KafkaException as error:
        return config.without_secrets(code_of(error).str())
    return None
