"""Requests that make no sense are refused where they are made."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.errors import QueryError
from penstock.queries import (
    KeyQuery,
    MultiVersionedKeyQuery,
    Position,
    PositionBound,
    StateQueryRequest,
    WindowRangeQuery,
)


@pytest.mark.parametrize(
    "given",
    [{}, {"key": "a", "time_from": 0, "time_to": 1}, {"time_from": 0}, {"key": "a", "time_to": 1}],
)
def test_a_window_range_has_a_key_or_two_times(given: dict[str, Any]) -> None:
    with pytest.raises(QueryError, match="WindowRangeQuery must have a key"):
        WindowRangeQuery(**given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"query": "a"}, "a query, as KeyQuery"),
        ({"position_bound": {"in": {0: 1}}}, "a PositionBound or a Position"),
        ({"partitions": 3}, "the numbers of partitions"),
        ({"partitions": ["0"]}, "the numbers of partitions"),
    ],
)
def test_a_request_that_cannot_be_answered_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(QueryError, match=message):
        StateQueryRequest(**{"store": "counts", "query": KeyQuery("a"), **given})


def test_versions_are_asked_for_forward_in_time() -> None:
    with pytest.raises(QueryError, match="a time_from up to its time_to"):
        MultiVersionedKeyQuery("a", 2, 1)
    MultiVersionedKeyQuery("a", 1, 1)


def test_a_position_is_a_bound() -> None:
    position = Position({"in": {0: 1}})
    for bound in (position, PositionBound.at(position)):
        assert StateQueryRequest("s", KeyQuery("a"), position_bound=bound).bound == position
    assert StateQueryRequest("s", KeyQuery("a")).bound == Position()


def test_java_s_names_are_explained() -> None:
    request: Any = StateQueryRequest("s", KeyQuery("a"))
    with pytest.raises(AttributeError, match="position_bound"):
        _ = request.positionBound
