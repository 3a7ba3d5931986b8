"""KGroupedTable: a table grouped by other keys, and its aggregations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from penstock._camel_case import ExplainsCamelCase
from penstock._engine.topology.checks import check_function
from penstock._engine.topology.graph import (
    REPARTITION_SUFFIX,
    ProcessorDrawing,
    TableRepartition,
)
from penstock._engine.topology.nodes.counting import count_one, count_one_less, nothing_counted
from penstock._engine.topology.nodes.table_nodes import GroupedTableAggregate, GroupedTableReduce
from penstock._names import check_name
from penstock.dsl.handle import TableHandle
from penstock.dsl.materialized import materialized_option, store_name, table_store, with_versions
from penstock.dsl.options import Grouped, Materialized, NameLike, given_name
from penstock.serdes import Serde
from penstock.serdes import long as long_serde
from penstock.serdes.changes import ChangeSerde
from penstock.stores import StoreBuilder

if TYPE_CHECKING:
    from penstock.dsl.table import KTable

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

    __slots__ = ("_grouped", "_repartition", "_step", "_table")

    def __init__(self, table: TableHandle, step: int, grouped: Grouped[K, V]) -> None:
        self._table = table
        self._step = step
        self._grouped = grouped
        self._repartition: int | None = None

    def count(
        self, materialized: Materialized[K, int] | None = None, *, named: NameLike = None
    ) -> KTable[K, int]:
        """Count the rows of each group; a group that has lost all of them counts 0. Java:
        KGroupedTable.count.

        >>> people = cities.group_by(lambda customer, city: (city, customer))
        >>> show(people.count(Materialized("people-per-city")))
        [('Oslo', 1), ('Rome', 1)]
        """
        option = materialized_option(materialized, "count")
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
    ) -> KTable[K, V]:
        """Fold the rows of each group: `adder(aggregate, value)` of what comes, beginning with the
        first value, `subtractor(aggregate, value)` of what leaves. Java: KGroupedTable.reduce.

        >>> letters = cities.group_by(lambda customer, city: ("all", len(city)))
        >>> show(letters.reduce(lambda total, new: total + new, lambda total, old: total - old))
        [('all', 4), ('all', 8)]
        """
        check_function(adder, "reduce's adder", "aggregate", "value")
        check_function(subtractor, "reduce's subtractor", "aggregate", "value")
        option = materialized_option(materialized, "reduce")
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
    ) -> KTable[K, A]:
        """Fold the rows of each group: `adder(key, value, aggregate)` of what comes, beginning with
        `initializer()`, `subtractor(key, value, aggregate)` of what leaves; an aggregate of None
        deletes the row. Java: KGroupedTable.aggregate.

        >>> people = cities.group_by(lambda customer, city: ("all", customer))
        >>> show(people.aggregate(
        ...     list,
        ...     lambda key, new, names: [*names, new],
        ...     lambda key, old, names: [name for name in names if name != old],
        ... ))
        [('all', ['ann']), ('all', ['ann', 'bob'])]
        """
        check_function(initializer, "aggregate's initializer")
        check_function(adder, "aggregate's adder", "key", "value", "aggregate")
        check_function(subtractor, "aggregate's subtractor", "key", "value", "aggregate")
        option = materialized_option(materialized, "aggregate")
        store = self._store(option, option.value)
        operation = GroupedTableAggregate(store, initializer, adder, subtractor)
        return self._draw("KTABLE-AGGREGATE-", operation, option, named)

    def _store(self, option: Materialized[K, Any], value: Serde[Any] | None) -> StoreBuilder:
        # Java calls the stores of all three aggregations so.
        name = store_name(self._table.graph, option, "KTABLE-AGGREGATE-")
        return table_store(option, name, option.key or self._grouped.key, value)

    def _draw(
        self,
        prefix: str,
        operation: GroupedTableAggregate | GroupedTableReduce,
        option: Materialized[K, Any],
        named: NameLike,
    ) -> KTable[K, Any]:
        graph, given = self._table.graph, given_name(named)
        sink = graph.names.named_or_next(_with_suffix(given, "-sink"), "KSTREAM-SINK-")
        source = graph.names.named_or_next(_with_suffix(given, "-source"), "KSTREAM-SOURCE-")
        name = graph.names.named_or_next(given, prefix)
        store = operation.store
        parent = self._repartitioned(sink, source, store.name)
        return self._table.table(
            graph.add(ProcessorDrawing(name, with_versions(operation, option)), parent),
            key_serde=store.key,
            value_serde=store.value,
            sources=frozenset({source}),
            queryable_store_name=option.name,
        )

    def _repartitioned(self, sink: str, source: str, store: str) -> int:
        """Return the step behind the topic; the store names it if the grouping does not."""
        grouped = self._grouped
        topic = (grouped.name or store) + REPARTITION_SUFFIX
        if self._repartition is None or grouped.name is None:
            drawing = TableRepartition(topic, sink, source, grouped.key, ChangeSerde(grouped.value))
            self._repartition = self._table.graph.add(drawing, self._step)
        else:
            self._table.graph.draw_again(self._repartition)
        return self._repartition


def _with_suffix(name: str | None, suffix: str) -> str | None:
    return None if name is None else check_name(name + suffix)
