"""Rates from totals."""

from __future__ import annotations

from penstock._engine.http.console.rates import Rates


def test_a_rate_is_what_a_total_grows_by_each_second() -> None:
    rates = Rates()
    assert rates.rate("a", 100, 10.0) == 0.0
    assert rates.rate("a", 150, 11.0) == 0.0
    assert rates.rate("a", 200, 12.0) == 50.0
    assert rates.rate("a", 250, 13.0) == 50.0
    assert rates.rate("a", 240, 13.5) == 50.0


def test_a_total_that_shrinks_begins_anew() -> None:
    rates = Rates()
    rates.rate("a", 100, 10.0)
    rates.rate("a", 200, 12.0)
    assert rates.rate("a", 5, 14.0) == 0.0
    assert rates.rate("a", 9, 16.0) == 2.0


def test_idleness_counts_from_the_last_change() -> None:
    rates = Rates()
    for second, total in ((0.0, 1), (2.0, 2), (4.0, 2), (14.0, 2)):
        rates.rate("a", total, second)
    assert rates.idle_seconds("a", 14.0) == 12.0
    assert rates.idle_seconds("unknown", 14.0) == 0.0


def test_what_is_not_looked_at_any_more_is_forgotten() -> None:
    rates = Rates()
    rates.rate("gone", 1, 1.0)
    rates.rate("kept", 1, 2.0)
    rates.forget(2.0)
    assert list(rates._counters) == ["kept"]
