"""How long each stage of a start takes, until the first commit: `penstock run --timings`."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from penstock.terminal.figures import Figures

_RUNNING = "RUNNING"
_WITHOUT_OUTPUT_SECONDS = 5.0
"""A program that has processed records for so long may have no outputs at all."""
_STARTED_FIELD = 19
"""Of /proc/PID/stat, behind the name: when the process started, in ticks since the machine did."""


class StartTimes:
    """Sees the figures of an application again and again while it starts."""

    def __init__(self, before_seconds: float | None = None) -> None:
        """`before_seconds` were spent before the application was started."""
        self._stages: dict[str, float] = {}
        if before_seconds is not None:
            self._stages["before run()"] = before_seconds
        self._last: tuple[str, float] | None = None
        self._first_input: float | None = None
        self.over = False

    def see(self, figures: Figures) -> str | None:
        """Take the figures of a moment; return the line about the start when it is over."""
        if self.over:
            return None
        stage = figures.state.lower().removeprefix("starting ")
        if figures.state == _RUNNING:
            stage = "first commit"
        if self._last is not None:
            before, at = self._last
            self._stages[before] = self._stages.get(before, 0.0) + figures.seconds - at
        else:
            self._stages[stage] = figures.seconds
        self._last = stage, figures.seconds
        if figures.total_in and self._first_input is None:
            self._first_input = figures.seconds
        if figures.total_out:
            self.over = True
            return self.line()
        if self._first_input is None or figures.seconds - self._first_input < (
            _WITHOUT_OUTPUT_SECONDS
        ):
            return None
        self.over = True
        return f"{self.line()}, and no output so far"

    def line(self) -> str:
        """Return the stages with their seconds."""
        parts = ", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in self._stages.items())
        return f"start: {parts}; in all {sum(self._stages.values()):.1f} s"


def process_age_seconds(proc: Path = Path("/proc")) -> float | None:
    """Return how long this process has run; None where the system does not say."""
    with suppress(OSError, ValueError, IndexError):
        fields = (proc / "self" / "stat").read_text().rpartition(")")[2].split()
        ticks = int(fields[_STARTED_FIELD])
        uptime = float((proc / "uptime").read_text().split()[0])
        return max(0.0, uptime - ticks / os.sysconf("SC_CLK_TCK"))
    return None
