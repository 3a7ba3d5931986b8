"""The stream-table join, also with global tables: each record looks up one row. Java:
KStreamImpl.doStreamTableJoin and doGlobalTableJoin.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock._engine.topology.graph import ProcessorDrawing
from penstock._engine.topology.nodes.join_nodes import GlobalTableJoin, StreamTableJoin
from penstock._engine.topology.rewrites.table_needs import table_view
from penstock.dsl.handle import GlobalTableHandle, StreamHandle, TableHandle
from penstock.dsl.joins.stream_stream import StreamJoinKind, repartitioned
from penstock.dsl.materialized import note_unnamed
from penstock.dsl.options import Joined, NameLike, check_duration, given_name
from penstock.errors import TopologyError
from penstock.stores import StoreBuilder
from penstock.stores._builders import join_buffer_builder


def join_table(
    stream: StreamHandle,
    table: TableHandle,
    kind: StreamJoinKind,
    joiner: Callable[..., Any],
    joined: Joined[Any, Any, Any],
) -> StreamHandle:
    """Draw the join with a table, behind a topic of its own if the stream has been rekeyed."""
    if stream.repartition_required:
        by_user = joined.name is not None
        name = joined.name or stream.node_name
        stream = repartitioned(stream, name, joined.key, joined.value, by_user=by_user)
    graph = stream.graph
    sources = stream.sources | table.sources
    graph.copartition(sources)
    prefix = "KSTREAM-LEFTJOIN-" if kind.keeps_left else "KSTREAM-JOIN-"
    name = graph.names.named_or_next(joined.name, prefix)
    buffer = None if joined.grace is None else _buffer(stream, name, joined)
    rows = table_view(graph, table.step)
    if buffer is not None and not rows.is_versioned:
        msg = (
            f"{kind.verb} with Joined(grace=...) needs a versioned table, to look rows up as of "
            "the time of a record; pass Materialized(..., history_retention=...) where the table "
            "is made"
        )
        raise TopologyError(msg)
    operation = StreamTableJoin(
        rows,
        joiner,
        kind.with_key,
        kind.keeps_left,
        buffer,
        0 if joined.grace is None else check_duration(joined.grace, "grace"),
    )
    return stream.then(
        stream.add(ProcessorDrawing(name, operation, rows.stores())),
        key_serde=joined.key or stream.key_serde,
        value_serde=None,
        sources=sources,
        repartition_required=False,
    )


def join_global_table(
    stream: StreamHandle,
    table: GlobalTableHandle,
    kind: StreamJoinKind,
    functions: tuple[Callable[..., Any], Callable[..., Any]],
    named: NameLike,
) -> StreamHandle:
    """Draw the join with a global table, which needs no topic: every worker has all of it.

    `functions` are the key selector and the joiner.
    """
    graph = stream.graph
    # Java calls inner joins so, too.
    name = graph.names.named_or_next(given_name(named), "KSTREAM-LEFTJOIN-")
    key_selector, joiner = functions
    operation = GlobalTableJoin(table.store, key_selector, joiner, kind.with_key, kind.keeps_left)
    return stream.then(
        stream.add(ProcessorDrawing(name, operation)),
        key_serde=stream.key_serde,
        value_serde=None,
        sources=stream.sources,
        repartition_required=stream.repartition_required,
    )


def _buffer(stream: StreamHandle, join: str, joined: Joined[Any, Any, Any]) -> StoreBuilder:
    buffer = join_buffer_builder(
        f"{join}-Buffer", joined.key or stream.key_serde, joined.value or stream.value_serde
    )
    if joined.name is None:
        note_unnamed(stream.graph, buffer)
    return buffer
