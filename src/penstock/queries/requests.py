"""What can be asked with `KafkaStreams.query`. Java: org.apache.kafka.streams.query.

Options are keyword arguments: `KeyQuery.withKey(key)` is `KeyQuery(key)`. Times are milliseconds,
and all bounds are included. Results of several rows are iterators, to be read once. Which types
keys and values have is known to the serdes of the store, not to a query.
"""

from __future__ import annotations

import operator
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from penstock._camel_case import ExplainsCamelCase
from penstock.errors import QueryError
from penstock.queries.results import Position, PositionBound
from penstock.queries.times import to_partition, to_time
from penstock.queries.views import QueryIterator
from penstock.stores import ValueAndTimestamp, VersionedRecord
from penstock.windowed import Windowed
from penstock.windows import END_OF_TIME

R = TypeVar("R")


class Query(ExplainsCamelCase, Generic[R]):
    """A query whose result is an `R`; one of the classes below. Java: Query.

    >>> from penstock.queries import KeyQuery, Query
    >>> isinstance(KeyQuery("ann"), Query)
    True
    """


@dataclass(frozen=True)
class KeyQuery(Query[Any]):
    """The value of a key, of a timestamped store the bare value. Java: KeyQuery.

    >>> from penstock.queries import KeyQuery, StateQueryRequest
    >>> StateQueryRequest("counts", KeyQuery("ann")).store
    'counts'
    """

    key: Any


@dataclass(frozen=True)
class TimestampedKeyQuery(Query[ValueAndTimestamp[Any]]):
    """The value of a key and its time, of a timestamped store. Java: TimestampedKeyQuery.

    >>> from penstock.queries import StateQueryRequest, TimestampedKeyQuery
    >>> StateQueryRequest("counts", TimestampedKeyQuery("ann")).query
    TimestampedKeyQuery(key='ann')
    """

    key: Any


@dataclass(frozen=True)
class RangeQuery(Query[QueryIterator[tuple[Any, Any]]]):
    """The entries between two keys, in the order of the bytes of the keys; of a timestamped store
    with bare values. Java: RangeQuery.

    >>> from penstock.queries import RangeQuery
    >>> RangeQuery("a", "b", descending=True)
    RangeQuery(lower='a', upper='b', descending=True)
    """

    lower: Any = None
    upper: Any = None
    descending: bool = field(default=False, kw_only=True)


@dataclass(frozen=True)
class TimestampedRangeQuery(Query[QueryIterator[tuple[Any, ValueAndTimestamp[Any]]]]):
    """The entries of a timestamped store between two keys. Java: TimestampedRangeQuery.

    >>> from penstock.queries import TimestampedRangeQuery
    >>> TimestampedRangeQuery("a", "b")
    TimestampedRangeQuery(lower='a', upper='b', descending=False)
    """

    lower: Any = None
    upper: Any = None
    descending: bool = field(default=False, kw_only=True)


@dataclass(frozen=True)
class WindowKeyQuery(Query[QueryIterator[tuple[int, Any]]]):
    """The starts and values of the windows of a key that start between two times. Java:
    WindowKeyQuery.

    >>> from penstock.queries import WindowKeyQuery
    >>> WindowKeyQuery("ann", 0, 3_600_000).time_to
    3600000
    """

    key: Any
    time_from: int = 0
    time_to: int = END_OF_TIME

    def __post_init__(self) -> None:
        _check_times(self, "time_from", "time_to")


@dataclass(frozen=True)
class WindowRangeQuery(Query[QueryIterator[tuple[Windowed[Any], Any]]]):
    """The sessions of a key, `WindowRangeQuery(key)`; or the windows of all keys that start between
    two times, `WindowRangeQuery(time_from=..., time_to=...)`. Java: WindowRangeQuery.

    Raises:
        QueryError: neither a key nor two times are given, or both.

    >>> from penstock.queries import WindowRangeQuery
    >>> WindowRangeQuery(time_from=0, time_to=3_600_000).key is None
    True
    """

    key: Any = None
    time_from: int | None = None
    time_to: int | None = None

    def __post_init__(self) -> None:
        times = [time for time in (self.time_from, self.time_to) if time is not None]
        if len(times) != (2 if self.key is None else 0):
            msg = (
                "WindowRangeQuery must have a key, for the sessions of the key, or time_from and "
                f"time_to, for the windows that start then; got {self}"
            )
            raise QueryError(msg)
        _check_times(self, "time_from", "time_to")


