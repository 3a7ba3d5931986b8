"""From the steps of a program to its topology: share sources, then write step by step in the order
drawn.

A step's parents are always drawn before it, so the order of drawing is the order Java's priority
queue writes in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from penstock._engine.topology.graph import (
    Drawing,
    Process,
    Repartition,
    StateStore,
    Step,
    StreamSink,
    StreamSource,
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


def build(steps: Sequence[Step]) -> Topology:
    """Write the program's steps into a new topology."""
    kept = merge_duplicate_sources(dict(enumerate(steps)))
    topology = Topology()
    for step in kept.values():
        parents = tuple(kept[parent].drawing.name for parent in step.parents)
        try:
            _write(topology, step.drawing, parents, step.location)
        except TopologyError as error:
            # The mistake is where the step was written, not where the program is built.
            raise TopologyError(error.message, step.location) from None
    return topology


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


def _write_repartition(
    topology: Topology, drawing: Repartition, parents: tuple[str, ...], location: str | None
) -> None:
    topology.internal_topics[drawing.topic] = InternalTopic(drawing.topic, drawing.partitions)
    topology.add_operation(drawing.filter_name, DropNullKeys(), parents, location)
    topology.add_sink_node(
        SinkNode(
            drawing.sink_name,
            drawing.topic,
            (drawing.filter_name,),
            drawing.key_serde,
            drawing.value_serde,
            drawing.partitioner,
            location,
        )
    )
    topology.add_source_node(
        SourceNode(
            drawing.source_name,
            (drawing.topic,),
            None,
            drawing.key_serde,
            drawing.value_serde,
            FailOnInvalidTimestamp(),
            None,
            location,
        )
    )
