"""Every metric that an application can show, with its group, its level and what it means.

Names, groups and levels are Java's (docs/operations/monitoring.md of Kafka), but for those marked
as ours. Sensors of users' processors are not here.
"""

from __future__ import annotations

from dataclasses import dataclass

from penstock._engine.metrics.rows import (
    CLIENT,
    NODE,
    STATE,
    STATE_UPDATER,
    TASK,
    THREAD,
    TOPIC,
)
from penstock.metrics import RecordingLevel


@dataclass(frozen=True, slots=True)
class Entry:
    """One metric."""

    description: str
    level: RecordingLevel = "INFO"
    ours: bool = False
    """Whether Java has none of that name in that group."""


def _operation(name: str, what: str, level: RecordingLevel = "INFO") -> dict[str, Entry]:
    return {
        f"{name}-rate": Entry(f"{what}: how many each second", level),
        f"{name}-total": Entry(f"{what}: how many", level),
        f"{name}-latency-avg": Entry(f"{what}: how long one took, in ms, mean", level),
        f"{name}-latency-max": Entry(f"{what}: how long one took, in ms, the longest", level),
    }


def _ratio(name: str, what: str) -> dict[str, Entry]:
    return {f"{name}-ratio": Entry(f"the part of its time that the worker spent {what}")}


_CLIENT = {
    "version": Entry("the version of Penstock"),
    "application-id": Entry("the application's id"),
    "state": Entry("the state of the application"),
    "recording-level": Entry("the level of the metrics"),
    "alive-stream-threads": Entry("workers that are alive"),
    "failed-stream-threads": Entry("workers that have failed or died since the start"),
    "records-lag": Entry(
        "records of the inputs that wait, of tasks without a worker too", ours=True
    ),
    "tasks": Entry("tasks of the application", ours=True),
    "running-tasks": Entry("tasks that process records here", ours=True),
    "restoring-tasks": Entry("tasks that are being restored here", ours=True),
    "missing-tasks": Entry("tasks that no worker of this instance has", ours=True),
    "records-in-total": Entry("records of the inputs that were processed", ours=True),
    "records-out-total": Entry("records that were committed to output topics", ours=True),
    "broker-away-seconds": Entry("for how long the cluster has not answered", ours=True),
}

_THREAD = {
    "thread-start-time": Entry("when the worker started, in ms since 1970"),
    "blocked-time-ns-total": Entry("for how many ns the worker has waited for Kafka"),
    "task-created-rate": Entry("tasks opened each second"),
    "task-created-total": Entry("tasks opened"),
    "task-closed-rate": Entry("tasks closed each second"),
    "task-closed-total": Entry("tasks closed"),
    **_operation("poll", "reads of the inputs"),
    **_operation("process", "records processed"),
    **_operation("punctuate", "timers fired"),
    **_operation("commit", "commits"),
    **_ratio("poll", "reading, waiting for records included"),
    **_ratio("process", "processing records"),
    **_ratio("punctuate", "in timers"),
    **_ratio("commit", "committing"),
    "poll-records-avg": Entry("records of a read, mean"),
    "poll-records-max": Entry("records of a read, the most"),
    "process-records-avg": Entry("records of a run through a task, mean"),
    "process-records-max": Entry("records of a run through a task, the most"),
    "records-lag": Entry("records that wait in the inputs of the worker's tasks", ours=True),
}

_TASK = {
    "dropped-records-rate": Entry("records dropped each second"),
    "dropped-records-total": Entry("records dropped"),
    "dropped-records-by-reason-total": Entry("records dropped, by reason", ours=True),
    "active-process-ratio": Entry("the part of its time that the worker spent on this task"),
    "restore-remaining-records-total": Entry("changelog offsets that are left to restore"),
    "stream-time": Entry("the highest timestamp that was taken up, in ms since 1970", ours=True),
    "records-lag": Entry("records that wait in the inputs of the task", ours=True),
    **_operation("process", "records processed", "DEBUG"),
    **_operation("punctuate", "timers fired", "DEBUG"),
    "enforced-processing-total": Entry(
        "times a record was processed although not all inputs had one", "DEBUG"
    ),
    "active-buffer-count": Entry("records that were read and are not processed", "DEBUG"),
    "restore-total": Entry("changelog records restored", "DEBUG"),
}

_AGE = "the age of a record when it was processed, in ms, sampled once in each run"

_NODE = {
    "record-e2e-latency-avg": Entry(f"{_AGE}, mean"),
    "record-e2e-latency-min": Entry(f"{_AGE}, the youngest"),
    "record-e2e-latency-max": Entry(f"{_AGE}, the oldest"),
}

_STATE = {
    "num-keys": Entry("committed rows of a store in memory, about"),
    "estimate-num-keys": Entry("committed rows of a RocksDB store, about"),
    "num-immutable-mem-table": Entry("memtables that wait to be flushed"),
    "cur-size-active-mem-table": Entry("bytes of the active memtable"),
    "cur-size-all-mem-tables": Entry("bytes of active memtables and those that wait"),
    "size-all-mem-tables": Entry("bytes of all memtables, pinned ones included"),
    "num-entries-active-mem-table": Entry("entries of the active memtable"),
    "num-entries-imm-mem-tables": Entry("entries of memtables that wait to be flushed"),
    "num-deletes-active-mem-table": Entry("deletions in the active memtable"),
    "num-deletes-imm-mem-tables": Entry("deletions in memtables that wait to be flushed"),
    "mem-table-flush-pending": Entry("1 if a flush of a memtable waits"),
    "num-running-flushes": Entry("flushes that run"),
    "compaction-pending": Entry("1 if a compaction waits"),
    "num-running-compactions": Entry("compactions that run"),
    "estimate-pending-compaction-bytes": Entry("bytes that compactions are yet to rewrite"),
    "total-sst-files-size": Entry("bytes of all SST files"),
    "live-sst-files-size": Entry("bytes of the SST files of the newest version"),
    "num-live-versions": Entry("versions that are in use; many: iterators are open for long"),
    "block-cache-capacity": Entry("bytes that the block cache may hold"),
    "block-cache-usage": Entry("bytes in the block cache"),
    "block-cache-pinned-usage": Entry("bytes pinned in the block cache"),
    "estimate-table-readers-mem": Entry("bytes of indexes and filters outside the block cache"),
    "background-errors": Entry("flushes and compactions that failed"),
}

CATALOGUE: dict[str, dict[str, Entry]] = {
    CLIENT: _CLIENT,
    THREAD: _THREAD,
    STATE_UPDATER: {
        "active-restoring-tasks": Entry("tasks that the worker restores"),
        "standby-updating-tasks": Entry("tasks of others of which the worker keeps a copy"),
    },
    TASK: _TASK,
    NODE: _NODE,
    TOPIC: {"records-consumed-total": Entry("records read from a topic")},
    STATE: _STATE,
}
"""Metrics by group and name."""


def description(group: str, name: str) -> str:
    """Return what a metric means, empty for a sensor of the user's own."""
    entry = CATALOGUE.get(group, {}).get(name)
    return "" if entry is None else entry.description
