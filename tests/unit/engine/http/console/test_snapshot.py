"""The document of the page, of an application that is simulated at several moments."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from penstock import StreamsBuilder, TimeWindows
from penstock._engine.control.drivers import Driver
from penstock._engine.control.protocol.messages import Report, WorkerFailure
from penstock._engine.control.recent_errors import SeenError
from penstock._engine.http.console.graph import graph_document, windows_of
from penstock._engine.http.console.snapshot import Watch, error_document, owners_of
from penstock._engine.http.replies import ascii_json
from penstock._engine.metrics.record_failures import RecordFailure
from penstock._engine.planner.plan import plan_subtopologies
from penstock._engine.planner.tasks import plan_tasks
from tests.console.simulated import PLANTED, Simulated


def seen(application: Simulated, seconds: int = 6) -> dict[str, Any]:
    watch, sections = Watch(application), {}
    began = application.began
    for second in range(seconds):
        # Time that the application makes itself of: no test waits for it.
        application.began = began - second
        sections = watch.sections(watch.look(1_000_000 + second * 1000, 50.0 + second))
    return sections


def test_rates_lags_and_totals_are_there() -> None:
    application = Simulated(partitions=4, workers=3)
    sections = seen(application)
    head = sections["head"]
    assert (head["state"], head["tasks"], head["running"], head["workers"]) == (
        "RUNNING",
        12,
        12,
        3,
    )
    assert 2900 < head["rate_in"] < 3100
    nodes = sections["flow"]["nodes"]
    source = next(name for name in nodes if "SOURCE-0000000002" in name)
    assert nodes[source]["lag"] == 12
    assert nodes[source]["rate"] > 100
    assert nodes[source]["latency_max"] == 80.0
    assert len(sections["flow"]["edges"]) == len(graph(application)["edges"])


def test_the_first_look_after_glances_has_rates() -> None:
    application = Simulated(partitions=4, workers=3)
    watch, began = Watch(application), application.began
    for second in range(4):
        application.began = began - second
        watch.glance(1_000_000 + second * 1000, 50.0 + second)
    application.began = began - 4
    sections = watch.sections(watch.look(1_004_000, 54.0))
    assert 2900 < sections["head"]["rate_in"] < 3100
    source = next(name for name in sections["flow"]["nodes"] if "SOURCE-0000000002" in name)
    expected = seen(Simulated(partitions=4, workers=3))["flow"]["nodes"][source]["rate"]
    assert sections["flow"]["nodes"][source]["rate"] == pytest.approx(expected, rel=0.05)


def graph(application: Simulated) -> dict[str, Any]:
    return graph_document(application.program(), application.plan())


def test_every_node_has_its_code_line_and_every_store_its_kind() -> None:
    shapes = graph(Simulated())["shapes"]
    paid = next(shape for shape in shapes if shape["name"] == "paid-orders")
    assert "simulated.py:" in paid["location"]
    assert paid["operation"] == "Filter"
    windows = next(shape for shape in shapes if shape["name"] == "orders-per-customer")
    assert "window" in windows["store"]["kind"]
    for shape in shapes:
        left, top, width, height = shape["box"]
        assert min(left, top) >= 0
        assert min(width, height) > 0


def test_a_dead_worker_and_its_tasks_are_shown() -> None:
    application = Simulated(partitions=4, workers=3)
    application.kill(1)
    sections = seen(application)
    states = {worker["id"]: worker["state"] for worker in sections["workers"]}
    assert states == {"worker-0": "running", "worker-1": "lost", "worker-2": "running"}
    assert set(sections["tasks"]["worker"]) == {"worker-0", "worker-2"}
    assert sections["head"]["workers"] == 2
    assert sections["errors"][0]["error"] == "the worker's process died"


def test_restoring_has_a_part_and_a_time() -> None:
    application = Simulated(partitions=2, workers=1)
    watch = Watch(application)
    task = application.plan()[0].id
    progress = []
    for second, remaining in enumerate((1000, 800, 500)):
        application.restoring = {task: remaining}
        tasks = watch.sections(watch.look(second * 1000, float(second)))["tasks"]
        progress.append((tasks["restored"][0], tasks["remaining"][0], tasks["eta"][0]))
    assert progress == [(0.0, 1000, None), (0.2, 800, 4.0), (0.5, 500, 2.0)]
    application.restoring = {}
    tasks = watch.sections(watch.look(4000, 4.0))["tasks"]
    assert (tasks["state"][0], tasks["restored"][0], tasks["eta"][0]) == ("running", None, None)


def test_tasks_without_a_worker_are_missing() -> None:
    application = Simulated(partitions=2, workers=1)
    application.reports = dict  # type: ignore[method-assign]
    application.metric_rows = dict  # type: ignore[method-assign]
    sections = seen(application, 1)
    assert sections["head"]["missing"] == 6
    assert set(sections["tasks"]["state"]) == {"unassigned"}


def test_windows_have_their_tasks_and_idle_partitions_are_named() -> None:
    application = Simulated(partitions=3, workers=1)
    application.idle = {"2_1"}
    [windows] = (time := seen(application, 14)["time"])["windows"]
    assert (windows["kind"], windows["size"], windows["grace"]) == ("tumbling", 300_000, 60_000)
    assert [task[0] for task in windows["tasks"]] == ["2_0", "2_1", "2_2"]
    assert [one["task"] for one in time["held"]] == ["2_1"]


def test_another_plan_has_another_number() -> None:
    application = Simulated(partitions=1)
    watch = Watch(application)
    first = watch.sections(watch.look(0, 0.0))["head"]["plan"]
    same = watch.sections(watch.look(1000, 1.0))["head"]["plan"]
    application._tasks = [*application._tasks]
    other = watch.sections(watch.look(2000, 2.0))["head"]["plan"]
    assert (same, other) == (first, first + 1)


def test_an_error_keeps_its_place_and_the_record_s_texts_as_they_are() -> None:
    record = RecordFailure(
        "0_1", "map", "processing-error", f"ValueError: {PLANTED}", "app.py:3", "in", 1, 7, 5,
        key=PLANTED, value="v", headers=(("h", PLANTED),), dead_letters=("dead",),
    )  # fmt: skip
    document = error_document(SeenError(1, 3, 4, 5, "w", record))
    assert (document["topic"], document["partition"], document["offset"]) == ("in", 1, 7)
    assert (document["key"], document["headers"]) == (PLANTED, [["h", PLANTED]])
    assert (document["count"], document["first"], document["at"]) == (3, 4, 5)
    assert not document["fatal"]
    failure = WorkerFailure("E", "gone", "trace", "user trace", {"topic": "in", "offset": 9})
    fatal = error_document(SeenError(2, 1, 5, 5, "w", None, failure))
    assert (fatal["fatal"], fatal["error"], fatal["offset"]) == (True, "gone", 9)


def test_workers_are_called_by_their_place() -> None:
    application = Simulated(partitions=1, workers=2)
    application.members[0] = "a43f263c4e5c4766b136d714b1d2f3a4"
    application.executors = True
    application.fail()
    sections = seen(application, 1)
    known = [(one["name"], one["short_id"], one["executor"]) for one in sections["workers"]]
    assert known == [
        ("host-0 \u00b7 slot 0", "a43f263c", "1"),
        ("host-1 \u00b7 slot 1", "worker-1", "2"),
    ]
    [error] = sections["errors"]
    assert (error["worker"], error["worker_name"]) == (
        application.members[0],
        "host-0 \u00b7 slot 0",
    )


def test_records_that_were_skipped_are_told_from_others_that_were_dropped() -> None:
    application = Simulated(partitions=1, workers=1)
    for _ in range(3):
        application.fail()
    node = seen(application, 1)["flow"]["nodes"]["paid-orders"]
    assert (node["errors"], node["dropped"], node["skipped"]) == (3, 3, 3)


def test_windows_are_called_by_their_store_and_say_where_they_are_written() -> None:
    [windows] = graph(Simulated())["windows"]
    assert windows["title"] == "orders-per-customer"
    assert "simulated.py:" in windows["location"]


def test_windows_without_a_name_of_the_user_are_called_by_their_verb() -> None:
    builder = StreamsBuilder()
    grouped = builder.stream("in").group_by_key()
    grouped.windowed_by(TimeWindows.of_size(1000)).count()
    topology = builder.build()
    plans = plan_subtopologies(topology, "app")
    [windows] = windows_of(topology, plan_tasks(plans, {"in": 1}))
    assert windows["title"] == "aggregate"


def test_a_figure_that_is_no_number_is_left_out() -> None:
    application = Simulated(partitions=1, workers=1)
    rows = application.metric_rows()
    rows["worker-0"][0].values["process-ratio"] = float("nan")
    application.metric_rows = lambda: rows  # type: ignore[method-assign]
    sections = seen(application, 1)
    assert sections["workers"][0]["busy"] is None
    assert ascii_json(sections)


def test_reports_without_metrics_are_enough() -> None:
    application = Simulated(partitions=1, workers=1)
    application.metric_rows = dict  # type: ignore[method-assign]
    report = Report("w", "running", tasks={"0_0": "running"})
    application.reports = lambda: {"w": report}  # type: ignore[method-assign]
    sections = seen(application, 2)
    assert sections["tasks"]["worker"][0] == "w"
    assert sections["workers"][0]["machine"] == ""


def test_a_task_that_has_moved_from_a_worker_that_hangs_is_where_it_runs() -> None:
    moved = Report("a", "running", tasks={"0_0": "running"}, pid=1)
    hangs = Report("b", "running", tasks={"0_0": "running"}, pid=2, repeated=True)
    assert owners_of({"a": moved, "b": hangs}) == {"0_0": ("a", "running")}
    assert owners_of({"b": hangs, "a": moved}) == {"0_0": ("a", "running")}


def test_the_task_of_a_worker_that_sends_no_reports_is_where_others_have_it() -> None:
    silent = Report("a", "silent", tasks={"0_0": "running"}, pid=1, repeated=True)
    for repeated in (False, True):
        owner = Report("b", "restoring", tasks={"0_0": "restoring"}, pid=2, repeated=repeated)
        assert owners_of({"a": silent, "b": owner}) == {"0_0": ("b", "restoring")}
        assert owners_of({"b": owner, "a": silent}) == {"0_0": ("b", "restoring")}
    assert owners_of({"a": silent}) == {"0_0": ("a", "silent")}
    application = Simulated(partitions=2, workers=1)
    tasks = [plan.id for plan in application.plan()]
    own = Report("a", "silent", tasks=dict.fromkeys(tasks, "running"), pid=1, repeated=True)
    other = Driver("there", "node/2", tasks={tasks[0]: "running"})
    application.reports = lambda: {"a": own}  # type: ignore[method-assign]
    application.drivers = lambda: [Driver("here", "node/1"), other]  # type: ignore[method-assign]
    sections = seen(application, 1)
    shown = sections["tasks"]
    where = dict(zip(shown["id"], zip(shown["worker"], shown["state"], strict=True), strict=True))
    assert where.pop(tasks[0]) == ("node/2", "running")
    assert set(where.values()) == {("a", "silent")}
    head = sections["head"]
    assert (head["elsewhere"], head["running"], head["missing"]) == (1, 0, len(tasks) - 1)
    # A driver that was killed claims its tasks for a while.
    own = replace(own, state="running", repeated=False)
    head = seen(application, 1)["head"]
    assert (head["elsewhere"], head["running"], head["missing"]) == (0, len(tasks), 0)


def test_totals_do_not_fall_when_a_worker_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    application = Simulated(partitions=1, workers=1)
    watch, totals = Watch(application), []
    for number, (records_in, records_out) in enumerate([(500, 50), (510, 60), (7, 0), (9, 1)]):
        report = Report("a", "running", records_in=records_in, records_out=records_out, pid=1)
        monkeypatch.setattr(application, "reports", lambda one=report: {"a": one})
        head = watch.sections(watch.look(1_000_000 + number * 1000, 50.0 + number))["head"]
        totals.append((head["total_in"], head["total_out"]))
    assert totals == [(500, 50), (510, 60), (517, 60), (519, 61)]
