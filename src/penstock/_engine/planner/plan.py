"""What a task runs, as data: nodes with the names that their topics have on the broker."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from penstock._engine.topology.description.java_hash import order_after_growing
from penstock._engine.topology.nodes.stream_nodes import Node, ProcessorNode, SinkNode, SourceNode
from penstock._engine.topology.subtopologies import node_groups
from penstock._engine.topology.topology import Topology
from penstock.stores import StoreBuilder


@dataclass(frozen=True, slots=True)
class StorePlan:
    """A store of a task: how to make it, and its changelog topic if it has one."""

    builder: StoreBuilder
    changelog: str | None
    serde_topic: str
    """The topic that its serdes get: the name of its changelog, even if it has none."""
    source_topic: str | None = None
    """The topic that its table reads, if that is its changelog: read, never written."""
    location: str | None = None
    """Where the user defined it."""
    is_global: bool = False

    @property
    def own_state(self) -> str | None:
        """The name of the store in messages if only the application writes its rows; None if they
        may be records of an input topic as they came, which a handler may have passed over.
        """
        if self.is_global or self.source_topic is not None:
            return None
        log = "no changelog" if self.changelog is None else f"changelog {self.changelog!r}"
        return f"state store {self.builder.name!r} ({log})"

    @property
    def restored_from(self) -> str | None:
        """The topic from which the store is restored, None if there is none."""
        return self.changelog or self.source_topic

    @property
    def has_standbys(self) -> bool:
        """Whether standby copies of the store are kept: it has a changelog, and is on disk."""
        return self.changelog is not None and self.builder.engine == "rocksdb"


@dataclass(frozen=True, slots=True)
class SubtopologyPlan:
    """Nodes that run in one task, parents before children, and the stores each may use."""

    id: int
    nodes: tuple[Node, ...]
    stores: dict[str, StorePlan]
    stores_of: dict[str, tuple[str, ...]]

    def sources(self) -> list[SourceNode]:
        """Return the source nodes."""
        return [node for node in self.nodes if isinstance(node, SourceNode)]

    def source_topics(self) -> list[str]:
        """Return the topics read by name, internal ones included."""
        return [topic for source in self.sources() for topic in source.topics]

    def sink_topics(self) -> list[str]:
        """Return the topics written by name, internal ones included."""
        return [
            node.topic
            for node in self.nodes
            if isinstance(node, SinkNode) and isinstance(node.topic, str)
        ]


def plan_subtopologies(topology: Topology, application_id: str) -> list[SubtopologyPlan]:
    """Plan each sub-topology by itself, to run on a cluster."""
    global_nodes = _global_nodes(topology)
    return [
        _plan(topology, number, group, application_id)
        for number, group in enumerate(node_groups(topology.nodes, topology.store_users()))
        if group[0] not in global_nodes
    ]


def plan_as_one(topology: Topology, application_id: str) -> SubtopologyPlan:
    """Plan all sub-topologies as one task, for `TopologyTestDriver`, as in Java."""
    global_nodes = _global_nodes(topology)
    names = [name for name in topology.nodes if name not in global_nodes]
    return _plan(topology, 0, names, application_id)


def plan_global_stores(topology: Topology) -> SubtopologyPlan | None:
    """Plan the stores of which every worker has a full copy; None if there are none."""
    fed = topology.global_stores.values()
    if not fed:
        return None
    global_nodes = _global_nodes(topology)
    topic_of = {
        node.name: node.topics[0]
        for node in topology.nodes.values()
        if isinstance(node, SourceNode) and node.name in global_nodes
    }
    return SubtopologyPlan(
        -1,
        tuple(node for name, node in topology.nodes.items() if name in global_nodes),
        # The serdes get the name of the topic that feeds the store.
        {
            name: StorePlan(
                one.store,
                None,
                topic_of[one.source],
                location=topology.store_locations[name],
                is_global=True,
            )
            for name, one in topology.global_stores.items()
        },
        # A processor may use the other global stores too.
        {
            one.processor: (one.store.name, *(o.store.name for o in fed if o is not one))
            for one in fed
        },
    )


def _global_nodes(topology: Topology) -> set[str]:
    fed = topology.global_stores.values()
    return {name for one in fed for name in (one.source, one.processor)}


def _plan(
    topology: Topology, number: int, names: Iterable[str], application_id: str
) -> SubtopologyPlan:
    nodes = tuple(_on_broker(topology, topology.nodes[name], application_id) for name in names)
    stores_of = {
        node.name: tuple(topology.stores_of(node.name))
        for node in nodes
        if isinstance(node, ProcessorNode)
    }
    # Java keeps a processor's stores in a hash set, and opens and flushes them in its order.
    used = dict.fromkeys(
        store for stores in stores_of.values() for store in order_after_growing(stores)
    )
    stores = {name: _plan_store(topology, topology.stores[name], application_id) for name in used}
    return SubtopologyPlan(number, nodes, stores, stores_of)


def _plan_store(topology: Topology, builder: StoreBuilder, application_id: str) -> StorePlan:
    source_topic = topology.source_changelogs.get(builder.name)
    location = topology.store_locations[builder.name]
    if source_topic is not None:
        return StorePlan(builder, None, source_topic, source_topic, location)
    topic = f"{application_id}-{builder.name}-changelog"
    return StorePlan(builder, topic if builder.logged else None, topic, None, location)


def _on_broker(topology: Topology, node: Node, application_id: str) -> Node:
    """Return the node with `<application.id>-` before the names of internal topics."""

    def named(topic: str) -> str:
        return f"{application_id}-{topic}" if topic in topology.internal_topics else topic

    if isinstance(node, SourceNode):
        return replace(node, topics=tuple(named(topic) for topic in node.topics))
    if isinstance(node, SinkNode) and isinstance(node.topic, str):
        return replace(node, topic=named(node.topic))
    return node
