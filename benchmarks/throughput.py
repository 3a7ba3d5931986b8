"""How many records per second: a topic is filled before, the contender works it off.

Of a contender that commits its offsets to Kafka, the committed offsets and the end of the output
that a read_committed consumer sees are asked for twenty times a second. Of others the broker's
stamps on their outputs are taken. The first fifth of the records is warm-up. One that ends by
itself tells how long it worked.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks import figures, machine, outcome
from benchmarks.bench import Bench
from benchmarks.cluster import Progress
from benchmarks.contenders import Contender
from benchmarks.data import Feed
from benchmarks.figures import Rate, Sample
from benchmarks.outcome import Outcome
from benchmarks.processes import ContenderError, Running
from benchmarks.workloads import Workload

_PAUSE_SECONDS = 0.05
_WATCH_SECONDS = 5.0
_WATCH_ENDING_SECONDS = 1.0
_QUIET_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Run:
    """One contender's one run."""

    rate: Rate
    first_result_seconds: float
    whole_seconds: float
    """From the start of the process to its last effect."""
    memory_mb: float
    processor_seconds: float
    outcome: Outcome
    memory_by_part_mb: Mapping[str, float] = field(default_factory=dict)

    def costs(self, records: int) -> dict[str, Any]:
        """Return what goes beside the rate."""
        return {
            "first_result_s": round(self.first_result_seconds, 1),
            "whole_s": round(self.whole_seconds, 1),
            "memory_mb": round(self.memory_mb),
            "cpu_s_per_million": round(self.processor_seconds / records * 1e6, 1),
        }


@dataclass(frozen=True, slots=True)
class Contest:
    """What the contenders do in turns."""

    workload: Workload
    guarantee: str
    feeds: tuple[Feed, ...]

    @property
    def records(self) -> int:
        """Count the input records of all topics."""
        return sum(feed.records for feed in self.feeds)

    @property
    def partitions(self) -> int:
        """Return the partitions of the output."""
        return max(feed.partitions for feed in self.feeds)


def measure(bench: Bench, contender: Contender, contest: Contest, expected: Outcome | None) -> Run:
    """Run a contender once.

    Raises:
        ContenderError: it ended, or did not come to the end in time.
        ValueError: it was too fast to be measured.
    """
    workload, partitions = contest.workload, contest.partitions
    sources = [bench.cluster.fill(feed) for feed in contest.feeds]
    what = (workload.topology, contest.guarantee)
    with bench.running(contender, what, sources, partitions) as started:
        watch = Watch(bench, started.running, started.target, partitions)
        if contender.ends:
            rate = watch.rated(contest.records / watch.until_ended())
        elif contender.commits:
            progress = Progress(bench.cluster, started.application, contest.feeds)
            try:
                samples = watch.until_committed(progress, contest.records)
            finally:
                progress.close()
            started.running.watch()
            rate = figures.rate_by_commits(samples, contest.records)
        else:
            result = watch.until_written(workload, expected)
            rate = watch.rated(figures.rate_by_arrivals(result.arrivals_ms, contest.records))
            return watch.run(rate, result)
        result = outcome.read(bench.cluster, started.target, partitions, workload.output)
        return watch.run(rate, result)


class Watch:
    """Looks at a contender until it is done."""

    def __init__(self, bench: Bench, running: Running, target: str, partitions: int) -> None:
        self.first_result = 0.0
        self.last_effect = 0.0
        """Seconds from the start, as for the first result."""
        self._bench = bench
        self._running = running
        self._target = target
        self._partitions = partitions
        self._looked = 0.0
        self._begun = (time.monotonic(), machine.stolen_seconds())

    def rated(self, measured: float) -> Rate:
        """Return a rate that was not measured by samples, with the share of the whole run that was
        stolen.
        """
        seconds, stolen = self._begun
        passed = time.monotonic() - seconds
        return Rate(measured, (machine.stolen_seconds() - stolen) / passed)

    def run(self, rate: Rate, result: Outcome) -> Run:
        """Return the run that was watched."""
        running = self._running
        return Run(
            rate,
            self.first_result,
            self.last_effect,
            running.memory_mb,
            running.processor_seconds,
            result,
            running.memory_by_part_mb,
        )

    def until_committed(self, progress: Progress, records: int) -> list[Sample]:
        """Sample until all input is committed and nothing has changed for a while."""
        samples: list[Sample] = []
        changed = time.monotonic()
        while True:
            committed, visible = progress.committed(), self._visible()
            sample = Sample(time.monotonic(), committed, visible, machine.stolen_seconds())
            last = samples[-1] if samples else Sample(0.0, 0, 0)
            if (sample.committed, sample.visible) != (last.committed, last.visible):
                changed = self._changed(sample.seconds)
            samples.append(sample)
            if sample.committed >= records and sample.seconds - changed > _QUIET_SECONDS:
                return samples
            self._check(changed, f"{sample.committed} of {records} input records are committed")
            time.sleep(_PAUSE_SECONDS)

    def until_written(self, workload: Workload, expected: Outcome | None) -> Outcome:
        """Wait until the output is what is expected; without an expectation, until it is quiet for
        long.
        """
        seen, changed, compared = 0, time.monotonic(), -1
        while True:
            visible = self._visible()
            if visible != seen:
                seen, changed = visible, self._changed(time.monotonic())
            quiet = time.monotonic() - changed
            if seen and quiet > _QUIET_SECONDS and compared != seen:
                compared = seen
                result = outcome.read(
                    self._bench.cluster, self._target, self._partitions, workload.output
                )
                if expected is not None and outcome.difference(expected, result) is None:
                    return result
            if seen and quiet > self._bench.patience_seconds / 2:
                return result
            self._check(changed, f"{seen} outputs were seen")
            time.sleep(_PAUSE_SECONDS)

    def until_ended(self) -> float:
        """Wait until it has ended; give the seconds that it says it has worked."""
        seen, changed = 0, time.monotonic()
        while not self._running.ended():
            if time.monotonic() - self._looked > _WATCH_ENDING_SECONDS:
                self._looked = time.monotonic()
                self._running.note_use()
            visible = self._visible()
            if visible != seen:
                seen, changed = visible, time.monotonic()
            self._check_patience(changed, f"{seen} outputs were seen")
            time.sleep(_PAUSE_SECONDS)
        self._changed(time.monotonic())
        return float(self._running.told()["seconds"])

    def _changed(self, now: float) -> float:
        self.last_effect = now - self._running.started
        return now

    def _visible(self) -> int:
        visible = self._bench.cluster.ends(self._target, self._partitions)
        if visible and not self.first_result:
            self.first_result = time.monotonic() - self._running.started
        return visible

    def _check(self, changed: float, done: str) -> None:
        now = time.monotonic()
        if now - self._looked > _WATCH_SECONDS:
            self._looked = now
            self._running.watch()
        self._check_patience(changed, done)

    def _check_patience(self, changed: float, done: str) -> None:
        if time.monotonic() - changed > self._bench.patience_seconds:
            trouble = f"no progress for {self._bench.patience_seconds:.0f} s: {done}"
            raise ContenderError(self._running.tale(trouble))
