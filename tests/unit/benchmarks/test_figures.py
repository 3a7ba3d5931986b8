"""The arithmetic of the benchmarks: what is counted, and from when to when."""

from __future__ import annotations

import math

import pytest

from benchmarks import figures
from benchmarks.figures import Rate, Sample


def test_the_warm_up_is_not_counted() -> None:
    samples = [Sample(0, 0, 0), Sample(10, 200, 5), Sample(12, 600, 9), Sample(14, 1000, 10)]
    assert figures.rate_by_commits(samples, 1000) == Rate(200, 0)


def test_the_last_effect_ends_the_run_not_the_last_commit_of_the_input() -> None:
    samples = [
        Sample(0, 200, 0),
        Sample(2, 1000, 10),
        Sample(4, 1000, 20),
        Sample(5, 1000, 20),
        Sample(9, 1000, 20),
    ]
    assert figures.rate_by_commits(samples, 1000) == Rate(200, 0)


def test_what_was_committed_at_the_beginning_of_the_window_counts_as_warm_up() -> None:
    samples = [Sample(0, 500, 1), Sample(5, 1000, 2)]
    assert figures.rate_by_commits(samples, 1000) == Rate(100, 0)


def test_a_mean_has_an_error_which_one_value_does_not_know() -> None:
    assert figures.mean_and_error([1.0, 3.0]) == pytest.approx((2.0, 1.96))
    assert figures.mean_and_error([5.0]) == (5.0, math.inf)


def test_stolen_time_is_not_counted() -> None:
    samples = [Sample(0, 0, 0, 70), Sample(10, 200, 5, 75), Sample(20, 1000, 10, 77.5)]
    rate = figures.rate_by_commits(samples, 1000)
    assert rate == Rate(measured=80, stolen=0.25)
    assert rate.own == pytest.approx(80 / 0.75)
    assert str(rate) == "107/s, with 25% of the machine given to others"
    assert str(Rate(80, 0)) == "80/s"


def test_a_run_that_was_not_finished_has_no_rate() -> None:
    with pytest.raises(ValueError, match="all 1000 records must be committed; got 999"):
        figures.rate_by_commits([Sample(0, 500, 1), Sample(5, 999, 2)], 1000)
    with pytest.raises(ValueError, match="got 0"):
        figures.rate_by_commits([], 1000)


def test_a_run_of_one_commit_has_no_rate() -> None:
    with pytest.raises(ValueError, match="longer than its warm-up"):
        figures.rate_by_commits([Sample(1, 0, 0), Sample(2, 1000, 9)], 1000)


def test_outputs_tell_the_rate_of_who_commits_nothing() -> None:
    arrivals = [1_000 + 10 * number for number in range(101)]
    # From the 21st output, at 1,200 ms, to the last, at 2,000 ms: four fifths of the records.
    assert figures.rate_by_arrivals(arrivals[::-1], 1_000) == pytest.approx(1_000)


@pytest.mark.parametrize("arrivals", [[1, 2, 3], [7] * 50])
def test_too_few_outputs_tell_nothing(arrivals: list[int]) -> None:
    with pytest.raises(ValueError, match="outputs"):
        figures.rate_by_arrivals(arrivals, 100)


def test_spread_is_half_the_distance_in_percent_of_the_median() -> None:
    assert figures.spread_percent([90, 100, 120]) == 15
    assert figures.spread_percent([100]) == 0


def test_percentiles_are_of_the_values() -> None:
    found = figures.percentiles([float(number) for number in range(101)])
    assert found == {"p50": 50.0, "p95": 95.0, "p99": 99.0, "max": 100.0}
    with pytest.raises(ValueError, match="at least 2 values; got 1"):
        figures.percentiles([1.0])


def test_restoring_is_what_a_restart_without_state_takes_longer() -> None:
    found = figures.restoring(4.0, 9.0, 1_000_000, 50_000_000)
    assert (found["restore_s"], found["mb_per_s"], found["records_per_s"]) == (5, 10, 200_000)
    with pytest.raises(ValueError, match="too few keys to tell"):
        figures.restoring(4.0, 3.9, 1_000, 50_000)


def test_memory_of_a_million_keys_is_the_slope() -> None:
    assert figures.memory_per_million_keys({10_000: 500, 2_010_000: 900}) == 200
    assert figures.memory_per_million_keys({10_000: 500}) is None
