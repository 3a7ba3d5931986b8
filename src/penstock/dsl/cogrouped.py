"""Several grouped streams aggregated into one table: cogroup."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, overload

from penstock._camel_case import ExplainsCamelCase
from penstock._engine.topology.checks import check_function, shown
from penstock._engine.topology.graph import ProcessorDrawing, Repartition, repartition_names
from penstock._engine.topology.nodes import stream_nodes as nodes
from penstock._engine.topology.nodes.window_nodes import CogroupMerge
from penstock._names import check_name
from penstock.dsl.handle import GroupedHandle, handle_of
from penstock.dsl.materialized import materialized_option, store_name, table_store, with_versions
from penstock.dsl.options import Materialized, NameLike, given_name
from penstock.dsl.windowed_aggregation import (
    AggregateFunctions,
    check_windows,
    windowed_key_serde,
    windowed_operation,
    windowed_option,
    windowed_store,
)
from penstock.errors import TopologyError
from penstock.serdes import Serde
from penstock.stores import StoreBuilder
from penstock.windowed import Windowed
from penstock.windows import (
    AnyWindows,
    SessionWindows,
    SlidingWindows,
    TimeWindows,
    UnlimitedWindows,
)

if TYPE_CHECKING:
    from penstock.dsl.grouped import KGroupedStream
    from penstock.dsl.table import KTable

K = TypeVar("K")
V = TypeVar("V")
A = TypeVar("A")

MakeOperation: TypeAlias = Callable[[Callable[..., Any]], nodes.TableOperation]
"""Makes the operation of one input, from its aggregator."""

_AGGREGATE = "COGROUPKSTREAM-AGGREGATE-"
_MERGE = "COGROUPKSTREAM-MERGE-"


class CogroupedKStream(ExplainsCamelCase, Generic[K, A]):
    """Grouped streams with an aggregator each, to be aggregated into one table. Java:
    CogroupedKStream.

    >>> from penstock import Consumed, Materialized, StreamsBuilder, serdes
    >>> from penstock.testing import TopologyTestDriver
    >>> builder, text = StreamsBuilder(), serdes.string()
    >>> bought = builder.stream("bought", Consumed(key=text, value=serdes.long())).group_by_key()
    >>> returned = builder.stream("returned", Consumed(key=text, value=serdes.long()))
    >>> stock = bought.cogroup(lambda item, count, stock: stock - count)
    >>> stock = stock.cogroup(returned.group_by_key(), lambda item, count, stock: stock + count)
    >>> left = stock.aggregate(lambda: 100, Materialized("stock", key=text, value=serdes.long()))
    >>> left.to_stream().to("stock")
    >>> with TopologyTestDriver(builder.build()) as driver:
    ...     for topic, count in (("bought", 7), ("returned", 2)):
    ...         driver.create_input_topic(topic, text, serdes.long()).pipe_input("cup", count)
    ...     driver.create_output_topic("stock", text, serdes.long()).read_key_values()
    [('cup', 93), ('cup', 95)]
    """

    __slots__ = ("_first", "_inputs", "_parents")

    def __init__(self, first: GroupedHandle) -> None:
        self._first = first
        self._inputs: dict[GroupedHandle, Callable[..., Any]] = {}
        self._parents: dict[GroupedHandle, tuple[int, frozenset[str]]] = {}
        """The parents of the inputs' nodes; their repartition topics serve all aggregations."""

    def cogroup(
        self, grouped: KGroupedStream[K, V], aggregator: Callable[[K, V, A], A]
    ) -> CogroupedKStream[K, A]:
        """Add another grouped stream, whose values are folded with `aggregator(key, value,
        aggregate)`. Java: CogroupedKStream.cogroup.

        Like Java's it changes this object, and returns it.

        >>> debts = by_customer.cogroup(lambda customer, amount, debt: debt + amount)
        >>> paid = payments.group_by_key()
        >>> debts = debts.cogroup(paid, lambda customer, amount, debt: debt - amount)
        >>> show(debts.aggregate(int, Materialized("debts")))
        [('ann', 5), ('bob', 2), ('ann', 8), ('ann', 3), ('cy', -7)]
        """
        handle = handle_of(grouped, GroupedHandle)
        if handle is None:
            msg = f"cogroup takes a KGroupedStream; got {shown(grouped)}; group the stream first"
            raise TopologyError(msg)
        if handle.graph is not self._first.graph:
            msg = "cogroup must have streams of one StreamsBuilder; got one of another"
            raise TopologyError(msg)
        check_function(aggregator, "cogroup's aggregator", "key", "value", "aggregate")
        self._inputs[handle] = aggregator
        return self

    def aggregate(
        self,
        initializer: Callable[[], A],
        materialized: Materialized[K, A] | None = None,
        *,
        named: NameLike = None,
    ) -> KTable[K, A]:
        """Fold the values of each key, beginning with `initializer()`. Java:
        CogroupedKStream.aggregate.

        >>> spent = by_customer.cogroup(lambda customer, amount, total: total + amount)
        >>> show(spent.aggregate(int, Materialized("spent")))
        [('ann', 5), ('bob', 2), ('ann', 8)]
        """
        check_function(initializer, "aggregate's initializer")
        option = materialized_option(materialized, "aggregate")
        name = store_name(self._first.graph, option, _AGGREGATE)
        store = table_store(option, name, option.key, option.value)

        def operation(aggregator: Callable[..., Any]) -> nodes.TableOperation:
            aggregate = nodes.Aggregate(store, initializer, aggregator)
            return with_versions(aggregate, option)

        return self._draw(operation, store, option, option.key, named)

    @overload
    def windowed_by(
        self, windows: TimeWindows | UnlimitedWindows | SlidingWindows
    ) -> TimeWindowedCogroupedKStream[K, A]: ...
    @overload
    def windowed_by(self, windows: SessionWindows) -> SessionWindowedCogroupedKStream[K, A]: ...
    def windowed_by(
        self, windows: AnyWindows
    ) -> TimeWindowedCogroupedKStream[K, A] | SessionWindowedCogroupedKStream[K, A]:
        """Aggregate in windows. Java: CogroupedKStream.windowedBy.

        >>> spent = by_customer.cogroup(lambda customer, amount, total: total + amount)
        >>> show(spent.windowed_by(five_minutes).aggregate(int))
        [('[ann@0/300000]', 5), ('[bob@0/300000]', 2), ('[ann@0/300000]', 8)]
        """
        check_windows(windows)
        if isinstance(windows, SessionWindows):
            return SessionWindowedCogroupedKStream(self, windows)
        return TimeWindowedCogroupedKStream(self, windows)

    def _draw(
        self,
        operation: MakeOperation,
        store: StoreBuilder,
        option: Materialized[Any, Any],
        key_serde: Serde[Any] | None,
        named: NameLike,
    ) -> KTable[Any, A]:
        """Draw a node for each input, and one that merges their changes."""
        graph, name = self._first.graph, given_name(named)
        self._repartition(store.name, by_user=option.name is not None)
        sources = frozenset[str]().union(*(above for _, above in self._parents.values()))
        graph.copartition(sources)
        steps = []
        for number, (grouped, aggregator) in enumerate(self._inputs.items()):
            called = self._name(name, f"-cogroup-agg-{number}", _AGGREGATE)
            parent, _ = self._parents[grouped]
            steps.append(graph.add(ProcessorDrawing(called, made := operation(aggregator)), parent))
        rows = made.rows()
        assert rows is not None
        merge = CogroupMerge(rows, is_versioned=made.is_versioned)
        called = self._name(name, "-cogroup-merge", _MERGE)
        return self._first.table(
            graph.add(ProcessorDrawing(called, merge), *steps),
            key_serde=key_serde,
            value_serde=option.value,
            sources=sources,
            queryable_store_name=option.name,
        )

    def _name(self, name: str | None, ending: str, prefix: str) -> str:
        given = None if name is None else check_name(name + ending)
        return self._first.graph.names.named_or_next(given, prefix)

    def _repartition(self, store: str, *, by_user: bool) -> None:
        """Bring all records of a key to one task. Numbers are used up even where a topic is there
        already.
        """
        for grouped in self._inputs:
            if not grouped.repartition_required:
                self._parents[grouped] = (grouped.step, grouped.sources)
                continue
            option = grouped.grouped
            called = repartition_names(
                grouped.graph, option.name or store, by_user=by_user or option.name is not None
            )
            if grouped not in self._parents:
                topic = Repartition(called, option.key, option.value)
                self._parents[grouped] = (grouped.add(topic), frozenset({called.source}))


