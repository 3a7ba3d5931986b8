"""What is measured of each record at the nodes of a task, at the recording level DEBUG only. Java:
ProcessorNodeMetrics and TaskMetrics.

At the level INFO a task has no meter, and its nodes are called as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from penstock._engine.metrics.rows import NODE, MetricRow
from penstock._engine.metrics.samples import Quantity
from penstock._engine.operators.site import Process
from penstock._engine.runtime.position import Position
from penstock.record import HeaderPairs


class NodeMeter:
    """The records that enter a task, and those that reach each of its nodes but the sinks, which
    count what they write at every level. Java counts at sources alone: others have a name of ours.
    """

    def __init__(self, position: Position, now: float) -> None:
        self._position = position
        self._began = now
        self._lateness = Quantity(now)
        self._sources: dict[str, Quantity] = {}
        self._passed: dict[str, Quantity] = {}
        self._ends: dict[str, Quantity] = {}

    def entered(self, source: str, process: Process) -> Process:
        """Return `process` of a source node, which counts its records and how late they are."""
        position, late = self._position, self._lateness
        counted = self._sources.setdefault(source, Quantity(self._began))

        def process_counted(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
            lateness = position.stream_time_ms - timestamp
            late.add(lateness if lateness > 0 else 0)
            counted.add(0)
            process(key, value, timestamp, headers)

        return process_counted

    def passed(self, node: str, process: Process) -> Process:
        """Return `process` of a node with children, which counts its records."""
        add = self._passed.setdefault(node, Quantity(self._began)).add

        def process_passed(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
            add(0)
            process(key, value, timestamp, headers)

        return process_passed

    def reached(self, node: str, process: Process) -> Process:
        """Return `process` of a node without children, which counts its records and takes their
        ages.
        """
        position = self._position
        ages = self._ends.setdefault(node, Quantity(self._began))

        def process_aged(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
            ages.add(position.wall_clock_ms - timestamp)
            process(key, value, timestamp, headers)

        return process_aged

    def task_values(self, now: float) -> dict[str, float]:
        """Return the metrics of group `stream-task-metrics`."""
        return self._lateness.values("record-lateness", now, "avg", "max")

    def rows(self, now: float) -> Iterator[MetricRow]:
        """Yield the metrics of the nodes."""
        for source, counted in self._sources.items():
            rate = counted.samples(now).rate(now)
            yield MetricRow(
                NODE,
                {"process-rate": rate, "process-total": counted.total},
                {"processor-node-id": source},
            )
        for node, counted in self._passed.items():
            yield MetricRow(NODE, {"records-total": counted.total}, {"processor-node-id": node})
        for node, ages in self._ends.items():
            known = ages.values("record-e2e-latency", now, "avg", "min", "max")
            yield MetricRow(
                NODE, {"records-total": ages.total, **known}, {"processor-node-id": node}
            )
