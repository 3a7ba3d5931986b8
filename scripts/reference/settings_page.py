"""The page of the settings, from the table by which they are read."""

from __future__ import annotations

import inspect
import tempfile
from pathlib import Path
from typing import Any

from penstock.settings.table import BY_KEY, NOT_HONOURED, RENAMED, SETTINGS, Setting

_HEAD = Path(__file__).parent / "heads" / "settings.md"


def page() -> str:
    """Write the page."""
    lines = [_row(setting) for setting in SETTINGS]
    renamed = [f"| `{old}` | `{new}` |" for old, new in sorted(RENAMED.items())]
    refused = ", ".join(f"`{key}`" for key in sorted(NOT_HONOURED))
    return "\n".join(
        [
            _HEAD.read_text("utf-8"),
            "## All of them",
            "",
            "| key | default | unit | |",
            "|---|---|---|---|",
            *lines,
            "",
            "## Renamed by Kafka Streams",
            "",
            "The old names are refused, with the new one.",
            "",
            "| old | new |",
            "|---|---|",
            *renamed,
            "",
            "## Refused",
            "",
            "These keys of Kafka Streams have no effect here; setting one is an error:",
            "",
            f"{refused}.",
            "",
        ]
    )


def _row(setting: Setting) -> str:
    assert BY_KEY[setting.key] is setting
    cells = (f"`{setting.key}`", _default(setting.default), setting.unit or "", setting.effect)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _default(value: Any) -> str:
    if value is None:
        return ""
    if inspect.isclass(value):
        return f"`{value.__name__}`"
    if isinstance(value, (str, int)):
        # Where temporary files are is each machine's own affair.
        return f"`{str(value).replace(tempfile.gettempdir(), '/tmp')}`"
    return f"`{type(value).__name__}`"
