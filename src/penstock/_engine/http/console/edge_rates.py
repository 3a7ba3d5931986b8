"""How many records a second take each arrow of the graph.

Only what is read from topics and written to them is measured at every recording level: a counter at
each node costs time for each record, and is there at DEBUG alone. Without it the rest follows where
it must be so: a source forwards what it reads, a sink
gets what it writes, `map` forwards one record for each, most nodes forward to all children alike.
Arrows of which nothing follows, such as the one behind a filter that no sink ends, have no rate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from penstock._engine.topology.nodes.join_nodes import KeepForJoin
from penstock._engine.topology.nodes.stream_nodes import (
    Branch,
    Map,
    MapValues,
    Operation,
    Peek,
    ProcessorNode,
    SelectKey,
    SourceNode,
    UserProcessor,
)
from penstock._engine.topology.picture.scene import Kind, Scene, compose
from penstock._engine.topology.topology import Topology

_ONE_FOR_ONE = (Map, MapValues, SelectKey, KeepForJoin)
_CHOOSES = (Branch, UserProcessor)
_SINKS = (Kind.SINK, Kind.DYNAMIC_SINK)

TopicRates = Mapping[str, Mapping[str, float]]
"""Records a second of each node and topic."""


@dataclass(frozen=True, slots=True)
class Flow:
    """The arrows of a program between its nodes, and what its nodes do with a record."""

    scene: Scene
    edges: tuple[tuple[int, str, str], ...]
    """Number of the arrow, the node it leaves, the node it reaches."""
    even: frozenset[str]
    """The nodes that forward exactly one record for each."""
    alike: frozenset[str]
    """The nodes that forward the same records to all children."""


def flow_of(topology: Topology) -> Flow:
    """Return the flow of a program."""
    scene = compose(topology.describe())
    names = [shape.text for shape in scene.shapes]
    nodes = {i for panel in scene.panels for i in panel.members}
    nodes -= {i for i in nodes if scene.shapes[i].kind is Kind.STORE}
    edges = tuple(
        (n, names[arrow.tail], names[arrow.head])
        for n, arrow in enumerate(scene.arrows)
        if arrow.tail in nodes and arrow.head in nodes
    )
    operations = {
        name: node.operation
        for name, node in topology.nodes.items()
        if isinstance(node, ProcessorNode)
    }
    sources = {name for name, node in topology.nodes.items() if isinstance(node, SourceNode)}
    even = {name for name, operation in operations.items() if _is_even(operation)}
    alike = {
        name
        for name, operation in operations.items()
        if not isinstance(operation, _CHOOSES) and not operation.side_outputs()
    }
    return Flow(scene, edges, frozenset(even), frozenset(alike | sources))


def edge_rates(
    flow: Flow, read: TopicRates, written: TopicRates, processed: Mapping[str, float]
) -> list[float | None]:
    """Return the rate of each arrow, None where it does not follow from what is measured;
    `processed` is what reaches nodes that count it themselves.
    """
    rates: list[float | None] = [None] * len(flow.scene.arrows)
    shapes = flow.scene.shapes
    for n, arrow in enumerate(flow.scene.arrows):
        tail, head = shapes[arrow.tail], shapes[arrow.head]
        if head.kind is Kind.SOURCE:
            rates[n] = _of_topic(read.get(head.text, {}), tail.text, tail.kind)
        elif tail.kind in _SINKS:
            rates[n] = sum(written.get(tail.text, {}).values())
    incoming, outgoing = _by_node(flow)
    for n, before, after in flow.edges:
        if before in read:
            rates[n] = sum(read[before].values())
        elif after in written and len(incoming[after]) == 1:
            rates[n] = sum(written[after].values())
        elif after in processed and len(incoming[after]) == 1:
            rates[n] = processed[after]
    while _spread(flow, rates, incoming, outgoing):
        pass
    return rates


def node_rates(
    flow: Flow, rates: list[float | None], read: TopicRates, processed: Mapping[str, float]
) -> dict[str, float]:
    """Return the records a second that reach each node, where they are known."""
    found: dict[str, float] = {node: sum(topics.values()) for node, topics in read.items()}
    incoming, _ = _by_node(flow)
    for node, edges in incoming.items():
        known = [rates[n] for n in edges]
        if None not in known:
            found[node] = sum(rate for rate in known if rate is not None)
    return {**found, **processed}


def _spread(
    flow: Flow,
    rates: list[float | None],
    incoming: Mapping[str, list[int]],
    outgoing: Mapping[str, list[int]],
) -> bool:
    """Take each rate one node further; yes if there was anything to do."""
    changed = False
    for node in flow.alike:
        after = outgoing.get(node, [])
        known = next((rates[n] for n in after if rates[n] is not None), None)
        before = incoming.get(node, [])
        if known is None and node in flow.even and before:
            arriving = [rates[n] for n in before]
            if None not in arriving:
                known = sum(rate for rate in arriving if rate is not None)
        if known is None:
            continue
        fill = [n for n in after if rates[n] is None]
        if node in flow.even and len(before) == 1 and rates[before[0]] is None:
            fill.append(before[0])
        for n in fill:
            rates[n] = known
        changed = changed or bool(fill)
    return changed


def _by_node(flow: Flow) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    incoming: dict[str, list[int]] = {}
    outgoing: dict[str, list[int]] = {}
    for n, tail, head in flow.edges:
        outgoing.setdefault(tail, []).append(n)
        incoming.setdefault(head, []).append(n)
    return incoming, outgoing


def _of_topic(topics: Mapping[str, float], name: str, kind: Kind) -> float:
    """Return the rate of a topic: on the broker, internal ones begin with the application's id."""
    if len(topics) <= 1 or kind is Kind.TOPIC_PATTERN:
        return sum(topics.values())
    if name in topics:
        return topics[name]
    return sum(rate for topic, rate in topics.items() if topic.endswith(f"-{name}"))


def _is_even(operation: Operation) -> bool:
    return isinstance(operation, _ONE_FOR_ONE) or (
        isinstance(operation, Peek) and not operation.end
    )
