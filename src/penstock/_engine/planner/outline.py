"""A layout as plain text and numbers, for people and for JSON: the data of `penstock plan`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from penstock._engine.planner.internal_topics import InternalTopicPlan
from penstock._engine.planner.layout import Layout
from penstock._engine.planner.plan import StorePlan, SubtopologyPlan
from penstock._engine.topology.nodes.join_nodes import SelfJoin, StreamJoinSide
from penstock._engine.topology.nodes.stream_nodes import Node, ProcessorNode
from penstock._engine.topology.nodes.window_nodes import (
    SessionAggregate,
    SlidingAggregate,
    WindowAggregate,
)
from penstock.settings import StreamsConfig
from penstock.windows import UnlimitedWindows

_LOCAL = re.compile(r"local\[(\d+|\*)(?:,\d+)?\]")
_LOCAL_CLUSTER = re.compile(r"local-cluster\[(\d+),(\d+),\d+\]")


@dataclass(frozen=True, slots=True)
class StoreOutline:
    """A store: one for each task of its sub-topology, or one in each worker if it is global."""

    name: str
    kind: str
    engine: str
    cached: bool
    retention_ms: int | None
    restored_from: str | None
    """Its changelog, or the topic that its table reads; None: lost with its task."""


@dataclass(frozen=True, slots=True)
class WindowsOutline:
    """The windows of an aggregation or of a join, and how long they wait for late records."""

    defined_at: str
    grace_ms: int


@dataclass(frozen=True, slots=True)
class SubtopologyOutline:
    """Nodes that run together, and the tasks that run them."""

    id: int
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    stores: tuple[StoreOutline, ...]
    windows: tuple[WindowsOutline, ...]
    tasks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TopicOutline:
    """An internal topic."""

    name: str
    kind: str
    partitions: int
    replication_factor: int
    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SlotsOutline:
    """The slots: Spark tasks that run at once, each with a worker, to which tasks are assigned."""

    count: int | None
    """None: it depends on the cluster's executors."""
    because: str
    tasks_of_each: tuple[int, ...]
    """The number of tasks in each slot when all slots run, the largest first."""


@dataclass(frozen=True, slots=True)
class Outline:
    """All that is known of an application before it runs."""

    application_id: str
    guarantee: str
    partitions: Mapping[str, int]
    """Of the user's topics that are read."""
    subtopologies: tuple[SubtopologyOutline, ...]
    global_stores: tuple[StoreOutline, ...]
    internal_topics: tuple[TopicOutline, ...]
    task_count: int
    standby_replicas: int
    slots: SlotsOutline


def outline(layout: Layout, config: StreamsConfig, cores: int) -> Outline:
    """Return the outline of a layout; `cores` are those of this machine."""
    draft = layout.draft
    tasks = {
        plan.id: tuple(task.id for task in layout.tasks if task.subtopology.id == plan.id)
        for plan in draft.plans
    }
    global_stores = draft.global_stores
    return Outline(
        application_id=config.application_id,
        guarantee="exactly_once_v2" if config.exactly_once else "at_least_once",
        partitions={topic: layout.partition_counts[topic] for topic in draft.topics_to_count},
        subtopologies=tuple(_subtopology(plan, tasks[plan.id]) for plan in draft.plans),
        global_stores=() if global_stores is None else tuple(_global_stores(global_stores)),
        internal_topics=tuple(_topic(topic, config) for topic in layout.internal_topics.values()),
        task_count=len(layout.tasks),
        standby_replicas=config.num_standby_replicas,
        slots=plan_slots(config, cores, len(layout.tasks)),
    )


def plan_slots(config: StreamsConfig, cores: int, task_count: int) -> SlotsOutline:
    """Return how many slots there will be, and how many tasks each has."""
    count, because = _slot_count(config, cores)
    if count is None:
        return SlotsOutline(None, because, ())
    each, rest = divmod(task_count, count)
    return SlotsOutline(
        count, because, tuple(each + 1 if at < rest else each for at in range(count))
    )


def _slot_count(config: StreamsConfig, cores: int) -> tuple[int | None, str]:
    if config.slots_wanted is not None:
        asked = "num.stream.threads" if config.num_stream_threads else "penstock.spark.slots"
        return config.slots_wanted, f"{asked!r}"
    master = config.spark_master
    if (local := _LOCAL.fullmatch(master)) is not None:
        if local[1] == "*":
            return cores, "one for each core of this machine"
        return int(local[1]), f"Spark master {master!r}"
    if (cluster := _LOCAL_CLUSTER.fullmatch(master)) is not None:
        return int(cluster[1]) * int(cluster[2]), f"Spark master {master!r}"
    if master == "local":
        return 1, f"Spark master {master!r}"
    return None, f"one for each core of the executors of Spark master {master!r}"


def _subtopology(plan: SubtopologyPlan, tasks: tuple[str, ...]) -> SubtopologyOutline:
    reads = [
        *plan.source_topics(),
        *(source.pattern.pattern for source in plan.sources() if source.pattern is not None),
    ]
    return SubtopologyOutline(
        plan.id,
        tuple(dict.fromkeys(reads)),
        tuple(dict.fromkeys(plan.sink_topics())),
        tuple(_store(store, store.restored_from) for store in plan.stores.values()),
        tuple(_windows(plan.nodes)),
        tasks,
    )


def _windows(nodes: Iterable[Node]) -> list[WindowsOutline]:
    # The two sides of a join are of one line, and have the same windows.
    found = {
        node.location or node.name: grace_ms
        for node in nodes
        if isinstance(node, ProcessorNode) and (grace_ms := _grace_ms(node.operation)) is not None
    }
    return [WindowsOutline(where, grace_ms) for where, grace_ms in found.items()]


def _grace_ms(operation: object) -> int | None:
    """Return the grace of the windows of an operation; None if it has none that end."""
    if isinstance(operation, StreamJoinSide | SelfJoin):
        return operation.join_grace_ms
    if not isinstance(operation, WindowAggregate | SlidingAggregate | SessionAggregate):
        return None
    windows = operation.windows
    return None if isinstance(windows, UnlimitedWindows) else windows.grace_ms


def _global_stores(plan: SubtopologyPlan) -> list[StoreOutline]:
    return [_store(store, store.serde_topic) for store in plan.stores.values()]


def _store(store: StorePlan, restored_from: str | None) -> StoreOutline:
    builder = store.builder
    engine = builder.engine if isinstance(builder.engine, str) else "your own"
    return StoreOutline(
        builder.name,
        builder.kind,
        engine,
        builder.cached,
        None if builder.times is None else builder.times.retention_ms,
        restored_from,
    )


def _topic(topic: InternalTopicPlan, config: StreamsConfig) -> TopicOutline:
    # The user's settings for internal topics do not apply to the task topic.
    for_all = {} if topic.kind == "tasks" else config.topic_settings()
    return TopicOutline(
        topic.name,
        topic.kind,
        topic.partitions,
        config.replication_factor,
        topic.settings_with(for_all),
    )
