"""Describes a topology, with Java's order in every list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from penstock._engine.topology.description.java_hash import order_after_growing, order_when_copied
from penstock._engine.topology.description.tree_set import TreeSet
from penstock._engine.topology.nodes.stream_nodes import (
    GlobalStoreNodes,
    Node,
    SinkNode,
    SourceNode,
    parents_of,
)
from penstock._engine.topology.subtopologies import node_groups

StoresOf: TypeAlias = Callable[[str], list[str]]
"""The stores that a processor uses, in the order in which they were connected."""


def describe(
    nodes: Mapping[str, Node],
    store_users: Mapping[str, list[str]],
    stores_of: StoresOf,
    global_stores: Mapping[str, GlobalStoreNodes],
) -> TopologyDescription:
    """Describe the topology of these nodes and stores."""
    groups = list(enumerate(node_groups(nodes, store_users)))
    global_sources = {fed.source: fed for fed in global_stores.values()}
    return TopologyDescription(
        subtopologies=tuple(
            _subtopology(nodes, stores_of, number, group)
            for number, group in groups
            if group[0] not in global_sources
        ),
        global_stores=tuple(
            _global_store(nodes, number, global_sources[group[0]])
            for number, group in groups
            if group[0] in global_sources
        ),
    )


def _global_store(
    nodes: Mapping[str, Node], number: int, fed: GlobalStoreNodes
) -> GlobalStoreDescription:
    source = nodes[fed.source]
    assert isinstance(source, SourceNode)
    return GlobalStoreDescription(
        number,
        SourceDescription(fed.source, source.topics, None, (fed.processor,)),
        ProcessorDescription(fed.processor, (fed.store.name,), (), (fed.source,)),
    )


class _Vertex:
    """A node and its neighbours; `size` counts the paths below it, itself included."""

    __slots__ = ("name", "predecessors", "size", "successors")

    def __init__(self, name: str) -> None:
        self.name = name
        self.size = 1
        self.predecessors: TreeSet[_Vertex] = TreeSet(_larger_first)
        self.successors: TreeSet[_Vertex] = TreeSet(_larger_first)

    def grow(self, by: int) -> None:
        self.size += by
        for predecessor in self.predecessors:
            predecessor.grow(by)


def _larger_first(one: _Vertex, other: _Vertex) -> int:
    if one.size != other.size:
        return other.size - one.size
    one_name, other_name = _java_order(one.name), _java_order(other.name)
    return (one_name > other_name) - (one_name < other_name)


def _java_order(name: str) -> bytes:
    """Return what orders names as in Java: UTF-16 units, which differ beyond the basic plane."""
    return name.encode("utf-16-be")


def _subtopology(
    nodes: Mapping[str, Node], stores_of: StoresOf, number: int, group: tuple[str, ...]
) -> SubtopologyDescription:
    vertices = {name: _Vertex(name) for name in order_after_growing(group)}
    for vertex in vertices.values():
        for parent in parents_of(nodes[vertex.name]):
            predecessor = vertices[parent]
            vertex.predecessors.add(predecessor)
            predecessor.successors.add(vertex)
            predecessor.grow(vertex.size)
    in_order = sorted(
        vertices.values(), key=lambda vertex: (-vertex.size, _java_order(vertex.name))
    )
    return SubtopologyDescription(
        id=number,
        nodes=tuple(_node(nodes[vertex.name], stores_of, vertex) for vertex in in_order),
    )


def _node(node: Node, stores_of: StoresOf, vertex: _Vertex) -> NodeDescription:
    successors = tuple(successor.name for successor in vertex.successors)
    predecessors = tuple(predecessor.name for predecessor in vertex.predecessors)
    if isinstance(node, SourceNode):
        pattern = None if node.pattern is None else node.pattern.pattern
        return SourceDescription(
            node.name, tuple(order_when_copied(node.topics)), pattern, successors
        )
    if isinstance(node, SinkNode):
        topic = node.topic if isinstance(node.topic, str) else None
        extractor = None if isinstance(node.topic, str) else _function_name(node.topic)
        return SinkDescription(node.name, topic, extractor, predecessors)
    stores = order_when_copied(order_after_growing(stores_of(node.name)))
    return ProcessorDescription(node.name, tuple(stores), successors, predecessors)


def _function_name(function: object) -> str:
    """Return the function's qualified name, where Java prints the extractor's class."""
    return getattr(function, "__qualname__", None) or type(function).__qualname__
