"""Counters of one task: plain integers on the hot path; they get their names when they are read."""

from __future__ import annotations

from typing import Literal, TypeAlias

from penstock._engine.metrics.record_failures import RecentFailures

DropReason: TypeAlias = Literal[
    "deserialization-error",
    "expired",
    "invalid-timestamp",
    "late",
    "missing-key-or-value",
    "no-partition",
    "outdated",
    "processing-error",
    "production-error",
    "punctuation-error",
    "serialization-error",
]
"""Why a record is dropped: the errors are those that a handler has passed over."""


class TaskCounters:
    """What one task has counted since it started."""

    __slots__ = (
        "dropped_by_node",
        "dropped_by_reason",
        "dropped_records",
        "enforced_processing",
        "failures",
        "processed",
        "punctuated",
    )

    def __init__(self) -> None:
        self.dropped_records = 0
        self.dropped_by_reason: dict[DropReason, int] = {}
        self.dropped_by_node: dict[str, int] = {}
        self.failures = RecentFailures()
        self.enforced_processing = 0
        self.processed = 0
        self.punctuated = 0

    def drop(self, reason: DropReason = "expired") -> None:
        """Count a record that is dropped; stores drop what is older than they keep."""
        self.dropped_records += 1
        self.dropped_by_reason[reason] = self.dropped_by_reason.get(reason, 0) + 1

    def drop_at(self, node: str, reason: DropReason) -> None:
        """Count a record that a node drops."""
        self.drop(reason)
        self.dropped_by_node[node] = self.dropped_by_node.get(node, 0) + 1

    def by_name(self) -> dict[str, int]:
        """Return the counters under the names of group `stream-task-metrics`."""
        return {
            "dropped-records-total": self.dropped_records,
            "enforced-processing-total": self.enforced_processing,
            "process-total": self.processed,
            "punctuate-total": self.punctuated,
        }
