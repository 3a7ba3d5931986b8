"""The views of stores, over real stores without Kafka and Spark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from penstock import serdes
from penstock._engine.queries.asking import ReadOptions
from penstock.errors import QueryError
from penstock.queries import view_of
from tests.unit.engine.http.shop import Shop


@pytest.fixture(scope="module")
def shop() -> Shop:
    return Shop()


def view(shop: Shop, name: str) -> Any:
    return view_of(shop.stores(), name, (shop.asker, shop._config, ReadOptions()))


def test_a_key_of_another_type_is_explained(shop: Shop) -> None:
    for name, key, wanted in (
        ("counts", 5, r"as 5: serdes.string\(\) writes str; got int$"),
        ("raw", "a", r"as 'a': serdes.bytes\(\) writes bytes; got str$"),
        ("numbers", "a", r"as 'a': serdes.long\(\) writes int; got str$"),
    ):
        with pytest.raises(QueryError, match=wanted):
            view(shop, name).get(key)
    with pytest.raises(QueryError, match=r"no such prefix as 5: serdes.string\(\) writes str"):
        view(shop, "counts").prefix_scan(5, serdes.string())


def test_a_range_that_is_empty_by_the_order_of_bytes_warns(
    shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    def warned() -> int:
        count = len(caplog.records)
        caplog.clear()
        return count

    scans: list[Callable[[], Any]] = [
        lambda: view(shop, "numbers").range(-1, 2),
        lambda: view(shop, "numbers").reverse_range(-1, 2),
        lambda: view(shop, "windows").fetch_range("b", "a", 0, 9000),
        lambda: view(shop, "sessions").fetch_range("b", "a"),
    ]
    for scan in scans:
        assert list(scan()) == []
        assert "negative numbers come after all others" in caplog.text
        assert warned() == 1
    assert [key for key, _ in view(shop, "numbers").range(0, -1)] == [0, 1, 2, -2, -1]
    assert [key for key, _ in view(shop, "counts").range("5", "5")] == ["5"]
    assert warned() == 0


def test_the_times_of_a_window_may_be_named(shop: Shop) -> None:
    windows = view(shop, "windows")
    assert list(windows.fetch("a", time_from=1000, time_to=2000)) == [(1000, 1), (2000, 2)]
    assert windows.fetch(key="a", time_from=1000) == 1


def test_a_session_store_says_how_all_sessions_are_read(shop: Shop) -> None:
    with pytest.raises(AttributeError, match=r"no 'all'; write fetch_range\(None, None\)"):
        view(shop, "sessions").all()
    assert len(list(view(shop, "sessions").fetch_range(None, None))) == 5
