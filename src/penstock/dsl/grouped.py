"""KGroupedStream: a stream grouped by key, and its aggregations."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Generic, TypeVar, get_args, overload

from penstock._camel_case import ExplainsCamelCase
from penstock._engine.topology.checks import check_function, check_option, shown
from penstock._engine.topology.graph import Graph, Process, Repartition, repartition_names
from penstock._engine.topology.nodes import stream_nodes as nodes
from penstock._engine.topology.nodes.counting import count_one, nothing_counted
from penstock.dsl import cogrouped, table, windowed
from penstock.dsl.options import Grouped, Materialized, NameLike, given_name
from penstock.errors import TopologyError
from penstock.serdes import Serde
from penstock.serdes import long as long_serde
from penstock.stores import StoreBuilder
from penstock.windows import (
    AnyWindows,
    JoinWindows,
    SessionWindows,
    SlidingWindows,
    TimeWindows,
    UnlimitedWindows,
)

K = TypeVar("K")
V = TypeVar("V")
A = TypeVar("A")


class KGroupedStream(ExplainsCamelCase, Generic[K, V]):
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

    __slots__ = (
        "_graph",
        "_grouped",
        "_repartition",
        "_repartition_required",
        "_sources",
        "_step",
    )

    def __init__(
        self,
        graph: Graph,
        step: int,
        *,
        grouped: Grouped[K, V],
        sources: frozenset[str],
        repartition_required: bool,
    ) -> None:
        self._graph = graph
        self._step = step
        self._grouped = grouped
        self._sources = sources
        self._repartition_required = repartition_required
        self._repartition: int | None = None

    def count(
        self, materialized: Materialized[K, int] | None = None, *, named: NameLike = None
    ) -> table.KTable[K, int]:
        """Count the records of each key. Java: KGroupedStream.count."""
        option = self._option(materialized, "count")
        if materialized is not None and option.name is None:
            self._graph.names.store("KSTREAM-AGGREGATE-")  # Java burns a number here
        store = self._store(option, "KSTREAM-AGGREGATE-", option.value or long_serde())
        operation = nodes.Aggregate(store, nothing_counted, count_one)
        return self._draw("KSTREAM-AGGREGATE-", operation, option, named)

    def reduce(
        self,
        reducer: Callable[[V, V], V],
        materialized: Materialized[K, V] | None = None,
        *,
        named: NameLike = None,
    ) -> table.KTable[K, V]:
        """Fold the values of each key with `reducer(aggregate, value)`, beginning with the first
        value. Java: KGroupedStream.reduce.
        """
        check_function(reducer, "reduce's reducer", "aggregate", "value")
        option = self._option(materialized, "reduce")
        store = self._store(option, "KSTREAM-REDUCE-", option.value or self._grouped.value)
        return self._draw("KSTREAM-REDUCE-", nodes.Reduce(store, reducer), option, named)

    def aggregate(
        self,
        initializer: Callable[[], A],
        aggregator: Callable[[K, V, A], A],
        materialized: Materialized[K, A] | None = None,
        *,
        named: NameLike = None,
    ) -> table.KTable[K, A]:
        """Fold the values of each key with `aggregator(key, value, aggregate)`, beginning with
        `initializer()`; an aggregate of None deletes the row. Java: KGroupedStream.aggregate.

        The aggregator may change the aggregate it is given and return it: what is stored and
        what was sent on before are other objects.
        """
        check_function(initializer, "aggregate's initializer")
        check_function(aggregator, "aggregate's aggregator", "key", "value", "aggregate")
        option = self._option(materialized, "aggregate")
        store = self._store(option, "KSTREAM-AGGREGATE-", option.value)
        operation = nodes.Aggregate(store, initializer, aggregator)
        return self._draw("KSTREAM-AGGREGATE-", operation, option, named)

    @overload
    def windowed_by(
        self, windows: TimeWindows | UnlimitedWindows | SlidingWindows
    ) -> windowed.TimeWindowedKStream[K, V]: ...
    @overload
    def windowed_by(self, windows: SessionWindows) -> windowed.SessionWindowedKStream[K, V]: ...
    def windowed_by(
        self, windows: AnyWindows
    ) -> windowed.TimeWindowedKStream[K, V] | windowed.SessionWindowedKStream[K, V]:
        """Aggregate in windows: TimeWindows, SlidingWindows, SessionWindows or UnlimitedWindows.
        Java: KGroupedStream.windowedBy.
        """
        check_windows(windows)
        if isinstance(windows, SessionWindows):
            return windowed.SessionWindowedKStream(self, windows)
        return windowed.TimeWindowedKStream(self, windows)

    def cogroup(self, aggregator: Callable[[K, V, A], A]) -> cogrouped.CogroupedKStream[K, A]:
        """Begin to aggregate this and other grouped streams into one table; the values of this one
        are folded with `aggregator(key, value, aggregate)`. Java: KGroupedStream.cogroup.
        """
        return cogrouped.CogroupedKStream[K, A](self._graph).cogroup(self, aggregator)

    def _option(self, materialized: Materialized[K, Any] | None, verb: str) -> Materialized[K, Any]:
        if materialized is None:
            return Materialized()
        return check_option(materialized, Materialized, verb)

    def _store(
        self, option: Materialized[K, Any], prefix: str, value: Serde[Any] | None
    ) -> StoreBuilder:
        name = table.store_name(self._graph, option, prefix)
        return table.table_store(option, name, option.key or self._grouped.key, value)

    def _draw(
        self,
        prefix: str,
        operation: nodes.Aggregate | nodes.Reduce,
        option: Materialized[K, Any],
        named: NameLike,
    ) -> table.KTable[K, Any]:
        name = self._graph.names.named_or_next(given_name(named), prefix)
        store = operation.store
        parent, sources = self._repartitioned(store.name, by_user=option.name is not None)
        return table.KTable(
            self._graph,
            self._graph.add(Process(name, table.with_versions(operation, option)), parent),
            key_serde=store.key,
            value_serde=store.value,
            sources=sources,
            queryable_store_name=option.name,
        )

    def _repartitioned(self, store: str, *, by_user: bool) -> tuple[int, frozenset[str]]:
        """Give the step that has all records of a key in one task, and the sources above it.

        `store` names the topic if the grouping does not; `by_user` tells whether it is the user's.
        """
        if not self._repartition_required:
            return self._step, self._sources
        grouped = self._grouped
        called = repartition_names(
            self._graph, grouped.name or store, by_user=by_user or grouped.name is not None
        )
        if self._repartition is None or grouped.name is None:
            topic = Repartition(called, grouped.key, grouped.value)
            self._repartition = self._graph.add(topic, self._step)
        else:
            self._graph.draw_again(self._repartition)
        return self._repartition, frozenset({called.source})


def check_windows(windows: object) -> None:
    """Refuse what a grouped stream cannot be cut into."""
    if isinstance(windows, get_args(AnyWindows)):
        return
    hint = "; JoinWindows are for joins" if isinstance(windows, JoinWindows) else ""
    if isinstance(windows, timedelta | int):
        hint = "; write TimeWindows.of_size(...)"
    msg = (
        "windowed_by takes TimeWindows, SlidingWindows, SessionWindows or UnlimitedWindows; got "
        f"{shown(windows)}{hint}"
    )
    raise TopologyError(msg)
