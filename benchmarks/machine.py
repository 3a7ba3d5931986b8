"""What the machine is, and how much of it was ours: a hypervisor may give its processors to others
for a while, and the share is seldom the same for two contenders.
"""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Final

_TICKS = os.sysconf("SC_CLK_TCK")
_STOLEN: Final = 8
"""The column of /proc/stat with the stolen time of a processor."""


def description() -> str:
    """Describe the machine by what matters, not by its name."""
    model = platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    except OSError:
        pass
    return f"{platform.system()}, {cores()} cores, {model}"


def cores() -> int:
    """Count the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def stolen_seconds() -> float:
    """Return the stolen time of all processors since the machine started; 0 where it is not
    known.
    """
    try:
        with Path("/proc/stat").open(encoding="utf-8") as lines:
            return seconds_in(lines.readline(), os.cpu_count() or 1)
    except OSError:
        return 0.0


def seconds_in(line: str, processors: int) -> float:
    """Read what was stolen from the first line of /proc/stat."""
    fields = line.split()
    return int(fields[_STOLEN]) / _TICKS / processors if len(fields) > _STOLEN else 0.0
