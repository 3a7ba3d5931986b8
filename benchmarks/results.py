"""`results.json`: what was measured, by part, subject and contender, merged from several runs.

A *measurement* is a dict with the key "measured": when, where and in which run. Everything above it
is names. A newer measurement takes the place of the older one of the same name.
"""

from __future__ import annotations

import json
import platform
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from benchmarks import machine

FILE: Final = Path(__file__).parent / "results.json"
MEASURED: Final = "measured"


def merged(known: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Return the known results merged with the new ones; neither is changed."""
    result = dict(known)
    for name, value in new.items():
        before: Any = result.get(name)
        if _is_names(before) and _is_names(value):
            result[name] = merged(before, value)
        else:
            result[name] = value
    return result


def _is_names(value: Any) -> bool:
    return isinstance(value, dict) and MEASURED not in value


def nested(path: tuple[str, ...], measurement: Mapping[str, Any]) -> dict[str, Any]:
    """Put a measurement under its names."""
    result: dict[str, Any] = dict(measurement)
    for name in reversed(path):
        result = {name: result}
    return result


def load(file: Path = FILE) -> dict[str, Any]:
    """Read what is known; nothing if there is no file."""
    if not file.exists():
        return {}
    known: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return known


def skips(known: Mapping[str, Any], new: Mapping[str, str], ready: Sequence[str]) -> dict[str, str]:
    """Return what is not measured, and why: the known entries that still hold, and the new ones."""
    old = {
        what: why
        for what, why in known.get("skipped", {}).items()
        if what not in ready and not _is_measured(known, what)
    }
    return {**old, **new}


def _is_measured(known: Mapping[str, Any], what: str) -> bool:
    found: Any = known
    for name in what.split("/"):
        found = found.get(name, {}) if isinstance(found, dict) else {}
    return isinstance(found, dict) and MEASURED in found


def keep(path: tuple[str, ...], measurement: Mapping[str, Any], file: Path = FILE) -> None:
    """Add a measurement to the file, at once: a run may be interrupted."""
    _write(merged(load(file), nested(path, measurement)), file)


def keep_skips(new: Mapping[str, str], ready: Sequence[str], file: Path = FILE) -> None:
    """Note in the file what could not be measured; `ready` are the contenders that could start."""
    known = load(file)
    _write({**known, "skipped": skips(known, new, ready)}, file)


def _write(content: Mapping[str, Any], file: Path) -> None:
    work = file.with_suffix(".part")
    work.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    work.replace(file)


def stamp(run: str) -> dict[str, str]:
    """Say when, where and in which run something was measured."""
    return {
        "run": run,
        "at": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": machine.description(),
        "python": platform.python_version(),
        "code": commit_of(FILE.parent),
    }


def commit_of(folder: Path) -> str:
    """Return the commit of a checkout, and whether it is changed."""
    command = ["git", "-C", str(folder), "describe", "--always", "--dirty"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
