"""The table-table join: inner, left and outer. Java: KTableImpl.doJoin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock._engine.topology.checks import check_function, check_option, shown
from penstock._engine.topology.graph import TableJoin
from penstock._engine.topology.nodes.table_nodes import TableJoinMerge, TableJoinSide
from penstock._engine.topology.nodes.views import JoinedRows
from penstock._engine.topology.rewrites.table_needs import (
    Ask,
    send_old_values,
    table_view,
)
from penstock._names import check_name
from penstock.dsl.handle import TableHandle, handle_of
from penstock.dsl.materialized import store_name, table_store, with_versions
from penstock.dsl.options import Materialized, NameLike, given_name
from penstock.errors import TopologyError
from penstock.stores import StoreBuilder

if TYPE_CHECKING:
    from penstock.dsl.table import KTable


@dataclass(frozen=True, slots=True)
class TableJoinKind:
    """Which verb it is, and whose rows have a result even if the other table has none."""

    verb: str
    keeps_left: bool
    keeps_right: bool


INNER = TableJoinKind("join", keeps_left=False, keeps_right=False)
LEFT = TableJoinKind("left_join", keeps_left=True, keeps_right=False)
OUTER = TableJoinKind("outer_join", keeps_left=True, keeps_right=True)


def join_tables(
    left: TableHandle,
    other: object,
    joiner: Callable[..., Any],
    kind: TableJoinKind,
    *,
    materialized: Materialized[Any, Any] | None,
    named: NameLike,
) -> KTable[Any, Any]:
    """Draw the join of two tables."""
    right = table_of_same_builder(left, other, kind.verb)
    check_function(joiner, f"{kind.verb}'s joiner", "left", "right")
    graph, given = left.graph, given_name(named)
    option, store = _store(left, materialized, kind)
    name = graph.names.named_or_next(given, "KTABLE-MERGE-")
    sources = left.sources | right.sources
    graph.copartition(sources)
    if kind.keeps_left:
        send_old_values(graph, left.step, Ask.ALWAYS)
    if kind.keeps_right:
        send_old_values(graph, right.step, Ask.ALWAYS)
    joined = JoinedRows(
        table_view(graph, left.step),
        table_view(graph, right.step),
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
        operation=with_versions(TableJoinMerge(joined, store), option),
    )
    return left.table(
        left.add(drawing, right.step),
        key_serde=option.key or left.key_serde,
        value_serde=option.value,
        sources=sources,
        queryable_store_name=None if store is None else store.name,
    )


def table_of_same_builder(left: TableHandle, other: object, verb: str) -> TableHandle:
    """Return the handle of the other table; refuse what is none, or one of another builder."""
    right = handle_of(other, TableHandle)
    if right is None:
        msg = f"{verb} of a table takes another KTable; got {shown(other)}"
        raise TopologyError(msg)
    if right.graph is not left.graph:
        msg = (
            f"{verb} takes a table of the same StreamsBuilder; got one of another builder; "
            "make both with one"
        )
        raise TopologyError(msg)
    return right


def _store(
    left: TableHandle, materialized: Materialized[Any, Any] | None, kind: TableJoinKind
) -> tuple[Materialized[Any, Any], StoreBuilder | None]:
    """Return the store of the results: if one is asked for, even without a name."""
    if materialized is None:
        return Materialized(), None
    option = check_option(materialized, Materialized, kind.verb)
    name = store_name(left.graph, option, "KTABLE-MERGE-")
    return option, table_store(option, name, option.key or left.key_serde, option.value)


def _side(own: TableHandle, joined: JoinedRows, *, is_left: bool) -> TableJoinSide:
    keeps = (joined.keeps_left, joined.keeps_right)
    return TableJoinSide(
        other=joined.right if is_left else joined.left,
        joiner=joined.joiner,
        is_left=is_left,
        keeps_own=keeps[0 if is_left else 1],
        keeps_other=keeps[1 if is_left else 0],
        latest_only=own.is_versioned,
    )


def _with_suffix(name: str | None, suffix: str) -> str | None:
    return None if name is None else check_name(name + suffix)
