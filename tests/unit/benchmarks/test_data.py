"""The inputs are the same for everybody and hold what the workloads say of them."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from benchmarks import data
from benchmarks.data import Feed
from benchmarks.records import Order, Payment, Profile
from benchmarks.workloads import WORKLOADS


@pytest.mark.parametrize("kind", sorted(data.KINDS))
def test_the_same_rows_every_time_and_as_many_as_asked_for(kind: str) -> None:
    feed = Feed(kind, 3_500, 1_000)
    rows = list(feed.rows())
    assert len(rows) == 3_500
    assert rows == list(feed.rows())


@pytest.mark.parametrize(
    ("kind", "of"),
    [
        ("orders", Order),
        ("every-key", Order),
        ("purchases", Order),
        ("payments", Payment),
        ("profiles", Profile),
    ],
)
def test_values_are_the_json_of_their_type(kind: str, of: type) -> None:
    for _, value, _ in Feed(kind, 200, 50).rows():
        assert msgspec.json.encode(msgspec.json.decode(value, type=of)) == value


def test_no_order_is_late_by_more_than_the_grace_of_the_windows() -> None:
    latest = 0
    for _, _, at in data.orders(20_000, 100):
        latest = max(latest, at)
        assert latest - at <= data.DISORDER_MS


def test_every_key_comes_once_before_any_comes_again() -> None:
    for keys in (10, 100, 10_000, 1_000_000):
        count = min(keys, 10_000)
        assert len({key for key, _, _ in data.every_key(count, keys)}) == count


def test_each_purchase_is_paid_once_and_payments_come_in_order_of_time() -> None:
    payments = list(data.payments(70_500, 1))
    assert Counter(key for key, _, _ in payments).most_common(1)[0][1] == 1
    latest = 0
    for _, _, at in payments:
        latest = max(latest, at)
        assert latest - at <= data.DISORDER_MS


def test_who_asks_for_the_same_rows_shares_a_topic() -> None:
    count, filtered = WORKLOADS["count-10k"].inputs(500), WORKLOADS["filter-map"].inputs(500)
    assert count[0].topic == filtered[0].topic == "orders-500-of-10000-in-4"
    assert Feed("orders", 500, 10_000, owner="java").topic != count[0].topic