@dataclass(frozen=True)
class VersionedKeyQuery(Query[VersionedRecord[Any]]):
    """The newest version of a key, or the one it had at `as_of`. Java: VersionedKeyQuery.

    >>> from penstock.queries import VersionedKeyQuery
    >>> VersionedKeyQuery("tea", as_of=60_000)
    VersionedKeyQuery(key='tea', as_of=60000)
    """

    key: Any
    as_of: int | None = None

    def __post_init__(self) -> None:
        _check_times(self, "as_of")


@dataclass(frozen=True)
class MultiVersionedKeyQuery(Query[QueryIterator[VersionedRecord[Any]]]):
    """The versions of a key that were valid at some time between two times. Java:
    MultiVersionedKeyQuery.

    Raises:
        QueryError: the first time is after the second.

    >>> from penstock.queries import MultiVersionedKeyQuery
    >>> MultiVersionedKeyQuery("tea", 0, 60_000).newest_first
    True
    """

    key: Any
    time_from: int = 0
    time_to: int = END_OF_TIME
    newest_first: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        _check_times(self, "time_from", "time_to")
        if self.time_from > self.time_to:
            msg = f"MultiVersionedKeyQuery must have a time_from up to its time_to; got {self}"
            raise QueryError(msg)


@dataclass(frozen=True)
class StateQueryRequest(ExplainsCamelCase, Generic[R]):
    """A query of a store, and how it is to be answered. Java: StateQueryRequest.

    ```python
    request = StateQueryRequest("counts", KeyQuery("alice"))
    result = streams.query(request).only_partition_result
    ```

    As in Java all partitions are asked unless `partitions` are given; the partition of a key is
    told by `KafkaStreams.query_metadata_for_key`.

    >>> from penstock.queries import KeyQuery, StateQueryRequest
    >>> StateQueryRequest("counts", KeyQuery("ann"), partitions=[0]).partitions
    [0]
    """

    store: str
    query: Query[R]
    partitions: Collection[int] | None = None
    """The partitions that are asked; None for all."""
    position_bound: PositionBound | Position | None = None
    """How far a partition must have come to be asked."""
    require_active: bool = False
    """Whether copies that are being restored fail with NOT_ACTIVE."""
    uncommitted: bool | None = None
    """Whether rows of the open transaction are seen, as in Java; None as in `KafkaStreams.store`.
    """

    def __post_init__(self) -> None:
        wrong = self._what_is_wrong()
        if wrong is not None:
            msg = f"StateQueryRequest must have {wrong}"
            raise QueryError(msg)
        if self.partitions is not None and any(type(one) is not int for one in self.partitions):
            numbers = [operator.index(one) for one in self.partitions]
            object.__setattr__(self, "partitions", numbers)

    @property
    def bound(self) -> Position:
        """The position that a partition must have reached.

        >>> from penstock.queries import KeyQuery, Position, StateQueryRequest
        >>> StateQueryRequest("counts", KeyQuery("ann"), position_bound=Position()).bound
        Position(offsets={})
        """
        bound = self.position_bound or Position()
        return bound.position if isinstance(bound, PositionBound) else bound

    def _what_is_wrong(self) -> str | None:
        given: Any = self.query
        if not isinstance(given, Query):
            return f"a query, as KeyQuery(key); got {given!r}"
        bound: Any = self.position_bound
        if not isinstance(bound, PositionBound | Position | None):
            return f"a PositionBound or a Position as position_bound; got {bound!r}"
        chosen: Any = self.partitions
        if chosen is not None and not (
            isinstance(chosen, Collection) and all(to_partition(one) is not None for one in chosen)
        ):
            return f"the numbers of partitions as partitions; got {chosen!r}"
        return None


def _check_times(query: Query[Any], *names: str) -> None:
    """Refuse times that no question can have; None is a time that was not given."""
    for name in names:
        given = getattr(query, name)
        if given is not None:
            object.__setattr__(query, name, to_time(given, f"{type(query).__name__}.{name}"))
