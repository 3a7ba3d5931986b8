"""Writes a drawing as nodes of the topology: one writer for each kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

from penstock._engine.topology.graph import (
    Drawing,
    GlobalStore,
    ProcessorDrawing,
    Repartition,
    StateStore,
    StreamJoin,
    StreamSink,
    StreamSource,
    TableFromTopic,
    TableJoin,
    TableRepartition,
)
from penstock._engine.topology.nodes.join_nodes import StreamTableJoin
from penstock._engine.topology.nodes.stream_nodes import (
    DropNullKeys,
    InternalTopic,
    PassThrough,
    ProcessorNode,
    SinkNode,
    SourceNode,
)
from penstock._engine.topology.nodes.window_nodes import partition_by_key_alone
from penstock._engine.topology.topology import Topology
from penstock.errors import TopologyError
from penstock.serdes.windowed import WindowedSerde
from penstock.timestamps import FailOnInvalidTimestamp

Parents: TypeAlias = tuple[str, ...]
"""The names of the parents of the nodes to write."""


def write(topology: Topology, drawing: Drawing, parents: Parents, location: str | None) -> None:
    """Write a drawing; `location` is the user's line."""
    _WRITERS[type(drawing)](topology, drawing, parents, location)


def _write_source(
    topology: Topology, drawing: StreamSource, parents: Parents, location: str | None
) -> None:
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


def _write_process(
    topology: Topology, drawing: ProcessorDrawing, parents: Parents, location: str | None
) -> None:
    topology.add_operation(drawing.name, drawing.operation, parents, location)
    if drawing.stores:
        topology.connect_processor_and_state_stores(drawing.name, *drawing.stores)
    topology.add_supplied_stores(drawing.name, drawing.supplied)
    if isinstance(drawing.operation, StreamTableJoin):
        _check_history(topology, drawing.operation)


def _write_sink(
    topology: Topology, drawing: StreamSink, parents: Parents, location: str | None
) -> None:
    partitioner = drawing.partitioner
    if partitioner is None and isinstance(drawing.key_serde, WindowedSerde):
        partitioner = partition_by_key_alone
    topology.add_sink_node(
        SinkNode(
            drawing.name,
            drawing.topic,
            parents,
            drawing.key_serde,
            drawing.value_serde,
            partitioner,
            location,
        )
    )


def _write_store(
    topology: Topology, drawing: StateStore, parents: Parents, location: str | None
) -> None:
    topology.add_store(drawing.store, location)


def _write_table(
    topology: Topology, drawing: TableFromTopic, parents: Parents, location: str | None
) -> None:
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
    operation = drawing.operation
    if drawing.is_own_changelog and operation.is_materialized:
        operation = replace(operation, store=replace(operation.store, logged=False))
        topology.source_changelogs[operation.store.name] = drawing.topic
    topology.add_operation(drawing.name, operation, (drawing.source_name,), location)


def _write_repartition(
    topology: Topology, drawing: Repartition, parents: Parents, location: str | None
) -> None:
    called = drawing.called
    topology.internal_topics[called.topic] = InternalTopic(called.topic, drawing.partitions)
    null_key_filter = PassThrough() if drawing.takes_null_keys else DropNullKeys()
    topology.add_operation(called.filter, null_key_filter, parents, location)
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


def _write_table_repartition(
    topology: Topology, drawing: TableRepartition, parents: Parents, location: str | None
) -> None:
    topology.internal_topics[drawing.topic] = InternalTopic(drawing.topic, None)
    key_serde, value_serde = drawing.key_serde, drawing.value_serde
    topology.add_sink_node(
        SinkNode(drawing.sink, drawing.topic, parents, key_serde, value_serde, None, location)
    )
    topology.add_source_node(
        SourceNode(
            drawing.name,
            (drawing.topic,),
            None,
            key_serde,
            value_serde,
            FailOnInvalidTimestamp(),
            None,
            location,
        )
    )


def _write_table_join(
    topology: Topology, drawing: TableJoin, parents: Parents, location: str | None
) -> None:
    this, other = drawing.this_name, drawing.other_name
    topology.add_operation(this, drawing.this, parents[:1], location)
    topology.add_operation(other, drawing.other, parents[-1:], location)
    topology.add_operation(drawing.name, drawing.operation, (this, other), location)
    topology.connect_processor_and_state_stores(this, *drawing.this.other.stores())
    topology.connect_processor_and_state_stores(other, *drawing.other.other.stores())


def _check_history(topology: Topology, join: StreamTableJoin) -> None:
    """Refuse a grace that is longer than the history of the table."""
    for name in join.rows.stores() if join.buffer is not None else ():
        times = topology.stores[name].times
        if times is not None and times.retention_ms < join.join_grace_ms:
            msg = (
                f"Joined(grace=...) must not be longer than the history of state store {name!r}; "
                f"got a grace of {join.join_grace_ms} ms and a history of {times.retention_ms} ms; "
                "raise the table's Materialized(history_retention=...)"
            )
            raise TopologyError(msg)


def _write_stream_join(
    topology: Topology, drawing: StreamJoin, parents: Parents, location: str | None
) -> None:
    this, other = drawing.this_name, drawing.other_name
    topology.add_operation(this, drawing.this, (drawing.this_kept_by,), location)
    topology.add_operation(other, drawing.other, (drawing.other_kept_by,), location)
    topology.add_operation(drawing.name, PassThrough(), (this, other), location)


def _write_global_store(
    topology: Topology, drawing: GlobalStore, parents: Parents, location: str | None
) -> None:
    key_serde, value_serde = drawing.key_serde, drawing.value_serde
    source = drawing.source_name
    topology.add_global_store_nodes(
        SourceNode(source, (drawing.topic,), None, key_serde, value_serde, None, None, location),
        ProcessorNode(drawing.name, drawing.operation, (source,), location),
        drawing.store,
    )


_WRITERS: dict[type, Callable[[Topology, Any, Parents, str | None], None]] = {
    StreamSource: _write_source,
    TableFromTopic: _write_table,
    ProcessorDrawing: _write_process,
    Repartition: _write_repartition,
    TableRepartition: _write_table_repartition,
    TableJoin: _write_table_join,
    StreamJoin: _write_stream_join,
    GlobalStore: _write_global_store,
    StreamSink: _write_sink,
    StateStore: _write_store,
}
