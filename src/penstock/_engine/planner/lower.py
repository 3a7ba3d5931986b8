"""Maps each operation to the operator that runs it: the one list of all operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock._engine.operators import (
    aggregate,
    grouped_table,
    stateless,
    table,
    transform_values,
    user,
)
from penstock._engine.operators.joins import foreign_key, lookup_join, stream_join, table_join
from penstock._engine.operators.site import Process, Site
from penstock._engine.operators.windows import session, sliding, suppress, windowed
from penstock._engine.topology.nodes import (
    foreign_key_nodes,
    join_nodes,
    table_nodes,
    window_nodes,
)
from penstock._engine.topology.nodes import stream_nodes as nodes

_OPERATORS: dict[type[nodes.Operation], Callable[[Any, Site], Process]] = {
    nodes.Filter: stateless.filter_records,
    nodes.DropNullKeys: stateless.drop_null_keys,
    nodes.Map: stateless.map_records,
    nodes.SelectKey: stateless.select_key,
    nodes.MapValues: stateless.map_values,
    nodes.FlatMap: stateless.flat_map,
    nodes.FlatMapValues: stateless.flat_map_values,
    nodes.Peek: stateless.peek,
    nodes.Branch: stateless.branch,
    nodes.PassThrough: stateless.pass_through,
    nodes.Print: stateless.print_records,
    nodes.UserProcessor: user.user_processor,
    nodes.Aggregate: aggregate.aggregate_records,
    nodes.Reduce: aggregate.reduce_records,
    nodes.TableSource: table.table_source,
    nodes.TableFilter: table.table_filter,
    nodes.TableMapValues: table.table_map_values,
    nodes.ToStream: table.to_stream,
    table_nodes.TableTransformValues: transform_values.transform_table_values,
    table_nodes.TableRepartitionMap: grouped_table.repartition_map,
    table_nodes.GroupedTableAggregate: grouped_table.aggregate_changes,
    table_nodes.GroupedTableReduce: grouped_table.reduce_changes,
    table_nodes.TableJoinSide: table_join.join_change,
    table_nodes.TableJoinMerge: table_join.merge_results,
    table_nodes.TableSuppress: suppress.suppress_changes,
    window_nodes.WindowAggregate: windowed.aggregate_windows,
    window_nodes.SlidingAggregate: sliding.aggregate_sliding,
    window_nodes.SessionAggregate: session.aggregate_sessions,
    window_nodes.CogroupMerge: stateless.pass_through,
    join_nodes.KeepForJoin: stream_join.keep_for_join,
    join_nodes.StreamJoinSide: stream_join.join_side,
    join_nodes.SelfJoin: stream_join.self_join,
    join_nodes.StreamTableJoin: lookup_join.join_table,
    join_nodes.GlobalTableJoin: lookup_join.join_global_table,
    foreign_key_nodes.Subscribe: foreign_key.subscribe,
    foreign_key_nodes.KeepSubscriptions: foreign_key.keep_subscriptions,
    foreign_key_nodes.AnswerSubscription: foreign_key.answer_subscription,
    foreign_key_nodes.AnswerSubscribers: foreign_key.answer_subscribers,
    foreign_key_nodes.ResolveAnswer: foreign_key.resolve_answer,
}


def lower(operation: nodes.Operation, site: Site) -> Process:
    """Build the operator of `operation` into `site`."""
    return _OPERATORS[type(operation)](operation, site)
