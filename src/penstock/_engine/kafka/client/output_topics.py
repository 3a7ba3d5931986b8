"""The topics that a program writes to: looked for before the start, or when one is first met.

Where brokers make topics freely (`auto.create.topics.enable`) a topic that is missing is asked for,
as Java's producer does, and waited for; where they do not, it is an error at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from confluent_kafka import KafkaException
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # it marks no exports
    AdminClient,
    ConfigResource,
    ResourceType,
)

from penstock._engine.kafka.client.admin_calls import REQUEST_SECONDS, settle, until, with_retries
from penstock._engine.kafka.client.client_errors import BrokerAway
from penstock._engine.kafka.client.topics import partition_counts_of
from penstock.errors import StreamsError

_PATIENCE_SECONDS = 60.0
_MADE_SECONDS = 10.0


def check_outputs(admin: AdminClient, writers: Mapping[str, str]) -> None:
    """Look for topics to write to; `writers` says who writes to each.

    Raises:
        StreamsError: one is missing, and the cluster makes none by itself.
    """
    missing = missing_outputs(admin, writers)
    if missing:
        listed = "; ".join(f"{topic!r}, written by {writers[topic]}" for topic in missing)
        msg = (
            f"output topics must exist before the application starts; missing: {listed}; create "
            "them, or correct the names"
        )
        raise StreamsError(msg)


def missing_outputs(admin: AdminClient, topics: Iterable[str]) -> list[str]:
    """Return which topics are not there, and do not come if they are asked for, sorted."""
    missing = set(topics) - set(partition_counts_of(admin, topics, _PATIENCE_SECONDS))
    if missing and _makes_topics(admin):

        def all_made() -> bool:
            for topic in missing:
                admin.list_topics(topic, timeout=REQUEST_SECONDS)
            missing.difference_update(partition_counts_of(admin, missing, _MADE_SECONDS))
            return not missing

        with_retries(
            "asking for topics to be made", lambda: until(all_made, _MADE_SECONDS), _MADE_SECONDS
        )
    return sorted(missing)


def _makes_topics(admin: AdminClient) -> bool:
    """No if the brokers say that they make no topics; if they say nothing, they might.

    Reading that setting takes a right of its own.
    """
    try:
        brokers = admin.list_topics(timeout=REQUEST_SECONDS).brokers
        resource = ConfigResource(ResourceType.BROKER, str(min(brokers)))
        answers, _ = settle(admin.describe_configs([resource], request_timeout=REQUEST_SECONDS))
        return all(
            entries["auto.create.topics.enable"].value != "false" for entries in answers.values()
        )
    except (KafkaException, BrokerAway, KeyError, ValueError):
        return True
