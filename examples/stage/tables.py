"""Tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import zip_longest

ROWS = 10


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Draw a table: numbers to the right, all else to the left; an empty one says so."""
    cells = [[_shown(cell) for cell in row] for row in rows]
    if not cells:
        return [title, "  (nothing yet)"]
    widths = [max(map(len, column)) for column in zip(columns, *cells, strict=True)]
    right = [all(_is_number(row[at]) for row in cells) for at in range(len(columns))]

    def line(row: Sequence[str]) -> str:
        parts = (
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        )
        return "  " + "  ".join(parts).rstrip()

    return [title, line(columns), *map(line, cells)]


def beside(left: list[str], right: list[str], gap: int = 4) -> list[str]:
    """Put two tables side by side."""
    width = max(map(len, left), default=0) + gap
    return [
        f"{one:{width}}{other}".rstrip() for one, other in zip_longest(left, right, fillvalue="")
    ]


def clock(timestamp: int) -> str:
    """Give a time as 14:03:59."""
    return datetime.fromtimestamp(timestamp / 1000, UTC).strftime("%H:%M:%S")


def money(cents: int) -> str:
    """Give an amount as 1,234.50."""
    return f"{cents / 100:,.2f}"


def _shown(cell: object) -> str:
    if isinstance(cell, float):
        return f"{cell:,.1f}"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)


def _is_number(cell: str) -> bool:
    return cell.lstrip("-+").replace(",", "").replace(".", "", 1).isdigit()