class _WindowedCogroupedKStream(ExplainsCamelCase, Generic[K, A]):
    """The part that cogrouped streams in windows of all kinds share."""

    __slots__ = ("_cogrouped", "_windows")

    def __init__(self, cogrouped: CogroupedKStream[K, A], windows: AnyWindows) -> None:
        self._cogrouped = cogrouped
        self._windows = windows

    def _aggregate(
        self,
        initializer: Callable[[], A],
        merger: Callable[[K, A, A], A] | None,
        materialized: Materialized[K, A] | None,
        named: NameLike,
    ) -> KTable[Windowed[K], A]:
        check_function(initializer, "aggregate's initializer")
        option, windows = windowed_option(materialized, "aggregate"), self._windows
        name = store_name(self._cogrouped._first.graph, option, _AGGREGATE)
        store = windowed_store(windows, option, name, (option.key, option.value))

        def operation(aggregator: Callable[..., Any]) -> nodes.TableOperation:
            return windowed_operation(
                windows, store, AggregateFunctions(initializer, aggregator, merger)
            )

        key_serde = windowed_key_serde(windows, option.key)
        return self._cogrouped._draw(operation, store, option, key_serde, named)


class TimeWindowedCogroupedKStream(_WindowedCogroupedKStream[K, A]):
    """Cogrouped streams in windows of time or sliding windows. Java:
    TimeWindowedCogroupedKStream.

    >>> spent = by_customer.cogroup(lambda customer, amount, total: total + amount)
    >>> show(spent.windowed_by(two_minutes).aggregate(int))
    [('[ann@0/120000]', 5), ('[bob@0/120000]', 2), ('[ann@240000/360000]', 3)]
    """

    __slots__ = ()

    def aggregate(
        self,
        initializer: Callable[[], A],
        materialized: Materialized[K, A] | None = None,
        *,
        named: NameLike = None,
    ) -> KTable[Windowed[K], A]:
        """Fold the values of each key and window, beginning with `initializer()`. Java:
        TimeWindowedCogroupedKStream.aggregate.

        >>> spent = by_customer.cogroup(lambda customer, amount, total: total + amount)
        >>> show(spent.windowed_by(five_minutes).aggregate(int))
        [('[ann@0/300000]', 5), ('[bob@0/300000]', 2), ('[ann@0/300000]', 8)]
        """
        return self._aggregate(initializer, None, materialized, named)


