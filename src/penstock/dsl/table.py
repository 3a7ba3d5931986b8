"""KTable: the latest value of each key, and its verbs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

from penstock._engine.topology import nodes
from penstock._engine.topology.checks import check_function, check_option
from penstock._engine.topology.graph import Graph, Process
from penstock._engine.topology.tables import Ask, send_old_values
from penstock.camel_case import ExplainsCamelCase
from penstock.dsl import stream
from penstock.dsl.options import Materialized, NameLike, given_name
from penstock.serdes import Serde
from penstock.stores import StoreBuilder, store_builder

K = TypeVar("K")
V = TypeVar("V")
K2 = TypeVar("K2")
V2 = TypeVar("V2")


class KTable(ExplainsCamelCase, Generic[K, V]):
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

    __slots__ = (
        "_graph",
        "_key_serde",
        "_queryable_store_name",
        "_sources",
        "_step",
        "_value_serde",
    )

    def __init__(
        self,
        graph: Graph,
        step: int,
        *,
        key_serde: Serde[K] | None,
        value_serde: Serde[V] | None,
        sources: frozenset[str],
        queryable_store_name: str | None,
    ) -> None:
        self._graph = graph
        self._step = step
        self._key_serde = key_serde
        self._value_serde = value_serde
        self._sources = sources
        self._queryable_store_name = queryable_store_name

    @property
    def queryable_store_name(self) -> str | None:
        """The name of the store that can be queried, None if the table was given no name. Java:
        KTable.queryableStoreName.
        """
        return self._queryable_store_name

    def filter(
        self,
        predicate: Callable[[K, V], object],
        materialized: Materialized[K, V] | None = None,
        *,
        named: NameLike = None,
    ) -> KTable[K, V]:
        """Keep the rows for which `predicate(key, value)` is true, delete the others. Java:
        KTable.filter.

        If the table above has a store, a row that was not there before and is not kept either gives
        no record; otherwise it gives a deletion.
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
        """
        check_function(mapper, "map_values_with_key's mapper", "key", "value")
        return self._map_values(mapper, materialized, named, with_key=True)

    @overload
    def to_stream(self, mapper: None = None, *, named: NameLike = None) -> stream.KStream[K, V]: ...
    @overload
    def to_stream(
        self, mapper: Callable[[K, V], K2], *, named: NameLike = None
    ) -> stream.KStream[K2, V]: ...
    def to_stream(
        self, mapper: Callable[[K, V], Any] | None = None, *, named: NameLike = None
    ) -> stream.KStream[Any, V]:
        """Give the changes of the table as a stream, under the keys of `mapper(key, value)` if
        given; a deletion has the value None. Java: KTable.toStream.
        """
        name = self._graph.names.named_or_next(given_name(named), "KTABLE-TOSTREAM-")
        changes: stream.KStream[K, V] = stream.KStream(
            self._graph,
            self._graph.add(Process(name, nodes.ToStream()), self._step),
            key_serde=self._key_serde,
            value_serde=self._value_serde,
            sources=self._sources,
            repartition_required=False,
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
        name = self._graph.names.named_or_next(given_name(named), "KTABLE-FILTER-")
        # With old values at hand, a row that neither was nor is kept needs no deletion.
        sends_old_values = send_old_values(self._graph, self._step, Ask.IF_STORED)
        operation = nodes.TableFilter(predicate, keep_when, store, sends_old_values)
        return self._view(name, operation, option, self._value_serde)

    def _map_values(
        self,
        mapper: Callable[..., V2],
        materialized: Materialized[K, V2] | None,
        named: NameLike,
        *,
        with_key: bool,
    ) -> KTable[K, V2]:
        option, store = self._view_store(materialized, "KTABLE-MAPVALUES-", "map_values")
        name = self._graph.names.named_or_next(given_name(named), "KTABLE-MAPVALUES-")
        operation = nodes.TableMapValues(mapper, with_key, store)
        return self._view(name, operation, option, None)

    def _view_store(
        self, materialized: Materialized[Any, Any] | None, prefix: str, verb: str
    ) -> tuple[Materialized[Any, Any], StoreBuilder | None]:
        """Give the store of a verb that needs none: only one with a name is made."""
        if materialized is None:
            return Materialized(), None
        option = check_option(materialized, Materialized, verb)
        if option.name is None:
            self._graph.names.store(prefix)  # Java burns a number for the store it does not make
            return option, None
        return option, table_store(option, option.name, option.key, option.value)

    def _view(
        self,
        name: str,
        operation: nodes.TableOperation,
        option: Materialized[Any, Any],
        value_serde: Serde[Any] | None,
    ) -> KTable[K, Any]:
        return KTable(
            self._graph,
            self._graph.add(Process(name, operation), self._step),
            key_serde=option.key or self._key_serde,
            value_serde=option.value or value_serde,
            sources=self._sources,
            queryable_store_name=option.name,
        )


def store_name(graph: Graph, option: Materialized[Any, Any], prefix: str) -> str:
    """Give the name of a store: the user's, or the next one with that prefix."""
    if option.name is not None:
        return option.name
    name = graph.names.store(prefix)
    graph.unnamed_stores.append(name)
    if option.logging is not False:
        graph.unnamed_changelogs.append(f"{name}-changelog")
    return name


def table_store(
    option: Materialized[Any, Any],
    name: str,
    key: Serde[Any] | None,
    value: Serde[Any] | None,
) -> StoreBuilder:
    """Give the store of a table or an aggregate."""
    return store_builder(
        name,
        key,
        value,
        kind="timestamped_key_value",
        engine=option.store or "rocksdb",
        caching=option.caching,
        logging=option.logging,
    )
