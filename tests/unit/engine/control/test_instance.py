"""What an instance makes of its own reports and of what the group says."""

from __future__ import annotations

import sys
import threading
from collections.abc import Collection

import pytest

from penstock._engine.control import instance as instance_module
from penstock._engine.control.instance import Instance, Quiescence
from penstock._engine.control.protocol.messages import Report

ALL = ("0_0", "0_1")


class FakeGroup:
    """What the broker knows; counts questions."""

    def __init__(self, *, in_hands: bool = True, over: bool = True) -> None:
        self.in_hands, self.over = in_hands, over
        self.asked = 0

    def tasks_of_others(self, own_members: Collection[str]) -> set[str]:
        self.asked += 1
        self.own_members = set(own_members)
        return set(ALL) if self.in_hands else set()

    def bounded_run_is_over(self) -> bool:
        self.asked += 1
        return self.over


class GoneGroup:
    """The broker does not answer."""

    def tasks_of_others(self, own_members: Collection[str]) -> set[str]:
        raise OSError

    def bounded_run_is_over(self) -> bool:
        raise OSError


def reports(
    *shares: tuple[str, ...], state: str = "running", joined: bool = True
) -> dict[str, Report]:
    return {
        str(number): Report(
            str(number), state, tasks=dict.fromkeys(share, state), caught_up=True, joined=joined
        )
        for number, share in enumerate(shares)
    }


def test_an_instance_with_all_tasks_asks_no_group() -> None:
    instance, group = Instance(ALL), FakeGroup()
    both = reports(("0_0",), ("0_1",))
    assert instance.is_running(both)
    assert not instance.look_at_group(group, both)
    assert group.asked == 0


def test_an_instance_with_a_part_runs_when_the_group_has_members_for_the_rest() -> None:
    instance, part = Instance(ALL), reports(("0_0",))
    assert not instance.is_running(part)
    instance.look_at_group(FakeGroup(in_hands=False), part)
    assert not instance.is_running(part)
    instance.look_at_group(GoneGroup(), part)
    assert not instance.is_running(part)
    instance.look_at_group(FakeGroup(), part)
    assert instance.is_running(part)
    # Found once, it is asked no more until its tasks change.
    group = FakeGroup()
    instance.look_at_group(group, part)
    assert group.asked == 0
    assert not instance.is_running(reports(("0_1",)))


def test_an_instance_without_tasks_runs_when_it_has_joined() -> None:
    instance = Instance(ALL)
    for joined in (False, True):
        none = reports((), joined=joined)
        instance.look_at_group(FakeGroup(), none)
        assert instance.is_running(none) == joined


def test_an_instance_that_restores_or_has_no_worker_does_not_run() -> None:
    instance = Instance(ALL)
    gone = reports(("0_0",), state="closed")
    for each in (reports(ALL, state="restoring"), {}, gone):
        assert not instance.look_at_group(FakeGroup(), each)
        assert not instance.is_running(each)


def test_a_bounded_run_with_a_part_is_over_when_the_group_is_through() -> None:
    part = reports(("0_0",))
    assert not Instance(ALL).look_at_group(FakeGroup(), part)
    bounded = Instance(ALL, bounded=True)
    assert not bounded.is_over(part["0"])
    assert not bounded.is_over(part["0"])
    assert not bounded.look_at_group(FakeGroup(over=False), part)
    assert not bounded.look_at_group(GoneGroup(), part)
    assert bounded.look_at_group(FakeGroup(), part)


def test_a_bounded_run_with_all_tasks_is_over_after_two_looks() -> None:
    bounded, (report,) = Instance(ALL, bounded=True), reports(ALL).values()
    assert [bounded.is_over(report), bounded.is_over(report)] == [False, True]


def test_a_task_of_our_own_dead_worker_is_not_assigned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The group keeps the dead member until its session ends."""
    instance, group = Instance(ALL), FakeGroup()
    both = reports(("0_0",)) | {"dead": Report("dead", "lost")}
    instance.look_at_group(group, both)
    assert group.own_members == {"0", "dead"}
    # Long after, a member of that name is another instance's worker.
    monkeypatch.setattr(instance_module, "_SESSION_SECONDS", 0.0)
    group.in_hands = False
    other = Instance(ALL)
    other.look_at_group(group, both)
    assert group.own_members == {"0"}


def report(member: str, *tasks: str, done: int = 0, out: int = 0, caught_up: bool = True) -> Report:
    return Report(
        member,
        "running",
        tasks=dict.fromkeys(tasks, "running"),
        counters={task: {"process-total": done} for task in tasks},
        records_out=out,
        caught_up=caught_up,
    )


def over(*reports: Report) -> list[bool]:
    quiescence = Quiescence(ALL)
    return [quiescence.reached(one) for one in reports]


A, B = report("a", "0_0"), report("b", "0_1")


def test_two_rounds_of_all_workers() -> None:
    assert over(A, B, A, B) == [False, False, False, True]


def test_one_worker_with_all_tasks() -> None:
    assert over(report("a", *ALL), report("a", *ALL)) == [False, True]


def test_reports_before_the_first_round_is_complete_are_no_second_round() -> None:
    assert over(A, A, A, B, B, A) == [False, False, False, False, False, True]


def test_round_without_all_tasks_does_not_count() -> None:
    assert over(*[A] * 10) == [False] * 10


def test_work_in_between_begins_anew() -> None:
    worked = report("a", "0_0", done=5)
    assert over(A, B, worked, B, worked, B, worked) == [False] * 5 + [False, True]


def test_output_in_between_begins_anew() -> None:
    assert over(A, B, A, report("b", "0_1", out=1), A) == [False] * 5


def test_a_worker_with_work_left_begins_anew() -> None:
    busy = report("b", "0_1", caught_up=False)
    assert over(A, B, A, busy, B, A, B, A) == [False] * 6 + [False, True]


def test_moving_task_begins_anew() -> None:
    moved = report("a", *ALL)
    assert over(A, B, moved, moved, moved) == [False] * 4 + [True]


def test_worker_without_tasks_has_no_say() -> None:
    idle = report("c", caught_up=False)
    assert over(A, idle, B, idle, A, idle, B) == [False] * 6 + [True]


def test_reports_of_a_version_that_is_known_are_not_looked_at_again() -> None:
    instance, part = Instance(ALL), reports(("0_0",))
    assert not instance.is_running(part, 1)
    assert not instance.is_running(reports(("0_0",), ("0_1",)), 1)
    assert instance.is_running(reports(("0_0",), ("0_1",)), 2)
    assert not instance.is_running(part, 3)
    # What the group says counts at once.
    instance.look_at_group(FakeGroup(), part)
    assert instance.is_running(part, 3)


def test_reports_of_many_workers_at_once_do_not_disturb_each_other() -> None:
    tasks = {f"0_{number}": "running" for number in range(8)}
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(20):
            quiescence = Quiescence(tasks)
            troubles: list[BaseException] = []

            def report(task: str, one: Quiescence, troubles: list[BaseException]) -> None:
                try:
                    for round_ in range(30):
                        busy = round_ % 7 == 0
                        one.reached(Report(task, "running", {task: "running"}, caught_up=not busy))
                except BaseException as error:
                    troubles.append(error)

            threads = [
                threading.Thread(target=report, args=(task, quiescence, troubles)) for task in tasks
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert troubles == []
    finally:
        sys.setswitchinterval(before)
