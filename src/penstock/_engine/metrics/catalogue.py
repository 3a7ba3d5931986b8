"""Every metric that an application can show, with its group, its level and what it means.

Names, groups and levels are Java's (docs/operations/monitoring.md of Kafka), but for those marked
as ours. Sensors of users' processors are not here.
"""

from __future__ import annotations

from dataclasses import dataclass

from penstock._engine.metrics.rows import (
    CACHE,
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


def _spread(what: str, names: str, level: RecordingLevel = "INFO") -> dict[str, Entry]:
    """Return entries of means, minima and maxima."""
    shown = {"avg": "mean", "min": "the least", "max": "the largest"}
    return {
        name: Entry(f"{what}, {shown[name.rpartition('-')[2]]}", level) for name in names.split()
    }


def _store_operation(name: str, what: str) -> dict[str, Entry]:
    entries = _operation(name, what, "DEBUG")
    entries[f"{name}-total"] = Entry(f"{what}: how many", "DEBUG", ours=True)
    return entries


def _ratio(name: str, what: str) -> dict[str, Entry]:
    return {f"{name}-ratio": Entry(f"the part of its time that the worker spent {what}")}


_CLIENT = {
    "version": Entry("the version of Penstock"),
    "application-id": Entry("the application's id"),
    "state": Entry("the state of the application"),
    "topology-description": Entry("the text of describe(); not in Prometheus' format"),
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
    "state": Entry("the state of the worker, in the words of Java's threads"),
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
    "standby-remaining-records": Entry(
        "changelog offsets that a standby copy is behind, as it knew last", ours=True
    ),
    "stream-time": Entry("the highest timestamp that was taken up, in ms since 1970", ours=True),
    "records-lag": Entry("records that wait in the inputs of the task", ours=True),
    **_operation("process", "records processed", "DEBUG"),
    **_operation("punctuate", "timers fired", "DEBUG"),
    "enforced-processing-rate": Entry("the same each second", "DEBUG"),
    "enforced-processing-total": Entry(
        "times a record was processed although not all inputs had one", "DEBUG"
    ),
    "active-buffer-count": Entry("records that were read and are not processed", "DEBUG"),
    "cache-size-bytes-total": Entry("bytes in the record caches of the task", "DEBUG"),
    **_spread(
        "how far records were behind stream time, in ms",
        "record-lateness-avg record-lateness-max",
        "DEBUG",
    ),
    "restore-rate": Entry("changelog records restored each second", "DEBUG"),
    "restore-total": Entry("changelog records restored", "DEBUG"),
    "update-rate": Entry("changelog records added to a standby copy each second", "DEBUG"),
    "update-total": Entry("changelog records added to a standby copy", "DEBUG"),
}

_AGE = (
    "the age of a record when a source or a sink had it, one of many, in ms; of other nodes "
    "without children and of stores at DEBUG, of each record"
)

_NODE = {
    "dropped-records-total": Entry("records that the node dropped", ours=True),
    **_spread(_AGE, "record-e2e-latency-avg record-e2e-latency-min record-e2e-latency-max"),
    "process-rate": Entry("records of a source node each second", "DEBUG"),
    "process-total": Entry("records of a source node", "DEBUG"),
    "records-total": Entry("records of a node between sources and sinks", "DEBUG", ours=True),
    "suppression-emit-rate": Entry("rows that suppress emitted each second", "DEBUG"),
    "suppression-emit-total": Entry("rows that suppress emitted", "DEBUG"),
    **_operation("window-aggregate-final-emit", "windows emitted on close", "DEBUG"),
}

_OPERATIONS = {
    "put": "puts, and deletions by putting None",
    "put-if-absent": "puts of keys that may have a value",
    "put-all": "puts of several keys at once",
    "get": "lookups of a key",
    "delete": "deletions",
    "remove": "deletions of sessions",
    "fetch": "reads of windows or sessions, until the iterator's end",
    "range": "reads of a range of keys, until the iterator's end",
    "all": "reads of all keys, until the iterator's end",
    "prefix-scan": "reads of the keys with a prefix, until the iterator's end",
    "flush": "flushes of the record cache",
    "commit": "commits of a store",
    "restore": "batches of changelog records written to a store",
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
    "state-bytes": Entry("bytes of a store on disk and in its memory, about", ours=True),
    "suppression-buffer-size": Entry("bytes that suppress holds back", ours=True),
    "suppression-buffer-count": Entry("rows that suppress holds back", ours=True),
    **_spread(
        "bytes that suppress held back",
        "suppression-buffer-size-avg suppression-buffer-size-max",
        "DEBUG",
    ),
    **_spread(
        "rows that suppress held back",
        "suppression-buffer-count-avg suppression-buffer-count-max",
        "DEBUG",
    ),
    **{
        name: entry
        for operation, what in _OPERATIONS.items()
        for name, entry in _store_operation(operation, what).items()
    },
    "num-open-iterators": Entry("iterators that are not at their end and not closed", "DEBUG"),
    "oldest-iterator-open-since-ms": Entry("since when the oldest of them is open", "DEBUG"),
    **_spread(
        "how long an iterator was open, in ms",
        "iterator-duration-avg iterator-duration-max",
        "DEBUG",
    ),
    **_spread(
        "the age of a record when it was put into a store, in ms",
        "record-e2e-latency-avg record-e2e-latency-min record-e2e-latency-max",
        "DEBUG",
    ),
    "bytes-written-rate": Entry("bytes written to RocksDB each second", "DEBUG"),
    "bytes-written-total": Entry("bytes written to RocksDB", "DEBUG"),
    "bytes-read-rate": Entry("bytes read from RocksDB each second", "DEBUG"),
    "bytes-read-total": Entry("bytes read from RocksDB", "DEBUG"),
    "memtable-bytes-flushed-rate": Entry("bytes flushed from memtables each second", "DEBUG"),
    "memtable-bytes-flushed-total": Entry("bytes flushed from memtables", "DEBUG"),
    "memtable-hit-ratio": Entry("the part of the reads that a memtable answered", "DEBUG"),
    **_spread(
        "how long a flush of memtables took, in ms",
        "memtable-flush-time-avg memtable-flush-time-min memtable-flush-time-max",
        "DEBUG",
    ),
    "block-cache-data-hit-ratio": Entry("the part of data blocks found in the cache", "DEBUG"),
    "block-cache-index-hit-ratio": Entry("the part of index blocks found in the cache", "DEBUG"),
    "block-cache-filter-hit-ratio": Entry("the part of filter blocks found there", "DEBUG"),
    "write-stall-duration-total": Entry("for how many ms writes were held up", "DEBUG"),
    "bytes-read-compaction-rate": Entry("bytes that compactions read each second", "DEBUG"),
    "bytes-written-compaction-rate": Entry("bytes that compactions wrote each second", "DEBUG"),
    **_spread(
        "how long a compaction took, in ms",
        "compaction-time-avg compaction-time-min compaction-time-max",
        "DEBUG",
    ),
    **_spread("how long writes were held up, in ms", "write-stall-duration-avg", "DEBUG"),
    "number-open-files": Entry("always -1, as in Java: RocksDB does not tell it any more", "DEBUG"),
    "number-file-errors-total": Entry("files that could not be opened or read", "DEBUG"),
}

CATALOGUE: dict[str, dict[str, Entry]] = {
    CLIENT: _CLIENT,
    THREAD: _THREAD,
    STATE_UPDATER: {
        "active-restoring-tasks": Entry("tasks that the worker restores"),
        "active-restore-ratio": Entry("the part of its time that the worker spent restoring"),
        "standby-update-ratio": Entry("the part of its time that the worker spent on standbys"),
        "restore-records-rate": Entry("changelog records restored each second"),
        "restore-call-rate": Entry("reads of changelogs each second"),
        "standby-updating-tasks": Entry("tasks of others of which the worker keeps a copy"),
    },
    TASK: _TASK,
    NODE: _NODE,
    TOPIC: {
        "records-consumed-total": Entry("records read from a topic"),
        "bytes-consumed-total": Entry("bytes of these records, as Java counts them"),
        "records-lag": Entry("records of a topic that wait for the task", ours=True),
        "records-produced-total": Entry("records sent to a topic, uncommitted ones too"),
        "bytes-produced-total": Entry("bytes of these records, as Java counts them"),
    },
    STATE: _STATE,
    CACHE: _spread(
        "the part of the reads of a record cache that found their key",
        "hit-ratio-avg hit-ratio-min hit-ratio-max",
        "DEBUG",
    ),
}
"""Metrics by group and name."""


def description(group: str, name: str) -> str:
    """Return what a metric means, empty for a sensor of the user's own."""
    entry = CATALOGUE.get(group, {}).get(name)
    return "" if entry is None else entry.description
