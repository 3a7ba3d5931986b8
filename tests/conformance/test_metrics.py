"""The metrics of a program with every kind of store are Java's: names, groups, tags, levels, and
how often each operation of each store was called.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.metrics import every_store
from conformance.metrics.recorded import JavaMetric, java_metrics
from penstock import StreamsConfig
from penstock._clock import monotonic
from penstock._engine.metrics.catalogue import CATALOGUE
from penstock._engine.metrics.rows import CACHE, NODE, STATE, MetricRow
from penstock._engine.planner.plan import plan_as_one
from penstock._engine.runtime.stores.engine_choice import open_in
from penstock._engine.runtime.task import Task
from penstock._engine.state.files.directory import StateDirectory
from penstock.settings.table import JOIN_EMIT_INTERVAL, WINDOW_EMIT_INTERVAL
from scripts.reference.metrics_page import NOT_MEASURED

NOW_MS = 1_000

# As in Java's driver: final results are looked for at each record.
SETTINGS = {
    "application.id": "metrics",
    "statestore.cache.max.bytes": 1_000_000,
    JOIN_EMIT_INTERVAL: 0,
    WINDOW_EMIT_INTERVAL: 0,
}

# Java looks for what cannot be there: values of the right side, which a left join does not keep.
NOT_CALLED = ("joined-left-shared-join-store", "put-if-absent")
# Calls of the host, of which Java's driver makes one more, and of the last versions' flush.
OF_THE_HOST = ("commit", "flush", "restore", "bytes")

Place = tuple[str, str, tuple[tuple[str, str], ...]]
"""Group, name and tags."""


def rows_of(directory: Path, level: str) -> list[MetricRow]:
    """Run the program over RocksDB and return the rows of its task."""
    config = StreamsConfig({**SETTINGS, "metrics.recording.level": level})
    inputs = {(topic, 0): 0 for topic in ("in", "other", "table", "versioned")}
    with StateDirectory(directory, "metrics").lock_task("0_0") as place:
        task = Task(
            "0_0",
            plan_as_one(every_store.topology(), "metrics"),
            config,
            inputs,
            lambda topic: 1,
            make_engine=lambda plan: open_in(place, plan, config, "metrics"),
        )
        task.set_lags(inputs)
        task.start(NOW_MS)
        for offset, (topic, key, value, timestamp) in enumerate(every_store.INPUT):
            task.add_records(topic, 0, [(offset, timestamp, key.encode(), value.encode(), ())])
            assert task.process(NOW_MS) == 1
            task.prepare_commit()
            task.drain()
            task.committed()
        rows = list(task.metric_rows(monotonic()))
        task.close()
    return rows


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[Place, int | float | str]:
    return by_place(rows_of(tmp_path_factory.mktemp("state"), "DEBUG"))


def by_place(rows: list[MetricRow]) -> dict[Place, int | float | str]:
    return {
        (row.group, name, tuple(sorted(row.tags.items()))): value
        for row in rows
        for name, value in row.values.items()
    }


def place_of(metric: JavaMetric) -> Place:
    tags = tuple(pair for pair in metric.tags if pair[0] not in {"task-id", "thread-id"})
    return metric.group, metric.name, tags


def of_stores_and_nodes() -> Iterator[JavaMetric]:
    return (metric for metric in java_metrics() if metric.group in {STATE, NODE, CACHE})


def test_each_metric_of_java_is_in_the_catalogue_or_has_a_reason() -> None:
    unknown = {
        (metric.group, metric.name)
        for metric in java_metrics()
        if metric.name not in CATALOGUE[metric.group]
        and metric.name not in NOT_MEASURED.get(metric.group, {})
    }
    assert unknown == set()


def test_no_reason_is_given_for_what_is_measured_or_unknown_to_java() -> None:
    names = {(metric.group, metric.name) for metric in java_metrics()}
    for group, reasons in NOT_MEASURED.items():
        assert set(reasons) & set(CATALOGUE[group]) == set()
        assert {(group, name) for name in reasons} <= names


def test_what_java_does_not_have_is_marked_as_ours() -> None:
    names = {(metric.group, metric.name) for metric in java_metrics()}
    # Java's standby tasks have these; the recorded program has none.
    names |= {("stream-task-metrics", "update-rate"), ("stream-task-metrics", "update-total")}
    wrong = {
        (group, name)
        for group, entries in CATALOGUE.items()
        for name, entry in entries.items()
        if entry.ours == ((group, name) in names)
    }
    assert wrong == set()


def test_levels_are_java_s_but_where_a_metric_would_cost_each_record_something() -> None:
    levels = {(metric.group, metric.name): metric.level for metric in java_metrics()}
    other = {
        (group, name): entry.level
        for group, entries in CATALOGUE.items()
        for name, entry in entries.items()
        if levels.get((group, name), entry.level) != entry.level
    }
    ages = {(STATE, f"record-e2e-latency-{stat}"): "DEBUG" for stat in ("avg", "min", "max")}
    assert other == {(STATE, "num-open-iterators"): "DEBUG", **ages}


def test_stores_caches_and_nodes_have_java_s_tags(
    shown: dict[Place, int | float | str],
) -> None:
    here = {(group, tags) for group, name, tags in shown if not CATALOGUE[group][name].ours}
    java = {(place_of(metric)[0], place_of(metric)[2]) for metric in of_stores_and_nodes()}
    # The worker samples the ages of sinks; Java has empty metrics of a node that could emit on
    # close and does not, and of a cache of sessions, in which no key is ever looked up.
    empty = {"KSTREAM-SINK-0000000008", "KSTREAM-REDUCE-0000000010"}
    elsewhere = {(NODE, (("processor-node-id", node),)) for node in empty}
    elsewhere.add((CACHE, (("record-cache-id", "sessions"),)))
    assert here == java - elsewhere


def test_each_operation_was_called_as_often_as_in_java(
    shown: dict[Place, int | float | str],
) -> None:
    java: dict[Place, int] = {}
    for metric in of_stores_and_nodes():
        operation = metric.name.removesuffix("-rate").removesuffix("-total")
        names = {tag for _, tag in metric.tags}
        if not metric.count or operation.startswith(OF_THE_HOST):
            continue
        if NOT_CALLED[0] not in names or operation != NOT_CALLED[1]:
            group, _, tags = place_of(metric)
            java[group, f"{operation}-total", tags] = metric.count
    assert len(java) > 30
    assert {place: shown.get(place) for place in java} == java


def test_what_was_called_has_a_latency(shown: dict[Place, int | float | str]) -> None:
    for (group, name, tags), value in shown.items():
        operation = name.removesuffix("-total")
        if group == STATE and operation != name and f"{operation}-rate" in CATALOGUE[STATE]:
            timed = (group, f"{operation}-latency-avg", tags)
            if timed[1] in CATALOGUE[STATE]:
                assert (timed in shown) == bool(value), (name, tags)


def test_ages_and_hit_ratios(shown: dict[Place, int | float | str]) -> None:
    node = (("processor-node-id", "uses"),)
    assert shown[NODE, "record-e2e-latency-min", node] == NOW_MS - 50
    assert shown[NODE, "record-e2e-latency-max", node] == NOW_MS - 3
    store = (("rocksdb-state-id", "plain"),)
    assert shown[STATE, "record-e2e-latency-max", store] == NOW_MS - 3
    # Of the keys a, b, a, a, c the second and the third a are found.
    assert shown[CACHE, "hit-ratio-avg", (("record-cache-id", "cached"),)] == pytest.approx(0.4)


def test_rocksdb_counts(shown: dict[Place, int | float | str]) -> None:
    store = (("rocksdb-state-id", "plain"),)
    assert int(shown[STATE, "bytes-written-total", store]) > 0
    assert int(shown[STATE, "state-bytes", store]) > 0
    assert shown[STATE, "number-file-errors-total", store] == 0


def test_at_info_stores_show_what_is_read_and_nothing_that_is_counted(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, "INFO")
    assert {row.group for row in rows} == {STATE}
    for row in rows:
        for name in row.values:
            assert CATALOGUE[STATE][name].level == "INFO", name
