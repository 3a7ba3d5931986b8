"""KTable: the latest value of each key, and its verbs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Generic, TypeVar, overload

from penstock._camel_case import ExplainsCamelCase
from penstock._engine.topology.checks import (
    check_function,
    check_option,
    check_store_names,
    check_transformer_supplier,
    supplied_stores,
)
from penstock._engine.topology.graph import ProcessorDrawing
from penstock._engine.topology.nodes import stream_nodes as nodes
from penstock._engine.topology.nodes.table_nodes import TableRepartitionMap, TableTransformValues
from penstock._engine.topology.rewrites.table_needs import Ask, send_old_values
from penstock.dsl.grouped_table import KGroupedTable
from penstock.dsl.handle import HasHandle, StreamHandle, TableHandle
from penstock.dsl.joins.foreign_key import join_by_either_key
from penstock.dsl.joins.table_table import INNER, LEFT, OUTER, join_tables
from penstock.dsl.materialized import is_versioned, table_store, with_versions
from penstock.dsl.options import Grouped, Materialized, NameLike, TableJoined
from penstock.dsl.stream import KStream
from penstock.dsl.suppressed import Suppressed, draw_suppress
from penstock.processor import ValueTransformerWithKeySupplier
from penstock.serdes import Serde
from penstock.stores import StoreBuilder

K = TypeVar("K")
V = TypeVar("V")
K2 = TypeVar("K2")
V2 = TypeVar("V2")
KO = TypeVar("KO")
VO = TypeVar("VO")


class KTable(ExplainsCamelCase, HasHandle[TableHandle], Generic[K, V]):
    """A table: each record sets the value of its key, a value of None deletes it. Java: KTable.

    >>> from penstock import Consumed, Materialized, StreamsBuilder, serdes
    >>> from penstock.testing import TopologyTestDriver
    >>> builder, text = StreamsBuilder(), serdes.string()
    >>> cities = builder.table("cities", Consumed(key=text, value=text), Materialized("cities"))
    >>> cities.filter(lambda user, city: city != "Nowhere").to_stream().to("moves")
    >>> with TopologyTestDriver(builder.build()) as driver:
    ...     moves = driver.create_input_topic("cities", text, text)
    ...     moves.pipe_key_value_list([("ann", "Oslo"), ("bob", "Nowhere"), ("ann", "Nowhere")])
    ...     driver.create_output_topic("moves", text, text).read_key_values()
    [('ann', 'Oslo'), ('ann', None)]
    """

    __slots__ = ()

    @property
    def queryable_store_name(self) -> str | None:
        """The name of the store that can be queried, None if the table was given no name. Java:
        KTable.queryableStoreName.

        >>> by_customer.count(Materialized("counts")).queryable_store_name
        'counts'
        """
        return self._handle.queryable_store_name

    def filter(
        self,
        predicate: Callable[[K, V], object],
        materialized: Materialized[K, V] | None = None,
        *,
        named: NameLike = None,
    ) -> KTable[K, V]:
        """Keep the rows for which `predicate(key, value)` is true, delete the others. Java:
        KTable.filter.

        If the table above has a store, a row that was not there before and is not kept either sends
        no record; otherwise it sends a deletion.

        >>> show(cities.filter(lambda customer, city: city == "Oslo"))
        [('ann', 'Oslo'), ('bob', None)]
        """
        check_function(predicate, "filter's predicate", "key", "value")
        return self._filter(predicate, materialized, named, keep_when=True)

    def filter_not(
        self,
        predicate: Callable[[K, V], object],
        materialized: Materialized[K, V] | None = None,
        *,
        named: NameLike = None,
    ) -> KTable[K, V]:
        """Delete the rows for which `predicate(key, value)` is true, keep the others. Java:
        KTable.filterNot.

        >>> show(cities.filter_not(lambda customer, city: city == "Oslo"))
        [('ann', None), ('bob', 'Rome')]
        """
        check_function(predicate, "filter_not's predicate", "key", "value")
        return self._filter(predicate, materialized, named, keep_when=False)

    def map_values(
        self,
        mapper: Callable[[V], V2],
        materialized: Materialized[K, V2] | None = None,
        *,
        named: NameLike = None,
    ) -> KTable[K, V2]:
        """Replace the value of each row by `mapper(value)`; deletions stay deletions. Java:
        KTable.mapValues.

        >>> show(cities.map_values(str.upper))
        [('ann', 'OSLO'), ('bob', 'ROME')]
        """
        check_function(mapper, "map_values' mapper", "value", instead="map_values_with_key")
        return self._map_values(mapper, materialized, named, with_key=False)

    def map_values_with_key(
        self,
        mapper: Callable[[K, V], V2],
        materialized: Materialized[K, V2] | None = None,
        *,
        named: NameLike = None,
    ) -> KTable[K, V2]:
        """Replace the value of each row by `mapper(key, value)`; deletions stay deletions. Java:
        KTable.mapValues.

        >>> show(cities.map_values_with_key(lambda customer, city: f"{customer} in {city}"))
        [('ann', 'ann in Oslo'), ('bob', 'bob in Rome')]
        """
        check_function(mapper, "map_values_with_key's mapper", "key", "value")
        return self._map_values(mapper, materialized, named, with_key=True)

    def transform_values(
        self,
        supplier: ValueTransformerWithKeySupplier[K, V, V2],
        materialized: Materialized[K, V2] | None = None,
        *,
        named: NameLike = None,
        state_stores: Iterable[str] = (),
    ) -> KTable[K, V2]:
        """Replace the value of each row by what a `ValueTransformerWithKey` makes of it, which may
        use stores; it is asked about deletions too. Java: KTable.transformValues.

        `supplier` is the class, or any function that returns a new transformer each time. A table
        without a store is looked up through a transformer of its own, which must not need stores.

        >>> class Length(ValueTransformerWithKey):
        ...     def transform(self, key, value):
        ...         return None if value is None else len(value)
        >>> show(cities.transform_values(Length))
        [('ann', 4), ('bob', 4)]
        """
        check_transformer_supplier(supplier)
        stores, supplied = check_store_names(state_stores), supplied_stores(supplier)
        option, store = self._view_store(materialized, None, "transform_values")
        name = self._handle.name(named, "KTABLE-TRANSFORMVALUES-")
        operation = TableTransformValues(supplier, store)
        return self._view(name, operation, option, None, (stores, supplied))

    def suppress(self, until: Suppressed) -> KTable[K, V]:
        """Buffer changes and emit only the last ones: when a window closes, when a time has
        passed, or when too many are buffered. Java: KTable.suppress.

        >>> counts = by_customer.windowed_by(two_minutes).count(Materialized("counts"))
        >>> show(counts.suppress(Suppressed.until_window_closes(BufferConfig.unbounded())))
        [('[ann@0/120000]', 1), ('[bob@0/120000]', 1)]
        """
        handle = self._handle
        above = handle.graph.steps[handle.step].drawing.name
        return handle.table(
            draw_suppress(handle, until),
            key_serde=handle.key_serde,
            value_serde=handle.value_serde,
            # As in Java, not the sources above: a join below asks nothing of their partitions.
            sources=frozenset({above}),
            queryable_store_name=None,
        )

    def group_by(
        self,
        mapper: Callable[[K, V], tuple[K2, V2]],
        grouped: Grouped[K2, V2] | None = None,
    ) -> KGroupedTable[K2, V2]:
        """Group the rows under the keys and values of `mapper(key, value)`, to be aggregated. Java:
        KTable.groupBy.

        A row whose new key or new value is None belongs to no group.

        >>> people = cities.group_by(lambda customer, city: (city, customer))
        >>> show(people.count(Materialized("people-per-city")))
        [('Oslo', 1), ('Rome', 1)]
        """
        check_function(mapper, "group_by's mapper", "key", "value")
        option = (
            Grouped[K2, V2]() if grouped is None else check_option(grouped, Grouped, "group_by")
        )
        handle = self._handle
        name = handle.name(option.name, "KTABLE-SELECT-")
        send_old_values(handle.graph, handle.step, Ask.ALWAYS)
        operation = TableRepartitionMap(mapper, latest_only=handle.is_versioned)
        return KGroupedTable(handle, handle.add(ProcessorDrawing(name, operation)), option)

    @overload
    def join(
        self,
        other: KTable[K, VO],
        joiner: Callable[[V, VO], V2],
        materialized: Materialized[K, V2] | None = None,
        *,
        named: NameLike = None,
    ) -> KTable[K, V2]: ...
    @overload
    def join(
        self,
        other: KTable[KO, VO],
        foreign_key_extractor: Callable[[V], KO | None] | Callable[[K, V], KO | None],
        joiner: Callable[[V, VO], V2],
        table_joined: TableJoined[K, KO] | Materialized[K, V2] | None = None,
        materialized: Materialized[K, V2] | None = None,
    ) -> KTable[K, V2]: ...
    def join(self, other: KTable[Any, Any], *arguments: Any, **options: Any) -> KTable[K, Any]:
        """Join the rows of two tables that have the same key: `joiner(value, other_value)`. With a
        foreign-key extractor before the joiner, join each row with the one of the other table that
        has the key `foreign_key_extractor(value)`, or `(key, value)`; None drops the row. There
        `materialized` may follow the joiner directly. Java: KTable.join.

        >>> spent = by_customer.reduce(lambda total, amount: total + amount)
        >>> show(spent.join(cities, lambda total, city: f"{total} in {city}"))
        [('ann', '5 in Oslo'), ('bob', '2 in Rome'), ('ann', '8 in Oslo')]
        """
        return join_by_either_key(self._handle, other, arguments, options, INNER)

    @overload
    def left_join(
        self,
        other: KTable[K, VO],
        joiner: Callable[[V, VO | None], V2],
        materialized: Materialized[K, V2] | None = None,
        *,
        named: NameLike = None,
    ) -> KTable[K, V2]: ...
    @overload
    def left_join(
        self,
        other: KTable[KO, VO],
        foreign_key_extractor: Callable[[V], KO | None] | Callable[[K, V], KO | None],
        joiner: Callable[[V, VO | None], V2],
        table_joined: TableJoined[K, KO] | Materialized[K, V2] | None = None,
        materialized: Materialized[K, V2] | None = None,
    ) -> KTable[K, V2]: ...
    def left_join(self, other: KTable[Any, Any], *arguments: Any, **options: Any) -> KTable[K, Any]:
        """Join each row of this table with the other's of the same key, or of the foreign key (see
        `join`), or with None. Java: KTable.leftJoin.

        >>> paid = payments.to_table(Materialized("paid", key=text, value=number))
        >>> show(paid.left_join(cities, lambda amount, city: (amount, city)))
        [('ann', (5, 'Oslo')), ('cy', (7, None))]
        """
        return join_by_either_key(self._handle, other, arguments, options, LEFT)

    def outer_join(
        self,
        other: KTable[K, VO],
        joiner: Callable[[V | None, VO | None], V2],
        materialized: Materialized[K, V2] | None = None,
        *,
        named: NameLike = None,
    ) -> KTable[K, V2]:
        """Join the rows of two tables by key, with None for the one that is missing. Java:
        KTable.outerJoin.

        >>> paid = payments.to_table(Materialized("paid", key=text, value=number))
        >>> show(paid.outer_join(cities, lambda amount, city: (amount, city)))
        [('ann', (None, 'Oslo')), ('bob', (None, 'Rome')), ('ann', (5, 'Oslo')),
         ('cy', (7, None))]
        """
        return join_tables(
            self._handle, other, joiner, OUTER, materialized=materialized, named=named
        )

    @overload
    def to_stream(self, mapper: None = None, *, named: NameLike = None) -> KStream[K, V]: ...
    @overload
    def to_stream(
        self, mapper: Callable[[K, V], K2], *, named: NameLike = None
    ) -> KStream[K2, V]: ...
    def to_stream(
        self, mapper: Callable[[K, V], Any] | None = None, *, named: NameLike = None
    ) -> KStream[Any, V]:
        """Return the changes of the table as a stream, under the keys of `mapper(key, value)` if
        given; a deletion has the value None. Java: KTable.toStream.

        >>> show(cities.to_stream(lambda customer, city: city))
        [('Oslo', 'Oslo'), ('Rome', 'Rome')]
        """
        handle = self._handle
        name = handle.name(named, "KTABLE-TOSTREAM-")
        changes: KStream[K, V] = KStream(
            StreamHandle(
                handle.graph,
                handle.add(ProcessorDrawing(name, nodes.ToStream())),
                handle.new_table,
                handle.key_serde,
                handle.value_serde,
                handle.sources,
            )
        )
        return changes if mapper is None else changes.select_key(mapper)

    def _filter(
        self,
        predicate: Callable[[K, V], object],
        materialized: Materialized[K, V] | None,
        named: NameLike,
        *,
        keep_when: bool,
    ) -> KTable[K, V]:
        option, store = self._view_store(materialized, "KTABLE-FILTER-", "filter")
        name = self._handle.name(named, "KTABLE-FILTER-")
        # With old values at hand, a row that neither was nor is kept needs no deletion.
        sends_old_values = send_old_values(self._handle.graph, self._handle.step, Ask.IF_STORED)
        operation = nodes.TableFilter(
            predicate,
            keep_when,
            store,
            is_of_versions=self._handle.is_versioned,
            sends_old_values=sends_old_values,
        )
        return self._view(name, operation, option, self._handle.value_serde)

    def _map_values(
        self,
        mapper: Callable[..., V2],
        materialized: Materialized[K, V2] | None,
        named: NameLike,
        *,
        with_key: bool,
    ) -> KTable[K, V2]:
        option, store = self._view_store(materialized, "KTABLE-MAPVALUES-", "map_values")
        name = self._handle.name(named, "KTABLE-MAPVALUES-")
        operation = nodes.TableMapValues(mapper, with_key, store)
        return self._view(name, operation, option, None)

    def _view_store(
        self, materialized: Materialized[Any, Any] | None, prefix: str | None, verb: str
    ) -> tuple[Materialized[Any, Any] | None, StoreBuilder | None]:
        """Return the store of a verb that needs none: only one with a name is made."""
        if materialized is None:
            return None, None
        option = check_option(materialized, Materialized, verb)
        if option.name is None:
            if prefix is not None:
                self._handle.graph.names.store(prefix)  # Java uses up a number, without a store
            is_versioned(option)
            return option, None
        return option, table_store(option, option.name, option.key, option.value)

    def _view(
        self,
        name: str,
        operation: nodes.TableOperation,
        option: Materialized[Any, Any] | None,
        value_serde: Serde[Any] | None,
        stores: tuple[tuple[str, ...], tuple[StoreBuilder, ...]] = ((), ()),
    ) -> KTable[K, Any]:
        handle = self._handle
        if option is None:
            option = Materialized()
            operation = replace(operation, is_versioned=handle.is_versioned)
        else:
            operation = with_versions(operation, option)
        return handle.table(
            handle.add(ProcessorDrawing(name, operation, *stores)),
            key_serde=option.key or handle.key_serde,
            value_serde=option.value or value_serde,
            sources=handle.sources,
            queryable_store_name=option.name,
        )
