"""Builds the topology of a program: shares sources, rewrites the steps, then writes each.

Steps are written in the order of their priorities, parents first: a step that was drawn again is
written late, and its children later still. Java: InternalStreamsBuilder.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import replace

from penstock._engine.topology.graph import (
    Graph,
    Step,
    StreamSource,
)
from penstock._engine.topology.nodes.stream_nodes import (
    InternalTopic,
    SourceNode,
)
from penstock._engine.topology.rewrites.null_keys import pass_null_keys
from penstock._engine.topology.rewrites.optimize import (
    MERGE_REPARTITION_TOPICS,
    REUSE_SOURCE_TOPICS,
    SINGLE_STORE_SELF_JOIN,
    merge_repartition_topics,
    reuse_source_topics,
    single_store_self_joins,
)
from penstock._engine.topology.topology import Topology
from penstock._engine.topology.unnamed import check_names
from penstock._engine.topology.writing import write
from penstock.errors import TopologyError


def build(
    graph: Graph, *, names_required: bool, optimizations: frozenset[str] = frozenset()
) -> Topology:
    """Write the program's steps into a new topology; warn of stores and topics without a name of
    the user's, or refuse them if `names_required`.
    """
    kept, shared = _rewritten(merge_duplicate_sources(dict(enumerate(graph.steps))), optimizations)
    topology = Topology()
    topology.optimizations = optimizations
    topology.initial_tables.update(graph.initial_tables)
    for step in in_build_order(kept):
        parents = tuple(kept[parent].drawing.name for parent in step.parents)
        try:
            write(topology, step.drawing, parents, step.location)
        except TopologyError as error:
            # The user's line is that of the step, not that of the build.
            raise TopologyError(error.message, step.location) from None
    topology.internal_topics.update(
        {topic: InternalTopic(topic, None) for topic in graph.internal_topics}
    )
    topology.copartition_groups = [
        frozenset(shared.get(source, source) for source in group)
        for group in graph.copartition_groups
    ]
    _check_copartition_counts(topology)
    check_names(graph, topology, names_required=names_required)
    return topology


def _rewritten(
    steps: dict[int, Step], optimizations: frozenset[str]
) -> tuple[dict[int, Step], Mapping[str, str]]:
    """Return the steps to write, and which source replaces each removed one."""
    shared: Mapping[str, str] = {}
    if REUSE_SOURCE_TOPICS in optimizations:
        steps = reuse_source_topics(steps)
    if MERGE_REPARTITION_TOPICS in optimizations:
        merged = merge_repartition_topics(steps)
        steps, shared = merged.steps, merged.sources
    if SINGLE_STORE_SELF_JOIN in optimizations:
        steps = single_store_self_joins(steps)
    return pass_null_keys(steps), shared


def _check_copartition_counts(topology: Topology) -> None:
    """Refuse to join topics to which the program itself gives different partition counts."""
    topics_of = {
        node.name: node.topics for node in topology.nodes.values() if isinstance(node, SourceNode)
    }
    for group in topology.copartition_groups:
        topics = {topic for source in sorted(group) for topic in topics_of.get(source, ())}
        counts = {
            topic: internal.partitions
            for topic in sorted(topics)
            if (internal := topology.internal_topics.get(topic)) and internal.partitions
        }
        if len(counts) == len(topics) and len(set(counts.values())) > 1:
            listed = ", ".join(f"{topic!r} has {count}" for topic, count in counts.items())
            msg = (
                f"topics that are joined must have the same number of partitions; {listed}; pass "
                "the same Repartitioned(partitions=...) for both"
            )
            raise TopologyError(msg)


def in_build_order(steps: Mapping[int, Step]) -> Iterator[Step]:
    """Yield the steps as Java's priority queue does: of those whose parents are written, the one
    with the lowest priority.
    """
    missing = {index: len(step.parents) for index, step in steps.items()}
    children: dict[int, list[int]] = {index: [] for index in steps}
    for index, step in steps.items():
        for parent in step.parents:
            children[parent].append(index)
    ready = [(steps[index].priority, index) for index, count in missing.items() if count == 0]
    heapq.heapify(ready)
    while ready:
        _, index = heapq.heappop(ready)
        yield steps[index]
        for child in children[index]:
            missing[child] -= 1
            if missing[child] == 0:
                heapq.heappush(ready, (steps[child].priority, child))


def merge_duplicate_sources(steps: dict[int, Step]) -> dict[int, Step]:
    """Replace the sources of exactly the same topics (or pattern) by the first of them."""
    first: dict[object, int] = {}
    shared: dict[int, int] = {}
    for index, step in steps.items():
        if not isinstance(step.drawing, StreamSource):
            continue
        for subject in _subjects(step.drawing):
            main = first.setdefault(subject, index)
            if main != index:
                _check_shareable(steps[main], step)
                shared[index] = main
    return {index: _moved(step, shared) for index, step in steps.items() if index not in shared}


def _subjects(source: StreamSource) -> list[object]:
    if source.pattern is not None:
        return [(source.pattern.pattern, source.pattern.flags)]
    return list(source.topics)


def _check_shareable(main: Step, other: Step) -> None:
    one, two = main.drawing, other.drawing
    assert isinstance(one, StreamSource)
    assert isinstance(two, StreamSource)
    if set(one.topics) != set(two.topics):
        msg = (
            "two streams must read the same topics or none in common; got "
            f"{sorted(two.topics)} after {sorted(one.topics)} at {main.location}"
        )
        raise TopologyError(msg, other.location)
    if one.offset_reset != two.offset_reset:
        msg = (
            "streams over the same topics must have the same offset_reset; got "
            f"{two.offset_reset!r} after {one.offset_reset!r} at {main.location}"
        )
        raise TopologyError(msg, other.location)


def _moved(step: Step, shared: dict[int, int]) -> Step:
    """Connect a step to the shared source, which becomes its last parent, as in Java."""
    kept = [parent for parent in step.parents if parent not in shared]
    moved = [shared[parent] for parent in step.parents if parent in shared]
    return replace(step, parents=tuple(dict.fromkeys((*kept, *moved))))
