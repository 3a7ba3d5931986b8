"""A bounded run is over after two rounds in which nobody had or did anything."""

from __future__ import annotations

from penstock._engine.control.messages import Report
from penstock._engine.control.quiescence import Quiescence

ALL = ("0_0", "0_1")


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


def test_somebody_with_work_left_begins_anew() -> None:
    busy = report("b", "0_1", caught_up=False)
    assert over(A, B, A, busy, B, A, B, A) == [False] * 6 + [False, True]


def test_moving_task_begins_anew() -> None:
    moved = report("a", *ALL)
    assert over(A, B, moved, moved, moved) == [False] * 4 + [True]


def test_worker_without_tasks_has_no_say() -> None:
    idle = report("c", caught_up=False)
    assert over(A, idle, B, idle, A, idle, B) == [False] * 6 + [True]
