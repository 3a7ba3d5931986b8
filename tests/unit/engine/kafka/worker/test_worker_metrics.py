"""The rows of a worker's metrics, without a broker: its tasks and stores are real, Kafka is not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock._engine.metrics.catalogue import CATALOGUE
from penstock._engine.metrics.rows import MetricRow
from tests.unit.engine.kafka.worker.stage import Stage

Rows = dict[tuple[str, str | None, str | None], dict[str, int | float | str]]


@pytest.fixture(params=["INFO", "DEBUG"])
def stage(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Stage]:
    made = Stage(tmp_path, **{"metrics.recording.level": request.param})
    made.kafka.write("in", 0, ("a", "x"), ("a", "y"))
    made.run(0, 1)
    made.step_and_commit()
    yield made
    made.close()
    made.host.close()


def test_every_row_is_in_the_catalogue_at_its_level(stage: Stage) -> None:
    debug = stage.blueprint.config.records_debug_metrics
    rows = stage.worker.metrics.rows(standbys=3)
    for row in rows:
        for name in row.values:
            entry = CATALOGUE[row.group][name]
            assert debug or entry.level == "INFO", name
    shown = {(row.group, name) for row in rows for name in row.values}
    assert (("stream-task-metrics", "process-rate") in shown) == debug


def test_values(stage: Stage) -> None:
    rows = by_place(stage.worker.metrics.rows(standbys=3))
    thread = rows["stream-thread-metrics", None, None]
    assert (thread["process-total"], thread["commit-total"]) == (2, 1)
    assert (thread["task-created-total"], thread["records-lag"]) == (2, 0)
    restoring = rows["stream-state-updater-metrics", None, None]
    assert (restoring["active-restoring-tasks"], restoring["standby-updating-tasks"]) == (0, 3)
    assert (restoring["restore-records-rate"], restoring["standby-update-ratio"]) == (0, 0)
    assert thread["state"] == "RUNNING"
    task = rows["stream-task-metrics", "0_0", None]
    assert (task["stream-time"], task["records-lag"], task["dropped-records-total"]) == (1, 0, 0)
    assert "stream-time" not in rows["stream-task-metrics", "0_1", None]
    source = "KSTREAM-SOURCE-0000000000"
    # Key and value, and what Java counts for topic, partition, offset and timestamp.
    assert rows["stream-topic-metrics", "0_0", source] == {
        "records-consumed-total": 2,
        "bytes-consumed-total": 2 * (1 + 1 + 2 + 4 + 8 + 8),
        "records-lag": 0,
    }
    assert ("stream-topic-metrics", "0_1", source) not in rows
    age = stage.clock.now_ms() - 100 - 1
    assert rows["stream-processor-node-metrics", "0_0", source]["record-e2e-latency-max"] == age


def test_stores_have_the_tag_of_their_kind_and_rocksdb_s_numbers(stage: Stage) -> None:
    rows = [row for row in stage.worker.metrics.rows(0) if row.group == "stream-state-metrics"]
    assert [row.tags for row in rows] == [
        {"task-id": task, "rocksdb-state-id": "counts"} for task in ("0_0", "0_1")
    ]
    assert [row.values["estimate-num-keys"] for row in rows] == [1, 0]
    assert "block-cache-usage" in rows[0].values


def test_what_a_sink_sent_is_counted_and_its_age_is_sampled(stage: Stage) -> None:
    rows = by_place(stage.worker.metrics.rows(0))
    sinks = {
        group: values
        for (group, _, node), values in rows.items()
        if node is not None and "SINK" in node
    }
    age = stage.clock.now_ms() - 100 - 1
    assert sinks["stream-processor-node-metrics"]["record-e2e-latency-min"] == age
    # Two records of one key without a cache, each with a count of eight bytes.
    assert sinks["stream-topic-metrics"] == {
        "records-produced-total": 2,
        "bytes-produced-total": 2 * (1 + 8 + 3 + 4 + 8 + 8),
    }


def test_store_operations_and_standbys_are_shown_at_debug_only(stage: Stage) -> None:
    debug = stage.blueprint.config.records_debug_metrics
    rows = stage.worker.metrics.rows(1, updated={"7_0": 12})
    [store] = [
        row.values
        for row in rows
        if row.tags.get("rocksdb-state-id") and row.tags["task-id"] == "0_0"
    ]
    assert (store.get("put-total"), store.get("get-total")) == ((2, 2) if debug else (None, None))
    updated = [row.values["update-total"] for row in rows if "update-total" in row.values]
    assert updated == ([12] if debug else [])


def test_a_worker_that_has_not_joined_is_starting(stage: Stage) -> None:
    rows = by_place(stage.worker.metrics.rows(0, joined=False))
    assert rows["stream-thread-metrics", None, None]["state"] == "STARTING"


def test_dropped_records_have_a_reason(stage: Stage) -> None:
    log = stage.kafka.topics["in", 1]
    log.append((5, None, b"no key"))
    stage.worker.step()
    reasons = [row for row in stage.worker.metrics.rows(0) if "reason" in row.tags]
    assert reasons == [
        MetricRow(
            "stream-task-metrics",
            {"dropped-records-by-reason-total": 1},
            {"task-id": "0_1", "reason": "missing-key-or-value"},
        )
    ]


def test_a_lag_that_is_not_known_is_left_out(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = stage.worker._inputs
    monkeypatch.setattr(inputs, "lag", lambda partitions=None: None)
    rows = stage.worker.metrics.rows(0)
    assert not [row for row in rows if "records-lag" in row.values]


def by_place(rows: tuple[MetricRow, ...]) -> Rows:
    places: Rows = {}
    for row in rows:
        if "reason" not in row.tags:
            place = (row.group, row.tags.get("task-id"), row.tags.get("processor-node-id"))
            places.setdefault(place, {}).update(row.values)
    return places


def test_sensors_of_users_are_marked_and_our_rows_are_not(stage: Stage) -> None:
    task = next(iter(stage.worker._tasks.opened.values())).task
    task.sensors.of_node("N").add_rate_total_sensor("state", "oslo", "sale").record()
    rows = stage.worker.metrics.rows(0)
    assert [row.tags["state-id"] for row in rows if row.of_user] == ["oslo"]
