"""From reports to figures."""

from __future__ import annotations

from dataclasses import replace

import pytest

from penstock._engine.control.protocol.messages import Report
from penstock.terminal.figures import Meter


def report(
    member: str = "a",
    *,
    records: tuple[int, int] = (0, 0),
    tasks: str = "",
    lag: int | None = 0,
    restored: int = 0,
    remaining: int = 0,
    state: str = "running",
) -> Report:
    """Return a report; `tasks` has an r for each running task and an R for each restoring one."""
    kinds = {"r": "running", "R": "restoring"}
    return Report(
        member,
        state,
        tasks={f"0_{number}": kinds[task] for number, task in enumerate(tasks)},
        records_in=records[0],
        records_out=records[1],
        lag=lag,
        restored=restored,
        restore_remaining=remaining,
    )


def test_rates_are_those_of_the_last_seconds() -> None:
    meter = Meter(now=0.0)
    for second in range(10):
        figures = meter.measure(
            "RUNNING", {"a": report(records=(100 * second, 10 * second))}, 1, float(second)
        )
    assert (figures.rate_in, figures.rate_out) == (100.0, 10.0)
    assert (figures.total_in, figures.total_out, figures.seconds) == (900, 90, 9.0)
    for second in range(10, 15):
        figures = meter.measure("RUNNING", {"a": report(records=(900, 90))}, 1, float(second))
    assert (figures.rate_in, figures.total_in) == (0.0, 900)


def test_there_is_no_rate_at_the_first_moment() -> None:
    assert Meter(now=5.0).measure("RUNNING", {"a": report(records=(7, 7))}, 1, 5.0).rate_in == 0.0


def test_a_worker_that_was_replaced_counts_anew_and_nothing_is_lost() -> None:
    meter = Meter(now=0.0)
    meter.measure(
        "RUNNING", {"a": report(records=(500, 50)), "b": report("b", records=(1, 1))}, 1, 1
    )
    figures = meter.measure(
        "RUNNING", {"a": report(records=(20, 2)), "b": report("b", records=(1, 1))}, 1, 2.0
    )
    assert (figures.total_in, figures.total_out) == (521, 53)


def test_tasks_are_told_by_worker_and_workers_that_left_are_not() -> None:
    reports = {
        "b": report("b", tasks="rrR"),
        "a": report("a", tasks="r"),
        "c": report("c", state="closed", records=(5, 5)),
    }
    figures = Meter(now=0.0).measure("REBALANCING", reports, 8, 1.0)
    assert figures.workers == ((1, 0), (2, 1))
    assert (figures.running, figures.restoring, figures.task_count) == (3, 1, 8)
    assert figures.total_in == 5


@pytest.mark.parametrize("lag", [7, 0, None], ids=str)
def test_lag_is_that_of_the_application_not_the_sum_of_its_workers(lag: int | None) -> None:
    reports = {"a": report("a", tasks="r", lag=3)}
    assert Meter(now=0.0).measure("RUNNING", reports, 2, 1.0, lag=lag).lag == lag


def test_restoring_is_measured_from_where_it_began() -> None:
    meter = Meter(now=0.0)

    def restored(done: int, remaining: int) -> float | None:
        return meter.measure(
            "REBALANCING", {"a": report(tasks="R", restored=done, remaining=remaining)}, 1, 1.0
        ).restored

    assert restored(0, 1000) == 0.0
    assert restored(250, 750) == 0.25
    assert restored(1000, 0) is None
    # Later another task comes; what was restored long ago does not count.
    assert restored(1000, 200) == 0.0
    assert restored(1100, 100) == 0.5


def test_a_broker_that_is_away_from_one_worker_is_told() -> None:
    away = replace(report("b", tasks="r", lag=None), broker_away_seconds=4.0)
    reports = {"a": report(tasks="r"), "b": away}
    figures = Meter(now=0.0).measure("RUNNING", reports, 2, 1.0)
    assert (figures.broker_away_seconds, figures.lag) == (4.0, None)
    reports["b"] = replace(away, state="lost")
    assert Meter(now=0.0).measure("RUNNING", reports, 2, 1.0).broker_away_seconds is None
