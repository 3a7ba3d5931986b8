"""The page of the metrics: each of Java's, and whether it is measured here; then our own."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from conformance.metrics.recorded import java_metrics
from penstock._engine.metrics.catalogue import CATALOGUE, Entry

_HEAD = Path(__file__).parent / "heads" / "metrics.md"

_RESTORES_ITSELF: Final = "the worker's thread restores; there is no thread of its own"

NOT_MEASURED: Final[dict[str, dict[str, str]]] = {
    "stream-metrics": {
        "client-state": "`state` has the same, as a text",
        "commit-id": "`version` says which release it is",
    },
    "stream-thread-metrics": {"thread-state": "`state` has the same, as a text"},
    "stream-state-updater-metrics": {
        "active-paused-tasks": "restoring goes on while an application is paused",
        "standby-paused-tasks": "standbys are updated while an application is paused",
        "idle-ratio": _RESTORES_ITSELF,
        "checkpoint-ratio": "checkpoints are part of commits: `commit-ratio`",
    },
    "stream-state-metrics": {},
}
"""Why metrics of Java are missing."""


def page() -> str:
    """Write the page."""
    lines = [_HEAD.read_text("utf-8")]
    for group, entries in CATALOGUE.items():
        lines += [f"## {group}", "", f"Tags: {_tags(group)}.", ""]
        lines += [
            "| metric | Java | here | what it is, or why it is missing |",
            "|---|---|---|---|",
        ]
        levels = {metric.name: metric.level for metric in java_metrics() if metric.group == group}
        reasons = NOT_MEASURED.get(group, {})
        for name in sorted(levels.keys() | entries.keys()):
            lines.append(_row(name, levels.get(name), entries.get(name), reasons.get(name, "")))
        lines.append("")
    return "\n".join(lines)


def _row(name: str, java: str | None, entry: Entry | None, reason: str) -> str:
    of_standbys = name in {"update-rate", "update-total"}
    shown = java or ("DEBUG" if of_standbys else "")
    if entry is None:
        return f"| `{name}` | {shown} | no | {reason} |"
    return f"| `{name}` | {shown} | {entry.level} | {entry.description} |"


def _tags(group: str) -> str:
    """Return the tags of a group; those of stores are one of several."""
    found: dict[str, None] = {}
    for metric in java_metrics():
        if metric.group == group and metric.name in CATALOGUE[group]:
            found |= dict.fromkeys(name for name, _ in metric.tags)
    stores = [name for name in found if name.endswith("-state-id")]
    others = [name for name in sorted(found) if name not in stores and name != "process-id"]
    text = ", ".join(f"`{name}`" for name in others)
    if stores:
        text += f", and one of {', '.join(f'`{name}`' for name in sorted(stores))}"
    return text
