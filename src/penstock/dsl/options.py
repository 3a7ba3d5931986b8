"""The options of the verbs: plain dataclasses with keyword arguments, Kafka Streams' names.

Generic dataclasses have no slots: `Consumed[str, int](...)` must be able to note its type
arguments. Wherever a verb takes `named=`, a plain string does as well as a `Named`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Generic, Literal, NoReturn, TypeAlias, TypeVar

from penstock._durations import Duration, to_milliseconds
from penstock._engine.topology.checks import (
    check_function,
    check_offset_reset,
    check_partitioner,
    check_partitions,
    check_serde,
    check_store,
    check_timestamp_extractor,
    check_writable,
)
from penstock._names import check_name
from penstock.errors import TopologyError
from penstock.serdes import Serde
from penstock.stores import EngineChoice, Logging, StoreBuilder
from penstock.stores._builders import check_engine, check_logging, check_max_entries
from penstock.timestamps import TimestampExtractor

if TYPE_CHECKING:
    from penstock.dsl.stream import KStream

K = TypeVar("K")
V = TypeVar("V")
K2 = TypeVar("K2")
V2 = TypeVar("V2")

PartitionChoice: TypeAlias = int | Iterable[int] | None
StreamPartitioner: TypeAlias = Callable[[str, K, V, int], PartitionChoice]
"""`(topic, key, value, partitions)` -> a partition, several, none at all (empty: dropped), or None:
Kafka's default.
"""

OffsetReset: TypeAlias = Literal["earliest", "latest", "none"] | timedelta
"""Where to begin without a committed offset; a duration: with the first record that is no older.
Java: AutoOffsetReset.
"""


@dataclass(frozen=True, slots=True)
class Named:
    """A name for the node of a verb. Java: Named.

    >>> large = orders.filter(lambda customer, amount: amount > 2, named=Named("large-orders"))
    >>> "large-orders" in str(builder.build().describe())
    True
    """

    name: str

    def __post_init__(self) -> None:
        check_name(self.name)


NameLike: TypeAlias = Named | str | None


@dataclass(frozen=True)
class Consumed(Generic[K, V]):
    """How to read topics. What is left out comes from the settings. Java: Consumed.

    `offset_reset` says where a partition begins of which the group has no offset: "earliest",
    "latest", "none" (fail), or a timedelta: with the first record that is no older than that.

    >>> prices = builder.stream("prices", Consumed(text, number, offset_reset="latest"))
    >>> prices.to("copied-prices")
    >>> offers = builder.stream("offers", Consumed(text, number, offset_reset=hour))
    >>> offers.to("copied-offers")
    """

    key: Serde[K] | None = None
    value: Serde[V] | None = None
    timestamp_extractor: TimestampExtractor | None = None
    offset_reset: OffsetReset | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        check_serde(self.key, "key")
        check_serde(self.value, "value")
        if self.timestamp_extractor is not None:
            check_timestamp_extractor(self.timestamp_extractor)
        check_offset_reset(self.offset_reset)
        if self.name is not None:
            check_name(self.name)


@dataclass(frozen=True)
class Produced(Generic[K, V]):
    """How to write a topic. Java: Produced.

    >>> cents = orders.map_values(lambda amount: amount * 100)
    >>> cents.to("cents", Produced(key=text, value=number))
    >>> show("cents")
    [('ann', 500), ('bob', 200), ('ann', 300)]
    """

    key: Serde[K] | None = None
    value: Serde[V] | None = None
    partitioner: StreamPartitioner[K, V] | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        check_serde(self.key, "key")
        check_serde(self.value, "value")
        if self.partitioner is not None:
            check_partitioner(self.partitioner)
        if self.name is not None:
            check_name(self.name)


@dataclass(frozen=True)
class Repartitioned(Generic[K, V]):
    """How to write and read a repartition topic; `name` gives the topic `<name>-repartition`. Java:
    Repartitioned.

    >>> spread = orders.repartition(Repartitioned("spread", text, number, partitions=6))
    >>> list(builder.build().internal_topics)
    ['spread-repartition']
    """

    name: str | None = None
    key: Serde[K] | None = None
    value: Serde[V] | None = None
    partitions: int | None = None
    partitioner: StreamPartitioner[K, V] | None = None

    def __post_init__(self) -> None:
        if self.name is not None:
            check_name(self.name)
        check_serde(self.key, "key")
        check_serde(self.value, "value")
        if self.partitions is not None:
            check_partitions(self.partitions)
        if self.partitioner is not None:
            check_partitioner(self.partitioner)


@dataclass(frozen=True)
class Grouped(Generic[K, V]):
    """How to write and read the repartition topic of a grouping; `name` gives the topic
    `<name>-repartition`, and all aggregations of one named grouping share it. Java: Grouped.

    Once a `Grouped` is given, a serde it leaves out is the default one, not the stream's.

    >>> by_size = orders.group_by(
    ...     lambda customer, amount: "large" if amount > 2 else "small",
    ...     Grouped("by-size", key=text, value=number),
    ... )
    >>> show(by_size.count(Materialized("counts")))
    [('large', 1), ('small', 1), ('large', 2)]
    """

    name: str | None = None
    key: Serde[K] | None = None
    value: Serde[V] | None = None

    def __post_init__(self) -> None:
        if self.name is not None:
            check_name(self.name)
        check_serde(self.key, "key")
        check_serde(self.value, "value")


@dataclass(frozen=True)
class Materialized(Generic[K, V]):
    """How to keep a table or an aggregate; `name` is its store's, by which it can be queried. Java:
    Materialized.

    `store` chooses where it lives: "rocksdb" (the default, unless the setting `default.dsl.store`
    is another), "in_memory", or an engine of your own, see `penstock.state`. With `caching` several
    changes of a key become one, forwarded at the next commit. `logging` is True, False, or the
    settings of the changelog topic. `retention` is how long windows and sessions are kept, at least
    as long as they may still change. With `history_retention` a table is versioned: it remembers
    its rows of the past for so long, not in memory and never cached. Java:
    Stores.persistentVersionedKeyValueStore. With `max_entries` it lives in memory and holds so many
    keys: the least recently used one is evicted. Java: Stores.lruMap.

    >>> spent = by_customer.reduce(
    ...     lambda total, amount: total + amount, Materialized("spent", key=text, value=number)
    ... )
    >>> with driver_of(builder.build()) as driver:
    ...     driver.get_key_value_store("spent").get("ann")
    8
    """

    name: str | None = None
    key: Serde[K] | None = None
    value: Serde[V] | None = None
    store: EngineChoice | None = None
    caching: bool = True
    logging: Logging = True
    retention: Duration | None = None
    history_retention: Duration | None = None
    max_entries: int | None = None

    def __post_init__(self) -> None:
        if self.name is not None:
            check_name(self.name, "store's name")
        if not isinstance(self.caching, bool):
            msg = f"Materialized(caching=...) must be True or False; got {self.caching!r}"
            raise TopologyError(msg)
        if self.max_entries is not None:
            self._check_limited()
        check_serde(self.key, "key")
        check_serde(self.value, "value")
        if self.store is not None:
            check_engine(self.store)
        check_logging(self.logging)
        if self.retention is not None:
            check_duration(self.retention, "Materialized(retention=...)")
        if self.history_retention is not None:
            check_duration(self.history_retention, "Materialized(history_retention=...)")
            if self.store == "in_memory":
                msg = (
                    "Materialized(history_retention=...) must live in 'rocksdb'; got "
                    "store='in_memory'; leave store out: there are no versioned stores in memory"
                )
                raise TopologyError(msg)

    def _check_limited(self) -> None:
        check_max_entries("Materialized", self.max_entries)
        others = {
            "retention": self.retention,
            "history_retention": self.history_retention,
            "store": None if self.store == "in_memory" else self.store,
        }
        for part, given in others.items():
            if given is not None:
                msg = (
                    f"Materialized(max_entries=...) must have no {part}; got {part}={given!r}; a "
                    "store that holds so many keys lives in memory and knows no times"
                )
                raise TopologyError(msg)


@dataclass(frozen=True)
class TableJoined(Generic[K, K2]):
    """How a foreign-key join sends its records: `name` begins the names of its two topics, its
    store and its nodes. Java: TableJoined.

    `other_partitioner` chooses the partition of the right table's key, `partitioner` that of the
    left table's; both are shown no value and must choose one partition. They are needed only where
    the tables' topics were not partitioned by Kafka's default.

    >>> lands = builder.table("lands", Consumed(key=text, value=text))
    >>> joined = cities.left_join(
    ...     lands, lambda city: city, lambda city, land: (city, land), TableJoined("land-of-city")
    ... )
    >>> show(joined)
    [('ann', ('Oslo', None)), ('bob', ('Rome', None))]
    """

    name: str | None = None
    partitioner: StreamPartitioner[K, None] | None = None
    other_partitioner: StreamPartitioner[K2, None] | None = None

    def __post_init__(self) -> None:
        if self.name is not None:
            check_name(self.name)
        for partitioner in (self.partitioner, self.other_partitioner):
            if partitioner is not None:
                check_partitioner(partitioner)


@dataclass(frozen=True)
class Joined(Generic[K, V, V2]):
    """How to join a stream with a table; `name` names the node and, if the stream must be
    repartitioned first, the topic `<name>-repartition`. Java: Joined.

    With `grace` a record waits so long, by stream time, for rows of its time that come late; the
    table must be versioned. The serdes are those of the stream's key and value; the table's value
    has its own already.

    >>> joined = orders.join(cities, lambda amount, city: city, Joined("order-city"))
    >>> show(joined)
    [('ann', 'Oslo'), ('bob', 'Rome'), ('ann', 'Oslo')]
    """

    name: str | None = None
    key: Serde[K] | None = None
    value: Serde[V] | None = None
    other_value: Serde[V2] | None = None
    grace: Duration | None = None

    def __post_init__(self) -> None:
        if self.name is not None:
            check_name(self.name)
        for part in ("key", "value", "other_value"):
            check_serde(getattr(self, part), part)
        if self.grace is not None:
            check_duration(self.grace, "Joined(grace=...)")


@dataclass(frozen=True)
class StreamJoined(Generic[K, V, V2]):
    """How to join two streams: `name` names the nodes and the repartition topics, `store_name` the
    stores in which each stream's records wait for the other's. Java: StreamJoined.

    `store` chooses where they live, as in Materialized. `this_store` and `other_store`
    are window stores of `Stores` for one stream, which must retain duplicates and fit the join's
    windows. `logging` is True, False, or the settings of the changelog topics; as in Java it is not
    for `this_store` and `other_store`, which say it themselves.

    >>> settled = orders.join(
    ...     payments,
    ...     lambda order, payment: payment - order,
    ...     JoinWindows.of_time_difference(timedelta(minutes=3)),
    ...     StreamJoined("settled", key=text, value=number, other_value=number),
    ... )
    >>> show(settled)
    [('ann', 0), ('ann', 2)]
    """

    name: str | None = None
    key: Serde[K] | None = None
    value: Serde[V] | None = None
    other_value: Serde[V2] | None = None
    store_name: str | None = None
    store: EngineChoice | None = None
    this_store: StoreBuilder | None = None
    other_store: StoreBuilder | None = None
    logging: Logging = True

    def __post_init__(self) -> None:
        if self.name is not None:
            check_name(self.name)
        if self.store_name is not None:
            check_name(self.store_name, "store's name")
        for part in ("key", "value", "other_value"):
            check_serde(getattr(self, part), part)
        if self.store is not None:
            check_engine(self.store)
        for own in (self.this_store, self.other_store):
            if own is not None:
                check_store(own, "StreamJoined")
        check_logging(self.logging)


@dataclass(frozen=True)
class Branched(Generic[K, V]):
    """A branch of `split()`: its name, and what becomes of it. Java: Branched.

    With `function` the dict of branches holds what it returns (nothing if that is None), with
    `consumer` the branch is left out of the dict, with neither it holds the branch itself.

    >>> large = Branched("large", function=lambda stream: stream.map_values(str))
    >>> branches = orders.split(named="by-").branch(lambda customer, amount: amount > 2, large)
    >>> show(branches.no_default_branch()["by-large"])
    [('ann', '5'), ('ann', '3')]
    """

    name: str | None = None
    function: Callable[[KStream[K, V]], KStream[Any, Any] | None] | None = None
    consumer: Callable[[KStream[K, V]], None] | None = None

    def __post_init__(self) -> None:
        if self.function is not None and self.consumer is not None:
            msg = "a branch must have a function or a consumer, not both"
            raise TopologyError(msg)
        for role, given in (("function", self.function), ("consumer", self.consumer)):
            if given is not None:
                check_function(given, f"a branch's {role}", "stream", returns="anything")


def _key_and_value(key: object, value: object) -> str:
    """Show `key, value`."""
    return f"{key}, {value}"


@dataclass(frozen=True)
class Printed(Generic[K, V]):
    """Where and how `print` writes. Java: Printed.

    >>> orders.print(Printed(label="new", mapper=lambda customer, amount: f"{customer}={amount}"))
    >>> with driver_of(builder.build()):
    ...     pass
    [new]: ann=5
    [new]: bob=2
    [new]: ann=3
    """

    file: str | None = None
    label: str | None = None
    mapper: Callable[[K, V], str] = _key_and_value
    name: str | None = None

    def __post_init__(self) -> None:
        check_function(self.mapper, "mapper", "key", "value")
        if self.name is not None:
            check_name(self.name)
        if self.file is not None:
            check_writable(self.file)

    # Static, with type variables of their own: `Printed.to_sys_out(...)` says nothing of K and V,
    # and type checkers find them by the stream that is printed.
    @staticmethod
    def to_sys_out(
        *,
        label: str | None = None,
        mapper: Callable[[K2, V2], str] = _key_and_value,
        name: str | None = None,
    ) -> Printed[K2, V2]:
        """Write to standard output.

        >>> Printed.to_sys_out(label="orders").label
        'orders'
        """
        return Printed(None, label, mapper, name)

    @staticmethod
    def to_file(
        path: str,
        *,
        label: str | None = None,
        mapper: Callable[[K2, V2], str] = _key_and_value,
        name: str | None = None,
    ) -> Printed[K2, V2]:
        """Write to a file, which is emptied when the application or the test driver starts.

        >>> Printed.to_file("/dev/null", label="orders").file
        '/dev/null'
        """
        return Printed(path, label, mapper, name)


class Branches(dict[str, V]):
    """The branches of a split; one that is not there is an error that lists the others."""

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self._prefix = prefix

    def __missing__(self, name: str) -> NoReturn:
        names = ", ".join(map(repr, self)) or "none"
        msg = (
            f"there is no branch {name!r}: the name of a branch is that of its split, here "
            f"{self._prefix!r}, and its own; there are: {names}"
        )
        raise UnknownBranch(msg)


class UnknownBranch(KeyError):
    """A branch that is not there; a plain KeyError would show its message in quotes."""

    def __str__(self) -> str:
        return str(self.args[0])


def check_duration(duration: Duration, what: str) -> int:
    """Return a duration in milliseconds; refuse what is none, or negative."""
    try:
        duration_ms = to_milliseconds(duration, what)
    except TypeError as error:
        raise TopologyError(str(error)) from None
    if duration_ms < 0:
        msg = f"{what} must not be negative; got {duration!s}; pass a timedelta or milliseconds"
        raise TopologyError(msg)
    return duration_ms


def given_name(named: NameLike) -> str | None:
    """Return the user's name for a node, checked, or None."""
    if named is None:
        return None
    return named.name if isinstance(named, Named) else check_name(named)
