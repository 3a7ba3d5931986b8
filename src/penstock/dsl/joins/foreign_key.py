"""The foreign-key join of two tables: ten nodes, two topics and a store. Java:
KTableImpl.doJoinOnForeignKey; `foreign_key_nodes.py` shows how the nodes work together.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock._engine.topology.checks import check_function, check_option, takes
from penstock._engine.topology.graph import Graph, ProcessorDrawing, StreamSink, StreamSource
from penstock._engine.topology.nodes import foreign_key_nodes as nodes
from penstock._engine.topology.nodes.stream_nodes import AnyFunction, TableSource
from penstock._engine.topology.nodes.views import StoredRows
from penstock._engine.topology.rewrites.table_needs import (
    Ask,
    send_old_values,
    table_operation,
    table_view,
)
from penstock._names import check_name
from penstock.dsl.handle import TableHandle
from penstock.dsl.joins.table_table import TableJoinKind, join_tables, table_of_same_builder
from penstock.dsl.materialized import store_name, table_store, with_versions
from penstock.dsl.options import Materialized, NameLike, TableJoined
from penstock.errors import StreamsError, TopologyError
from penstock.serdes import bytes as bytes_serde
from penstock.serdes.foreign_key import AnswerKeySerde, AnswerSerde
from penstock.stores import StoreBuilder
from penstock.stores._builders import store_builder

if TYPE_CHECKING:
    from penstock.dsl.table import KTable

_PREFIX = "KTABLE-FK-JOIN-"


@dataclass(frozen=True, slots=True)
class ForeignKeyJoin:
    """The arguments of a foreign-key join."""

    verb: str
    extractor: Callable[..., Any]
    joiner: Callable[..., Any]
    table_joined: TableJoined[Any, Any]
    materialized: Materialized[Any, Any]
    keeps_left: bool


@dataclass(frozen=True, slots=True)
class _Names:
    """The names of all that belongs to a join, in the order in which Java numbers them."""

    subscription_topic: str
    subscribe: str
    subscription_sink: str
    subscription_source: str
    store: str
    keep: str
    answer_subscription: str
    answer_subscribers: str
    answer_topic: str
    answer_sink: str
    answer_source: str
    resolve: str
    result: str


def join_by_either_key(
    left: TableHandle,
    other: object,
    arguments: tuple[Any, ...],
    options: dict[str, Any],
    kind: TableJoinKind,
) -> KTable[Any, Any]:
    """Draw `join` or `left_join`: by foreign key if an extractor stands before the joiner."""

    def by_key(
        joiner: Any, materialized: Materialized[Any, Any] | None = None, *, named: NameLike = None
    ) -> KTable[Any, Any]:
        return join_tables(left, other, joiner, kind, materialized=materialized, named=named)

    def by_foreign_key(
        foreign_key_extractor: Any,
        joiner: Any,
        table_joined: Any = None,
        materialized: Materialized[Any, Any] | None = None,
    ) -> KTable[Any, Any]:
        if isinstance(table_joined, Materialized) and materialized is None:
            # As in Java, either may be left out: their types tell them apart.
            table_joined, materialized = None, table_joined
        join = ForeignKeyJoin(
            kind.verb,
            foreign_key_extractor,
            joiner,
            TableJoined() if table_joined is None else table_joined,
            Materialized() if materialized is None else materialized,
            kind.keeps_left,
        )
        return foreign_key_join(left, other, join)

    has_extractor = (
        "foreign_key_extractor" in options
        or "table_joined" in options
        or (len(arguments) >= 1 and "joiner" in options)
        or (len(arguments) >= 2 and callable(arguments[1]))
    )
    draw = by_foreign_key if has_extractor else by_key
    try:
        inspect.signature(draw).bind(*arguments, **options)
    except TypeError as error:
        msg = (
            f"{kind.verb} of a table takes (other, joiner, materialized, named=...), or by foreign "
            "key (other, foreign_key_extractor, joiner, table_joined, materialized); got "
            f"{error}"
        )
        raise TopologyError(msg) from None
    return draw(*arguments, **options)


def foreign_key_join(left: TableHandle, other: object, join: ForeignKeyJoin) -> KTable[Any, Any]:
    """Draw the join of each row of `left` with the row of `other` that it refers to."""
    right = table_of_same_builder(left, other, join.verb)
    _check(join)
    graph = left.graph
    send_old_values(graph, right.step, Ask.ALWAYS)
    send_old_values(graph, left.step, Ask.ALWAYS)
    called = _names(graph, join.table_joined.name)
    graph.internal_topics += (called.subscription_topic, called.answer_topic)
    if join.table_joined.name is None:
        for name in (called.subscription_topic, called.answer_topic, called.store):
            graph.unnamed_joins.append(name)
    answers = _draw_right_side(left, right, join, called)
    name = store_name(graph, join.materialized, f"{_PREFIX}OUTPUT-")
    resolve = nodes.ResolveAnswer(
        left=_reading(left),
        joiner=join.joiner,
        keeps_left=join.keeps_left,
        topic=called.subscription_topic,
        answer_topic=called.answer_topic,
        right_value_serde=right.value_serde,
    )
    resolved = graph.add(
        ProcessorDrawing(called.resolve, resolve, resolve.left.view.stores()), answers
    )
    option = join.materialized
    store = table_store(option, name, option.key or left.key_serde, option.value)
    result = with_versions(TableSource(store, is_materialized=option.name is not None), option)
    return left.table(
        graph.add(ProcessorDrawing(called.result, result), resolved),
        key_serde=left.key_serde,
        value_serde=option.value,
        sources=left.sources | {called.answer_source},
        queryable_store_name=name,  # Java has one even where no store is made
    )


def _draw_right_side(
    left: TableHandle,
    right: TableHandle,
    join: ForeignKeyJoin,
    called: _Names,
) -> int:
    """Draw everything up to the source of the answers, and return its step."""
    graph = left.graph
    subscriptions = _draw_subscriptions(left, right, join, called)
    # As in Java, only the results are kept as the user says.
    store = store_builder(
        called.store, bytes_serde(), bytes_serde(), kind="subscriptions", engine="rocksdb"
    )
    keep = nodes.KeepSubscriptions(store, called.subscription_topic, right.key_serde)
    kept = graph.add(ProcessorDrawing(called.keep, keep), subscriptions)
    partitioner = join.table_joined.partitioner
    answer = nodes.AnswerSubscription(
        right=_reading(right),
        topic=called.subscription_topic,
        answer_topic=called.answer_topic,
        key_serde=left.key_serde,
        decodes_keys=partitioner is not None,
    )
    step = ProcessorDrawing(called.answer_subscription, answer, answer.right.view.stores())
    answered = graph.add(step, kept)
    all_answered = graph.add(
        ProcessorDrawing(
            called.answer_subscribers, _answer_subscribers(left, right, called, store, answer)
        ),
        right.step,
    )
    sink = StreamSink(
        name=called.answer_sink,
        topic=called.answer_topic,
        key_serde=AnswerKeySerde(left.key_serde) if partitioner is None else left.key_serde,
        value_serde=AnswerSerde(),
        partitioner=_to_left_row if partitioner is None else one_partition_by(partitioner),
    )
    sent = graph.add(sink, answered, all_answered)
    graph.copartition(left.sources | {called.answer_source})
    return graph.add(_source(called.answer_source, called.answer_topic, left.key_serde), sent)


def _draw_subscriptions(
    left: TableHandle,
    right: TableHandle,
    join: ForeignKeyJoin,
    called: _Names,
) -> int:
    """Draw the path of the subscriptions to the right side; return the step of their source."""
    graph = left.graph
    subscribe = nodes.Subscribe(
        extractor=join.extractor,
        with_key=not takes(join.extractor, 1),
        keeps_left=join.keeps_left,
        latest_only=left.is_versioned,
        topic=called.subscription_topic,
        key_serde=left.key_serde,
        value_serde=left.value_serde,
        foreign_key_serde=right.key_serde,
    )
    subscribed = graph.add(ProcessorDrawing(called.subscribe, subscribe), left.step)
    partitioner = join.table_joined.other_partitioner
    sink = StreamSink(
        name=called.subscription_sink,
        topic=called.subscription_topic,
        key_serde=right.key_serde,
        value_serde=bytes_serde(),
        partitioner=None if partitioner is None else one_partition_by(partitioner),
    )
    sent = graph.add(sink, subscribed)
    graph.copartition(right.sources | {called.subscription_source})
    source = _source(called.subscription_source, called.subscription_topic, right.key_serde)
    return graph.add(source, sent)


def _answer_subscribers(
    left: TableHandle,
    right: TableHandle,
    called: _Names,
    store: StoreBuilder,
    answer: nodes.AnswerSubscription,
) -> nodes.AnswerSubscribers:
    return nodes.AnswerSubscribers(
        store=store,
        latest_only=right.is_versioned,
        topic=called.subscription_topic,
        answer_topic=called.answer_topic,
        key_serde=left.key_serde,
        value_serde=right.value_serde,
        foreign_key_serde=right.key_serde,
        decodes_keys=answer.decodes_keys,
    )


def _source(name: str, topic: str, key_serde: Any) -> StreamSource:
    return StreamSource(
        name=name,
        topics=(topic,),
        pattern=None,
        key_serde=key_serde,
        value_serde=bytes_serde(),
        timestamp_extractor=None,
        offset_reset=None,
    )


def _reading(of: TableHandle) -> nodes.Reading:
    """Return how to look up a table's rows: as the store's bytes if its serde is the table's."""
    graph, step = of.graph, of.step
    view = table_view(graph, step)
    store = getattr(table_operation(graph, step), "store", None)
    as_stored = (
        isinstance(view, StoredRows)
        and not view.with_versions
        and isinstance(store, StoreBuilder)
        and store.name == view.store
        and store.value == of.value_serde
    )
    return nodes.Reading(view, of.value_serde, as_stored)


