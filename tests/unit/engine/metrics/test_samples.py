"""Rates, means and extremes of the last minute."""

from __future__ import annotations

import pytest

from penstock._engine.metrics.samples import CounterRate, Latency, Quantity, Samples


def test_mean_least_and_largest_are_of_single_things() -> None:
    samples = Samples(0.0)
    samples.record(10.0, 1.0, count=5)
    samples.record(4.0, 2.0)
    assert (samples.mean(2.0), samples.least(2.0), samples.largest(2.0)) == (14 / 6, 2.0, 4.0)
    assert samples.rate(2.0) == 3.0
    assert samples.total_rate(2.0) == 7.0


def test_nothing_has_no_mean_but_a_rate() -> None:
    samples = Samples(0.0)
    assert (samples.mean(9.0), samples.least(9.0), samples.largest(9.0)) == (None, None, None)
    assert samples.rate(9.0) == 0.0


def test_what_is_older_than_a_minute_is_forgotten() -> None:
    samples = Samples(0.0)
    samples.record(100.0, 1.0)
    samples.record(2.0, 31.0)
    assert samples.largest(40.0) == 100.0
    assert samples.rate(40.0) == pytest.approx(2 / 40)
    assert samples.largest(61.0) == 2.0
    assert samples.largest(200.0) is None
    assert samples.rate(200.0) == 0.0


def test_the_first_moment_has_no_huge_rate() -> None:
    samples = Samples(0.0)
    samples.record(1.0, 0.001)
    assert samples.rate(0.001) == 1.0


def test_latencies_are_in_milliseconds_and_left_out_without_operations() -> None:
    latency = Latency(0.0)
    assert set(latency.values("commit", 10.0)) == {"commit-rate", "commit-total", "commit-ratio"}
    latency.record(0.5)
    latency.record(1.5)
    assert latency.values("commit", 10.0) == {
        "commit-rate": 0.2,
        "commit-total": 2,
        "commit-ratio": 0.2,
        "commit-latency-avg": 1000.0,
        "commit-latency-max": 1500.0,
    }


def test_the_rate_of_a_counter_that_is_read_now_and_then() -> None:
    rate = CounterRate(0.0)
    assert rate.rate(0, 1.0) == 0.0
    assert rate.rate(30, 10.0) == 3.0
    assert rate.rate(30, 15.0) == 2.0


def test_a_quantity_is_added_up_until_it_is_read() -> None:
    quantity = Quantity(0.0)
    assert quantity.values("size", 1.0, "avg", "max") == {}
    for value in (3.0, 1.0, 8.0):
        quantity.add(value)
    assert quantity.total == 3
    expected = {"size-avg": 40.0, "size-min": 10.0, "size-max": 80.0}
    assert quantity.values("size", 10.0, "avg", "min", "max", factor=10.0) == expected
    assert quantity.samples(10.0).rate(10.0) == 0.3
    quantity.add(20.0)
    assert (quantity.total, quantity.samples(10.0).largest(10.0)) == (4, 20.0)
    assert quantity.values("size", 100.0, "avg") == {}


def test_a_quantity_that_is_read_late_has_no_huge_rate() -> None:
    quantity = Quantity(0.0)
    quantity.samples(10.0)
    quantity.add(5.0, 100)
    assert quantity.samples(45.0).rate(45.0) == pytest.approx(100 / 45)
    quantity.add(5.0, 100)
    # It may be older than a minute.
    assert quantity.samples(160.0).rate(160.0) == 0.0
    assert quantity.total == 200
