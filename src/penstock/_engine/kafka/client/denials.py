"""What the cluster does not allow the application, with the ACL that is missing.

Every start compares what is allowed with what the program needs: an application that may not read a
changelog would otherwise run well until the day it must restore it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

from confluent_kafka import KafkaError, TopicCollection
from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.client.admin_calls import (
    REQUEST_SECONDS,
    ask_coordinator,
    settle,
    with_retries,
)
from penstock._engine.planner.layout import Layout
from penstock._engine.planner.permissions import (
    Need,
    Resource,
    acl_command,
    listed,
    missing_of,
    needs_of,
    unadvised_of,
)
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

_log = logging.getLogger(__name__)

DENIED = frozenset(
    {
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.GROUP_AUTHORIZATION_FAILED,
        KafkaError.CLUSTER_AUTHORIZATION_FAILED,
        KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    }
)

_PATIENCE_SECONDS = 60.0


def allowing(error: KafkaError, operation: str, resource: Resource, name: str) -> str:
    """Return what to allow, to be put behind a message; nothing if the error is another one."""
    if error.code() not in DENIED:
        return ""
    need = Need(resource, name, frozenset({operation}), prefixed=resource == "transactional-id")
    return (
        f"; the application needs {listed({need: [operation]})}: {acl_command(need, [operation])}"
    )


def check_permissions(admin: AdminClient, layout: Layout, config: StreamsConfig) -> None:
    """Compare what the cluster allows on the topics and the group with what the program needs.

    Raises:
        StreamsError: something is missing; all of it is named.
    """
    needs = needs_of(layout, config)
    known = {
        need: allowed
        for need, allowed in allowed_operations(admin, needs).items()
        if allowed is not None
    }
    missing = {need: lacks for need, ops in known.items() if (lacks := _still_missing(need, ops))}
    if missing:
        commands = "; ".join(acl_command(need, lacks) for need, lacks in missing.items())
        msg = (
            f"application {config.application_id!r} may not do what it needs: {listed(missing)} "
            f"missing; an administrator allows it: {commands}; penstock plan APP --acls prints all "
            "that it needs"
        )
        raise StreamsError(msg)
    unadvised = {need: lacks for need, ops in known.items() if (lacks := unadvised_of(need, ops))}
    if unadvised:
        _log.warning(
            "application=%s may not do all that it should: %s missing; it runs, but cannot check "
            "the settings of topics (DESCRIBE_CONFIGS), delete what it has read (DELETE) or grow "
            "with the program (ALTER); penstock plan APP --acls prints what to allow",
            config.application_id,
            listed(unadvised),
        )


def allowed_operations(
    admin: AdminClient, needs: Iterable[Need]
) -> dict[Need, frozenset[str] | None]:
    """Return what is allowed on each topic and group; None where the cluster does not say."""
    topics = {need.name: need for need in needs if need.resource == "topic"}
    groups = {need.name: need for need in needs if need.resource == "group"}
    options = {"include_authorized_operations": True}

    def ask() -> list[tuple[Need, Any, KafkaError | None]]:
        found: list[tuple[Need, Any, KafkaError | None]] = []
        described = admin.describe_topics(
            TopicCollection(list(topics)), request_timeout=REQUEST_SECONDS, **options
        )
        for things, (answers, refusals) in (
            (topics, settle(described)),
            (groups, ask_coordinator(admin.describe_consumer_groups, list(groups), **options)),
        ):
            found += [(things[name], answer, None) for name, answer in answers.items()]
            found += [(things[name], None, refusal) for name, refusal in refusals.items()]
        return found

    answered = with_retries("asking for permissions", ask, _PATIENCE_SECONDS, admin)
    return {need: _operations(answer, refusal) for need, answer, refusal in answered}


def _operations(answer: Any, refusal: KafkaError | None) -> frozenset[str] | None:
    if refusal is not None:
        # The cluster says nothing about a resource that does not exist.
        return frozenset() if refusal.code() in DENIED else None
    operations = answer.authorized_operations
    if operations is None:
        return None
    names = frozenset(operation.name for operation in operations)
    # Describing needs a right of its own: a cluster that leaves it out does not report operations.
    return names if "DESCRIBE" in names else None


def _still_missing(need: Need, allowed: frozenset[str]) -> list[str]:
    """Return the operations missing on a resource that exists, so CREATE is not needed."""
    return [operation for operation in missing_of(need, allowed) if operation != "CREATE"]
