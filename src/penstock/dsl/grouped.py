"""KGroupedStream: a stream grouped by key, and its aggregations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from penstock._camel_case import ExplainsCamelCase
from penstock._engine.topology.checks import check_function
from penstock._engine.topology.graph import ProcessorDrawing
from penstock._engine.topology.nodes import stream_nodes as nodes
from penstock._engine.topology.nodes.counting import count_one, nothing_counted
from penstock.dsl.cogrouped import CogroupedKStream
from penstock.dsl.handle import GroupedHandle, HasHandle
from penstock.dsl.materialized import materialized_option, store_name, table_store, with_versions
from penstock.dsl.options import Materialized, NameLike
from penstock.dsl.windowed import SessionWindowedKStream, TimeWindowedKStream
from penstock.dsl.windowed_aggregation import check_windows
from penstock.serdes import Serde
from penstock.serdes import long as long_serde
from penstock.stores import StoreBuilder
from penstock.windows import (
    AnyWindows,
    SessionWindows,
    SlidingWindows,
    TimeWindows,
    UnlimitedWindows,
)

if TYPE_CHECKING:
    from penstock.dsl.table import KTable

K = TypeVar("K")
V = TypeVar("V")
A = TypeVar("A")


class KGroupedStream(ExplainsCamelCase, HasHandle[GroupedHandle], Generic[K, V]):
    """A stream grouped by key, to be aggregated. Java: KGroupedStream.

    Records without a key or a value are dropped and counted. If the key was changed, the stream
    goes through a repartition topic first; all aggregations of a grouping whose `Grouped` has a
    name share one, otherwise each has its own.

    >>> from penstock import Consumed, Grouped, Materialized, StreamsBuilder, serdes
    >>> from penstock.testing import TopologyTestDriver
    >>> builder, text = StreamsBuilder(), serdes.string()
    >>> lines = builder.stream("lines", Consumed(key=text, value=text))
    >>> words = lines.flat_map_values(str.split).group_by(
    ...     lambda key, word: word, Grouped("words", key=text, value=text)
    ... )
    >>> words.count(Materialized("counts")).to_stream().to("counts")
    >>> with TopologyTestDriver(builder.build()) as driver:
    ...     driver.create_input_topic("lines", text, text).pipe_input("to be or not to be")
    ...     driver.create_output_topic("counts", text, serdes.long()).read_key_values()
    [('to', 1), ('be', 1), ('or', 1), ('not', 1), ('to', 2), ('be', 2)]
    """

    __slots__ = ()

    def count(
        self, materialized: Materialized[K, int] | None = None, *, named: NameLike = None
    ) -> KTable[K, int]:
        """Count the records of each key. Java: KGroupedStream.count.

        >>> show(by_customer.count(Materialized("counts")))
        [('ann', 1), ('bob', 1), ('ann', 2)]
        """
        option = materialized_option(materialized, "count")
        if materialized is not None and option.name is None:
            self._handle.graph.names.store("KSTREAM-AGGREGATE-")  # Java uses up a number here
        store = self._store(option, "KSTREAM-AGGREGATE-", option.value or long_serde())
        operation = nodes.Aggregate(store, nothing_counted, count_one)
        return self._draw("KSTREAM-AGGREGATE-", operation, option, named)

    def reduce(
        self,
        reducer: Callable[[V, V], V],
        materialized: Materialized[K, V] | None = None,
        *,
        named: NameLike = None,
    ) -> KTable[K, V]:
        """Fold the values of each key with `reducer(aggregate, value)`, beginning with the first
        value. Java: KGroupedStream.reduce.

        >>> show(by_customer.reduce(max, Materialized("largest", key=text, value=number)))
        [('ann', 5), ('bob', 2), ('ann', 5)]
        """
        check_function(reducer, "reduce's reducer", "aggregate", "value")
        option = materialized_option(materialized, "reduce")
        store = self._store(option, "KSTREAM-REDUCE-", option.value or self._handle.grouped.value)
        return self._draw("KSTREAM-REDUCE-", nodes.Reduce(store, reducer), option, named)

    def aggregate(
        self,
        initializer: Callable[[], A],
        aggregator: Callable[[K, V, A], A],
        materialized: Materialized[K, A] | None = None,
        *,
        named: NameLike = None,
    ) -> KTable[K, A]:
        """Fold the values of each key with `aggregator(key, value, aggregate)`, beginning with
        `initializer()`; an aggregate of None deletes the row. Java: KGroupedStream.aggregate.

        The aggregator may change the aggregate it is given and return it: what is stored and
        what was sent on before are other objects.

        >>> amounts = by_customer.aggregate(list, lambda customer, amount, all: [*all, amount])
        >>> show(amounts)
        [('ann', [5]), ('bob', [2]), ('ann', [5, 3])]
        """
        check_function(initializer, "aggregate's initializer")
        check_function(aggregator, "aggregate's aggregator", "key", "value", "aggregate")
        option = materialized_option(materialized, "aggregate")
        store = self._store(option, "KSTREAM-AGGREGATE-", option.value)
        operation = nodes.Aggregate(store, initializer, aggregator)
        return self._draw("KSTREAM-AGGREGATE-", operation, option, named)

    @overload
    def windowed_by(
        self, windows: TimeWindows | UnlimitedWindows | SlidingWindows
    ) -> TimeWindowedKStream[K, V]: ...
    @overload
    def windowed_by(self, windows: SessionWindows) -> SessionWindowedKStream[K, V]: ...
    def windowed_by(
        self, windows: AnyWindows
    ) -> TimeWindowedKStream[K, V] | SessionWindowedKStream[K, V]:
        """Aggregate in windows: TimeWindows, SlidingWindows, SessionWindows or UnlimitedWindows.
        Java: KGroupedStream.windowedBy.

        >>> show(by_customer.windowed_by(five_minutes).count(Materialized("counts")))
        [('[ann@0/300000]', 1), ('[bob@0/300000]', 1), ('[ann@0/300000]', 2)]
        """
        check_windows(windows)
        if isinstance(windows, SessionWindows):
            return SessionWindowedKStream(self._handle, windows)
        return TimeWindowedKStream(self._handle, windows)

    def cogroup(self, aggregator: Callable[[K, V, A], A]) -> CogroupedKStream[K, A]:
        """Begin to aggregate this and other grouped streams into one table; the values of this one
        are folded with `aggregator(key, value, aggregate)`. Java: KGroupedStream.cogroup.

        >>> debts = by_customer.cogroup(lambda customer, amount, debt: debt + amount)
        >>> paid = payments.group_by_key()
        >>> debts = debts.cogroup(paid, lambda customer, amount, debt: debt - amount)
        >>> show(debts.aggregate(int, Materialized("debts")))
        [('ann', 5), ('bob', 2), ('ann', 8), ('ann', 3), ('cy', -7)]
        """
        return CogroupedKStream[K, A](self._handle).cogroup(self, aggregator)

    def _store(
        self, option: Materialized[K, Any], prefix: str, value: Serde[Any] | None
    ) -> StoreBuilder:
        name = store_name(self._handle.graph, option, prefix)
        return table_store(option, name, option.key or self._handle.grouped.key, value)

    def _draw(
        self,
        prefix: str,
        operation: nodes.Aggregate | nodes.Reduce,
        option: Materialized[K, Any],
        named: NameLike,
    ) -> KTable[K, Any]:
        handle, store = self._handle, operation.store
        name = handle.name(named, prefix)
        parent, sources = handle.repartitioned(store.name, by_user=option.name is not None)
        return handle.table(
            handle.graph.add(ProcessorDrawing(name, with_versions(operation, option)), parent),
            key_serde=store.key,
            value_serde=store.value,
            sources=sources,
            queryable_store_name=option.name,
        )
