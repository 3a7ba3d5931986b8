"""Times of queries: whole milliseconds that a message can have, or a refusal that names them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from penstock import KafkaStreams, StreamsBuilder
from penstock._engine.queries.asking import ReadOptions
from penstock.errors import QueryError
from penstock.queries import (
    KeyQuery,
    MultiVersionedKeyQuery,
    StateQueryRequest,
    VersionedKeyQuery,
    WindowKeyQuery,
    WindowRangeQuery,
    view_of,
)
from tests.unit.engine.http.shop import Shop

WRONG = [1.5, 2.0, True, "5", datetime(2026, 1, 1, tzinfo=UTC), timedelta(1), 1 << 63, -(1 << 70)]


class _Index:
    """A whole number of another library."""

    def __index__(self) -> int:
        return 10_000


class _Zero(_Index):
    def __index__(self) -> int:
        return 0


@pytest.fixture(scope="module")
def view() -> Callable[[str], Any]:
    shop = Shop()
    asking = shop.asker, shop._config, ReadOptions()
    return lambda name: view_of(shop.stores(), name, asking)


@pytest.mark.parametrize("time", WRONG, ids=repr)
def test_a_view_refuses_what_is_no_time(view: Callable[[str], Any], time: Any) -> None:
    windows, sessions, versions = view("windows"), view("sessions"), view("versions")
    reads: list[tuple[str, Callable[[], Any]]] = [
        ("time_from", lambda: windows.fetch("a", time)),
        ("time_from", lambda: windows.fetch("a", time, 5)),
        ("time_to", lambda: windows.fetch("a", 5, time)),
        ("time_to", lambda: windows.backward_fetch("a", 5, time)),
        ("time_to", lambda: windows.fetch_range(None, None, 0, time)),
        ("time_from", lambda: windows.fetch_all(time, 0)),
        ("start", lambda: sessions.fetch_session("a", time, 5)),
        ("end", lambda: sessions.fetch_session("a", 5, time)),
        ("earliest_end", lambda: sessions.find_sessions("a", time, 5)),
        ("latest_start", lambda: sessions.find_sessions_range(None, None, 5, time)),
        ("as_of", lambda: versions.get("a", time)),
        ("time_from", lambda: versions.history("a", time)),
    ]
    for name, read in reads:
        with pytest.raises(QueryError, match=f"^{name} must be .*milliseconds"):
            read()


@pytest.mark.parametrize("time", WRONG, ids=repr)
def test_a_query_refuses_what_is_no_time(time: Any) -> None:
    for make in (
        lambda: WindowKeyQuery("a", time),
        lambda: WindowRangeQuery(time_from=0, time_to=time),
        lambda: VersionedKeyQuery("a", as_of=time),
        lambda: MultiVersionedKeyQuery("a", 0, time),
    ):
        with pytest.raises(QueryError, match=r"Query\.(time_from|time_to|as_of) must be"):
            make()


def test_whole_numbers_of_other_libraries_are_times(view: Callable[[str], Any]) -> None:
    time: Any = _Index()
    assert view("sessions").fetch_session("a", time, 10_500) == 1
    assert WindowKeyQuery("a", time) == WindowKeyQuery("a", 10_000)


@pytest.mark.parametrize(
    ("partition", "told"),
    [
        (0.0, "must be a whole number; got 0.0"),
        (False, "must be a whole number; got False"),
        ("0", "must be a whole number; got '0'"),
        (1, "has no partition 1; it has 1"),
        (_Index(), "has no partition 10000; it has 1"),
    ],
)
def test_a_view_refuses_what_is_no_partition(partition: Any, told: str) -> None:
    shop = Shop()
    with pytest.raises(QueryError, match=told):
        view_of(shop.stores(), "counts", (shop.asker, shop._config, ReadOptions()), partition)


def test_whole_numbers_of_other_libraries_are_partitions() -> None:
    shop = Shop()
    number: Any = _Zero()
    asking = shop.asker, shop._config, ReadOptions()
    view = view_of(shop.stores(), "counts", asking, number)
    assert dict(view.all()) == dict(view_of(shop.stores(), "counts", asking, 0).all()) != {}
    request = StateQueryRequest("counts", KeyQuery("a"), partitions=[number])
    assert [type(one) for one in request.partitions or ()] == [int]


def test_a_request_refuses_what_is_no_partition() -> None:
    partitions: Any = [True]
    with pytest.raises(QueryError, match="partitions"):
        StateQueryRequest("counts", KeyQuery("a"), partitions=partitions)


@pytest.mark.parametrize("timeout", [2**63 - 1, 10**400, timedelta.max])
def test_a_timeout_is_capped_at_what_can_be_waited_for(timeout: Any) -> None:
    builder = StreamsBuilder()
    builder.stream("in").to("out")
    streams = KafkaStreams(builder.build(), {"application.id": "timeouts-capped"})
    assert streams._read_options(None, False, timeout).seconds == 3600.0
