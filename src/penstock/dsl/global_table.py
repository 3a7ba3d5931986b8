"""GlobalKTable: a table that every worker holds whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Generic, TypeVar

from penstock._camel_case import ExplainsCamelCase
from penstock._engine.topology.checks import (
    check_brings_no_stores,
    check_option,
    check_store,
    check_topic,
)
from penstock._engine.topology.graph import GlobalStore, Graph
from penstock._engine.topology.nodes.stream_nodes import Operation, TableSource, UserProcessor
from penstock._names import check_name
from penstock.dsl.handle import GlobalTableHandle, HasHandle
from penstock.dsl.options import Consumed, Materialized
from penstock.errors import TopologyError
from penstock.stores import StoreBuilder
from penstock.stores._builders import chosen_by, store_builder

K = TypeVar("K")
V = TypeVar("V")


class GlobalKTable(ExplainsCamelCase, HasHandle[GlobalTableHandle], Generic[K, V]):
    """All of a topic, as a table, in every worker: streams look rows up by any key, and need not be
    partitioned like it. Java: GlobalKTable.

    It is complete before the first record is processed, and follows its topic from then on; a row
    is looked up as it is now, whatever the time of the record.

    >>> from penstock import Consumed, Produced, StreamsBuilder, serdes
    >>> from penstock.testing import TopologyTestDriver
    >>> builder, text = StreamsBuilder(), serdes.string()
    >>> cities = builder.global_table("cities", Consumed(key=text, value=text))
    >>> visits = builder.stream("visits", Consumed(key=text, value=text))
    >>> visits.join(cities, lambda user, city: city, lambda city, country: country).to(
    ...     "countries", Produced(value=text)
    ... )
    >>> with TopologyTestDriver(builder.build()) as driver:
    ...     driver.create_input_topic("cities", text, text).pipe_input("Oslo", "Norway")
    ...     driver.create_input_topic("visits", text, text).pipe_input("ann", "Oslo")
    ...     driver.create_output_topic("countries", text, text).read_key_values()
    [('ann', 'Norway')]
    """

    __slots__ = ()

    @property
    def queryable_store_name(self) -> str:
        """The name of the store that can be queried. Java: GlobalKTable.queryableStoreName.

        >>> builder.global_table("rates", materialized=Materialized("rates")).queryable_store_name
        'rates'
        """
        return self._handle.store


def draw_global_table(
    graph: Graph,
    topic: str,
    consumed: Consumed[Any, Any] | None,
    materialized: Materialized[Any, Any] | None,
) -> GlobalKTable[Any, Any]:
    """Draw a table that every worker holds whole."""
    check_topic(topic)
    kept: Materialized[Any, Any] = (
        Materialized()
        if materialized is None
        else check_option(materialized, Materialized, "global_table")
    )
    if kept.history_retention is not None:
        msg = (
            "a global table must not be versioned: its rows are looked up as they are now; leave "
            "history_retention out"
        )
        raise TopologyError(msg)
    read: Consumed[Any, Any] = (
        Consumed(key=kept.key, value=kept.value)
        if consumed is None
        else check_option(consumed, Consumed, "global_table")
    )
    if kept.max_entries is not None:
        msg = (
            "a global table holds all rows of its topic, so its Materialized takes no max_entries; "
            "leave it out"
        )
        raise TopologyError(msg)
    name = kept.name
    if materialized is not None and name is None:
        msg = (
            "a global table is always kept in a store, so its Materialized must have a name; name "
            "it, or leave it out and pass Consumed(key=..., value=...)"
        )
        raise TopologyError(msg)
    if name is None:
        name = graph.names.store(f"{topic}-")
        graph.unnamed_stores.append(name)
    store = store_builder(
        name,
        read.key,
        read.value,
        kind="timestamped_key_value",
        engine=kept.store or "rocksdb",
        caching=kept.caching,
        logging=False,
    )
    store = chosen_by(store, kept.store)
    _draw(graph, topic, read, TableSource(store, is_materialized=True), store)
    return GlobalKTable(GlobalTableHandle(graph, name))


def draw_global_store(
    graph: Graph,
    store: StoreBuilder,
    topic: str,
    consumed: Consumed[Any, Any] | None,
    supplier: Callable[[], Any],
) -> None:
    """Draw a store that every worker holds whole, written by a processor of the user's."""
    check_topic(topic)
    read: Consumed[Any, Any] = (
        Consumed() if consumed is None else check_option(consumed, Consumed, "add_global_store")
    )
    operation = UserProcessor.of(supplier)
    check_brings_no_stores(supplier, "add_global_store")
    unlogged = replace(check_store(store, "add_global_store"), logged=False)
    _draw(graph, topic, read, operation, unlogged)


def _draw(
    graph: Graph,
    topic: str,
    read: Consumed[Any, Any],
    operation: Operation,
    store: StoreBuilder,
) -> None:
    source_name = None if read.name is None else check_name(f"{read.name}-source")
    graph.add(
        GlobalStore(
            source_name=graph.names.named_or_next(source_name, "KSTREAM-SOURCE-"),
            name=graph.names.named_or_next(read.name, "KTABLE-SOURCE-"),
            topic=topic,
            key_serde=read.key,
            value_serde=read.value,
            operation=operation,
            store=store,
        )
    )
