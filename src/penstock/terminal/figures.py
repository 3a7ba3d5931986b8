"""From the workers' reports to the figures that people look at."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from penstock._engine.control.protocol.messages import Report
from penstock._engine.control.status import GONE, broker_away_seconds

_RATE_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Figures:
    """How an application is doing."""

    state: str
    seconds: float
    """Since it was started."""
    rate_in: float = 0.0
    rate_out: float = 0.0
    """Records a second, over the last few seconds."""
    total_in: int = 0
    total_out: int = 0
    lag: int | None = None
    task_count: int = 0
    workers: tuple[tuple[int, int], ...] = ()
    """Of each worker: how many of its tasks run, how many are being restored."""
    restored: float | None = None
    """How much of the state that is being restored is there, from 0 to 1; None if none is."""
    restore_remaining: int = 0
    broker_away_seconds: float | None = None
    """For how long the cluster has not answered, None if it answers."""
    note: str = ""
    """What is to be said of it all the time."""

    @property
    def running(self) -> int:
        return sum(running for running, _ in self.workers)

    @property
    def restoring(self) -> int:
        return sum(restoring for _, restoring in self.workers)


class Meter:
    """Watches the reports of one application."""

    def __init__(self, now: float, note: str = "") -> None:
        self._began = now
        self._note = note
        self._last: dict[str, tuple[int, int]] = {}
        self._total_in = self._total_out = 0
        self._recent: deque[tuple[float, int, int]] = deque()
        self._restored_before: int | None = None

    def measure(
        self,
        state: str,
        reports: Mapping[str, Report],
        task_count: int,
        now: float,
        *,
        lag: int | None = None,
    ) -> Figures:
        """Return the figures of this moment; `lag` is that of all tasks, None if not known."""
        self._add_up(reports)
        rate_in, rate_out = self._rates(now)
        alive = [report for _, report in sorted(reports.items()) if report.state not in GONE]
        return Figures(
            state=state,
            seconds=now - self._began,
            rate_in=rate_in,
            rate_out=rate_out,
            total_in=self._total_in,
            total_out=self._total_out,
            lag=lag,
            task_count=task_count,
            workers=tuple(map(_tasks, alive)),
            restored=self._restored(alive),
            restore_remaining=sum(report.restore_remaining for report in alive),
            broker_away_seconds=broker_away_seconds(alive),
            note=self._note,
        )

    def _add_up(self, reports: Mapping[str, Report]) -> None:
        for member, report in reports.items():
            before_in, before_out = self._last.get(member, (0, 0))
            if report.records_in < before_in or report.records_out < before_out:
                before_in = before_out = 0  # its process was replaced and counts anew
            self._total_in += report.records_in - before_in
            self._total_out += report.records_out - before_out
            self._last[member] = (report.records_in, report.records_out)

    def _rates(self, now: float) -> tuple[float, float]:
        self._recent.append((now, self._total_in, self._total_out))
        while now - self._recent[0][0] > _RATE_SECONDS:
            self._recent.popleft()
        since, first_in, first_out = self._recent[0]
        if now == since:
            return 0.0, 0.0
        seconds = now - since
        return (self._total_in - first_in) / seconds, (self._total_out - first_out) / seconds

    def _restored(self, reports: list[Report]) -> float | None:
        """Return the part that has been restored, of what was to be when restoring began."""
        remaining = sum(report.restore_remaining for report in reports)
        restored = sum(report.restored for report in reports)
        if not remaining:
            self._restored_before = None
            return None
        if self._restored_before is None or restored < self._restored_before:
            self._restored_before = restored
        done = restored - self._restored_before
        return done / (done + remaining)


def _tasks(report: Report) -> tuple[int, int]:
    states = list(report.tasks.values())
    return states.count("running"), states.count("restoring")
