"""Drawing the joins of a stream with a table or a global table: each record looks up one row. Java:
KStreamImpl.doStreamTableJoin and doGlobalTableJoin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock._engine.topology.graph import Process
from penstock._engine.topology.nodes.join_nodes import GlobalTableJoin, StreamTableJoin
from penstock._engine.topology.rewrites.table_needs import table_view
from penstock.dsl.options import Joined, NameLike, check_duration, given_name
from penstock.dsl.stream_joins import JoinKind, note_unnamed, repartitioned
from penstock.errors import TopologyError
from penstock.stores import StoreBuilder
from penstock.stores._builders import join_buffer_builder

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.dsl.global_table import GlobalKTable
    from penstock.dsl.stream import KStream
    from penstock.dsl.table import KTable


def join_table(
    stream: KStream[Any, Any],
    table: KTable[Any, Any],
    kind: JoinKind,
    joiner: Callable[..., Any],
    joined: Joined[Any, Any, Any],
) -> KStream[Any, Any]:
    """Draw the join with a table, behind a topic of its own if the stream has been rekeyed."""
    if stream._repartition_required:
        by_user = joined.name is not None
        name = joined.name or stream._name
        stream = repartitioned(stream, name, joined.key, joined.value, by_user=by_user)
    graph = stream._graph
    sources = stream._sources | table._sources
    graph.copartition(sources)
    prefix = "KSTREAM-LEFTJOIN-" if kind.keeps_left else "KSTREAM-JOIN-"
    name = graph.names.named_or_next(joined.name, prefix)
    buffer = None if joined.grace is None else _buffer(stream, name, joined)
    rows = table_view(graph, table._step)
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
    return type(stream)(
        graph,
        graph.add(Process(name, operation, rows.stores()), stream._step),
        key_serde=joined.key or stream._key_serde,
        value_serde=None,
        sources=sources,
        repartition_required=False,
    )


def join_global_table(
    stream: KStream[Any, Any],
    table: GlobalKTable[Any, Any],
    kind: JoinKind,
    functions: tuple[Callable[..., Any], Callable[..., Any]],
    named: NameLike,
) -> KStream[Any, Any]:
    """Draw the join with a global table, which needs no topic: every worker has all of it.

    `functions` are the key selector and the joiner.
    """
    graph = stream._graph
    # Java calls inner joins so, too.
    name = graph.names.named_or_next(given_name(named), "KSTREAM-LEFTJOIN-")
    key_selector, joiner = functions
    operation = GlobalTableJoin(table._store, key_selector, joiner, kind.with_key, kind.keeps_left)
    return type(stream)(
        graph,
        graph.add(Process(name, operation), stream._step),
        key_serde=stream._key_serde,
        value_serde=None,
        sources=stream._sources,
        repartition_required=stream._repartition_required,
    )


def _buffer(stream: KStream[Any, Any], join: str, joined: Joined[Any, Any, Any]) -> StoreBuilder:
    buffer = join_buffer_builder(
        f"{join}-Buffer", joined.key or stream._key_serde, joined.value or stream._value_serde
    )
    if joined.name is None:
        note_unnamed(stream._graph, buffer)
    return buffer
