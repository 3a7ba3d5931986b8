"""The membership has a version, and standbys are chosen once for each."""

from __future__ import annotations

from dataclasses import replace

import pytest

from penstock._engine.control import members as members_module
from penstock._engine.control.lag import ApplicationLag
from penstock._engine.control.members import Members
from penstock._engine.control.protocol.messages import Report
from penstock._engine.control.standby_assignment import assign_standbys
from penstock._engine.metrics.rows import TASK, MetricRow

A = Report("a", "running", tasks={"0_0": "running"}, home="one", pid=1)
B = Report("b", "running", tasks={"0_1": "running"}, home="two", pid=2)


def filled() -> Members:
    members = Members()
    members.take(A)
    members.take(B)
    return members


def test_figures_do_not_change_the_membership() -> None:
    members = filled()
    before = members.version
    members.take(replace(A, number=7, lag=3, records_in=9, state_entries={"counts": 1}))
    assert members.version == before
    assert members.reports()["a"].lag == 3


@pytest.mark.parametrize(
    "changed",
    [
        replace(A, tasks={"0_0": "running", "0_2": "restoring"}),
        replace(A, tasks={"0_0": "restoring"}),
        replace(A, state="closed"),
        replace(A, home="three"),
        replace(A, joined=False),
        replace(A, pid=9),
        replace(A, member_id="c"),
    ],
)
def test_tasks_states_and_machines_do(changed: Report) -> None:
    members = filled()
    before = members.version
    members.take(changed)
    assert members.version > before


def test_assignments_follow_the_membership() -> None:
    members = filled()
    assert members.assignments() == [(("a", 1), A.tasks), (("b", 2), B.tasks)]
    members.take(replace(A, tasks={"0_0": "restoring"}))
    # The newest claim is the last.
    assert members.assignments()[1] == (("a", 1), {"0_0": "restoring"})
    members.lost(A)
    assert members.assignments() == [(("b", 2), B.tasks)]
    members.forget_alive()
    assert members.assignments() == []


def test_a_worker_is_lost_once_and_only_in_its_own_process() -> None:
    members = filled()
    assert members.lost(replace(A, pid=9)) is None
    lost = members.lost(A)
    assert lost is not None
    assert (lost.state, lost.tasks) == ("lost", {})
    assert members.lost(A) is None
    assert [one.member_id for one in members.alive()] == ["b"]
    members.forget_alive()
    assert list(members.reports()) == ["a"]


def test_a_worker_whose_process_is_stopped_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(members_module, "monotonic", lambda: now[0])
    members = Members()
    row = MetricRow(TASK, {"records-lag": 0, "busy": 1}, {"task-id": "0_0"})
    members.take(replace(A, lag=0, metrics=(row,)))
    members.take(replace(B, lag=0))
    members.take(Report("c", "running", pid=3))  # it opens, and has no tasks yet
    before = members.version
    for second in range(6):
        now[0] += 1
        if second == 3:
            members.take(replace(B, lag=7))
        shown = members.reports()
    assert {name: one.state for name, one in shown.items()} == {
        "a": "silent", "b": "running", "c": "running",
    }  # fmt: skip
    assert ApplicationLag(("0_0", "0_1")).known(shown) is None  # not 7
    assert members.assignments() == [(("b", 2), B.tasks), (("c", 3), {})]
    assert members.version > before
    assert members.tasks() == {"0_0", "0_1"}
    assert members.metrics()["a"] == (replace(row, values={"busy": 1}),)
    members.take(A)  # it goes on
    members.take(B)
    assert members.reports()["a"] == A
    assert len(members.assignments()) == 3


def test_a_driver_that_stood_still_takes_no_worker_for_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    monkeypatch.setattr(members_module, "monotonic", lambda: now[0])
    members = filled()

    def silent_after(seconds: int) -> set[str]:
        for _ in range(seconds):
            now[0] += 1.0
            members.reports()
        return {name for name, one in members.reports().items() if one.state == "silent"}

    assert silent_after(1) == set()
    now[0] += 60.0  # reports have come, and wait to be taken
    members.take(replace(A, number=7))
    assert silent_after(4) == set()
    assert len(members.assignments()) == 2
    members.take(replace(A, number=8))
    assert silent_after(1) == {"b"}
    now[0] += 60.0
    members.take(replace(A, number=9))
    # One that has sent nothing before sends nothing now.
    assert silent_after(1) == {"b"}
    now[0] += 60.0
    assert silent_after(6) == {"a", "b"}


def test_standbys_are_chosen_when_the_membership_changes_not_at_each_report(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = []

    def counted(*arguments: object) -> dict[str, tuple[str, ...]]:
        calls.append(arguments)
        return assign_standbys(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(members_module, "assign_standbys", counted)
    members, tasks = filled(), ("0_0", "0_1")
    for number in range(10):
        members.take(replace(A, number=number))
        assert members.standbys_of("a", tasks, 1) == ("0_1",)
        assert members.standbys_of("b", tasks, 1) == ("0_0",)
        assert members.standbys(tasks, 1) == {"a": ("0_1",), "b": ("0_0",)}
    assert len(calls) == 1
    members.lost(B)
    assert members.standbys_of("a", tasks, 1) == ("0_1",)
    assert len(calls) == 2
    members.standbys_of("a", ("0_0",), 1)
    assert len(calls) == 3
    assert members.standbys_of("a", tasks, 0) == ()


def test_the_newest_claim_of_a_task_is_the_last_and_the_order_of_reports_stays() -> None:
    members = filled()
    both = {"0_0": "running", "0_1": "running"}
    members.take(replace(A, tasks=both, number=2))
    members.take(replace(B, repeated=True))  # it hangs, and says what it said before
    assert members.assignments() == [(("b", 2), B.tasks), (("a", 1), both)]
    assert [worker[0] for worker, _ in members.assignments()] == ["b", "a"]
    assert list(members.reports()) == ["a", "b"]
    members.take(replace(B, tasks=both, number=3))
    assert [worker[0] for worker, _ in members.assignments()] == ["a", "b"]
    members.take(replace(B, state="closed", number=4))
    assert [worker[0] for worker, _ in members.assignments()] == ["a"]
    members.forget_alive()
    assert members.assignments() == []


def test_metrics_of_a_worker_that_hangs_have_no_lag() -> None:
    members = filled()
    ours = MetricRow(TASK, {"records-lag": 0, "process-total": 5}, {"task-id": "0_0"})
    theirs = MetricRow("stream-shop-metrics", {"records-lag": 7}, of_user=True)
    members.take(replace(A, metrics=(ours, theirs)))
    members.take(replace(A, metrics=None))
    assert members.metrics()["a"] == (ours, theirs)
    members.take(replace(A, metrics=None, repeated=True))
    shown = replace(ours, values={"process-total": 5})
    assert members.metrics()["a"] == (shown, theirs)
