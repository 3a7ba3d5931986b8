"""Looking at a cluster with a doctor's eyes: nothing is changed, and every question is short.

The one exception is the transactional id: whether it may be used is told by using it, for a
transaction that is never begun.
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
    """Tell which cluster it is and how many brokers it has."""
    described = admin.describe_cluster(request_timeout=REQUEST_SECONDS).result()
    return ClusterFacts(str(described.cluster_id), len(described.nodes))


def transaction_refusal(config: StreamsConfig) -> str | None:
    """Try to become a transactional producer; give why not, None if it is allowed."""
    producer = Producer(producer_settings(config, "doctor"))
    try:
        producer.init_transactions(REQUEST_SECONDS)
    except KafkaException as error:
        return config.without_secrets(code_of(error).str())
    return None