class SessionWindowedCogroupedKStream(_WindowedCogroupedKStream[K, A]):
    """Cogrouped streams in sessions. Java: SessionWindowedCogroupedKStream.

    >>> spent = by_customer.cogroup(lambda customer, amount, total: total + amount)
    >>> visits = spent.windowed_by(SessionWindows.of_inactivity_gap(timedelta(minutes=1)))
    >>> show(visits.aggregate(int, lambda customer, one, other: one + other))
    [('[ann@0/0]', 5), ('[bob@60000/60000]', 2), ('[ann@240000/240000]', 3)]
    """

    __slots__ = ()

    def aggregate(
        self,
        initializer: Callable[[], A],
        merger: Callable[[K, A, A], A],
        materialized: Materialized[K, A] | None = None,
        *,
        named: NameLike = None,
    ) -> KTable[Windowed[K], A]:
        """Fold the values of each key and session, beginning with `initializer()`; the aggregates
        of sessions that become one are joined with `merger(key, one, other)`. Java:
        SessionWindowedCogroupedKStream.aggregate.

        >>> spent = by_customer.cogroup(lambda customer, amount, total: total + amount)
        >>> visits = spent.windowed_by(SessionWindows.of_inactivity_gap(timedelta(minutes=5)))
        >>> show(visits.aggregate(int, lambda customer, one, other: one + other))
        [('[ann@0/0]', 5), ('[bob@60000/60000]', 2), ('[ann@0/0]', None), ('[ann@0/240000]', 8)]
        """
        check_function(merger, "aggregate's merger", "key", "one", "other")
        return self._aggregate(initializer, merger, materialized, named)
