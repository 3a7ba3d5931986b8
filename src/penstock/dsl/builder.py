"""StreamsBuilder: where a program begins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias, TypeVar, cast, overload

from penstock._camel_case import ExplainsCamelCase
from penstock._engine.planner.default_stores import with_default_stores
from penstock._engine.topology.build import build
from penstock._engine.topology.checks import (
    check_initial,
    check_option,
    check_store,
    check_topic,
    split_topics,
)
from penstock._engine.topology.graph import Graph, StateStore, StreamSource, TableFromTopic
from penstock._engine.topology.nodes.stream_nodes import TableSource
from penstock._engine.topology.topology import Topology
from penstock._names import check_name
from penstock.dsl.global_table import GlobalKTable, draw_global_store, draw_global_table
from penstock.dsl.handle import StreamHandle, TableHandle
from penstock.dsl.loose_serdes import serdes_belong_in
from penstock.dsl.materialized import is_versioned, store_name, table_store
from penstock.dsl.options import Consumed, Materialized
from penstock.dsl.stream import KStream
from penstock.dsl.table import KTable
from penstock.processor import ProcessorSupplier
from penstock.settings import StreamsConfig
from penstock.settings.keys import over_defaults
from penstock.stores import StoreBuilder

K = TypeVar("K")
V = TypeVar("V")

Topics: TypeAlias = str | Iterable[str] | re.Pattern[str]


class StreamsBuilder(ExplainsCamelCase):
    """Collects a program's streams and builds its topology. Java: StreamsBuilder.

    >>> builder = StreamsBuilder()
    >>> builder.stream("lines").map_values(str.upper).to("shouts")
    >>> print(builder.build().describe())
    Topologies:
       Sub-topology: 0
        Source: KSTREAM-SOURCE-0000000000 (topics: [lines])
          --> KSTREAM-MAPVALUES-0000000001
        Processor: KSTREAM-MAPVALUES-0000000001 (stores: [])
          --> KSTREAM-SINK-0000000002
          <-- KSTREAM-SOURCE-0000000000
        Sink: KSTREAM-SINK-0000000002 (topic: shouts)
          <-- KSTREAM-MAPVALUES-0000000001
    <BLANKLINE>
    <BLANKLINE>
    """

    def __init__(self) -> None:
        self._graph = Graph()

    @overload
    def stream(self, topics: Topics, consumed: None = None) -> KStream[Any, Any]: ...
    @overload
    def stream(self, topics: Topics, consumed: Consumed[K, V]) -> KStream[K, V]: ...
    @serdes_belong_in(Consumed)
    def stream(self, topics: Topics, consumed: Consumed[K, V] | None = None) -> KStream[K, V]:
        """Read one topic, several, or all that match a compiled pattern. Java:
        StreamsBuilder.stream.

        >>> import re
        >>> refunds = builder.stream("refunds-2026", Consumed(key=text, value=number))
        >>> several = builder.stream(["refunds", "returns"], Consumed(key=text, value=number))
        >>> matching = builder.stream(re.compile("logs-.*"))
        """
        option = (
            Consumed[K, V]() if consumed is None else check_option(consumed, Consumed, "stream")
        )
        several = isinstance(topics, Iterable) and not isinstance(topics, (str, bytes))
        names, pattern = split_topics(cast(Iterable[object], topics) if several else [topics])
        source = StreamSource(
            name=self._graph.names.named_or_next(option.name, "KSTREAM-SOURCE-"),
            topics=tuple(dict.fromkeys(names)),
            pattern=pattern,
            key_serde=option.key,
            value_serde=option.value,
            timestamp_extractor=option.timestamp_extractor,
            offset_reset=option.offset_reset,
        )
        return KStream(
            StreamHandle(
                self._graph,
                self._graph.add(source),
                KTable,
                option.key,
                option.value,
                frozenset({source.name}),
            )
        )

    @overload
    def table(
        self,
        topic: str,
        consumed: None = None,
        materialized: None = None,
        *,
        initial: object = None,
    ) -> KTable[Any, Any]: ...
    @overload
    def table(
        self,
        topic: str,
        consumed: Consumed[K, V],
        materialized: Materialized[K, V] | None = None,
        *,
        initial: object = None,
    ) -> KTable[K, V]: ...
    @overload
    def table(
        self,
        topic: str,
        consumed: None = None,
        *,
        materialized: Materialized[K, V],
        initial: object = None,
    ) -> KTable[K, V]: ...
    @serdes_belong_in(Consumed)
    def table(
        self,
        topic: str,
        consumed: Consumed[K, V] | None = None,
        materialized: Materialized[K, V] | None = None,
        *,
        initial: object = None,
    ) -> KTable[K, V]:
        """Read a topic as a table: the latest value of each key, None deletes. Java:
        StreamsBuilder.table.

        It is kept in a store if `materialized` names one, or a verb below looks rows up. The serdes
        are those of `consumed`; only if there is none, those of `materialized`.

        `initial` is a batch DataFrame of Spark with the columns `key` and `value`, or
        `penstock.spark.Typed`: its rows are written to the topic once, before the first start.

        >>> prices = builder.table("prices", Consumed(text, number), Materialized("prices"))
        >>> prices.queryable_store_name
        'prices'
        """
        check_topic(topic)
        kept = (
            Materialized[K, V]()
            if materialized is None
            else check_option(materialized, Materialized, "table")
        )
        read = (
            Consumed(key=kept.key, value=kept.value)
            if consumed is None
            else check_option(consumed, Consumed, "table")
        )
        source_name = None if read.name is None else check_name(f"{read.name}-source")
        if initial is not None:
            self._graph.initial_tables[topic] = check_initial(topic, initial)
        drawing = self._drawn_table(topic, source_name, read, kept)
        return KTable(
            TableHandle(
                self._graph,
                self._graph.add(drawing),
                KTable,
                read.key,
                read.value,
                frozenset({drawing.source_name}),
                kept.name,
            )
        )

    def _drawn_table(
        self,
        topic: str,
        source_name: str | None,
        read: Consumed[Any, Any],
        kept: Materialized[Any, Any],
    ) -> TableFromTopic:
        # Names are numbered in the order of these calls, which is Java's.
        name = store_name(self._graph, kept, f"{topic}-")
        names = self._graph.names
        return TableFromTopic(
            source_name=names.named_or_next(source_name, "KSTREAM-SOURCE-"),
            name=names.named_or_next(read.name, "KTABLE-SOURCE-"),
            topic=topic,
            key_serde=read.key,
            value_serde=read.value,
            timestamp_extractor=read.timestamp_extractor,
            offset_reset=read.offset_reset,
            operation=TableSource(
                table_store(kept, name, read.key, read.value),
                is_materialized=kept.name is not None,
                is_versioned=is_versioned(kept),
            ),
        )

    @overload
    def global_table(
        self, topic: str, consumed: None = None, materialized: None = None
    ) -> GlobalKTable[Any, Any]: ...
    @overload
    def global_table(
        self, topic: str, consumed: Consumed[K, V], materialized: Materialized[K, V] | None = None
    ) -> GlobalKTable[K, V]: ...
    @overload
    def global_table(
        self, topic: str, consumed: None = None, *, materialized: Materialized[K, V]
    ) -> GlobalKTable[K, V]: ...
    @serdes_belong_in(Consumed)
    def global_table(
        self,
        topic: str,
        consumed: Consumed[K, V] | None = None,
        materialized: Materialized[K, V] | None = None,
    ) -> GlobalKTable[K, V]:
        """Read a topic as a table that every worker holds whole. Java: StreamsBuilder.globalTable.

        The serdes are those of `consumed`; only if there is none, those of `materialized`. Its
        records have their own times: no timestamp extractor is asked.

        >>> towns = builder.global_table("cities-of-all", Consumed(key=text, value=text))
        >>> joined = orders.left_join(towns, lambda key, amount: key, lambda amount, city: city)
        >>> show(joined)  # nothing is in that topic
        [('ann', None), ('bob', None), ('ann', None)]
        """
        return draw_global_table(self._graph, topic, consumed, materialized)

    def add_global_store(
        self,
        store: StoreBuilder,
        topic: str,
        consumed: Consumed[K, V] | None,
        supplier: ProcessorSupplier[K, V, Any, Any],
    ) -> StreamsBuilder:
        """Add a store that every worker holds whole: processors of `supplier` write a topic's
        records to it, all others may read it without being connected. Java:
        StreamsBuilder.addGlobalStore.

        >>> class Keep(Processor):
        ...     def process(self, record):
        ...         self.context.get_state_store("rates").put(record.key, record.value)
        >>> rates = Stores.in_memory_key_value_store("rates", key=text, value=number)
        >>> _ = builder.add_global_store(rates, "rates", Consumed(key=text, value=number), Keep)
        >>> with TopologyTestDriver(builder.build()) as driver:
        ...     driver.create_input_topic("rates", text, number).pipe_input("EUR", 7)
        ...     driver.get_key_value_store("rates").get("EUR")
        7
        """
        draw_global_store(self._graph, store, topic, consumed, supplier)
        return self

    def add_state_store(self, store: StoreBuilder) -> StreamsBuilder:
        """Add a store for `process(..., state_stores=[name])`. Java:
        StreamsBuilder.addStateStore.

        >>> class FirstOrder(Processor):
        ...     def process(self, record):
        ...         if self.context.get_state_store("seen").put_if_absent(record.key, 1) is None:
        ...             self.context.forward(record)
        >>> _ = builder.add_state_store(Stores.key_value_store("seen", key=text, value=number))
        >>> show(orders.process(FirstOrder, state_stores=["seen"]))
        [('ann', 5), ('bob', 2)]
        """
        self._graph.add(StateStore(check_store(store, "add_state_store")))
        return self

    def build(self, config: Mapping[str, Any] | StreamsConfig | None = None) -> Topology:
        """Build the topology of all streams and tables so far. Java: StreamsBuilder.build.

        `config` may hold settings of the application; of them a build looks at
        `ensure.explicit.internal.resource.naming`, which refuses stores and topics without a name,
        `topology.optimization`, which saves internal topics and stores, and `default.dsl.store`
        and `dsl.store.suppliers.class`, which say where stores live.

        >>> orders.to("copies")
        >>> print(builder.build().describe())
        Topologies:
           Sub-topology: 0
            Source: KSTREAM-SOURCE-0000000000 (topics: [orders])
              --> KSTREAM-SINK-0000000005
            Sink: KSTREAM-SINK-0000000005 (topic: copies)
              <-- KSTREAM-SOURCE-0000000000
        <BLANKLINE>
          Sub-topology: 1
            Source: KSTREAM-SOURCE-0000000001 (topics: [payments])
              --> none
        <BLANKLINE>
          Sub-topology: 2
            Source: KSTREAM-SOURCE-0000000003 (topics: [cities])
              --> KTABLE-SOURCE-0000000004
            Processor: KTABLE-SOURCE-0000000004 (stores: [])
              --> none
              <-- KSTREAM-SOURCE-0000000003
        """
        settings = _settings(config)
        topology = build(
            self._graph,
            names_required=settings.explicit_names_required,
            optimizations=settings.topology_optimizations,
        )
        return with_default_stores(topology, settings)


def _settings(config: Mapping[str, Any] | StreamsConfig | None) -> StreamsConfig:
    if isinstance(config, StreamsConfig):
        return config
    return StreamsConfig(over_defaults({"application.id": "not-named-yet"}, config or {}))
