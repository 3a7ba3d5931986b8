"""Results and positions as plain values."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.errors import QueryError
from penstock.queries import FailureReason, Position, PositionBound, QueryResult, StateQueryResult

FAILED: QueryResult[Any] = QueryResult(
    failure_reason=FailureReason.NOT_PRESENT, failure_message="no worker has its task"
)
NOTHING: QueryResult[Any] = QueryResult(None)


def test_positions_are_merged_by_the_higher_offset() -> None:
    one, other = Position({"a": {0: 5, 1: 1}}), Position({"a": {0: 3}, "b": {0: 2}})
    assert one.merge(other) == other.merge(one) == Position({"a": {0: 5, 1: 1}, "b": {0: 2}})
    assert one == Position({"a": {0: 5, 1: 1}})
    assert one.merge(other).topics == {"a", "b"}
    assert one.partition_positions("a") == {0: 5, 1: 1}
    assert one.partition_positions("b") == {}


def test_a_component_never_goes_back() -> None:
    assert Position().with_component("a", 0, 5).with_component("a", 0, 3) == Position({"a": {0: 5}})


def test_a_bound_without_offsets_is_none() -> None:
    assert PositionBound.unbounded().is_unbounded
    assert not PositionBound.at(Position({"a": {0: 0}})).is_unbounded


def test_a_failure_has_no_result() -> None:
    assert FAILED.is_failure
    with pytest.raises(QueryError, match="NOT_PRESENT: no worker has its task"):
        _ = FAILED.result


def test_none_is_a_result() -> None:
    assert NOTHING.is_success
    assert NOTHING.result is None


def test_the_only_result_is_that_of_the_partition_that_has_one() -> None:
    found: QueryResult[Any] = QueryResult("v")
    assert StateQueryResult({0: NOTHING, 1: found}).only_partition_result is found
    assert StateQueryResult({0: NOTHING, 1: NOTHING}).only_partition_result is None
    assert StateQueryResult({0: NOTHING, 1: FAILED}).only_partition_result is FAILED


def test_two_results_are_not_one() -> None:
    found: QueryResult[Any] = QueryResult("v")
    for other in (FAILED, found):
        with pytest.raises(QueryError, match="must have the result of one partition"):
            _ = StateQueryResult({0: found, 1: other}).only_partition_result


def test_the_position_is_that_of_all_partitions() -> None:
    one: QueryResult[Any] = QueryResult(1, position=Position({"a": {0: 5}}))
    two: QueryResult[Any] = QueryResult(1, position=Position({"a": {1: 6}}))
    assert StateQueryResult({0: one, 1: two}).position == Position({"a": {0: 5, 1: 6}})
    assert StateQueryResult({}, two).position == two.position


def test_failures_are_named_as_in_java() -> None:
    assert [reason.name for reason in FailureReason] == [
        "UNKNOWN_QUERY_TYPE",
        "NOT_ACTIVE",
        "NOT_UP_TO_BOUND",
        "NOT_PRESENT",
        "DOES_NOT_EXIST",
        "STORE_EXCEPTION",
    ]
