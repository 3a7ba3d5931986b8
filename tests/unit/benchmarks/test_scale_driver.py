"""When the tasks of `benchmarks.scale` have settled, and which of them have moved."""

from __future__ import annotations

from benchmarks.scale_driver import Spread, moved, owners, spread_of
from penstock._engine.control.protocol.messages import Report


def report(name: str, *tasks: str, state: str = "running", joined: bool = True) -> Report:
    return Report(name, state, tasks=dict.fromkeys(tasks, "running"), joined=joined)


def by_name(*reports: Report) -> dict[str, Report]:
    return {one.member_id: one for one in reports}


def test_tasks_that_run_evenly_have_settled() -> None:
    spread = spread_of(by_name(report("a", "0_0", "0_1"), report("b", "0_2")))
    assert spread == Spread(2, 3, 0, 1, 2)
    assert spread.settled(2, 3)
    assert not spread.settled(3, 3)
    assert not spread.settled(2, 4)


def test_a_task_that_two_members_report_has_not_settled() -> None:
    spread = spread_of(by_name(report("a", "0_0"), report("b", "0_0")))
    assert (spread.running, spread.twice) == (1, 1)
    assert not spread.settled(2, 1)


def test_members_that_are_gone_or_have_not_joined_do_not_count() -> None:
    gone, early = report("b", "0_0", state="lost"), report("c", joined=False)
    spread = spread_of(by_name(report("a", "0_0"), gone, early))
    assert spread == Spread(1, 1, 0, 1, 1)
    assert spread_of({}) == Spread(0, 0, 0, 0, 0)


def test_uneven_tasks_have_not_settled() -> None:
    spread = spread_of(by_name(report("a", "0_0", "0_1"), report("b")))
    assert not spread.settled(2, 2)


def test_tasks_move_when_another_member_has_them() -> None:
    before = owners(by_name(report("a", "0_0", "0_1")))
    after = owners(by_name(report("a", "0_0"), report("b", "0_1", "0_2")))
    assert moved(before, after) == 2
