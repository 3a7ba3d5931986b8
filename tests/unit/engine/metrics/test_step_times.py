"""What a worker measures of its steps."""

from __future__ import annotations

from penstock._engine.metrics.counters import TaskCounters
from penstock._engine.metrics.step_times import TaskTimes, ThreadTimes


def test_steps_of_a_thread() -> None:
    times = ThreadTimes(0.0, started_at_ms=77)
    times.polled(100, 0.5)
    times.polled(300, 0.5)
    times.processed(400, 2.0)
    times.committed(1.0, 0.25)
    times.created = 3
    values = times.values(10.0)
    assert values["thread-start-time"] == 77
    assert values["blocked-time-ns-total"] == 1_250_000_000
    assert (values["poll-records-avg"], values["poll-records-max"]) == (200.0, 300.0)
    assert (values["process-rate"], values["process-total"]) == (40.0, 400)
    assert (values["process-latency-avg"], values["process-ratio"]) == (5.0, 0.2)
    assert (values["commit-latency-max"], values["commit-total"]) == (1000.0, 1)
    assert (values["task-created-total"], values["task-created-rate"]) == (3, 0.3)
    assert values["punctuate-total"] == 0
    assert "punctuate-latency-avg" not in values


def test_a_task_shows_its_processing_at_debug_only() -> None:
    times, counters = TaskTimes(0.0), TaskCounters()
    counters.processed, counters.punctuated = 50, 2
    counters.drop("late")
    times.processed(50, 1.0)
    times.punctuated(2, 0.5)
    info = times.values(counters, 10.0, debug=False)
    assert info == {
        "dropped-records-total": 1,
        "dropped-records-rate": 0.1,
        "active-process-ratio": 0.1,
    }
    debug = times.values(counters, 10.0, debug=True)
    assert (debug["process-rate"], debug["process-total"]) == (5.0, 50)
    assert (debug["punctuate-total"], debug["punctuate-latency-avg"]) == (2, 250.0)


def test_ages_of_records_by_source_and_records_by_topic() -> None:
    times = TaskTimes(0.0)
    times.arrived("SOURCE", 10, 1.0)
    times.arrived("SOURCE", 30, 2.0)
    assert times.ages(3.0) == {
        "SOURCE": {
            "record-e2e-latency-avg": 20.0,
            "record-e2e-latency-min": 10.0,
            "record-e2e-latency-max": 30.0,
        }
    }
    times.read("in", 3, 30)
    times.read("in", 4, 50)
    times.sent("out", 2, 10)
    times.sent("out", 1, 5)
    assert (times.consumed, times.produced) == ({"in": (7, 80)}, {"out": (3, 15)})


def test_restoring_and_standbys_of_a_thread() -> None:
    times = ThreadTimes(0.0, started_at_ms=0)
    times.restored(300, 1.0)
    times.restored(200, 1.0)
    times.updated_standbys(0.5)
    assert times.restore_values(10.0) == {
        "restore-call-rate": 0.2,
        "restore-records-rate": 50.0,
        "active-restore-ratio": 0.2,
        "standby-update-ratio": 0.05,
    }


def test_records_that_a_task_restored() -> None:
    times = TaskTimes(0.0)
    assert times.restore_values(50, 10.0) == {"restore-total": 50, "restore-rate": 5.0}
