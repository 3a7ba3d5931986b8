"""From the steps of a program to its topology: share sources, then write step by step.

Steps are written in the order drawn, parents first: a step that was drawn again is written late,
and what hangs on it later still, whenever that was drawn. Java: InternalStreamsBuilder.
"""

from __future__ import annotations

import heapq
import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace

from penstock._engine.topology.graph import (
    Drawing,
    Graph,
    Process,
    Repartition,
    StateStore,
    Step,
    StreamSink,
    StreamSource,
    TableFromTopic,
)
from penstock._engine.topology.nodes import (
    DropNullKeys,
    InternalTopic,
    SinkNode,
    SourceNode,
)
from penstock._engine.topology.topology import Topology
from penstock.errors import TopologyError
from penstock.timestamps import FailOnInvalidTimestamp

_LOG = logging.getLogger(__name__)


def build(graph: Graph, *, names_required: bool) -> Topology:
    """Write the program's steps into a new topology; say what of it has no name of the user's, or
    refuse it if `names_required`.
    """
    kept = merge_duplicate_sources(dict(enumerate(graph.steps)))
    topology = Topology()
    for step in in_build_order(kept):
        parents = tuple(kept[parent].drawing.name for parent in step.parents)
        try:
            _write(topology, step.drawing, parents, step.location)
        except TopologyError as error:
            # The mistake is where the step was written, not where the program is built.
            raise TopologyError(error.message, step.location) from None
    _check_names(graph, names_required=names_required)
    return topology


def _check_names(graph: Graph, *, names_required: bool) -> None:
    unnamed = {
        "state stores": graph.unnamed_stores,
        "changelog topics": graph.unnamed_changelogs,
        "repartition topics": graph.unnamed_repartition_topics,
    }
    listed = "; ".join(f"{kind} {', '.join(names)}" for kind, names in unnamed.items() if names)
    if not listed:
        return
    msg = (
        f"{listed} have no name of their own: their numbers change with the program, and what they "
        "hold is not found again; name them with Materialized(name=...), Grouped(name=...) or "
        "Repartitioned(name=...)"
    )
    if names_required:
        raise TopologyError(msg)
    _LOG.warning("%s; to refuse such programs set ensure.explicit.internal.resource.naming", msg)


def in_build_order(steps: Mapping[int, Step]) -> Iterator[Step]:
    """Give the steps as Java's priority queue does: of those whose parents are written, the one of
    the lowest priority.
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
    """Let streams over exactly the same topics (or pattern) share the first one's source."""
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
    return {index: _rehang(step, shared) for index, step in steps.items() if index not in shared}


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


def _rehang(step: Step, shared: dict[int, int]) -> Step:
    """Hang a step on the shared source; it becomes the step's last parent, as in Java."""
    kept = [parent for parent in step.parents if parent not in shared]
    moved = [shared[parent] for parent in step.parents if parent in shared]
    return replace(step, parents=tuple(dict.fromkeys((*kept, *moved))))


def _write(
    topology: Topology, drawing: Drawing, parents: tuple[str, ...], location: str | None
) -> None:
    match drawing:
        case StreamSource():
            topology.add_source_node(
                SourceNode(
                    drawing.name,
                    drawing.topics,
                    drawing.pattern,
                    drawing.key_serde,
                    drawing.value_serde,
                    drawing.timestamp_extractor,
                    drawing.offset_reset,
                    location,
                )
            )
        case TableFromTopic():
            _write_table(topology, drawing, location)
        case Process():
            topology.add_operation(drawing.name, drawing.operation, parents, location)
            if drawing.stores:
                topology.connect_processor_and_state_stores(drawing.name, *drawing.stores)
        case Repartition():
            _write_repartition(topology, drawing, parents, location)
        case StateStore():
            topology.add_state_store(drawing.store)
        case StreamSink():
            topology.add_sink_node(
                SinkNode(
                    drawing.name,
                    drawing.topic,
                    parents,
                    drawing.key_serde,
                    drawing.value_serde,
                    drawing.partitioner,
                    location,
                )
            )


def _write_table(topology: Topology, drawing: TableFromTopic, location: str | None) -> None:
    topology.add_source_node(
        SourceNode(
            drawing.source_name,
            (drawing.topic,),
            None,
            drawing.key_serde,
            drawing.value_serde,
            drawing.timestamp_extractor,
            drawing.offset_reset,
            location,
        )
    )
    topology.add_operation(drawing.name, drawing.operation, (drawing.source_name,), location)


def _write_repartition(
    topology: Topology, drawing: Repartition, parents: tuple[str, ...], location: str | None
) -> None:
    called = drawing.called
    topology.internal_topics[called.topic] = InternalTopic(called.topic, drawing.partitions)
    topology.add_operation(called.filter, DropNullKeys(), parents, location)
    topology.add_sink_node(
        SinkNode(
            called.sink,
            called.topic,
            (called.filter,),
            drawing.key_serde,
            drawing.value_serde,
            drawing.partitioner,
            location,
        )
    )
    topology.add_source_node(
        SourceNode(
            called.source,
            (called.topic,),
            None,
            drawing.key_serde,
            drawing.value_serde,
            FailOnInvalidTimestamp(),
            None,
            location,
        )
    )
