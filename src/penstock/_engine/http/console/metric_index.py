"""The metrics of all workers, sorted by what they are about: tasks, nodes, stores, workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from penstock._engine.http.console.rates import Rates
from penstock._engine.metrics.rows import NODE, STATE, TASK, THREAD, TOPIC, MetricRow

LATE = frozenset({"late", "expired"})
"""The reasons of records that came after their window had closed."""


@dataclass(slots=True)
class TaskFigures:
    """What is known of one task."""

    lag: int | None = None
    stream_time: int | None = None
    rate: float = 0.0
    dropped: int = 0
    late: int = 0
    busy: float = 0.0
    """The part of its worker's time that is spent on it."""
    remaining: int | None = None
    """Changelog offsets left to restore."""
    standby_remaining: int | None = None
    idle_seconds: dict[str, float] = field(default_factory=dict)
    """For how long each topic had no new record."""


@dataclass(slots=True)
class NodeFigures:
    """What is known of one node, of all tasks together."""

    dropped: int = 0
    latency_avg: float | None = None
    latency_max: float | None = None


@dataclass(slots=True)
class StoreFigures:
    """What is known of one store, of all tasks together."""

    rows: int = 0
    bytes: int = 0
    parts: int = 0


@dataclass(slots=True)
class MetricIndex:
    """All of it."""

    tasks: dict[str, TaskFigures] = field(default_factory=dict)
    nodes: dict[str, NodeFigures] = field(default_factory=dict)
    stores: dict[str, StoreFigures] = field(default_factory=dict)
    threads: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    read: dict[str, dict[str, float]] = field(default_factory=dict)
    """Records a second of each source node and topic."""
    written: dict[str, dict[str, float]] = field(default_factory=dict)
    """The same of each sink."""
    processed: dict[str, float] = field(default_factory=dict)
    """The same of each node that counts its own records; none unless metrics are recorded at DEBUG.
    """
    lags: dict[str, int] = field(default_factory=dict)
    """Records that wait at each source node."""
    counted: dict[str, int] = field(default_factory=dict)
    """Records of each such node since its tasks were opened."""
    totals: dict[str, int] = field(default_factory=dict)
    """Records of each source or sink since its tasks were opened."""


def index(rows: Mapping[str, Sequence[MetricRow]], rates: Rates, now: float) -> MetricIndex:
    """Sort the rows of all workers; `rates` knows what they were before."""
    found = MetricIndex()
    for worker, its_rows in rows.items():
        for row in its_rows:
            if row.of_user:
                continue
            if row.group == THREAD:
                found.threads[worker] = row.values
            elif row.group == TASK:
                _add_task(found, row)
            elif row.group == TOPIC:
                _add_topic(found, worker, row, rates, now)
            elif row.group == NODE:
                _add_node(found, worker, row, rates, now)
            elif row.group == STATE:
                _add_store(found, row)
    return found


def _add_task(found: MetricIndex, row: MetricRow) -> None:
    task = found.tasks.setdefault(row.tags["task-id"], TaskFigures())
    values: Mapping[str, Any] = row.values
    reason = row.tags.get("reason")
    if reason is not None:
        if reason in LATE:
            task.late += int(values["dropped-records-by-reason-total"])
        return
    if "standby-remaining-records" in values:
        task.standby_remaining = max(
            task.standby_remaining or 0, int(values["standby-remaining-records"])
        )
        return
    task.lag = values.get("records-lag", task.lag)
    task.stream_time = values.get("stream-time", task.stream_time)
    task.dropped += int(values.get("dropped-records-total", 0))
    task.busy = max(task.busy, float(values.get("active-process-ratio", 0.0)))
    task.remaining = values.get("restore-remaining-records-total", task.remaining)


def _add_topic(found: MetricIndex, worker: str, row: MetricRow, rates: Rates, now: float) -> None:
    task, node, topic = (row.tags[tag] for tag in ("task-id", "processor-node-id", "topic"))
    values: Mapping[str, Any] = row.values
    is_read = "records-consumed-total" in values
    total = int(values["records-consumed-total" if is_read else "records-produced-total"])
    key = worker, task, node, topic
    rate = rates.rate(key, total, now)
    by_topic = (found.read if is_read else found.written).setdefault(node, {})
    by_topic[topic] = by_topic.get(topic, 0.0) + rate
    found.totals[node] = found.totals.get(node, 0) + total
    if "records-lag" in values:
        found.lags[node] = found.lags.get(node, 0) + int(values["records-lag"])
    if is_read:
        figures = found.tasks.setdefault(task, TaskFigures())
        figures.rate += rate
        figures.idle_seconds[topic] = rates.idle_seconds(key, now)


def _add_node(found: MetricIndex, worker: str, row: MetricRow, rates: Rates, now: float) -> None:
    name = row.tags["processor-node-id"]
    node = found.nodes.setdefault(name, NodeFigures())
    values: Mapping[str, Any] = row.values
    if "records-total" in values:
        total = int(values["records-total"])
        rate = rates.rate((worker, row.tags.get("task-id"), name), total, now)
        found.processed[name] = found.processed.get(name, 0.0) + rate
        found.counted[name] = found.counted.get(name, 0) + total
    node.dropped += int(values.get("dropped-records-total", 0))
    for figure, name in (("latency_avg", "avg"), ("latency_max", "max")):
        value = values.get(f"record-e2e-latency-{name}")
        if value is not None:
            setattr(node, figure, max(getattr(node, figure) or 0.0, float(value)))


def _add_store(found: MetricIndex, row: MetricRow) -> None:
    name = next((value for tag, value in row.tags.items() if tag.endswith("-state-id")), None)
    if name is None:
        return
    store = found.stores.setdefault(name, StoreFigures())
    values: Mapping[str, Any] = row.values
    store.rows += int(values.get("num-keys", values.get("estimate-num-keys", 0)))
    store.bytes += int(values.get("state-bytes", 0))
    store.parts += 1
