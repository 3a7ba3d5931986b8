"""KStream: a stream of records, and its verbs.

Long because each method has an example.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from penstock._camel_case import ExplainsCamelCase
from penstock._engine.topology.checks import (
    check_function,
    check_option,
    check_sink_topic,
    check_store_names,
    shown,
    supplied_stores,
)
from penstock._engine.topology.graph import (
    ProcessorDrawing,
    Repartition,
    StreamSink,
    repartition_names,
)
from penstock._engine.topology.nodes import stream_nodes as nodes
from penstock.dsl.grouped import KGroupedStream
from penstock.dsl.handle import GroupedHandle, StreamHandle, handle_of
from penstock.dsl.joins.verbs import StreamJoins
from penstock.dsl.loose_serdes import serdes_belong_in
from penstock.dsl.materialized import is_versioned, store_name, table_store
from penstock.dsl.options import (
    Branched,
    Branches,
    Grouped,
    Materialized,
    NameLike,
    Printed,
    Produced,
    Repartitioned,
    given_name,
)
from penstock.errors import TopologyError
from penstock.processor import (
    FixedKeyProcessorSupplier,
    ProcessorSupplier,
)
from penstock.record import RecordContext
from penstock.serdes import Serde

if TYPE_CHECKING:
    from penstock.dsl.table import KTable

K = TypeVar("K")
V = TypeVar("V")
K2 = TypeVar("K2")
V2 = TypeVar("V2")


class KStream(ExplainsCamelCase, StreamJoins[K, V], Generic[K, V]):
    """An endless stream of records, each a fact of its own. Java: KStream.

    Functions are lambdas, functions or methods. Verbs that may look at the key take `(key, value)`;
    value-only verbs take `value`, their `_with_key` forms `(key, value)`. Every verb takes
    `named=`, the name of its node.

    `orders`, `show` and the other names of the examples: see `help(penstock)`.

    >>> large = orders.filter(lambda customer, amount: amount > 2)
    >>> show(large.map_values(lambda amount: f"{amount} euros"))
    [('ann', '5 euros'), ('ann', '3 euros')]
    """

    __slots__ = ()

    def filter(
        self, predicate: Callable[[K, V], object], *, named: NameLike = None
    ) -> KStream[K, V]:
        """Keep the records for which `predicate(key, value)` is true. Java: KStream.filter.

        >>> show(orders.filter(lambda customer, amount: amount > 2))
        [('ann', 5), ('ann', 3)]
        """
        check_function(predicate, "filter's predicate", "key", "value")
        return self._same(
            self._draw("KSTREAM-FILTER-", nodes.Filter(predicate, keep_when=True), named)
        )

    def filter_not(
        self, predicate: Callable[[K, V], object], *, named: NameLike = None
    ) -> KStream[K, V]:
        """Drop the records for which `predicate(key, value)` is true. Java: KStream.filterNot.

        >>> show(orders.filter_not(lambda customer, amount: amount > 2))
        [('bob', 2)]
        """
        check_function(predicate, "filter_not's predicate", "key", "value")
        return self._same(
            self._draw("KSTREAM-FILTER-", nodes.Filter(predicate, keep_when=False), named)
        )

    def map(
        self, mapper: Callable[[K, V], tuple[K2, V2]], *, named: NameLike = None
    ) -> KStream[K2, V2]:
        """Turn each record into the pair `mapper(key, value)`. Java: KStream.map.

        >>> show(orders.map(lambda customer, amount: (customer.upper(), amount * 10)))
        [('ANN', 50), ('BOB', 20), ('ANN', 30)]
        """
        check_function(mapper, "map's mapper", "key", "value", several="flat_map")
        return self._rekeyed(self._draw("KSTREAM-MAP-", nodes.Map(mapper), named), None)

    def map_values(self, mapper: Callable[[V], V2], *, named: NameLike = None) -> KStream[K, V2]:
        """Replace each value by `mapper(value)`. Java: KStream.mapValues.

        >>> show(orders.map_values(lambda amount: amount * 10))
        [('ann', 50), ('bob', 20), ('ann', 30)]
        """
        check_function(
            mapper,
            "map_values' mapper",
            "value",
            instead="map_values_with_key",
            several="flat_map_values",
        )
        operation = nodes.MapValues(mapper, with_key=False)
        return self._revalued(self._draw("KSTREAM-MAPVALUES-", operation, named))

    def map_values_with_key(
        self, mapper: Callable[[K, V], V2], *, named: NameLike = None
    ) -> KStream[K, V2]:
        """Replace each value by `mapper(key, value)`. Java: KStream.mapValues.

        >>> show(orders.map_values_with_key(lambda customer, amount: f"{customer} pays {amount}"))
        [('ann', 'ann pays 5'), ('bob', 'bob pays 2'), ('ann', 'ann pays 3')]
        """
        check_function(
            mapper,
            "map_values_with_key's mapper",
            "key",
            "value",
            several="flat_map_values_with_key",
        )
        operation = nodes.MapValues(mapper, with_key=True)
        return self._revalued(self._draw("KSTREAM-MAPVALUES-", operation, named))

    def flat_map(
        self, mapper: Callable[[K, V], Iterable[tuple[K2, V2]]], *, named: NameLike = None
    ) -> KStream[K2, V2]:
        """Turn each record into the pairs of `mapper(key, value)`, none or many. Java:
        KStream.flatMap.

        >>> show(orders.flat_map(lambda customer, amount: [(customer, amount), ("all", amount)]))
        [('ann', 5), ('all', 5), ('bob', 2), ('all', 2), ('ann', 3), ('all', 3)]
        """
        check_function(mapper, "flat_map's mapper", "key", "value", returns="several")
        return self._rekeyed(self._draw("KSTREAM-FLATMAP-", nodes.FlatMap(mapper), named), None)

    def flat_map_values(
        self, mapper: Callable[[V], Iterable[V2]], *, named: NameLike = None
    ) -> KStream[K, V2]:
        """Send the record once for each value of `mapper(value)`. Java: KStream.flatMapValues.

        >>> show(orders.flat_map_values(lambda amount: ["coupon"] * (amount // 2)))
        [('ann', 'coupon'), ('ann', 'coupon'), ('bob', 'coupon'), ('ann', 'coupon')]
        """
        check_function(
            mapper,
            "flat_map_values' mapper",
            "value",
            instead="flat_map_values_with_key",
            returns="several",
        )
        operation = nodes.FlatMapValues(mapper, with_key=False)
        return self._revalued(self._draw("KSTREAM-FLATMAPVALUES-", operation, named))

    def flat_map_values_with_key(
        self, mapper: Callable[[K, V], Iterable[V2]], *, named: NameLike = None
    ) -> KStream[K, V2]:
        """Send the record once for each value of `mapper(key, value)`. Java:
        KStream.flatMapValues.

        >>> show(orders.flat_map_values_with_key(lambda customer, amount: [customer[0], amount]))
        [('ann', 'a'), ('ann', 5), ('bob', 'b'), ('bob', 2), ('ann', 'a'), ('ann', 3)]
        """
        check_function(
            mapper, "flat_map_values_with_key's mapper", "key", "value", returns="several"
        )
        operation = nodes.FlatMapValues(mapper, with_key=True)
        return self._revalued(self._draw("KSTREAM-FLATMAPVALUES-", operation, named))

    def select_key(self, mapper: Callable[[K, V], K2], *, named: NameLike = None) -> KStream[K2, V]:
        """Replace each key by `mapper(key, value)`. Java: KStream.selectKey.

        >>> show(orders.select_key(lambda customer, amount: "large" if amount > 2 else "small"))
        [('large', 5), ('small', 2), ('large', 3)]
        """
        check_function(mapper, "select_key's mapper", "key", "value")
        step = self._draw("KSTREAM-KEY-SELECT-", nodes.SelectKey(mapper), named)
        return self._rekeyed(step, self._handle.value_serde)

    def peek(self, action: Callable[[K, V], object], *, named: NameLike = None) -> KStream[K, V]:
        """Call `action(key, value)` for its effect and pass the record on. Java: KStream.peek.

        >>> seen = []
        >>> show(orders.peek(lambda customer, amount: seen.append(customer)))
        [('ann', 5), ('bob', 2), ('ann', 3)]
        >>> seen
        ['ann', 'bob', 'ann']
        """
        check_function(action, "peek's action", "key", "value", returns="anything")
        return self._same(self._draw("KSTREAM-PEEK-", nodes.Peek(action, end=False), named))

    def for_each(self, action: Callable[[K, V], object], *, named: NameLike = None) -> None:
        """Call `action(key, value)` for its effect; the stream ends here. Java: KStream.foreach.

        >>> orders.for_each(lambda customer, amount: print(customer, amount))
        >>> with driver_of(builder.build()):
        ...     pass
        ann 5
        bob 2
        ann 3
        """
        check_function(action, "for_each's action", "key", "value", returns="anything")
        self._draw("KSTREAM-FOREACH-", nodes.Peek(action, end=True), named)

    def print(self, printed: Printed[K, V] | None = None) -> None:
        """Write each record as a line, `[label]: key, value`; the stream ends here. Java:
        KStream.print.

        >>> orders.print(Printed.to_sys_out(label="orders"))
        >>> with driver_of(builder.build()):
        ...     pass
        [orders]: ann, 5
        [orders]: bob, 2
        [orders]: ann, 3
        """
        option = (
            Printed.to_sys_out() if printed is None else check_option(printed, Printed, "print")
        )
        operation = nodes.Print(option.label or self._handle.node_name, option.file, option.mapper)
        self._draw("KSTREAM-PRINTER-", operation, option.name)

    def split(self, *, named: NameLike = None) -> BranchedKStream[K, V]:
        """Begin to split into branches; each record takes the first that wants it. Java:
        KStream.split.

        >>> branches = orders.split(named="by-").branch(
        ...     lambda customer, amount: amount > 2, Branched("large")
        ... ).default_branch(Branched("small"))
        >>> show(branches["by-large"])
        [('ann', 5), ('ann', 3)]
        """
        return BranchedKStream(self._handle, self._draw("KSTREAM-BRANCH-", nodes.Branch(), named))

    def merge(self, other: KStream[K, V], *, named: NameLike = None) -> KStream[K, V]:
        """Send the records of both streams, in the order they come. Java: KStream.merge.

        >>> show(orders.merge(payments))
        [('ann', 5), ('bob', 2), ('ann', 3), ('ann', 5), ('cy', 7)]
        """
        handle, right = self._handle, handle_of(other, StreamHandle)
        if right is None:
            msg = f"merge takes another KStream; got {shown(other)}"
            raise TopologyError(msg)
        if right.graph is not handle.graph:
            msg = (
                "merge takes a stream of the same StreamsBuilder; got one of another builder; "
                "make both with one"
            )
            raise TopologyError(msg)
        step = self._draw("KSTREAM-MERGE-", nodes.PassThrough(merges=True), named, right.step)
        return KStream(
            handle.then(
                step,
                key_serde=None,
                value_serde=None,
                sources=handle.sources | right.sources,
                repartition_required=handle.repartition_required or right.repartition_required,
            )
        )

    def repartition(self, repartitioned: Repartitioned[K, V] | None = None) -> KStream[K, V]:
        """Send the stream through a topic of its own, so that records meet by key. Java:
        KStream.repartition.

        Records without a key are filtered out, silently, as in Java.

        >>> by_size = orders.select_key(lambda customer, amount: "large" if amount > 2 else "small")
        >>> show(by_size.repartition(Repartitioned("by-size", value=number)))
        [('large', 5), ('small', 2), ('large', 3)]
        """
        option = (
            Repartitioned[K, V]()
            if repartitioned is None
            else check_option(repartitioned, Repartitioned, "repartition")
        )
        handle = self._handle
        prefix = option.name or handle.graph.names.processor("KSTREAM-REPARTITION-")
        called = repartition_names(handle.graph, prefix, by_user=option.name is not None)
        value_serde = option.value or handle.value_serde
        topic = Repartition(
            called,
            option.key,  # Java takes only the one given here, not the stream's own, for the topic.
            value_serde,
            option.partitions,
            option.partitioner,
            mergeable=False,
        )
        return KStream(
            handle.then(
                handle.add(topic),
                key_serde=option.key or handle.key_serde,
                value_serde=value_serde,
                sources=frozenset({called.source}),
                repartition_required=False,
            )
        )

    @serdes_belong_in(Produced)
    def to(
        self,
        topic: str | Callable[[K, V, RecordContext], str],
        produced: Produced[K, V] | None = None,
    ) -> None:
        """Write the stream to a topic, or to the one that `topic(key, value, record_context)`
        names. Java: KStream.to.

        >>> orders.to("copies")
        >>> show("copies")
        [('ann', 5), ('bob', 2), ('ann', 3)]
        """
        check_sink_topic(topic)
        option = Produced[K, V]() if produced is None else check_option(produced, Produced, "to")
        handle = self._handle
        sink = StreamSink(
            name=handle.name(option.name, "KSTREAM-SINK-"),
            topic=topic,
            key_serde=option.key or handle.key_serde,
            value_serde=option.value or handle.value_serde,
            partitioner=option.partitioner,
        )
        handle.add(sink)

    def group_by_key(self, grouped: Grouped[K, V] | None = None) -> KGroupedStream[K, V]:
        """Group the records by their key, to be aggregated. Java: KStream.groupByKey.

        >>> show(orders.group_by_key().count(Materialized("orders-per-customer")))
        [('ann', 1), ('bob', 1), ('ann', 2)]
        """
        handle = self._handle
        option = (
            Grouped(key=handle.key_serde, value=handle.value_serde)
            if grouped is None
            else check_option(grouped, Grouped, "group_by_key")
        )
        return self._grouped(handle.step, option, repartition_required=handle.repartition_required)

    def group_by(
        self, selector: Callable[[K, V], K2], grouped: Grouped[K2, V] | None = None
    ) -> KGroupedStream[K2, V]:
        """Group the records by the key `selector(key, value)`, to be aggregated. Java:
        KStream.groupBy.

        >>> sizes = orders.group_by(lambda customer, amount: "large" if amount > 2 else "small")
        >>> show(sizes.count(Materialized("orders-per-size")))
        [('large', 1), ('small', 1), ('large', 2)]
        """
        check_function(selector, "group_by's selector", "key", "value")
        option = (
            Grouped[K2, V](value=self._handle.value_serde)
            if grouped is None
            else check_option(grouped, Grouped, "group_by")
        )
        step = self._draw("KSTREAM-KEY-SELECT-", nodes.SelectKey(selector), option.name)
        return self._grouped(step, option, repartition_required=True)

    def to_table(
        self, materialized: Materialized[K, V] | None = None, *, named: NameLike = None
    ) -> KTable[K, V]:
        """Take the records as changes of a table: the latest value of each key, None deletes. Java:
        KStream.toTable.

        >>> last = orders.to_table(Materialized("last-order", key=text, value=number))
        >>> with driver_of(builder.build()) as driver:
        ...     list(driver.get_key_value_store("last-order").all())
        [('ann', 3), ('bob', 2)]
        """
        handle = self._handle
        name = handle.name(named, "KSTREAM-TOTABLE-")
        option = (
            Materialized(key=handle.key_serde, value=handle.value_serde)
            if materialized is None
            else check_option(materialized, Materialized, "to_table")
        )
        kept_in = store_name(handle.graph, option, "KSTREAM-TOTABLE-")
        key_serde = option.key or handle.key_serde
        value_serde = option.value or handle.value_serde
        step, sources = handle.step, handle.sources
        if handle.repartition_required:
            called = repartition_names(handle.graph, name, by_user=named is not None)
            step = handle.add(Repartition(called, key_serde, value_serde))
            sources = frozenset({called.source})
        # Java takes only the serdes given here, not the stream's own, for the store.
        store = table_store(option, kept_in, option.key, option.value)
        operation = nodes.TableSource(
            store,
            is_materialized=option.name is not None,
            is_versioned=is_versioned(option),
        )
        return handle.table(
            handle.graph.add(ProcessorDrawing(name, operation), step),
            key_serde=key_serde,
            value_serde=value_serde,
            sources=sources,
            queryable_store_name=option.name,
        )

    def process(
        self,
        supplier: ProcessorSupplier[K, V, K2, V2],
        *,
        named: NameLike = None,
        state_stores: Iterable[str] = (),
    ) -> KStream[K2, V2]:
        """Process each record with a processor of your own. Java: KStream.process.

        It may use `state_stores`, by their names, and the stores of its supplier's `stores()`.

        >>> class Total(Processor):
        ...     total = 0
        ...     def process(self, record):
        ...         self.total += record.value
        ...         self.context.forward(record.with_key("total").with_value(self.total))
        >>> show(orders.process(Total))
        [('total', 5), ('total', 7), ('total', 10)]
        """
        operation = nodes.UserProcessor.of(supplier)
        if operation.fixed_key:
            msg = (
                "process takes a supplier of Processor; got one of FixedKeyProcessor; use "
                "process_values"
            )
            raise TopologyError(msg)
        return self._rekeyed(
            self._draw_processor("KSTREAM-PROCESSOR-", operation, named, state_stores), None
        )

    def process_values(
        self,
        supplier: FixedKeyProcessorSupplier[K, V, V2],
        *,
        named: NameLike = None,
        state_stores: Iterable[str] = (),
    ) -> KStream[K, V2]:
        """Process each record with a processor that keeps the key, so no repartitioning follows.
        Java: KStream.processValues.

        >>> class Minute(FixedKeyProcessor):
        ...     def process(self, record):
        ...         self.context.forward(record.with_value(record.timestamp // 60_000))
        >>> show(orders.process_values(Minute))
        [('ann', 0), ('bob', 1), ('ann', 4)]
        """
        operation = nodes.UserProcessor.of(supplier)
        if not operation.fixed_key:
            msg = (
                "process_values takes a supplier of FixedKeyProcessor; got one of Processor; use "
                "process"
            )
            raise TopologyError(msg)
        return self._revalued(
            self._draw_processor("KSTREAM-PROCESSVALUES-", operation, named, state_stores)
        )

    def _draw(
        self, prefix: str, operation: nodes.Operation, named: NameLike, *other_parents: int
    ) -> int:
        name = self._handle.name(named, prefix)
        return self._handle.add(ProcessorDrawing(name, operation), *other_parents)

    def _draw_processor(
        self,
        prefix: str,
        operation: nodes.UserProcessor,
        named: NameLike,
        state_stores: Iterable[str],
    ) -> int:
        stores, supplied = check_store_names(state_stores), supplied_stores(operation.supplier)
        # Unlike every other verb, a named processor uses up no number.
        name = given_name(named) or self._handle.graph.names.processor(prefix)
        return self._handle.add(ProcessorDrawing(name, operation, stores, supplied))

    def _grouped(
        self, step: int, option: Grouped[Any, Any], *, repartition_required: bool
    ) -> KGroupedStream[Any, Any]:
        graph, new_table, sources = self._handle.graph, self._handle.new_table, self._handle.sources
        return KGroupedStream(
            GroupedHandle(graph, step, new_table, option, sources, repartition_required)
        )

    def _same(self, step: int) -> KStream[K, V]:
        return KStream(_same(self._handle, step))

    def _revalued(self, step: int) -> KStream[K, Any]:
        handle = self._handle
        return KStream(
            handle.then(
                step,
                key_serde=handle.key_serde,
                value_serde=None,
                repartition_required=handle.repartition_required,
            )
        )

    def _rekeyed(self, step: int, value_serde: Serde[Any] | None) -> KStream[Any, Any]:
        return KStream(
            self._handle.then(
                step, key_serde=None, value_serde=value_serde, repartition_required=True
            )
        )


class BranchedKStream(ExplainsCamelCase, Generic[K, V]):
    """A stream being split. Java: BranchedKStream.

    Branch names are the split's name followed by the branch's, or by its number; the default branch
    has number 0.

    >>> split = orders.split(named="by-").branch(lambda customer, amount: amount > 2)
    >>> list(split.default_branch(Branched("small")))
    ['by-1', 'by-small']
    """

    __slots__ = ("_branches", "_operation", "_source", "_step")

    def __init__(self, source: StreamHandle, step: int) -> None:
        self._source = source
        self._step = step
        self._operation = nodes.Branch()
        self._branches: dict[str, KStream[Any, Any]] = Branches(
            source.graph.steps[step].drawing.name
        )

    def branch(
        self, predicate: Callable[[K, V], object], branched: Branched[K, V] | None = None
    ) -> BranchedKStream[K, V]:
        """Send the records for which `predicate(key, value)` is the first to be true. Java:
        BranchedKStream.branch.

        >>> split = orders.split(named="by-")
        >>> split = split.branch(lambda customer, amount: amount > 2, Branched("large"))
        >>> show(split.no_default_branch()["by-large"])
        [('ann', 5), ('ann', 3)]
        """
        check_function(predicate, "branch's predicate", "key", "value")
        predicates = (*self._operation.predicates, predicate)
        option = self._option(branched, "branch")
        self._add(predicates, len(predicates), option)
        return self

    def default_branch(self, branched: Branched[K, V] | None = None) -> dict[str, KStream[K, V]]:
        """Send the records that no predicate wanted, and end the split. Java:
        BranchedKStream.defaultBranch.

        >>> split = orders.split(named="by-").branch(lambda customer, amount: amount > 2)
        >>> show(split.default_branch(Branched("small"))["by-small"])
        [('bob', 2)]
        """
        self._add(self._operation.predicates, 0, self._option(branched, "default_branch"))
        return self._branches

    def no_default_branch(self) -> dict[str, KStream[K, V]]:
        """End the split; records that no predicate wanted are dropped. Java:
        BranchedKStream.noDefaultBranch.

        >>> split = orders.split(named="by-").branch(lambda customer, amount: amount > 2)
        >>> list(split.no_default_branch())
        ['by-1']
        """
        return self._branches

    def _option(self, branched: Branched[K, V] | None, verb: str) -> Branched[K, V]:
        return Branched[K, V]() if branched is None else check_option(branched, Branched, verb)

    def _add(
        self,
        predicates: tuple[Callable[..., object], ...],
        number: int,
        option: Branched[K, V],
    ) -> None:
        graph = self._source.graph
        splitter = graph.steps[self._step].drawing.name
        name = f"{splitter}{number if option.name is None else option.name}"
        graph.names.processor(name)  # Java uses up a number for each branch
        self._operation = nodes.Branch(predicates, (*self._operation.children, name))
        graph.redraw(self._step, ProcessorDrawing(splitter, self._operation))
        step = graph.add(ProcessorDrawing(name, nodes.PassThrough()), self._step)
        stream: KStream[Any, Any] = KStream(_same(self._source, step))
        if option.consumer is not None:
            option.consumer(stream)
            return
        result = stream if option.function is None else option.function(stream)
        if result is None:
            return
        if not isinstance(result, KStream):
            msg = f"a branch's function must give a KStream or None; got {shown(result)}"
            raise TopologyError(msg)
        self._branches[name] = result


def _same(stream: StreamHandle, step: int) -> StreamHandle:
    """Return the same records behind another step."""
    return stream.then(
        step,
        key_serde=stream.key_serde,
        value_serde=stream.value_serde,
        repartition_required=stream.repartition_required,
    )
