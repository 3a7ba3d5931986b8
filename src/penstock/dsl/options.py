"""The options of the verbs: plain dataclasses with keyword arguments, Kafka Streams' names.

Generic dataclasses have no slots: `Consumed[str, int](...)` must be able to note its type
arguments. Wherever a verb takes `named=`, a plain string does as well as a `Named`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

from penstock._engine.topology.checks import (
    check_function,
    check_offset_reset,
    check_partitions,
    check_serde,
    check_timestamp_extractor,
    check_writable,
)
from penstock._engine.topology.naming import check_name
from penstock.errors import TopologyError
from penstock.serdes import Serde
from penstock.timestamps import TimestampExtractor

if TYPE_CHECKING:
    from penstock.dsl.stream import KStream

K = TypeVar("K")
V = TypeVar("V")

Partitions: TypeAlias = int | Iterable[int] | None
StreamPartitioner: TypeAlias = Callable[[str, K, V, int], Partitions]
"""`(topic, key, value, partitions)` -> a partition, several, none at all (empty: dropped), or None:
Kafka's default.
"""

OffsetReset: TypeAlias = Literal["earliest", "latest", "none"]


@dataclass(frozen=True, slots=True)
class Named:
    """A name for the node of a verb. Java: Named."""

    name: str

    def __post_init__(self) -> None:
        check_name(self.name)


NameLike: TypeAlias = Named | str | None


@dataclass(frozen=True)
class Consumed(Generic[K, V]):
    """How to read topics. What is left out comes from the settings. Java: Consumed."""

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
    """How to write a topic. Java: Produced."""

    key: Serde[K] | None = None
    value: Serde[V] | None = None
    partitioner: StreamPartitioner[K, V] | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        check_serde(self.key, "key")
        check_serde(self.value, "value")
        if self.partitioner is not None:
            check_function(self.partitioner, "partitioner")
        if self.name is not None:
            check_name(self.name)


@dataclass(frozen=True)
class Repartitioned(Generic[K, V]):
    """How to write and read a repartition topic; `name` gives the topic `<name>-repartition`. Java:
    Repartitioned.
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
            check_function(self.partitioner, "partitioner")


@dataclass(frozen=True)
class Branched(Generic[K, V]):
    """A branch of `split()`: its name, and what becomes of it. Java: Branched.

    With `function` the dict of branches holds what it returns (nothing if that is None), with
    `consumer` the branch is left out of the dict, with neither it holds the branch itself.
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
                check_function(given, f"a branch's {role}")


def _key_and_value(key: object, value: object) -> str:
    return f"{key}, {value}"


@dataclass(frozen=True)
class Printed(Generic[K, V]):
    """Where and how `print` writes. Java: Printed."""

    file: str | None = None
    label: str | None = None
    mapper: Callable[[K, V], str] = _key_and_value
    name: str | None = None

    def __post_init__(self) -> None:
        check_function(self.mapper, "mapper")
        if self.name is not None:
            check_name(self.name)
        if self.file is not None:
            check_writable(self.file)

    @classmethod
    def to_sys_out(
        cls,
        *,
        label: str | None = None,
        mapper: Callable[[K, V], str] = _key_and_value,
        name: str | None = None,
    ) -> Printed[K, V]:
        """Write to standard output."""
        return cls(None, label, mapper, name)

    @classmethod
    def to_file(
        cls,
        path: str,
        *,
        label: str | None = None,
        mapper: Callable[[K, V], str] = _key_and_value,
        name: str | None = None,
    ) -> Printed[K, V]:
        """Write to a file, which is emptied first."""
        return cls(path, label, mapper, name)


def given_name(named: NameLike) -> str | None:
    """Give the user's name for a node, checked, or None."""
    if named is None:
        return None
    return named.name if isinstance(named, Named) else check_name(named)
