"""What Spark's progress is told of an application."""

from __future__ import annotations

from dataclasses import replace

from penstock._engine.control.protocol.messages import Report
from penstock._engine.control.status import RecordCounts, status
from penstock._engine.metrics.rows import STATE, TASK, MetricRow

A = Report("a", "running", tasks={"0_0": "running"}, lag=3, state_entries={"counts": 5, "names": 1})
B = Report(
    "b",
    "restoring",
    tasks={"0_1": "restoring", "0_2": "running"},
    lag=4,
    restore_remaining=10,
    state_entries={"counts": 2},
)


def test_workers_are_added_up() -> None:
    assert status({"a": A, "b": B}, 7) == {
        "workers": 2,
        "tasks": {"running": 2, "restoring": 1},
        "lag": 7,
        "restoreRemaining": 10,
        "stateEntries": {"counts": 7, "names": 1},
        "stateOperators": [
            {"operatorName": "counts", "numRowsTotal": 7},
            {"operatorName": "names", "numRowsTotal": 1},
        ],
    }


def test_stores_are_shown_as_spark_shows_its_own() -> None:
    def of_store(task: str, **values: int) -> MetricRow:
        named = {name.replace("_", "-"): value for name, value in values.items()}
        return MetricRow(STATE, dict(named), {"task-id": task, "rocksdb-state-id": "counts"})

    other = MetricRow(TASK, {"state-bytes": 1000}, {"task-id": "0_0"})
    metrics = {
        "a": (of_store("0_0", state_bytes=100, put_total=3), other),
        "b": (of_store("0_1", state_bytes=50, put_total=4), of_store("0_2", state_bytes=7)),
    }
    assert status({"a": A, "b": B}, 0, metrics)["stateOperators"] == [
        {
            "operatorName": "counts",
            "numRowsTotal": 7,
            "numStateStoreInstances": 3,
            "stateBytes": 157,
            "numRowsUpdated": 7,
        },
        {"operatorName": "names", "numRowsTotal": 1},
    ]


def test_workers_that_are_gone_do_not_count() -> None:
    gone = {state: Report(state, state, tasks={"0_0": "running"}, lag=9) for state in ("closed",)}
    gone["lost"] = Report("lost", "lost", lag=9)
    told = status({"a": A, **gone}, 3)
    assert (told["workers"], told["tasks"]["running"], told["lag"]) == (1, 1, 3)


def test_a_worker_that_sends_no_reports_counts_as_a_worker_only() -> None:
    """Its tasks may run elsewhere, and were counted twice; alone it was still said to run them."""
    row = MetricRow(STATE, {"state-bytes": 100}, {"task-id": "0_0", "rocksdb-state-id": "counts"})
    silent = replace(A, state="silent", repeated=True, restore_remaining=3, broker_away_seconds=9.0)
    alone = status({"a": silent}, None, {"a": (row,)})
    assert (alone["workers"], alone["tasks"]["running"], alone["restoreRemaining"]) == (1, 0, 0)
    assert (alone["stateEntries"], alone["stateOperators"]) == ({}, [])
    assert "brokerAwaySeconds" not in alone
    other = replace(A, member_id="b")
    both = status({"a": silent, "b": other}, 3, {"a": (row,), "b": (row,)})
    assert both == {**status({"b": other}, 3, {"b": (row,)}), "workers": 2}


def test_a_lag_that_is_not_known_is_left_out() -> None:
    assert "lag" not in status({"a": A}, None)
    assert status({"a": A}, 0)["lag"] == 0


def test_a_broker_that_is_away_is_told() -> None:
    away = Report("b", "running", tasks={"0_1": "running"}, broker_away_seconds=12.34)
    told = status({"a": A, "b": away}, None)
    assert told["brokerAwaySeconds"] == 12.3
    assert "brokerAwaySeconds" not in status({"a": A}, None)


def test_records_are_counted_over_workers_that_were_replaced() -> None:
    counts = RecordCounts()
    counts.add(Report("a", "running", records_in=10, records_out=4, pid=1))
    assert counts.end_turn() == {
        "recordsIn": 10,
        "recordsOut": 4,
        "recordsInLastTurn": 10,
        "recordsOutLastTurn": 4,
    }
    counts.add(Report("a", "running", records_in=12, records_out=4, pid=1))
    counts.add(Report("a", "running", records_in=5, records_out=5, pid=2))
    assert counts.end_turn() == {
        "recordsIn": 17,
        "recordsOut": 9,
        "recordsInLastTurn": 7,
        "recordsOutLastTurn": 5,
    }


def test_a_worker_that_is_replaced_in_its_process_takes_no_records_back() -> None:
    """REPLACE_THREAD: the same member id and process, and counts from 0."""
    counts = RecordCounts()
    counts.add(Report("a", "running", records_in=5000, records_out=40, pid=1))
    counts.end_turn()
    counts.add(Report("a", "failed", records_in=5010, records_out=40, pid=1))
    counts.add(Report("a", "running", records_in=100, records_out=50, pid=1))
    told = counts.end_turn()
    assert (told["recordsIn"], told["recordsInLastTurn"]) == (5110, 110)
    assert (told["recordsOut"], told["recordsOutLastTurn"]) == (90, 50)
    # The last report of this one was lost with its connection.
    counts.add(Report("a", "running", records_in=7, records_out=0, pid=1))
    assert counts.totals() == {"records-in-total": 5117, "records-out-total": 90}
