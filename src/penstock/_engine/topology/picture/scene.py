"""The contents of a picture of a topology: shapes, panels and arrows, without coordinates.

`mermaid.py` and `svg.py` both draw a `Scene`. Its law: a topic that one sub-topology writes and
another reads is one shape with two arrows; a store that several processors of a panel share is one
shape; everything keeps the order of the description, so that equal descriptions give equal
pictures.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from penstock._engine.topology.description.description import (
    GlobalStoreDescription,
    NodeDescription,
    ProcessorDescription,
    SinkDescription,
    SourceDescription,
    SubtopologyDescription,
    TopologyDescription,
)


class Kind(StrEnum):
    """The kind of a shape; the value is its class in the SVG and in the Mermaid text."""

    SOURCE = "source"
    PROCESSOR = "processor"
    SINK = "sink"
    DYNAMIC_SINK = "dynamic-sink"
    STORE = "store"
    TOPIC = "topic"
    INTERNAL_TOPIC = "internal-topic"
    TOPIC_PATTERN = "topic-pattern"
    DYNAMIC_TOPIC = "dynamic-topic"


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape of the picture; `text` is its full name, or the pattern or extractor of topics."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Arrow:
    """From one shape to another, by their indices; to a store it is a plain dotted line."""

    tail: int
    head: int


@dataclass(frozen=True, slots=True)
class Panel:
    """A sub-topology: a titled area around its nodes and stores."""

    title: str
    is_global: bool
    members: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """All shapes of the picture; those of no panel are topics."""

    shapes: tuple[Shape, ...]
    panels: tuple[Panel, ...]
    arrows: tuple[Arrow, ...]


def compose(description: TopologyDescription) -> Scene:
    """Return the scene of `description`."""
    parts = _parts(description)
    shapes: dict[_Key, Shape] = {}
    for number, (_, nodes) in enumerate(parts):
        for key, shape in _inside(number, nodes):
            shapes.setdefault(key, shape)
    for number, (_, nodes) in enumerate(parts):
        for node in nodes:
            shapes.update(_topics(number, node))
    index_of = {key: index for index, key in enumerate(shapes)}
    pairs = dict.fromkeys(
        pair for number, (_, nodes) in enumerate(parts) for pair in _pairs(number, nodes)
    )
    return Scene(
        shapes=tuple(shapes.values()),
        panels=tuple(
            _panel(part, [index for key, index in index_of.items() if key[0] == number])
            for number, (part, _) in enumerate(parts)
        ),
        arrows=tuple(Arrow(index_of[tail], index_of[head]) for tail, head in pairs),
    )


_OUTSIDE = -1

# The panel's number (or _OUTSIDE), what the name is a name of, the name.
_Key: TypeAlias = tuple[int, str, str]
_Part: TypeAlias = SubtopologyDescription | GlobalStoreDescription

_INTERNAL_PREFIX = "KTABLE-FK-JOIN-"
_INTERNAL_SUFFIXES = (
    "-repartition",
    "-changelog",
    "-subscription-registration-topic",
    "-subscription-response-topic",
)


def _parts(description: TopologyDescription) -> list[tuple[_Part, tuple[NodeDescription, ...]]]:
    parts: list[tuple[_Part, tuple[NodeDescription, ...]]] = [
        *((part, part.nodes) for part in description.subtopologies),
        *((part, (part.source, part.processor)) for part in description.global_stores),
    ]
    return sorted(parts, key=lambda part: part[0].id)


def _panel(part: _Part, members: list[int]) -> Panel:
    is_global = isinstance(part, GlobalStoreDescription)
    title = f"Sub-topology {part.id}{' (global)' if is_global else ''}"
    return Panel(title, is_global, tuple(members))


def _inside(number: int, nodes: tuple[NodeDescription, ...]) -> Iterator[tuple[_Key, Shape]]:
    for node in nodes:
        yield (number, "node", node.name), Shape(_node_kind(node), node.name)
    for node in nodes:
        if isinstance(node, ProcessorDescription):
            for store in node.stores:
                yield (number, "store", store), Shape(Kind.STORE, store)


def _node_kind(node: NodeDescription) -> Kind:
    if isinstance(node, SourceDescription):
        return Kind.SOURCE
    if isinstance(node, ProcessorDescription):
        return Kind.PROCESSOR
    return Kind.SINK if node.topic is not None else Kind.DYNAMIC_SINK


def _topics(number: int, node: NodeDescription) -> dict[_Key, Shape]:
    """Return the topics that `node` reads or writes.

    Two sinks with one extractor have two shapes: they need not write to the same topics.
    """
    if isinstance(node, ProcessorDescription):
        return {}
    if isinstance(node, SourceDescription) and node.pattern is not None:
        return {(_OUTSIDE, "pattern", node.pattern): Shape(Kind.TOPIC_PATTERN, node.pattern)}
    if isinstance(node, SinkDescription) and node.topic is None:
        key = (_OUTSIDE, f"extractor of {number}", node.name)
        return {key: Shape(Kind.DYNAMIC_TOPIC, node.extractor or "")}
    names = node.topics if isinstance(node, SourceDescription) else (node.topic or "",)
    return {(_OUTSIDE, "topic", name): Shape(_topic_kind(name), name) for name in names}


def _topic_kind(name: str) -> Kind:
    is_internal = name.endswith(_INTERNAL_SUFFIXES) or name.startswith(_INTERNAL_PREFIX)
    return Kind.INTERNAL_TOPIC if is_internal else Kind.TOPIC


def _pairs(number: int, nodes: tuple[NodeDescription, ...]) -> Iterator[tuple[_Key, _Key]]:
    """Yield both ends of every arrow: from and to topics, to other nodes and to stores."""
    for node in nodes:
        here = (number, "node", node.name)
        if isinstance(node, SourceDescription):
            yield from ((topic, here) for topic in _topics(number, node))
        if isinstance(node, SinkDescription):
            yield from ((here, topic) for topic in _topics(number, node))
        else:
            yield from ((here, (number, "node", name)) for name in node.successors)
        if isinstance(node, ProcessorDescription):
            yield from ((here, (number, "store", store)) for store in node.stores)
