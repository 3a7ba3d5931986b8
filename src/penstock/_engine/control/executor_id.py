"""The Spark executor that this process works for.

Spark tells Python processes much, but not this. The executor is an ancestor of each of them, and
has its id on its command line; on Kubernetes it is in the environment. Where neither can be read,
as on other systems than Linux, it is not known.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

_ANCESTORS_MAX = 8
_OPTION = b"--executor-id"


@cache
def executor_id() -> str:
    """Return the id, nothing if there is none."""
    return os.environ.get("SPARK_EXECUTOR_ID") or found_above(os.getpid(), Path("/proc"))


def found_above(process: int, processes: Path) -> str:
    """Return the id on the command line of an ancestor; `processes` is `/proc`."""
    try:
        for _ in range(_ANCESTORS_MAX):
            words = (processes / str(process) / "cmdline").read_bytes().split(b"\0")
            if _OPTION in words[:-1]:
                return words[words.index(_OPTION) + 1].decode(errors="replace")
            # The name of the program, in parentheses, may have spaces and parentheses.
            status = (processes / str(process) / "stat").read_text(errors="replace")
            process = int(status.rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        pass
    return ""
