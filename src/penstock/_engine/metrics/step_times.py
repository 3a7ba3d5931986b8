"""What a worker measures of its steps, under Java's names of a stream thread and its tasks.

Each call stands for a step or a part of one. None is made for a record.
"""

from __future__ import annotations

from penstock._engine.metrics.counters import TaskCounters
from penstock._engine.metrics.samples import CounterRate, Latency, Quantity, Samples


class ThreadTimes:
    """Polls, processing, timers and commits of one worker."""

    def __init__(self, now: float, started_at_ms: int) -> None:
        self._started_at_ms = started_at_ms
        self.poll, self.process = Latency(now), Latency(now)
        self.punctuate, self.commit = Latency(now), Latency(now)
        self._poll_records, self._process_records = Quantity(now), Quantity(now)
        self.created = self.closed = 0
        self._created_rate, self._closed_rate = CounterRate(now), CounterRate(now)
        self._blocked_seconds = 0.0
        self._restore, self._standby = Latency(now), Quantity(now)
        self._restored = Quantity(now)

    def polled(self, records: int, seconds: float) -> None:
        """Take a read of the inputs."""
        self.poll.record(seconds)
        self._poll_records.add(records)
        self._blocked_seconds += seconds

    def processed(self, records: int, seconds: float) -> None:
        """Take a run of records through a task."""
        self.process.record(seconds, records)
        self._process_records.add(records)

    def committed(self, seconds: float, blocked_seconds: float) -> None:
        """Take a commit, and how long of it the cluster was waited for."""
        self.commit.record(seconds)
        self._blocked_seconds += blocked_seconds

    def restored(self, records: int, seconds: float) -> None:
        """Take a read of changelogs whose tasks are being restored."""
        self._restore.record(seconds)
        self._restored.add(records)

    def updated_standbys(self, seconds: float) -> None:
        """Take a look after the copies of other workers' tasks."""
        self._standby.add(seconds)

    def restore_values(self, now: float) -> dict[str, int | float | str]:
        """Return the metrics of group `stream-state-updater-metrics` that are measured."""
        restore = self._restore.values("restore", now)
        return {
            "restore-call-rate": restore["restore-rate"],
            "restore-records-rate": self._restored.samples(now).total_rate(now),
            "active-restore-ratio": restore["restore-ratio"],
            "standby-update-ratio": min(1.0, self._standby.samples(now).total_rate(now)),
        }

    def values(self, now: float) -> dict[str, int | float | str]:
        """Return the metrics of group `stream-thread-metrics`."""
        values: dict[str, int | float | str] = {
            "thread-start-time": self._started_at_ms,
            "blocked-time-ns-total": int(self._blocked_seconds * 1e9),
            "task-created-total": self.created,
            "task-created-rate": self._created_rate.rate(self.created, now),
            "task-closed-total": self.closed,
            "task-closed-rate": self._closed_rate.rate(self.closed, now),
        }
        for operation in ("poll", "process", "punctuate", "commit"):
            values |= getattr(self, operation).values(operation, now)
        values |= self._poll_records.values("poll-records", now, "avg", "max")
        values |= self._process_records.values("process-records", now, "avg", "max")
        return values


class TaskTimes:
    """What is measured of one task while it is open."""

    __slots__ = (
        "_dropped",
        "_enforced",
        "_nodes",
        "_process",
        "_punctuate",
        "_restored",
        "consumed",
        "produced",
    )

    def __init__(self, now: float) -> None:
        self._process, self._punctuate = Latency(now), Latency(now)
        self._dropped, self._enforced = CounterRate(now), CounterRate(now)
        self._restored = CounterRate(now)
        self._nodes: dict[str, Samples] = {}
        self.consumed: dict[str, tuple[int, int]] = {}
        """How many records of each topic were read, and their bytes."""
        self.produced: dict[str, tuple[int, int]] = {}
        """How many records were sent to each topic, and their bytes."""

    def read(self, topic: str, records: int, size: int) -> None:
        """Take records that were read from a topic."""
        count, total = self.consumed.get(topic, (0, 0))
        self.consumed[topic] = (count + records, total + size)

    def sent(self, topic: str, records: int, size: int) -> None:
        """Take records that were handed over to be sent to a topic."""
        count, total = self.produced.get(topic, (0, 0))
        self.produced[topic] = (count + records, total + size)

    def processed(self, records: int, seconds: float) -> None:
        """Take a run of records."""
        self._process.record(seconds, records)

    def punctuated(self, timers: int, seconds: float) -> None:
        """Take timers that fired."""
        self._punctuate.record(seconds, timers)

    def arrived(self, node: str, age_ms: int, now: float) -> None:
        """Take the age of a record that a source or sink node has just processed, one of many."""
        samples = self._nodes.get(node)
        if samples is None:
            samples = self._nodes[node] = Samples(now)
        samples.record(age_ms, now)

    def restore_values(self, restored: int, now: float) -> dict[str, int | float | str]:
        """Return the metrics of a task that has restored so many records."""
        return {"restore-total": restored, "restore-rate": self._restored.rate(restored, now)}

    def values(
        self, counters: TaskCounters, now: float, *, debug: bool
    ) -> dict[str, int | float | str]:
        """Return the metrics of group `stream-task-metrics`."""
        process = self._process.values("process", now)
        values: dict[str, int | float | str] = {
            "dropped-records-total": counters.dropped_records,
            "dropped-records-rate": self._dropped.rate(counters.dropped_records, now),
            "active-process-ratio": process.pop("process-ratio"),
        }
        if debug:
            punctuate = self._punctuate.values("punctuate", now)
            del punctuate["punctuate-ratio"]
            values |= process
            values |= punctuate
            values["process-total"] = counters.processed
            values["punctuate-total"] = counters.punctuated
            enforced = counters.enforced_processing
            values["enforced-processing-total"] = enforced
            values["enforced-processing-rate"] = self._enforced.rate(enforced, now)
        return values

    def ages(self, now: float) -> dict[str, dict[str, int | float | str]]:
        """Return the metrics of record-e2e-latency, by node."""
        return {
            node: {
                f"record-e2e-latency-{name}": value
                for name, value in (
                    ("avg", samples.mean(now)),
                    ("min", samples.least(now)),
                    ("max", samples.largest(now)),
                )
                if value is not None
            }
            for node, samples in self._nodes.items()
        }
