"""What a query returns: a result or a failure for each partition, and how far each had come.

Java: org.apache.kafka.streams.query.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Generic, TypeVar

from penstock._camel_case import ExplainsCamelCase
from penstock.errors import QueryError

R = TypeVar("R")


class FailureReason(Enum):
    """Why a partition has no result. Java: FailureReason.

    >>> from penstock.queries import FailureReason, QueryResult
    >>> QueryResult(failure_reason=FailureReason.NOT_ACTIVE).is_failure
    True
    """

    UNKNOWN_QUERY_TYPE = "UNKNOWN_QUERY_TYPE"
    """A store of this kind cannot answer this query."""
    NOT_ACTIVE = "NOT_ACTIVE"
    """The request requires an active task, and the task is still being restored."""
    NOT_UP_TO_BOUND = "NOT_UP_TO_BOUND"
    """The task has not come as far as the request's position bound."""
    NOT_PRESENT = "NOT_PRESENT"
    """No worker is known to have the task, its worker or the driver of that worker did not answer
    in time, or that driver cannot be asked: the message says which.
    """
    DOES_NOT_EXIST = "DOES_NOT_EXIST"
    """The store has no such partition."""
    STORE_EXCEPTION = "STORE_EXCEPTION"
    """Reading the store raised."""


@dataclass(frozen=True, slots=True)
class Position(ExplainsCamelCase):
    """The last offset of each input partition that a store has seen. Java: Position.

    It is immutable: what Java changes in place returns a new one.

    >>> from penstock.queries import Position
    >>> Position().with_component("events", 0, 7).merge(Position({"events": {0: 5, 1: 2}}))
    Position(offsets={'events': {0: 7, 1: 2}})
    """

    offsets: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    """The offsets by topic and partition."""

    def with_component(self, topic: str, partition: int, offset: int) -> Position:
        """Return a position with this offset as well; of two, the higher one counts.

        >>> from penstock.queries import Position
        >>> Position().with_component("orders", 0, 7)
        Position(offsets={'orders': {0: 7}})
        """
        return self.merge(Position({topic: {partition: offset}}))

    def merge(self, other: Position) -> Position:
        """Return a position with the higher offset of each partition.

        >>> from penstock.queries import Position
        >>> Position({"orders": {0: 7}}).merge(Position({"orders": {1: 2}}))
        Position(offsets={'orders': {0: 7, 1: 2}})
        """
        merged = {topic: dict(offsets) for topic, offsets in self.offsets.items()}
        for topic, offsets in other.offsets.items():
            known = merged.setdefault(topic, {})
            for partition, offset in offsets.items():
                known[partition] = max(offset, known.get(partition, offset))
        return Position(merged)

    @property
    def topics(self) -> frozenset[str]:
        """The topics that it has offsets of.

        >>> from penstock.queries import Position
        >>> Position({"orders": {0: 7}}).topics
        frozenset({'orders'})
        """
        return frozenset(self.offsets)

    def partition_positions(self, topic: str) -> dict[int, int]:
        """Return the offsets of the partitions of a topic.

        >>> from penstock.queries import Position
        >>> Position({"orders": {0: 7}}).partition_positions("orders")
        {0: 7}
        """
        return dict(self.offsets.get(topic, {}))

    def is_reached_by(self, other: Position, partition: int) -> bool:
        """Return whether `other` has at least the offsets that this has of a partition number.

        >>> from penstock.queries import Position
        >>> Position({"orders": {0: 7}}).is_reached_by(Position({"orders": {0: 9}}), partition=0)
        True
        """
        for topic, offsets in self.offsets.items():
            if partition not in offsets:
                continue
            seen = other.offsets.get(topic, {}).get(partition)
            if seen is None or seen < offsets[partition]:
                return False
        return True


