"""How commands print: tables whose columns line up, JSON, colours on a terminal only."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

from penstock.terminal.display import is_terminal

_CODES = {"bold": "1", "dim": "2", "red": "1;31", "green": "1;32", "yellow": "1;33"}


class Paint:
    """Colours words for a stream, if it is a terminal and NO_COLOR is not set."""

    def __init__(self, stream: TextIO, environment: Mapping[str, str] = os.environ) -> None:
        self._on = is_terminal(stream, environment) and not environment.get("NO_COLOR")

    def __call__(self, colour: str, text: str) -> str:
        return f"\x1b[{_CODES[colour]}m{text}\x1b[m" if self._on else text


def table(
    header: Sequence[str], rows: Iterable[Sequence[object]], *, commas: bool = True
) -> list[str]:
    """Return lines whose columns line up; columns of numbers are aligned to the right. Without
    `commas` the numbers are shown as other programs read them.

    >>> print("\\n".join(table(("topic", "partitions"), [("orders", 12), ("alerts", 4)])))
    topic   partitions
    orders          12
    alerts           4
    """
    body = [tuple(row) for row in rows]
    cells = [tuple(header), *(tuple(_cell(value, commas=commas) for value in row) for row in body)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    to_right = [
        bool(body) and all(_is_number(row[at]) for row in body) for at in range(len(header))
    ]
    return [
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, to_right, strict=True)
        ).rstrip()
        for row in cells
    ]


def indented(lines: Iterable[str], by: int = 2) -> list[str]:
    """Return lines with blanks in front."""
    return [f"{' ' * by}{line}" for line in lines]


def to_json(document: Any) -> str:
    """Return a document as JSON for other programs: readable, keys in the order they were made."""
    return json.dumps(document, indent=2, ensure_ascii=False, default=str)


def plural(count: int, noun: str) -> str:
    """Return `1 task`, `2 tasks`, `0 tasks`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _cell(value: object, *, commas: bool) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if commas and _is_number(value) else str(value)


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))
