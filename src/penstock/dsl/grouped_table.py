"""KGroupedTable: a table grouped by other keys, and its aggregations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from penstock._camel_case import ExplainsCamelCase
from penstock._engine.topology.checks import check_function, check_option
from penstock._engine.topology.graph import (
    REPARTITION_SUFFIX,
    Graph,
    Process,
    TableRepartition,
)
from penstock._engine.topology.naming import check_name
from penstock._engine.topology.nodes.counting import count_one, count_one_less, nothing_counted
from penstock._engine.topology.nodes.table_nodes import GroupedTableAggregate, GroupedTableReduce
from penstock.dsl import table
from penstock.dsl.options import Grouped, Materialized, NameLike, given_name
from penstock.serdes import Serde
from penstock.serdes import long as long_serde
from penstock.serdes.changes import ChangeSerde
from penstock.stores import StoreBuilder

K = TypeVar("K")
V = TypeVar("V")
A = TypeVar("A")


class KGroupedTable(ExplainsCamelCase, Generic[K, V]):
    """A table grouped by the keys of `group_by`, to be aggregated. Java: KGroupedTable.

    When a row changes, its old value is taken out of the aggregate of its old group and its new one
    is added to that of its new group. The changes go through a repartition topic; all aggregations
    of a grouping whose `Grouped` has a name share one, otherwise each has its own.

    >>> from penstock import Consumed, Grouped, StreamsBuilder, serdes
    >>> from penstock.testing import TopologyTestDriver
    >>> builder, text = StreamsBuilder(), serdes.string()
    >>> cities = builder.table("cities", Consumed(key=text, value=text))
    >>> people = cities.group_by(lambda user, city: (city, user), Grouped(key=text, value=text))
    >>> people.count().to_stream().to("counts")
    >>> with TopologyTestDriver(builder.build(), {"statestore.cache.max.bytes": 0}) as driver:
    ...     moves = driver.create_input_topic("cities", text, text)
    ...     moves.pipe_key_value_list([("ann", "Oslo"), ("bob", "Oslo"), ("ann", "Rome")])
    ...     driver.create_output_topic("counts", text, serdes.long()).read_key_values()
    [('Oslo', 1), ('Oslo', 2), ('Oslo', 1), ('Rome', 1)]
    """

    __slots__ = ("_graph", "_grouped", "_repartition", "_step")

    def __init__(self, graph: Graph, step: int, *, grouped: Grouped[K, V]) -> None:
        self._graph = graph
        self._step = step
        self._grouped = grouped
        self._repartition: int | None = None

    def count(
        self, materialized: Materialized[K, int] | None = None, *, named: NameLike = None
    ) -> table.KTable[K, int]:
        """Count the rows of each group; a group that has lost all of them counts 0. Java:
        KGroupedTable.count.
        """
        option = self._option(materialized, "count")
        store = self._store(option, option.value or long_serde())
        operation = GroupedTableAggregate(store, nothing_counted, count_one, count_one_less)
        return self._draw("KTABLE-AGGREGATE-", operation, option, named)

    def reduce(
        self,
        adder: Callable[[V, V], V],
        subtractor: Callable[[V, V], V],
        materialized: Materialized[K, V] | None = None,
        *,
        named: NameLike = None,
    ) -> table.KTable[K, V]:
        """Fold the rows of each group: `adder(aggregate, value)` of what comes, beginning with the
        first value, `subtractor(aggregate, value)` of what leaves. Java: KGroupedTable.reduce.
        """
        check_function(adder, "reduce's adder", "aggregate", "value")
        check_function(subtractor, "reduce's subtractor", "aggregate", "value")
        option = self._option(materialized, "reduce")
        store = self._store(option, option.value or self._grouped.value)
        operation = GroupedTableReduce(store, adder, subtractor)
        return self._draw("KTABLE-REDUCE-", operation, option, named)

    def aggregate(
        self,
        initializer: Callable[[], A],
        adder: Callable[[K, V, A], A],
        subtractor: Callable[[K, V, A], A],
        materialized: Materialized[K, A] | None = None,
        *,
        named: NameLike = None,
    ) -> table.KTable[K, A]:
        """Fold the rows of each group: `adder(key, value, aggregate)` of what comes, beginning with
        `initializer()`, `subtractor(key, value, aggregate)` of what leaves; an aggregate of None
        deletes the row. Java: KGroupedTable.aggregate.
        """
        check_function(initializer, "aggregate's initializer")
        check_function(adder, "aggregate's adder", "key", "value", "aggregate")
        check_function(subtractor, "aggregate's subtractor", "key", "value", "aggregate")
        option = self._option(materialized, "aggregate")
        store = self._store(option, option.value)
        operation = GroupedTableAggregate(store, initializer, adder, subtractor)
        return self._draw("KTABLE-AGGREGATE-", operation, option, named)

    def _option(self, materialized: Materialized[K, Any] | None, verb: str) -> Materialized[K, Any]:
        if materialized is None:
            return Materialized()
        return check_option(materialized, Materialized, verb)

    def _store(self, option: Materialized[K, Any], value: Serde[Any] | None) -> StoreBuilder:
        # Java calls the stores of all three aggregations so.
        name = table.store_name(self._graph, option, "KTABLE-AGGREGATE-")
        return table.table_store(option, name, option.key or self._grouped.key, value)

    def _draw(
        self,
        prefix: str,
        operation: GroupedTableAggregate | GroupedTableReduce,
        option: Materialized[K, Any],
        named: NameLike,
    ) -> table.KTable[K, Any]:
        names, given = self._graph.names, given_name(named)
        sink = names.named_or_next(_with_suffix(given, "-sink"), "KSTREAM-SINK-")
        source = names.named_or_next(_with_suffix(given, "-source"), "KSTREAM-SOURCE-")
        name = names.named_or_next(given, prefix)
        store = operation.store
        parent = self._repartitioned(sink, source, store.name)
        return table.KTable(
            self._graph,
            self._graph.add(Process(name, table.with_versions(operation, option)), parent),
            key_serde=store.key,
            value_serde=store.value,
            sources=frozenset({source}),
            queryable_store_name=option.name,
        )

    def _repartitioned(self, sink: str, source: str, store: str) -> int:
        """Give the step behind the topic; the store names it if the grouping does not."""
        grouped = self._grouped
        topic = (grouped.name or store) + REPARTITION_SUFFIX
        if self._repartition is None or grouped.name is None:
            drawing = TableRepartition(topic, sink, source, grouped.key, ChangeSerde(grouped.value))
            self._repartition = self._graph.add(drawing, self._step)
        else:
            self._graph.draw_again(self._repartition)
        return self._repartition


def _with_suffix(name: str | None, suffix: str) -> str | None:
    return None if name is None else check_name(name + suffix)