def _names(graph: Graph, name: str | None) -> _Names:
    def called(suffix: str, prefix: str) -> str:
        own = None if name is None else check_name(f"{name}{suffix}")
        return graph.names.named_or_next(own, prefix)

    registration, processor = (
        f"{_PREFIX}SUBSCRIPTION-REGISTRATION-",
        f"{_PREFIX}SUBSCRIPTION-PROCESSOR-",
    )
    sink, source = "KTABLE-SINK-", "KTABLE-SOURCE-"
    return _Names(
        called("-subscription-registration", registration) + "-topic",
        called("-subscription-registration-processor", registration),
        called("-subscription-registration-sink", sink),
        called("-subscription-registration-source", source),
        called("-subscription-store", f"{_PREFIX}SUBSCRIPTION-STATE-STORE-"),
        called("-subscription-receive", processor),
        called("-subscription-join-foreign", processor),
        called("-foreign-join-subscription", processor),
        called("-subscription-response", f"{_PREFIX}SUBSCRIPTION-RESPONSE-") + "-topic",
        called("-subscription-response-sink", sink),
        called("-subscription-response-source", source),
        called(
            "-subscription-response-resolver", f"{_PREFIX}SUBSCRIPTION-RESPONSE-RESOLVER-PROCESSOR-"
        ),
        called("-result", f"{_PREFIX}OUTPUT-"),
    )


def _check(join: ForeignKeyJoin) -> None:
    if not takes(join.extractor, 2):
        check_function(join.extractor, f"{join.verb}'s foreign_key_extractor", "value")
    check_function(join.joiner, f"{join.verb}'s joiner", "left", "right")
    check_option(join.table_joined, TableJoined, join.verb)
    check_option(join.materialized, Materialized, join.verb)


def _to_left_row(topic: str, key: object, value: Any, partitions: int) -> int | None:  # noqa: ARG001
    """An answer goes where the left row is; an old subscription may not say where."""
    partition: int | None = value[1]
    return partition


def one_partition_by(partitioner: AnyFunction) -> AnyFunction:
    """Return the user's partitioner as one that is shown no value and must choose one partition."""

    def one_partition(topic: str, key: Any, value: Any, partitions: int) -> Any:  # noqa: ARG001
        chosen = partitioner(topic, key, None, partitions)
        if isinstance(chosen, Iterable) and not isinstance(chosen, str):
            given = set(chosen)
            if len(given) != 1:
                msg = (
                    "a partitioner of a foreign-key join must give one partition, or None; got "
                    f"{chosen!r} for topic {topic!r}"
                )
                raise StreamsError(msg)
            return given.pop()
        return chosen

    return one_partition
