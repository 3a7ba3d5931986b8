"""Which stores an application has, without running it: by its program, or by what it has stored
about itself in its task topic.

The stored program has the name, the kind and the changelog of each store; how long windows are kept
is in the settings of the changelog topic. Neither serdes nor partitioners are stored: without the
program, keys and values are bytes, and each partition must be searched for a key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.application.stored_program import last_program
from penstock._engine.kafka.client.topics import (
    existing_topics,
    partition_counts,
    partition_counts_of,
    settings_of_topics,
)
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.default_stores import with_default_stores
from penstock._engine.planner.fingerprint import Fingerprint, StoreShape, fingerprint_of
from penstock._engine.planner.internal_topics import task_topic_name
from penstock._engine.planner.layout import draft_of, lay_out
from penstock._engine.planner.plan import StorePlan, SubtopologyPlan
from penstock._engine.queries.catalogue import StoreEntry, stores_of
from penstock._engine.topology.nodes.stream_nodes import ProcessorNode, UserProcessor
from penstock._engine.topology.topology import Topology
from penstock.errors import StreamsError
from penstock.serdes import Serde
from penstock.serdes.plain import BytesSerde
from penstock.settings import StreamsConfig
from penstock.stores import StoreBuilder
from penstock.stores._builders import (
    session_store_builder,
    store_builder,
    versioned_store_builder,
    window_store_builder,
)

_WINDOWS = frozenset({"window", "timestamped_window", "timestamped_window_with_headers"})
_SESSIONS = frozenset({"session", "session_with_headers"})
_EXPIRING = _WINDOWS | _SESSIONS | {"versioned_key_value"}
_PATIENCE_SECONDS = 60.0
_DAY_MS = 24 * 3_600_000
_FOR_EVER_MS = 100 * 365 * _DAY_MS


@dataclass(frozen=True, slots=True)
class KnownStores:
    """The stores of an application by name."""

    entries: Mapping[str, StoreEntry]
    is_of_program: bool
    """Whether the program is known, and with it the serdes and the partition of each key."""


def stores_of_program(topology: Topology, config: StreamsConfig, admin: AdminClient) -> KnownStores:
    """Return the stores of a program, as the cluster has its topics.

    Raises:
        StreamsError: its topics are missing, or another program wrote the changelogs.
    """
    topology = with_default_stores(topology, config)
    config.check_optimizations(topology.optimizations)
    draft = draft_of(topology, config.application_id)
    if draft.has_patterns:
        draft = draft.resolved(existing_topics(admin))
    counts = partition_counts(admin, draft.topics_to_count, draft.sources)
    layout = lay_out(draft, counts, config)
    blueprint = Blueprint(
        config=config,
        tasks=layout.tasks,
        partition_counts=layout.partition_counts,
        task_topic=task_topic_name(config.application_id),
        internal_topics=frozenset(layout.internal_topics),
        global_stores=draft.global_stores,
    )
    before = last_program(config, admin)
    if before is not None:
        _refuse_another_program(before, fingerprint_of(topology), config.application_id)
    entries = stores_of(blueprint)
    if draft.global_stores is not None:
        entries |= _global_tables(entries, draft.global_stores)
    return KnownStores(entries, is_of_program=True)


def stores_on_record(
    config: StreamsConfig,
    admin: AdminClient,
    key: Serde[Any] | None = None,
    value: Serde[Any] | None = None,
) -> KnownStores | None:
    """Return the stores of the program that an application ran last, with these serdes, else bytes;
    None if there is no record of one. Its global stores are not on record.

    Raises:
        StreamsError: the task topic or the settings of the changelogs cannot be read.
    """
    before = last_program(config, admin)
    if before is None:
        return None
    names = {name: _topic_of(shape, config) for name, shape in before.stores.items()}
    topics = sorted({topic for topic in names.values() if topic is not None})
    counts = partition_counts_of(admin, topics, _PATIENCE_SECONDS)
    settings = settings_of_topics(admin, counts, _PATIENCE_SECONDS)
    entries = {}
    for name, topic in names.items():
        if topic in counts and topic not in settings and before.stores[name].kind in _EXPIRING:
            msg = (
                f"how long store {name!r} keeps its rows is a setting of topic {topic!r}, which "
                "this user may not see; allow DESCRIBE_CONFIGS on it, or name the program"
            )
            raise StreamsError(msg)
        kept = settings.get(topic or "", {})
        builder = _builder(name, before.stores[name], kept, config)
        builder = replace(builder, key=key or BytesSerde(), value=value or BytesSerde())
        plan = _plan(builder, before.stores[name], topic, config)
        count = counts.get(topic or "", 0)
        tasks = {number: f"partition {number}" for number in range(count)}
        entries[name] = StoreEntry(name, plan, tasks, count)
    return KnownStores(entries, is_of_program=False)


def _refuse_another_program(before: Fingerprint, now: Fingerprint, application_id: str) -> None:
    for name in sorted(before.stores.keys() & now.stores.keys()):
        was, is_now = before.stores[name], now.stores[name]
        if (was.kind, was.window_ms, was.log) != (is_now.kind, is_now.window_ms, is_now.log):
            msg = (
                f"this is not the program that application {application_id!r} ran last: its store "
                f"{name!r} was of kind {was.kind!r} with changelog {was.log!r} and is of kind "
                f"{is_now.kind!r} with changelog {is_now.log!r}; name the program that wrote it"
            )
            raise StreamsError(msg)


def _global_tables(
    entries: Mapping[str, StoreEntry], plan: SubtopologyPlan
) -> dict[str, StoreEntry]:
    """Return global stores whose rows are the records of their topic: no processor fills them."""
    filled = {
        plan.stores_of[node.name][0]
        for node in plan.nodes
        if isinstance(node, ProcessorNode) and isinstance(node.operation, UserProcessor)
    }
    tables = {name: entries[name] for name in plan.stores if name not in filled}
    return {
        name: replace(entry, plan=replace(entry.plan, source_topic=entry.plan.serde_topic))
        for name, entry in tables.items()
    }


def _topic_of(shape: StoreShape, config: StreamsConfig) -> str | None:
    if shape.log is None or shape.is_logged_by_source:
        return shape.log
    return f"{config.application_id}-{shape.log}"


def _plan(
    builder: StoreBuilder, shape: StoreShape, topic: str | None, config: StreamsConfig
) -> StorePlan:
    if shape.is_logged_by_source:
        return StorePlan(builder, None, topic or "", topic)
    return StorePlan(builder, topic, f"{config.application_id}-{builder.name}-changelog")


def _builder(
    name: str, shape: StoreShape, topic: Mapping[str, str], config: StreamsConfig
) -> StoreBuilder:
    """Return the builder of a store on record, with the retention that its topic implies."""
    retention_ms = _milliseconds(topic, "retention.ms")
    retention_ms -= config.window_changelog_additional_retention_ms
    kind = shape.kind
    if kind in _WINDOWS:
        size_ms = shape.window_ms or 0
        return window_store_builder(
            name,
            None,
            None,
            retention_ms=max(retention_ms, size_ms),
            window_size_ms=size_ms,
            timestamped=kind != "window",
            headers=kind == "timestamped_window_with_headers",
        )
    if kind in _SESSIONS:
        headers = kind == "session_with_headers"
        return session_store_builder(
            name, None, None, retention_ms=max(retention_ms, 0), headers=headers
        )
    if kind == "versioned_key_value":
        # A table's own topic says nothing of how long its versions are kept.
        lag = {} if shape.is_logged_by_source else topic
        history_ms = _milliseconds(lag, "min.compaction.lag.ms") - _DAY_MS
        return versioned_store_builder(name, None, None, history_retention_ms=max(history_ms, 0))
    return store_builder(name, None, None, kind=kind)  # type: ignore[arg-type]


def _milliseconds(settings: Mapping[str, str], key: str) -> int:
    kept_ms = int(settings.get(key, "-1"))
    return _FOR_EVER_MS if kept_ms < 0 else min(kept_ms, _FOR_EVER_MS)
