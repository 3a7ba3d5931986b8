"""Grouped streams in windows, and their aggregations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

from penstock._camel_case import ExplainsCamelCase, ExplainsJavaNames
from penstock._durations import Duration
from penstock._engine.topology.checks import check_function, check_option, check_sink_topic
from penstock._engine.topology.graph import ProcessorDrawing, StreamSink
from penstock._engine.topology.nodes.counting import count_one, nothing_counted
from penstock.dsl.handle import GroupedHandle
from penstock.dsl.materialized import store_name
from penstock.dsl.options import Materialized, NameLike, Produced, check_duration
from penstock.dsl.windowed_aggregation import (
    AggregateFunctions,
    windowed_key_serde,
    windowed_operation,
    windowed_option,
    windowed_store,
)
from penstock.errors import TopologyError
from penstock.record import RecordContext
from penstock.serdes import Serde
from penstock.serdes import long as long_serde
from penstock.windowed import Windowed
from penstock.windows import AnyWindows, SlidingWindows, UnlimitedWindows

if TYPE_CHECKING:
    from penstock.dsl.table import KTable

K = TypeVar("K")
V = TypeVar("V")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class EmitStrategy(ExplainsCamelCase, metaclass=ExplainsJavaNames):
    """When a window's result comes out: `EmitStrategy.on_window_update()`, with each record, or
    `EmitStrategy.on_window_close()`, once. Java: EmitStrategy.

    >>> counted = by_customer.windowed_by(two_minutes)
    >>> counted = counted.emit_strategy(EmitStrategy.on_window_close())
    >>> show(counted.count(Materialized("counts", retention=timedelta(hours=1))))
    [('[ann@0/120000]', 1), ('[bob@0/120000]', 1)]
    """

    _java_names: ClassVar[dict[str, str]] = {
        "onWindowUpdate": "on_window_update()",
        "onWindowClose": "on_window_close()",
    }

    on_close: bool
    idle_after_ms: int | None = None

    @classmethod
    def on_window_update(cls) -> EmitStrategy:
        """Emit the result of a window whenever it changes: the default. Java:
        EmitStrategy.onWindowUpdate.

        >>> counted = by_customer.windowed_by(two_minutes)
        >>> counted = counted.emit_strategy(EmitStrategy.on_window_update())
        >>> show(counted.count(Materialized("counts")))
        [('[ann@0/120000]', 1), ('[bob@0/120000]', 1), ('[ann@240000/360000]', 1)]
        """
        return cls(on_close=False)

    @classmethod
    def on_window_close(cls, *, idle_after: Duration | None = None) -> EmitStrategy:
        """Emit the result of a window only once, when it takes no more records. Java:
        EmitStrategy.onWindowClose.

        Windows close with stream time, which stands still where no record comes. With `idle_after`
        it goes on: once a task has had no record for that long, its windows close as if stream time
        had moved on with the wall clock since its last record; a record behind that time is late
        then. Java has no such thing.

        A window is kept for its size and grace. Where stream time jumps further in one step, its
        result is lost, as in Java: pass Materialized(retention=...) if a stream has such gaps.

        >>> counted = by_customer.windowed_by(two_minutes)
        >>> counted = counted.emit_strategy(EmitStrategy.on_window_close())
        >>> show(counted.count(Materialized("counts", retention=timedelta(hours=1))))
        [('[ann@0/120000]', 1), ('[bob@0/120000]', 1)]
        """
        if idle_after is None:
            return cls(on_close=True)
        idle_after_ms = check_duration(idle_after, "EmitStrategy.on_window_close: idle_after")
        if idle_after_ms < 1:
            msg = (
                "EmitStrategy.on_window_close: idle_after must be at least 1 ms; got "
                f"{idle_after!s}; pass how long to wait for a record, as in "
                "on_window_close(idle_after=timedelta(minutes=1)), or leave it out to wait for ever"
            )
            raise TopologyError(msg)
        return cls(on_close=True, idle_after_ms=idle_after_ms)


class _WindowedKStream(ExplainsCamelCase, Generic[K, V]):
    """The part that streams in windows of all kinds share."""

    __slots__ = ("_emit", "_grouped", "_late", "_windows")

    def __init__(self, grouped: GroupedHandle, windows: AnyWindows) -> None:
        self._grouped = grouped
        self._windows = windows
        self._emit = EmitStrategy.on_window_update()
        self._late: tuple[Any, Produced[Any, Any]] | None = None

    def emit_strategy(self, strategy: EmitStrategy) -> Self:
        """Say when results come out: with each record, or when a window closes. Java:
        TimeWindowedKStream.emitStrategy, SessionWindowedKStream.emitStrategy.

        Like Java's it changes this object, and returns it.

        >>> counted = by_customer.windowed_by(two_minutes)
        >>> counted = counted.emit_strategy(EmitStrategy.on_window_close())
        >>> show(counted.count(Materialized("counts", retention=timedelta(hours=1))))
        [('[ann@0/120000]', 1), ('[bob@0/120000]', 1)]
        """
        self._emit = check_option(strategy, EmitStrategy, "emit_strategy")
        return self

    def late_to(
        self,
        topic: str | Callable[[K, V, RecordContext], str],
        produced: Produced[K, V] | None = None,
    ) -> Self:
        """Write records that come too late to a topic: with their key, value, timestamp and
        headers, and three headers more that say which operator, which windows and what stream time
        it was. Java has no such thing: there they are only counted.

        A record is written once, even if it is too late for several windows. Like `emit_strategy`
        it changes this object, and returns it.

        >>> amounts = orders.merge(payments).group_by_key(Grouped(key=text, value=number))
        >>> counts = amounts.windowed_by(two_minutes).late_to("late").count(Materialized("counts"))
        >>> show("late")  # ann's payment of minute 2 comes after minute 4 has begun
        [('ann', 5)]
        """
        check_sink_topic(topic)
        option = (
            Produced[K, V]() if produced is None else check_option(produced, Produced, "late_to")
        )
        self._late = (topic, option)
        return self

    def count(
        self, materialized: Materialized[K, int] | None = None, *, named: NameLike = None
    ) -> KTable[Windowed[K], int]:
        """Count the records of each key and window. Java: TimeWindowedKStream.count,
        SessionWindowedKStream.count.

        >>> show(by_customer.windowed_by(five_minutes).count(Materialized("counts")))
        [('[ann@0/300000]', 1), ('[bob@0/300000]', 1), ('[ann@0/300000]', 2)]
        """
        option = windowed_option(materialized, "count")
        if (
            materialized is not None
            and option.name is None
            and not isinstance(self._windows, SlidingWindows)
        ):
            self._grouped.graph.names.store("KSTREAM-AGGREGATE-")  # Java uses up a number here
        functions = AggregateFunctions(nothing_counted, count_one, _add)
        value = option.value or long_serde()
        return self._draw("KSTREAM-AGGREGATE-", functions, option, value, named)

    def reduce(
        self,
        reducer: Callable[[V, V], V],
        materialized: Materialized[K, V] | None = None,
        *,
        named: NameLike = None,
    ) -> KTable[Windowed[K], V]:
        """Fold the values of each key and window with `reducer(aggregate, value)`, beginning with
        the first value. Java: TimeWindowedKStream.reduce, SessionWindowedKStream.reduce.

        >>> show(by_customer.windowed_by(five_minutes).reduce(max, Materialized("largest")))
        [('[ann@0/300000]', 5), ('[bob@0/300000]', 2), ('[ann@0/300000]', 5)]
        """
        check_function(reducer, "reduce's reducer", "aggregate", "value")
        option = windowed_option(materialized, "reduce")

        def fold(_key: Any, value: Any, aggregate: Any) -> Any:
            return value if aggregate is None else reducer(aggregate, value)

        def merge(_key: Any, one: Any, other: Any) -> Any:
            return other if one is None else reducer(one, other)

        value = option.value or self._grouped.grouped.value
        functions = AggregateFunctions(_nothing, fold, merge)
        return self._draw("KSTREAM-REDUCE-", functions, option, value, named)

    def _draw(
        self,
        prefix: str,
        functions: AggregateFunctions,
        option: Materialized[Any, Any],
        value: Serde[Any] | None,
        named: NameLike,
    ) -> KTable[Windowed[K], Any]:
        grouped, windows, emit = self._grouped, self._windows, self._emit
        store = windowed_store(
            windows,
            option,
            store_name(grouped.graph, option, prefix),
            (option.key or grouped.grouped.key, value),
            emits_on_close=emit.on_close,
        )
        name = grouped.name(named, prefix)
        parent, sources = grouped.repartitioned(store.name, by_user=option.name is not None)
        operation = windowed_operation(
            windows,
            store,
            functions,
            emits_on_close=emit.on_close,
            idle_after_ms=emit.idle_after_ms,
        )
        sink = self._late_sink(name)
        if sink is not None:
            operation = replace(operation, late_to=sink.name)
        step = grouped.graph.add(ProcessorDrawing(name, operation), parent)
        if sink is not None:
            grouped.graph.add(sink, step)
        return grouped.table(
            step,
            key_serde=windowed_key_serde(windows, store.key),
            value_serde=store.value,
            sources=sources,
            queryable_store_name=option.name,
        )

    def _late_sink(self, name: str) -> StreamSink | None:
        """Return the sink of late records. It uses up no number: all others keep their names."""
        if self._late is None:
            return None
        topic, option = self._late
        grouped = self._grouped.grouped
        return StreamSink(
            name=option.name or f"{name}-late",
            topic=topic,
            key_serde=option.key or grouped.key,
            value_serde=option.value or grouped.value,
            partitioner=option.partitioner,
        )


class TimeWindowedKStream(_WindowedKStream[K, V]):
    """A grouped stream in windows of time or sliding windows, to be aggregated. Java:
    TimeWindowedKStream.

    A record that is too late for a window is dropped and counted; `late_to` sends it to a topic. A
    record without a key is dropped; one without a value only in sliding windows.

    >>> from penstock import Consumed, Materialized, StreamsBuilder, TimeWindows, serdes
    >>> from penstock.testing import TopologyTestDriver
    >>> builder, text = StreamsBuilder(), serdes.string()
    >>> views = builder.stream("views", Consumed(key=text, value=text)).group_by_key()
    >>> minutes = views.windowed_by(TimeWindows.of_size(60_000))
    >>> minutes.count(Materialized("counts")).to_stream().to("counts")
    >>> with TopologyTestDriver(builder.build()) as driver:
    ...     topic = driver.create_input_topic("views", text, text)
    ...     topic.pipe_input("home", "ann", timestamp=5_000)
    ...     topic.pipe_input("home", "bob", timestamp=70_000)
    ...     keys = serdes.time_windowed(text, 60_000)
    ...     counts = driver.create_output_topic("counts", keys, serdes.long())
    ...     [(str(record.key), record.value) for record in counts.read_records()]
    [('[home@0/60000]', 1), ('[home@60000/120000]', 1)]
    """

    __slots__ = ()

    def emit_strategy(self, strategy: EmitStrategy) -> Self:
        if isinstance(self._windows, UnlimitedWindows) and getattr(strategy, "on_close", False):
            msg = (
                "emit_strategy(on_window_close()) must have windows that close; got "
                "UnlimitedWindows, which never do; use TimeWindows, or on_window_update()"
            )
            raise TopologyError(msg)
        return super().emit_strategy(strategy)

    emit_strategy.__doc__ = _WindowedKStream.emit_strategy.__doc__

    def aggregate(
        self,
        initializer: Callable[[], A],
        aggregator: Callable[[K, V, A], A],
        materialized: Materialized[K, A] | None = None,
        *,
        named: NameLike = None,
    ) -> KTable[Windowed[K], A]:
        """Fold the values of each key and window with `aggregator(key, value, aggregate)`,
        beginning with `initializer()`; an aggregate of None deletes the row. Java:
        TimeWindowedKStream.aggregate.

        >>> amounts = by_customer.windowed_by(five_minutes)
        >>> show(amounts.aggregate(list, lambda customer, amount, all: [*all, amount]))
        [('[ann@0/300000]', [5]), ('[bob@0/300000]', [2]), ('[ann@0/300000]', [5, 3])]
        """
        check_function(initializer, "aggregate's initializer")
        check_function(aggregator, "aggregate's aggregator", "key", "value", "aggregate")
        option = windowed_option(materialized, "aggregate")
        functions = AggregateFunctions(initializer, aggregator)
        return self._draw("KSTREAM-AGGREGATE-", functions, option, option.value, named)


class SessionWindowedKStream(_WindowedKStream[K, V]):
    """A grouped stream in sessions, to be aggregated. Java: SessionWindowedKStream.

    When a record joins sessions into one, the earlier ones are deleted: their keys are sent with
    None. A record that is too late is dropped and counted; `late_to` sends it to a topic.

    >>> from penstock import Consumed, Materialized, SessionWindows, StreamsBuilder, serdes
    >>> from penstock.testing import TopologyTestDriver
    >>> builder, text = StreamsBuilder(), serdes.string()
    >>> clicks = builder.stream("clicks", Consumed(key=text, value=text)).group_by_key()
    >>> sessions = clicks.windowed_by(SessionWindows.of_inactivity_gap(30_000))
    >>> sessions.count(Materialized("clicks")).to_stream().to("sessions")
    >>> with TopologyTestDriver(builder.build()) as driver:
    ...     topic = driver.create_input_topic("clicks", text, text)
    ...     topic.pipe_input("ann", "home", timestamp=0)
    ...     topic.pipe_input("ann", "cart", timestamp=20_000)
    ...     keys = serdes.session_windowed(text)
    ...     sessions = driver.create_output_topic("sessions", keys, serdes.long())
    ...     [(str(record.key), record.value) for record in sessions.read_records()]
    [('[ann@0/0]', 1), ('[ann@0/0]', None), ('[ann@0/20000]', 2)]
    """

    __slots__ = ()

    def aggregate(
        self,
        initializer: Callable[[], A],
        aggregator: Callable[[K, V, A], A],
        merger: Callable[[K, A, A], A],
        materialized: Materialized[K, A] | None = None,
        *,
        named: NameLike = None,
    ) -> KTable[Windowed[K], A]:
        """Fold the values of each key and session with `aggregator(key, value, aggregate)`,
        beginning with `initializer()`; the aggregates of sessions that become one are joined with
        `merger(key, one, other)`. Java: SessionWindowedKStream.aggregate.

        >>> visits = by_customer.windowed_by(SessionWindows.of_inactivity_gap(timedelta(minutes=5)))
        >>> show(visits.aggregate(
        ...     int,
        ...     lambda customer, amount, total: total + amount,
        ...     lambda customer, one, other: one + other,
        ... ))
        [('[ann@0/0]', 5), ('[bob@60000/60000]', 2), ('[ann@0/0]', None), ('[ann@0/240000]', 8)]
        """
        check_function(initializer, "aggregate's initializer")
        check_function(aggregator, "aggregate's aggregator", "key", "value", "aggregate")
        check_function(merger, "aggregate's merger", "key", "one", "other")
        option = windowed_option(materialized, "aggregate")
        functions = AggregateFunctions(initializer, aggregator, merger)
        return self._draw("KSTREAM-AGGREGATE-", functions, option, option.value, named)


def _nothing() -> None:
    return None


def _add(_key: object, one: int, other: int) -> int:
    return one + other
