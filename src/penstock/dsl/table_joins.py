"""How a join of two tables is drawn: inner, left and outer. Java: KTableImpl.doJoin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from penstock._engine.topology.checks import check_function, check_option, shown
from penstock._engine.topology.graph import TableJoin
from penstock._engine.topology.naming import check_name
from penstock._engine.topology.nodes.table_nodes import TableJoinMerge, TableJoinSide
from penstock._engine.topology.nodes.views import JoinedRows
from penstock._engine.topology.rewrites.table_needs import (
    Ask,
    send_old_values,
    table_operation,
    table_view,
)
from penstock.dsl import table
from penstock.dsl.options import Materialized, NameLike, given_name
from penstock.errors import TopologyError
from penstock.stores import StoreBuilder


@dataclass(frozen=True, slots=True)
class JoinKind:
    """Which verb it is, and whose rows have a result even if the other table has none."""

    verb: str
    keeps_left: bool
    keeps_right: bool


INNER = JoinKind("join", keeps_left=False, keeps_right=False)
LEFT = JoinKind("left_join", keeps_left=True, keeps_right=False)
OUTER = JoinKind("outer_join", keeps_left=True, keeps_right=True)


def join_tables(
    left: table.KTable[Any, Any],
    right: table.KTable[Any, Any],
    joiner: Callable[..., Any],
    kind: JoinKind,
    *,
    materialized: Materialized[Any, Any] | None,
    named: NameLike,
) -> table.KTable[Any, Any]:
    """Draw the join of two tables."""
    _check(left, right, joiner, kind)
    graph, given = left._graph, given_name(named)
    option, store = _store(left, materialized, kind)
    name = graph.names.named_or_next(given, "KTABLE-MERGE-")
    sources = left._sources | right._sources
    graph.copartition(sources)
    if kind.keeps_left:
        send_old_values(graph, left._step, Ask.ALWAYS)
    if kind.keeps_right:
        send_old_values(graph, right._step, Ask.ALWAYS)
    joined = JoinedRows(
        table_view(graph, left._step),
        table_view(graph, right._step),
        joiner,
        kind.keeps_left,
        kind.keeps_right,
    )
    drawing = TableJoin(
        name=name,
        this_name=graph.names.named_or_next(_with_suffix(given, "-join-this"), "KTABLE-JOINTHIS-"),
        other_name=graph.names.named_or_next(
            _with_suffix(given, "-join-other"), "KTABLE-JOINOTHER-"
        ),
        this=_side(left, joined, is_left=True),
        other=_side(right, joined, is_left=False),
        operation=table.with_versions(TableJoinMerge(joined, store), option),
    )
    return table.KTable(
        graph,
        graph.add(drawing, left._step, right._step),
        key_serde=option.key or left._key_serde,
        value_serde=option.value,
        sources=sources,
        queryable_store_name=None if store is None else store.name,
    )


def _check(
    left: table.KTable[Any, Any], right: object, joiner: Callable[..., Any], kind: JoinKind
) -> None:
    if not isinstance(right, table.KTable):
        msg = f"{kind.verb} of a table takes another KTable; got {shown(right)}"
        raise TopologyError(msg)
    if right._graph is not left._graph:
        msg = (
            f"{kind.verb} takes a table of the same StreamsBuilder; got one of another builder; "
            "make both with one"
        )
        raise TopologyError(msg)
    check_function(joiner, f"{kind.verb}'s joiner", "left", "right")


def _store(
    left: table.KTable[Any, Any], materialized: Materialized[Any, Any] | None, kind: JoinKind
) -> tuple[Materialized[Any, Any], StoreBuilder | None]:
    """Give the store of the results: if one is asked for, even without a name."""
    if materialized is None:
        return Materialized(), None
    option = check_option(materialized, Materialized, kind.verb)
    name = table.store_name(left._graph, option, "KTABLE-MERGE-")
    return option, table.table_store(option, name, option.key or left._key_serde, option.value)


def _side(own: table.KTable[Any, Any], joined: JoinedRows, *, is_left: bool) -> TableJoinSide:
    keeps = (joined.keeps_left, joined.keeps_right)
    return TableJoinSide(
        other=joined.right if is_left else joined.left,
        joiner=joined.joiner,
        is_left=is_left,
        keeps_own=keeps[0 if is_left else 1],
        keeps_other=keeps[1 if is_left else 0],
        latest_only=table_operation(own._graph, own._step).is_versioned,
    )


def _with_suffix(name: str | None, suffix: str) -> str | None:
    return None if name is None else check_name(name + suffix)
