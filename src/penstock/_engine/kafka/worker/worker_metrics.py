"""The metrics of a worker as rows for the driver, gathered once a second. Everything here only
reads; what cannot be known now is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Protocol

from penstock._clock import monotonic
from penstock._engine.kafka.tasks.assigned_task import AssignedTask
from penstock._engine.kafka.tasks.global_tables import GlobalTables
from penstock._engine.kafka.tasks.inputs import Inputs
from penstock._engine.kafka.worker.task_set import TaskSet
from penstock._engine.metrics.rows import (
    NODE,
    STATE_UPDATER,
    TASK,
    THREAD,
    TOPIC,
    MetricRow,
)
from penstock._engine.metrics.samples import CounterRate
from penstock._engine.metrics.step_times import ThreadTimes
from penstock._engine.runtime.position import UNKNOWN

_NO_UPDATES: Mapping[str, int] = MappingProxyType({})


class Host(Protocol):
    """What else a worker's process has."""

    @property
    def global_tables(self) -> GlobalTables | None: ...


class WorkerMetrics:
    """The metrics of one worker. Call it on the worker's thread."""

    def __init__(
        self, tasks: TaskSet, inputs: Inputs, host: Host, times: ThreadTimes, *, debug: bool
    ) -> None:
        self._tasks, self._inputs, self._host = tasks, inputs, host
        self._times = times
        self._debug = debug
        self._update_rates: dict[str, CounterRate] = {}

    def rows(
        self,
        standbys: int,
        *,
        joined: bool = True,
        updated: Mapping[str, int] = _NO_UPDATES,
        behind: Mapping[str, int] = _NO_UPDATES,
    ) -> tuple[MetricRow, ...]:
        """Return all rows; the worker keeps copies of `standbys` tasks, `updated` says how many
        records it has restored to the copy of each, `behind` how many are left.
        """
        now = monotonic()
        return (
            self._of_thread(now, joined=joined),
            self._of_restoring(standbys, now),
            *(row for each in self._tasks.opened.values() for row in self._of_task(each, now)),
            *self._of_standbys(updated, now),
            *(
                MetricRow(TASK, {"standby-remaining-records": count}, {"task-id": task})
                for task, count in behind.items()
            ),
            *self._of_global_task(now),
        )

    def updated_standbys(self, seconds: float) -> None:
        """Take a look after the standbys, which the worker's thread also does."""
        self._times.updated_standbys(seconds)

    def _of_thread(self, now: float, *, joined: bool) -> MetricRow:
        values = self._times.values(now)
        settled = all(each.started for each in self._tasks.opened.values())
        settled = settled and not self._tasks.to_open()
        values["state"] = (
            "STARTING" if not joined else "RUNNING" if settled else "PARTITIONS_ASSIGNED"
        )
        lag = self._inputs.lag()
        if lag is not None:
            values["records-lag"] = lag + sum(
                sum(each.buffered().values()) for each in self._tasks.opened.values()
            )
        return MetricRow(THREAD, values)

    def _of_restoring(self, standbys: int, now: float) -> MetricRow:
        opened = self._tasks.opened.values()
        restoring = len(self._tasks.to_open()) + sum(not each.started for each in opened)
        return MetricRow(
            STATE_UPDATER,
            {
                "active-restoring-tasks": restoring,
                "standby-updating-tasks": standbys,
                **self._times.restore_values(now),
            },
        )

    def _of_task(self, each: AssignedTask, now: float) -> Iterator[MetricRow]:
        task, tags = each.task, {"task-id": each.plan.id}
        yield MetricRow(TASK, self._task_values(each, now), tags)
        for reason, count in task.counters.dropped_by_reason.items():
            yield MetricRow(
                TASK, {"dropped-records-by-reason-total": count}, {**tags, "reason": reason}
            )
        for node, count in task.counters.dropped_by_node.items():
            yield MetricRow(NODE, {"dropped-records-total": count}, _node_tags(tags, node))
        for node, ages in each.times.ages(now).items():
            yield MetricRow(NODE, ages, _node_tags(tags, node))
        yield from self._of_topics(each, tags)
        for row in task.metric_rows(now):
            yield replace(row, tags={**tags, **row.tags})

    def _task_values(self, each: AssignedTask, now: float) -> dict[str, int | float | str]:
        task = each.task
        values = each.times.values(task.counters, now, debug=self._debug)
        if each.restoring:
            values["restore-remaining-records-total"] = each.offsets_behind()
            if self._debug:
                values |= each.times.restore_values(each.restored(), now)
        if task.position.stream_time_ms != UNKNOWN:
            values["stream-time"] = task.position.stream_time_ms
        waiting = sum(each.buffered().values()) if each.started else 0
        lag = self._inputs.lag(each.plan.inputs) if each.started else None
        if lag is not None:
            values["records-lag"] = lag + waiting
        if self._debug:
            values["active-buffer-count"] = waiting
            values |= task.debug_values(now)
        return values

    def _of_topics(self, each: AssignedTask, tags: dict[str, str]) -> Iterator[MetricRow]:
        task, times = each.task, each.times
        lags = self._topic_lags(each)
        for topic, (count, size) in times.consumed.items():
            values: dict[str, int | float | str] = {
                "records-consumed-total": count,
                "bytes-consumed-total": size,
            }
            if topic in lags:
                values["records-lag"] = lags[topic]
            node = {**_node_tags(tags, task.source_name(topic)), "topic": topic}
            yield MetricRow(TOPIC, values, node)
        for topic, (count, size) in times.produced.items():
            node = {**_node_tags(tags, task.sink_names[topic]), "topic": topic}
            yield MetricRow(
                TOPIC, {"records-produced-total": count, "bytes-produced-total": size}, node
            )

    def _topic_lags(self, each: AssignedTask) -> dict[str, int]:
        """Return the records that wait in each topic, on the broker and here, where known."""
        lags = {}
        waiting = each.buffered() if each.started else {}
        for place in each.plan.inputs:
            lag = self._inputs.lag((place,)) if each.started else None
            if lag is not None:
                lags[place[0]] = lag + waiting.get(place, 0)
        return lags

    def _of_standbys(self, updated: Mapping[str, int], now: float) -> Iterator[MetricRow]:
        if not self._debug:
            return
        for task, count in updated.items():
            rate = self._update_rates.setdefault(task, CounterRate(now)).rate(count, now)
            yield MetricRow(TASK, {"update-total": count, "update-rate": rate}, {"task-id": task})

    def _of_global_task(self, now: float) -> Iterator[MetricRow]:
        tables = self._host.global_tables
        if tables is None:
            return
        for task, counted in tables.counters().items():
            dropped = {"dropped-records-total": counted["dropped-records-total"]}
            yield MetricRow(TASK, dict(dropped), {"task-id": task})
            for store in tables.stores.values():
                for row in store.metric_rows(now):
                    yield MetricRow(row.group, row.values, {"task-id": task, **row.tags})


def _node_tags(tags: dict[str, str], node: str) -> dict[str, str]:
    return {**tags, "processor-node-id": node}
