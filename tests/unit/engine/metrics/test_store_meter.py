"""What is measured of the operations of a store."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from penstock._clock import ManualClock
from penstock._engine.metrics.store_meter import StoreMeter

NOW = 10.0


def letters(text: str) -> Iterator[str]:
    yield from text


@pytest.fixture
def meter() -> StoreMeter:
    return StoreMeter(0.0, ManualClock(77))


def test_calls_are_counted_and_their_results_are_returned(meter: StoreMeter) -> None:
    put = meter.timed("put", lambda key, *, value: (key, value))
    assert [put("a", value=1), put("b", value=2)] == [("a", 1), ("b", 2)]
    values = meter.values(NOW)
    assert (meter.count("put"), values["put-total"], values["put-rate"]) == (2, 2, 0.2)
    assert 0 <= values["put-latency-avg"] <= values["put-latency-max"]


def test_an_operation_that_was_not_called_has_a_rate_and_no_latency(meter: StoreMeter) -> None:
    meter.timed("get", len)
    assert meter.values(NOW) == {"get-rate": 0.0, "get-total": 0, "num-open-iterators": 0}
    assert meter.count("range") == 0


def test_a_call_that_fails_raises_and_counts(meter: StoreMeter) -> None:
    rows: dict[str, str] = {}
    get = meter.timed("get", rows.__getitem__)
    with pytest.raises(KeyError):
        get("a")
    assert meter.count("get") == 1


def test_two_functions_may_be_one_operation(meter: StoreMeter) -> None:
    meter.timed("get", len)("a")
    meter.timed("get", str)("b")
    assert meter.count("get") == 2


def test_an_iterator_is_open_until_its_end(meter: StoreMeter) -> None:
    scan = meter.timed("range", letters)
    rows = scan("ab")
    assert (next(rows), meter.count("range")) == ("a", 0)
    values = meter.values(NOW)
    assert (values["num-open-iterators"], values["oldest-iterator-open-since-ms"]) == (1, 77)
    assert list(rows) == ["b"]
    values = meter.values(NOW)
    assert (values["num-open-iterators"], values["range-total"]) == (0, 1)
    assert "oldest-iterator-open-since-ms" not in values
    assert values["iterator-duration-max"] == values["range-latency-max"]


def test_an_iterator_that_is_closed_or_forgotten_is_not_open(meter: StoreMeter) -> None:
    scan = meter.timed("all", letters)
    first, second, third = scan("ab"), scan("ab"), scan("ab")
    next(first)
    next(second)
    first.close()  # type: ignore[attr-defined]
    del second, third
    values = meter.values(NOW)
    assert (values["num-open-iterators"], values["all-total"]) == (0, 2)


def test_ages_of_records_that_are_stored(meter: StoreMeter) -> None:
    for age_ms in (5, 15):
        meter.take_age(age_ms)
    values = meter.values(NOW)
    assert [values[f"record-e2e-latency-{stat}"] for stat in ("avg", "min", "max")] == [10, 5, 15]


def test_sizes_of_a_buffer(meter: StoreMeter) -> None:
    held: list[str] = []
    put = meter.buffered(held.append, lambda: (sum(map(len, held)), len(held)))
    put("aa")
    put("bb")
    values = meter.values(NOW)
    assert (values["suppression-buffer-size-avg"], values["suppression-buffer-size-max"]) == (3, 4)
    assert values["suppression-buffer-count-max"] == 2
