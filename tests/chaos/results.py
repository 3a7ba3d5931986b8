"""Outcomes of many runs in one file, and mounts that a run may have left."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from tests.chaos.campaign import Outcome


def add(path: Path, outcomes: Sequence[Outcome]) -> None:
    """Add outcomes to a file."""
    known = json.loads(path.read_text()) if path.exists() else []
    path.parent.mkdir(parents=True, exist_ok=True)
    halfway = path.with_suffix(".new")
    halfway.write_text(json.dumps([*known, *map(asdict, outcomes)], indent=1))
    halfway.replace(path)


def unmount(folder: Path) -> None:
    """Unmount what faults have mounted below a folder."""
    for line in Path("/proc/mounts").read_text().splitlines():
        where = line.split()[1]
        if where.startswith(f"{folder}/"):
            subprocess.run(["umount", "-l", where], check=False)
