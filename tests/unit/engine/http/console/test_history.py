"""The last hour: what changed is noted once, and its size is bounded."""

from __future__ import annotations

from penstock._engine.control.protocol.messages import Report
from penstock._engine.http.console.history import BUCKETS, ERRORS_MS, EVENTS_MAX, History


def report(member: str, tasks: dict[str, str], state: str = "running", pid: int = 1) -> Report:
    return Report(member, state, tasks=tasks, pid=pid, records_in=100, slot=(3, 0))


def texts(history: History) -> list[str]:
    return [event["text"] for event in history.timeline()["events"]]


def see(history: History, now_ms: int, *reports: Report, state: str = "RUNNING") -> None:
    history.observe(now_ms, state, {one.member_id: one for one in reports}, {}, 0)


def test_tasks_that_move_are_one_event() -> None:
    history = History()
    tasks = {f"0_{n}": "running" for n in range(6)}
    see(history, 0, report("a", tasks), report("b", {}, pid=2))
    see(history, 1000, report("a", tasks), report("b", {}, pid=2))
    before = len(texts(history))
    moved = {task: state for task, state in tasks.items() if task > "0_0"}
    see(history, 2000, report("a", {"0_0": "running"}), report("b", moved, pid=2))
    assert texts(history)[before:] == ["5 tasks (0_1, 0_2, 0_3, 0_4 and 1 more) moved"]


def test_the_death_of_a_worker_is_noted_once() -> None:
    history = History()
    see(history, 0, report("a", {"0_0": "running"}))
    lost = report("a", {}, "lost")
    see(history, 1000, lost, state="REBALANCING")
    see(history, 2000, lost, state="REBALANCING")
    see(history, 3000, report("a", {"0_0": "restoring"}, pid=2))
    see(history, 4000, report("a", {"0_0": "running"}, pid=2))
    assert texts(history) == [
        "RUNNING",
        "worker a (process 1) started",
        "task 0_0 assigned to a",
        "RUNNING \u2192 REBALANCING",
        "worker a (process 1) died",
        "task 0_0 without a worker",
        "REBALANCING \u2192 RUNNING",
        "worker a (process 2) started",
        "task 0_0 assigned to a",
        "task 0_0 restored",
    ]


def test_a_process_that_was_replaced_unseen_is_gone() -> None:
    history = History()
    see(history, 0, report("a", {"0_0": "running"}))
    see(history, 1000, report("a", {"0_0": "running"}, pid=2))
    assert "worker a (process 1) is gone" in texts(history)


def test_work_is_counted_in_buckets_of_ten_seconds() -> None:
    history = History()
    for second in range(25):
        one = Report("a", "running", records_in=100 * second, slot=(1 + second // 5, 0), pid=1)
        history.observe(second * 1000, "RUNNING", {"a": one}, {"a": 10 * second}, 0)
    assert history.timeline()["buckets"] == [
        [0, 90, 900, 1],
        [1, 100, 1000, 2],
        [2, 50, 500, 1],
    ]


def test_it_is_bounded() -> None:
    history = History()
    for number in range(2 * BUCKETS):
        see(history, number * 10_000, state=f"S{number}")
    seen = history.timeline()
    assert (len(seen["events"]), len(seen["buckets"])) == (EVENTS_MAX, BUCKETS)
    assert seen["events"][-1]["number"] == 2 * BUCKETS


def test_errors_are_counted() -> None:
    history = History()
    history.observe(0, "RUNNING", {}, {}, 3)
    history.observe(1000, "RUNNING", {}, {}, 3)
    history.observe(ERRORS_MS, "RUNNING", {}, {}, 4)
    assert texts(history) == ["RUNNING", "3 errors", "1 error"]


def test_errors_of_a_minute_are_one_event() -> None:
    history = History()
    for second in range(50):
        history.observe(second * 1000, "RUNNING", {}, {}, second // 2)
    events = history.timeline()["events"]
    assert [(one["number"], one["at"], one["text"]) for one in events] == [
        (1, 0, "RUNNING"),
        (2, 2000, "24 errors"),
    ]


def test_an_hour_of_errors_leaves_what_else_happened() -> None:
    history = History()
    see(history, 0, report("a", {"0_0": "running"}))
    began = texts(history)
    for second in range(0, 3600, 2):
        one = {"a": report("a", {"0_0": "running"})}
        history.observe(second * 1000, "RUNNING", one, {}, second // 2)
    found = history.timeline()["events"]
    assert [one["text"] for one in found if one["kind"] != "failure"] == began
    failures = [one for one in found if one["kind"] == "failure"]
    assert (failures[0]["at"], len(failures)) == (2000, 60)


def test_a_worker_is_said_with_its_machine_and_the_beginning_of_its_id() -> None:
    history = History()
    member = "a43f263c4e5c4766b136d714b1d2f3a4"
    here = Report(member, "running", tasks={"0_0": "running"}, pid=7, home="host-1:/state")
    see(history, 0, here)
    assert texts(history)[1:] == [
        "worker a43f263c on host-1 (process 7) started",
        "task 0_0 assigned to a43f263c on host-1",
    ]