@dataclass(frozen=True, slots=True)
class PositionBound(ExplainsCamelCase):
    """How far a store must have come to answer a query. Java: PositionBound.

    Pass the position of one result as the bound of the next request, and time never goes back.

    >>> from penstock.queries import Position, PositionBound
    >>> PositionBound(Position({"orders": {0: 7}})).is_unbounded
    False
    """

    position: Position = field(default_factory=Position)

    @classmethod
    def unbounded(cls) -> PositionBound:
        """Return the bound that every store has reached.

        >>> from penstock.queries import PositionBound
        >>> PositionBound.unbounded().is_unbounded
        True
        """
        return cls()

    @classmethod
    def at(cls, position: Position) -> PositionBound:
        """Return the bound that a store reaches with `position`.

        >>> from penstock.queries import Position, PositionBound
        >>> PositionBound.at(Position({"orders": {0: 7}})).position.topics
        frozenset({'orders'})
        """
        return cls(position)

    @property
    def is_unbounded(self) -> bool:
        """Whether every store has reached it.

        >>> from penstock.queries import PositionBound
        >>> PositionBound().is_unbounded
        True
        """
        return not self.position.offsets


class QueryResult(ExplainsCamelCase, Generic[R]):
    """The result of one partition, or why there is none. Java: QueryResult.

    >>> from penstock.queries import QueryResult
    >>> QueryResult(5).result
    5
    """

    _spoken_name = "QueryResult"

    def __init__(
        self,
        result: R | None = None,
        *,
        failure_reason: FailureReason | None = None,
        failure_message: str = "",
        position: Position | None = None,
        offsets_behind: int = 0,
    ) -> None:
        self._result = result
        self.failure_reason = failure_reason
        """None if there is a result."""
        self.failure_message = failure_message
        self.position = Position() if position is None else position
        """How far the task had come when it answered."""
        self.offsets_behind = offsets_behind
        """How many changelog offsets the copy that answered was behind; 0 if the task ran."""

    @property
    def is_success(self) -> bool:
        """Whether there is a result, be it None.

        >>> from penstock.queries import QueryResult
        >>> QueryResult(5).is_success
        True
        """
        return self.failure_reason is None

    @property
    def is_failure(self) -> bool:
        """Whether there is a reason instead of a result.

        >>> from penstock.queries import QueryResult
        >>> QueryResult(5).is_failure
        False
        """
        return self.failure_reason is not None

    @property
    def result(self) -> R | None:
        """The result; None if the store has nothing of the key.

        Raises:
            QueryError: the partition has no result.

        >>> from penstock.queries import QueryResult
        >>> QueryResult(5).result
        5
        """
        if self.failure_reason is not None:
            msg = f"the query has no result: {self.failure_reason.value}: {self.failure_message}"
            raise QueryError(msg)
        return self._result

    def __repr__(self) -> str:
        told: Any = self._result
        if self.failure_reason is not None:
            told = f"{self.failure_reason.value}: {self.failure_message}"
        return f"QueryResult({told!r}, position={self.position!r})"


@dataclass(frozen=True, slots=True)
class StateQueryResult(ExplainsCamelCase, Generic[R]):
    """The results of all partitions that were asked. Java: StateQueryResult.

    >>> from penstock.queries import QueryResult, StateQueryResult
    >>> StateQueryResult({0: QueryResult(5)}).only_partition_result.result
    5
    """

    partition_results: Mapping[int, QueryResult[R]]
    """The result of each partition; empty for a global store."""
    global_result: QueryResult[R] | None = None
    """The result of a global store."""

    @property
    def only_partition_result(self) -> QueryResult[R] | None:
        """The result of the one partition that has one, for queries of one key; None if none has.

        Raises:
            QueryError: several partitions have a result, or have failed.

        >>> from penstock.queries import QueryResult, StateQueryResult
        >>> StateQueryResult({0: QueryResult(5), 1: QueryResult()}).only_partition_result.result
        5
        """
        told = {
            partition: result
            for partition, result in self.partition_results.items()
            if result.is_failure or result.result is not None
        }
        if len(told) > 1:
            msg = f"the query must have the result of one partition; it has those of {told}"
            raise QueryError(msg)
        return next(iter(told.values()), None)

    @property
    def position(self) -> Position:
        """How far all partitions together had come when they answered.

        >>> from penstock.queries import Position, QueryResult, StateQueryResult
        >>> StateQueryResult({0: QueryResult(5, position=Position({"orders": {0: 7}}))}).position
        Position(offsets={'orders': {0: 7}})
        """
        if self.global_result is not None:
            return self.global_result.position
        merged = Position()
        for result in self.partition_results.values():
            merged = merged.merge(result.position)
        return merged
