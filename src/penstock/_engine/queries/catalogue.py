"""Which stores an application has, and where each key of a store is.

Pure functions of the plan. A key is in the partition that the producers of the store's input give
it: the partitioner of its repartition topic where the program has one, else murmur2 of its bytes.
Java: StreamsMetadataState.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.plan import StorePlan, SubtopologyPlan
from penstock._engine.planner.tasks import TaskPlan
from penstock._engine.queries.questions import GLOBAL
from penstock._engine.runtime.output.murmur2 import partition_of
from penstock._engine.topology.nodes.stream_nodes import (
    ProcessorNode,
    SinkNode,
    SourceNode,
    UserProcessor,
)
from penstock._engine.topology.nodes.table_nodes import TableTransformValues
from penstock._engine.topology.nodes.window_nodes import partition_by_key_alone
from penstock.serdes import Serde
from penstock.serdes.windowed import WindowedSerde, window_bytes_of


@dataclass(frozen=True, slots=True)
class StoreEntry:
    """A store of the application: its plan and its tasks by partition."""

    name: str
    plan: StorePlan
    tasks: Mapping[int, str]
    partition_count: int
    """How many partitions its inputs have: what keys are spread over."""
    partitioner: Any = None
    """The user's own, of the topic that the store is fed by; None for Kafka's."""
    topic: str = ""
    """The topic that the partitioner is told."""
    window_bytes: int = 0
    """How many of the last bytes of a key have no part in its partition: those of its window."""
    is_placed_here: bool = False
    """Whether the application itself put each key into its partition, by Kafka's partitioner.
    Topics of the user may be written with any other, one of the user's may look at the value, and a
    processor may keep any key.
    """

    @property
    def is_global(self) -> bool:
        return GLOBAL in self.tasks

    def elsewhere(self, place: int, partitions: Iterable[int]) -> list[int]:
        """Return which of some partitions may have a key that is not in its own, `place`."""
        return [] if self.is_placed_here else [each for each in partitions if each != place]

    def partition_of(self, key: Any, raw_key: bytes, partitioner: Any = None) -> int:
        """Return the partition in which a key is.

        Raises:
            LookupError: the partitioner chose no single partition for it.
        """
        if self.is_global:
            return GLOBAL
        choose = partitioner or self.partitioner
        if choose is None:
            alone = raw_key[: len(raw_key) - self.window_bytes]
            return partition_of(alone, self.partition_count)
        chosen = choose(self.topic, key, None, self.partition_count)
        # True and False are partitions to a sink as well.
        if isinstance(chosen, int) and 0 <= chosen < self.partition_count:
            return int(chosen)
        msg = (
            f"the partitioner must give one of {self.partition_count} partitions for key "
            f"{key!r} of store {self.name!r}; got {chosen!r}"
        )
        raise LookupError(msg)


def stores_of(blueprint: Blueprint) -> dict[str, StoreEntry]:
    """Return the stores of an application by name."""
    subtopologies = {task.subtopology.id: task.subtopology for task in blueprint.tasks}
    sinks = _sinks(subtopologies.values())
    entries = {}
    for subtopology in subtopologies.values():
        tasks = [task for task in blueprint.tasks if task.subtopology.id == subtopology.id]
        partitioner, topic = _partitioner(subtopology, sinks)
        topics = subtopology.source_topics()
        count = max((blueprint.partition_counts[each] for each in topics), default=1)
        is_ours = blueprint.internal_topics.issuperset(topics)
        used_by_processors = _used_by_processors(subtopology)
        for name, plan in subtopology.stores.items():
            entries[name] = StoreEntry(
                name,
                plan,
                _by_partition(tasks),
                count,
                partitioner,
                topic,
                _window_bytes(plan, subtopology, sinks),
                is_ours and partitioner is None and name not in used_by_processors,
            )
    if blueprint.global_stores is not None:
        for name, plan in blueprint.global_stores.stores.items():
            entries[name] = StoreEntry(name, plan, {GLOBAL: "global"}, 1)
    return entries


def _by_partition(tasks: Iterable[TaskPlan]) -> dict[int, str]:
    return {task.partition: task.id for task in tasks}


def _used_by_processors(subtopology: SubtopologyPlan) -> set[str]:
    """Return the stores that processors of the user write."""
    return {
        name
        for node in subtopology.nodes
        if isinstance(node, ProcessorNode)
        and isinstance(node.operation, UserProcessor | TableTransformValues)
        for name in subtopology.stores_of.get(node.name, ())
    }


def _sinks(subtopologies: Iterable[SubtopologyPlan]) -> dict[str, SinkNode]:
    return {
        node.topic: node
        for subtopology in subtopologies
        for node in subtopology.nodes
        if isinstance(node, SinkNode) and isinstance(node.topic, str)
    }


def _partitioner(subtopology: SubtopologyPlan, sinks: Mapping[str, SinkNode]) -> tuple[Any, str]:
    """Return the user's partitioner of the internal topic that a sub-topology reads, if any."""
    for node in subtopology.nodes:
        for topic in node.topics if isinstance(node, SourceNode) else ():
            sink = sinks.get(topic)
            chosen = None if sink is None else sink.partitioner
            # A partitioner of the user's need not be hashable.
            if chosen is not None and chosen is not partition_by_key_alone:
                return chosen, topic
    return None, ""


def _window_bytes(
    store: StorePlan, subtopology: SubtopologyPlan, sinks: Mapping[str, SinkNode]
) -> int:
    """Return how many bytes of a store's keys are those of a window, where records got their
    partition by the key alone: their input has plain keys, or was written by a sink that does so.
    """
    size = _size_of_window(store.builder.key)
    for node in subtopology.nodes:
        if isinstance(node, SourceNode) and _size_of_window(node.key_serde):
            written = [sinks[topic] for topic in node.topics if topic in sinks]
            if not any(sink.partitioner is partition_by_key_alone for sink in written):
                return 0
    return size


def _size_of_window(serde: Serde[Any] | None) -> int:
    if isinstance(serde, WindowedSerde):
        return serde.window_bytes
    return 0 if serde is None else window_bytes_of(serde)
