"""The topology: nodes in order of addition, stores, internal topics and co-partition groups.

`StreamsBuilder.build()` returns one; the Processor API builds one by hand. Mistakes are refused as
soon as they are made, with the user's line. Long because each method has an example.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import timedelta
from typing import Any

from penstock._camel_case import ExplainsCamelCase
from penstock._engine.topology.checks import (
    check_brings_no_stores,
    check_offset_reset,
    check_partitioner,
    check_serde,
    check_sink_topic,
    check_store,
    check_timestamp_extractor,
    check_topic,
    shown,
    split_topics,
    supplied_stores,
)
from penstock._engine.topology.description.describe import describe
from penstock._engine.topology.description.description import TopologyDescription
from penstock._engine.topology.nodes.stream_nodes import (
    AnySerde,
    GlobalStoreNodes,
    InternalTopic,
    Node,
    Operation,
    ProcessorNode,
    SinkNode,
    SourceNode,
    UserProcessor,
    check_marks,
)
from penstock._engine.topology.picture.mermaid import to_mermaid
from penstock._engine.topology.picture.svg import to_svg
from penstock.errors import TopologyError, user_location
from penstock.stores import StoreBuilder
from penstock.timestamps import TimestampExtractor


class Topology(ExplainsCamelCase):
    """Sources, processors and sinks. Java: Topology.

    >>> from penstock import Processor
    >>> class Shout(Processor):
    ...     def process(self, record):
    ...         self.context.forward(record.with_value(record.value.upper()))
    >>> topology = Topology().add_source("in", "words").add_processor("shout", Shout, "in")
    >>> print(topology.add_sink("out", "shouts", "shout").describe())
    Topologies:
       Sub-topology: 0
        Source: in (topics: [words])
          --> shout
        Processor: shout (stores: [])
          --> out
          <-- in
        Sink: out (topic: shouts)
          <-- shout
    <BLANKLINE>
    <BLANKLINE>
    """

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.internal_topics: dict[str, InternalTopic] = {}
        self.copartition_groups: list[frozenset[str]] = []
        self.stores: dict[str, StoreBuilder] = {}
        self.source_changelogs: dict[str, str] = {}
        """The topics that tables both read and are restored from, by the names of their stores."""
        self.optimizations: frozenset[str] | None = None
        """The rewrites that `build` applied; None if the topology was built by hand."""
        self.global_stores: dict[str, GlobalStoreNodes] = {}
        """The stores of which every worker has a full copy, by name."""
        self.initial_tables: dict[str, Any] = {}
        """The DataFrames that are written to topics of tables before the first start, by topic."""
        self.store_locations: dict[str, str | None] = {}
        """Where each store is defined, by name."""
        self._store_users: dict[str, list[str]] = {}
        self._stores_of: dict[str, list[str]] = {}

    def add_source(
        self,
        name: str,
        *topics: str | re.Pattern[str],
        key: AnySerde | None = None,
        value: AnySerde | None = None,
        timestamp_extractor: TimestampExtractor | None = None,
        offset_reset: str | timedelta | None = None,
    ) -> Topology:
        """Read `topics`, or all topics that match one compiled pattern. Java:
        Topology.addSource.

        >>> import re
        >>> topology = Topology().add_source("in", "orders", "refunds", key=text, value=number)
        >>> topology = topology.add_source("logs", re.compile("logs-.*"), offset_reset="latest")
        """
        names, pattern = split_topics(topics)
        if len(set(names)) < len(names):
            msg = f"source {name!r} must read each topic once; got {', '.join(names)}"
            raise TopologyError(msg)
        check_serde(key, "key")
        check_serde(value, "value")
        check_offset_reset(offset_reset)
        if timestamp_extractor is not None:
            check_timestamp_extractor(timestamp_extractor)
        location = user_location()
        return self.add_source_node(
            SourceNode(
                name, names, pattern, key, value, timestamp_extractor, offset_reset, location
            )
        )

    def add_processor(
        self,
        name: str,
        supplier: Callable[[], Any],
        *parent: str,
        parents: str | Iterable[str] = (),
    ) -> Topology:
        """Add a processor; `supplier()` makes a new one each time. The stores of its `stores()`, if
        it has one, are added and connected. Its parents are names, one after another, or a list.
        Java: Topology.addProcessor.

        >>> class Large(Processor):
        ...     def process(self, record):
        ...         if record.value > 2:
        ...             self.context.forward(record)
        >>> topology = Topology().add_source("in", "orders", key=text, value=number)
        >>> topology = topology.add_processor("large", Large, "in")
        >>> topology = topology.add_sink("out", "large", "large", key=text, value=number)
        >>> with driver_of(topology) as driver:
        ...     driver.create_output_topic("large", text, number).read_key_values()
        [('ann', 5), ('ann', 3)]
        """
        operation, stores = UserProcessor.of(supplier), supplied_stores(supplier)
        self.add_operation(name, operation, _parents(parent, parents))
        return self.add_supplied_stores(name, stores)

    def add_sink(
        self,
        name: str,
        topic: str | Callable[..., str],
        *parent: str,
        parents: str | Iterable[str] = (),
        key: AnySerde | None = None,
        value: AnySerde | None = None,
        partitioner: Callable[..., Any] | None = None,
    ) -> Topology:
        """Write to `topic`, a name or `(key, value, record_context) -> name`. Java:
        Topology.addSink.

        >>> topology = Topology().add_source("in", "orders", key=text, value=number)
        >>> topology = topology.add_sink("out", "copies", "in", key=text, value=number)
        >>> with driver_of(topology) as driver:
        ...     driver.create_output_topic("copies", text, number).read_key_values()
        [('ann', 5), ('bob', 2), ('ann', 3)]
        """
        check_sink_topic(topic)
        check_serde(key, "key")
        check_serde(value, "value")
        if partitioner is not None:
            check_partitioner(partitioner)
        location = user_location()
        names = _parents(parent, parents)
        return self.add_sink_node(SinkNode(name, topic, names, key, value, partitioner, location))

    def add_state_store(self, store: StoreBuilder, *processors: str) -> Topology:
        """Add a store and connect it to processors. Java: Topology.addStateStore.

        >>> class Keep(Processor):
        ...     def process(self, record):
        ...         self.context.get_state_store("last").put(record.key, record.value)
        >>> topology = Topology().add_source("in", "orders", key=text, value=number)
        >>> topology = topology.add_processor("keep", Keep, "in")
        >>> last = Stores.key_value_store("last", key=text, value=number)
        >>> with driver_of(topology.add_state_store(last, "keep")) as driver:
        ...     list(driver.get_key_value_store("last").all())
        [('ann', 3), ('bob', 2)]
        """
        self.add_store(check_store(store, "add_state_store"), user_location())
        for processor in processors:
            self.connect_processor_and_state_stores(processor, store.name)
        return self

    def add_global_store(
        self,
        store: StoreBuilder,
        source: str,
        topic: str,
        processor: str,
        supplier: Callable[[], Any],
        *,
        key: AnySerde | None = None,
        value: AnySerde | None = None,
    ) -> Topology:
        """Add a store in which every worker keeps all of `topic`, written by processors of
        `supplier`; all processors may read it without a connection. Java: Topology.addGlobalStore.

        `source` and `processor` are the names of the two nodes. Records keep their own timestamps:
        there is no timestamp extractor.

        >>> class Keep(Processor):
        ...     def process(self, record):
        ...         self.context.get_state_store("towns").put(record.key, record.value)
        >>> towns = Stores.in_memory_key_value_store("towns", key=text, value=text)
        >>> topology = Topology().add_global_store(
        ...     towns, "read-towns", "cities", "keep-towns", Keep, key=text, value=text
        ... )
        >>> with driver_of(topology) as driver:
        ...     list(driver.get_key_value_store("towns").all())
        [('ann', 'Oslo'), ('bob', 'Rome')]
        """
        check_topic(topic)
        check_serde(key, "key")
        check_serde(value, "value")
        operation = UserProcessor.of(supplier)
        check_brings_no_stores(supplier, "add_global_store")
        location = user_location()
        return self.add_global_store_nodes(
            SourceNode(source, (topic,), None, key, value, None, None, location),
            ProcessorNode(processor, operation, (source,), location),
            replace(check_store(store, "add_global_store"), logged=False),
        )

    def add_read_only_state_store(
        self,
        store: StoreBuilder,
        source: str,
        topic: str,
        processor: str,
        supplier: Callable[[], Any],
        *,
        key: AnySerde | None = None,
        value: AnySerde | None = None,
        timestamp_extractor: TimestampExtractor | None = None,
    ) -> Topology:
        """Add a store that processors of `supplier` fill from `topic`, which is its changelog too:
        it has none of its own, so the topic should be compacted. Java:
        Topology.addReadOnlyStateStore.

        `source` and `processor` are the names of the two nodes. What the store is restored with are
        the records of the topic as they are: the processor must put them unchanged. Others may be
        connected to the store to read it.

        >>> class Keep(Processor):
        ...     def process(self, record):
        ...         self.context.get_state_store("towns").put(record.key, record.value)
        >>> towns = Stores.in_memory_key_value_store("towns", key=text, value=text)
        >>> topology = Topology().add_read_only_state_store(
        ...     towns, "read-towns", "cities", "keep-towns", Keep, key=text, value=text
        ... )
        >>> with driver_of(topology) as driver:
        ...     list(driver.get_key_value_store("towns").all())
        [('ann', 'Oslo'), ('bob', 'Rome')]
        """
        filled = replace(check_store(store, "add_read_only_state_store"), logged=False)
        operation = UserProcessor.of(supplier)
        check_brings_no_stores(supplier, "add_read_only_state_store")
        self._check_new_store(filled)
        self.add_source(
            source,
            topic,
            key=key,
            value=value,
            timestamp_extractor=timestamp_extractor,
            offset_reset="earliest",
        )
        self.add_operation(processor, operation, (source,))
        self.add_state_store(filled, processor)
        self.source_changelogs[filled.name] = topic
        return self

    def connect_processor_and_state_stores(self, processor: str, *stores: str) -> Topology:
        """Connect a processor to stores; processors that share one run in the same task.

        Java: Topology.connectProcessorAndStateStores.

        >>> topology = Topology().add_source("in", "orders").add_processor("keep", Processor, "in")
        >>> topology = topology.add_state_store(Stores.key_value_store("last"))
        >>> topology = topology.connect_processor_and_state_stores("keep", "last")
        """
        if not stores:
            msg = f"processor {processor!r} must be connected to at least one store; got none"
            raise TopologyError(msg)
        if not isinstance(self.nodes.get(processor), ProcessorNode):
            known = ", ".join(
                repr(name) for name, node in self.nodes.items() if isinstance(node, ProcessorNode)
            )
            msg = (
                f"a store must be connected to a processor; got {processor!r}; processors: "
                f"{known or 'none'}"
            )
            raise TopologyError(msg)
        for store in stores:
            if store in self.global_stores:
                msg = (
                    f"global store {store!r} must not be connected to processor {processor!r}: "
                    "every processor may read it; leave it out"
                )
                raise TopologyError(msg)
            if store not in self.stores:
                known = ", ".join(map(repr, self.stores)) or "none"
                msg = (
                    f"state store {store!r} of processor {processor!r} is not in the topology; "
                    f"known stores: {known}; "
                    "add it with add_state_store first"
                )
                raise TopologyError(msg)
            users = self._store_users.setdefault(store, [])
            if processor not in users:
                users.append(processor)
                self._stores_of.setdefault(processor, []).append(store)
        return self

    def __repr__(self) -> str:
        """Return how much is in it, and how to see it.

        >>> Topology().add_source("in", "orders").add_sink("out", "copies", "in")
        <Topology of 2 nodes; print(topology.describe()) shows them>
        """
        nodes = f"{len(self.nodes)} node{'s' if len(self.nodes) != 1 else ''}"
        return f"<Topology of {nodes}; print(topology.describe()) shows them>"

    def describe(self) -> TopologyDescription:
        """Return the topology as data; its `str()` equals the text Java prints.

        >>> print(Topology().add_source("in", "orders").add_sink("out", "copies", "in").describe())
        Topologies:
           Sub-topology: 0
            Source: in (topics: [orders])
              --> out
            Sink: out (topic: copies)
              <-- in
        """
        return describe(self.nodes, self._store_users, self.stores_of, self.global_stores)

    def to_mermaid(self) -> str:
        """Draw the topology as a Mermaid flowchart.

        >>> topology = Topology().add_source("in", "orders").add_sink("out", "copies", "in")
        >>> topology.to_mermaid().splitlines()[0]
        'flowchart TB'
        """
        return to_mermaid(self.describe())

    def to_svg(self) -> str:
        """Draw the topology as a self-contained SVG picture.

        >>> topology = Topology().add_source("in", "orders").add_sink("out", "copies", "in")
        >>> topology.to_svg()[:4]
        '<svg'
        """
        return to_svg(self.describe())

    _repr_svg_ = to_svg
    """The display of a notebook."""

    def add_operation(
        self, name: str, operation: Operation, parents: tuple[str, ...], location: str | None = None
    ) -> Topology:
        """Add a processor node for an operation; `location` is where the user wrote it."""
        self._check_new_name(name)
        self._check_parents(name, parents)
        check_marks(operation, parents, self.nodes)
        self.nodes[name] = ProcessorNode(name, operation, parents, location or user_location())
        for store in operation.own_stores():
            self.add_store(store, self.nodes[name].location)
            self.connect_processor_and_state_stores(name, store.name)
        return self

    def add_supplied_stores(self, processor: str, stores: Iterable[StoreBuilder]) -> Topology:
        """Add the stores that came with the supplier of a processor, and connect them to it."""
        for store in stores:
            self.add_store(store, self.nodes[processor].location)
            self.connect_processor_and_state_stores(processor, store.name)
        return self

    def add_store(self, store: StoreBuilder, location: str | None) -> None:
        """Add a store whose parts have been checked; `location` is where the user wrote it."""
        self._check_new_store(store)
        self.stores[store.name] = store
        self.store_locations.setdefault(store.name, location)

    def add_source_node(self, node: SourceNode) -> Topology:
        """Add a source whose parts have been checked."""
        self._check_new_name(node.name)
        for topic in node.topics:
            self._check_topic_is_free(topic)
        if node.pattern is not None:
            self._check_pattern_is_free(node.pattern)
        self.nodes[node.name] = node
        return self

    def add_global_store_nodes(
        self, source: SourceNode, processor: ProcessorNode, store: StoreBuilder
    ) -> Topology:
        """Add a global store and the two nodes that feed it, whose parts have been checked."""
        self._check_new_store(store)
        self.add_source_node(source)
        self._check_new_name(processor.name)
        self.nodes[processor.name] = processor
        self.global_stores[store.name] = GlobalStoreNodes(source.name, processor.name, store)
        self.store_locations[store.name] = processor.location
        self._store_users[store.name] = [processor.name]
        self._stores_of[processor.name] = [store.name]
        return self

    def add_sink_node(self, node: SinkNode) -> Topology:
        """Add a sink whose parts have been checked."""
        self._check_new_name(node.name)
        self._check_parents(node.name, node.parents)
        self.nodes[node.name] = node
        return self

    def stores_of(self, processor: str) -> list[str]:
        """Return the names of a processor's stores, in the order in which they were connected.

        >>> topology = Topology().add_source("in", "orders").add_processor("keep", Processor, "in")
        >>> topology.add_state_store(Stores.key_value_store("last"), "keep").stores_of("keep")
        ['last']
        """
        return self._stores_of.get(processor, [])

    def store_users(self) -> dict[str, list[str]]:
        """Return the processors that use each store.

        >>> topology = Topology().add_source("in", "orders").add_processor("keep", Processor, "in")
        >>> topology.add_state_store(Stores.key_value_store("last"), "keep").store_users()
        {'last': ['keep']}
        """
        return self._store_users

    def _check_new_store(self, store: StoreBuilder) -> None:
        # Two equal builders are still two stores, and must not become one by their name.
        if store.name in self.global_stores or self.stores.get(store.name, store) is not store:
            msg = (
                f"another state store is already named {store.name!r}, defined at "
                f"{self.store_locations[store.name]}; a store must have a name of its own"
            )
            raise TopologyError(msg)

    def _check_new_name(self, name: str) -> None:
        if not isinstance(name, str):
            msg = f"a node's name must be a str; got {name!r}"
            raise TopologyError(msg)
        if name in self.nodes:
            msg = (
                f"every node must have a name of its own; got {name!r} again, the name of the node "
                f"defined at {self.nodes[name].location}"
            )
            raise TopologyError(msg)

    def _check_parents(self, name: str, parents: Iterable[str]) -> None:
        parents = tuple(parents)
        if not parents:
            msg = f"node {name!r} must have at least one parent; got none"
            raise TopologyError(msg)
        for parent in parents:
            if not isinstance(parent, str):
                msg = f"a parent of node {name!r} must be a node's name; got {shown(parent)}"
                raise TopologyError(msg)
            if parent not in self.nodes:
                known = ", ".join(map(repr, self.nodes)) or "none"
                why = (
                    "a node must not be its own parent"
                    if parent == name
                    else f"known nodes: {known}"
                )
                msg = f"parent {parent!r} of node {name!r} is not in the topology; {why}"
                raise TopologyError(msg)
            if isinstance(self.nodes[parent], SinkNode):
                msg = (
                    f"parent {parent!r} of node {name!r} must not be a sink; sinks forward nothing"
                )
                raise TopologyError(msg)

    def _check_topic_is_free(self, topic: str) -> None:
        for source in self._sources():
            if topic in source.topics:
                msg = (
                    f"topic {topic!r} is already read by source {source.name!r}; a topic must "
                    "have one source"
                )
                raise TopologyError(msg)
            if source.pattern is not None and source.pattern.fullmatch(topic):
                msg = (
                    f"topic {topic!r} is already read by source {source.name!r}, "
                    f"whose pattern {source.pattern.pattern!r} matches it; a topic must have one "
                    "source"
                )
                raise TopologyError(msg)

    def _check_pattern_is_free(self, pattern: re.Pattern[str]) -> None:
        for source in self._sources():
            for topic in source.topics:
                if pattern.fullmatch(topic):
                    msg = (
                        f"pattern {pattern.pattern!r} matches topic {topic!r}, "
                        f"which is already read by source {source.name!r}; a topic must have one "
                        "source"
                    )
                    raise TopologyError(msg)

    def _sources(self) -> list[SourceNode]:
        return [node for node in self.nodes.values() if isinstance(node, SourceNode)]


def _parents(one_by_one: tuple[str, ...], listed: str | Iterable[str]) -> tuple[str, ...]:
    return (*one_by_one, *((listed,) if isinstance(listed, str) else listed))
