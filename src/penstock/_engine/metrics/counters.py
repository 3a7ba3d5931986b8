"""Counters of one task: plain integers on the hot path; they get their names when they are read."""

from __future__ import annotations


class TaskCounters:
    """What one task has counted since it started."""

    __slots__ = ("dropped_records", "enforced_processing", "processed", "punctuated")

    def __init__(self) -> None:
        self.dropped_records = 0
        self.enforced_processing = 0
        self.processed = 0
        self.punctuated = 0

    def drop(self) -> None:
        """Count a record that is dropped."""
        self.dropped_records += 1

    def by_name(self) -> dict[str, int]:
        """Return the counters under the names of group `stream-task-metrics`."""
        return {
            "dropped-records-total": self.dropped_records,
            "enforced-processing-total": self.enforced_processing,
            "process-total": self.processed,
            "punctuate-total": self.punctuated,
        }
