"""The screen of `penstock top`: from the sections of the console to lines of a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from penstock.terminal.wording import bar, broker_away, duration

_ERRORS_SHOWN = 5
_STORES_SHOWN = 6
_WORKERS_SHOWN = 8


def screen(sections: Mapping[str, Any], width: int, height: int) -> list[str]:
    """Return at most `height` lines of at most `width` characters: the application, its workers,
    stores and errors, and as many of its tasks as there is room for, those with most lag first.
    """
    head = sections["head"]
    lines = [*_head(head), ""]
    lines += _table(
        ("WORKER", "ID", "STATE", "TASKS", "IN/S", "LAG", "BUSY", "COMMIT"),
        [
            (
                _worker_name(one),
                one["short_id"],
                one["state"],
                one["tasks"],
                _number(one["rate"]),
                _number(one["lag"]),
                _part(one["busy"]),
                "-" if one["commit_ms"] is None else f"{one['commit_ms']:.0f} ms",
            )
            for one in sections["workers"][:_WORKERS_SHOWN]
        ],
    )
    stores = sorted(sections["stores"].items(), key=lambda item: -(item[1]["rows"] or 0))
    if stores:
        rows = [
            (name, _about(one["rows"]), _bytes(one["bytes"]))
            for name, one in stores[:_STORES_SHOWN]
        ]
        lines += ["", *_table(("STORE", "ROWS", "SIZE"), rows)]
    below = _errors(sections["errors"])
    room = height - len(lines) - len(below) - 2
    if room > 0:
        names = {one["id"]: one["name"] for one in sections["workers"]}
        lines += ["", *_tasks(sections["tasks"], names, room)]
    return [_cut(_plain(line), width) for line in [*lines, *below][:height]]


def _head(head: Mapping[str, Any]) -> list[str]:
    missing = f", {head['missing']:,} missing" if head["missing"] else ""
    restoring = f", {head['restoring']:,} restoring" if head["restoring"] else ""
    lines = [
        f"{head['application']}  {head['state']}  {head['guarantee']}",
        f"in {head['rate_in']:,.0f}/s  out {head['rate_out']:,.0f}/s  lag {_number(head['lag'])}  "
        f"tasks {head['running']:,} of {head['tasks']:,}{restoring}{missing}  "
        f"workers {head['workers']:,}  errors {head['errors']:,}",
    ]
    away = head["broker_away_seconds"]
    trouble = head["trouble"] or (None if away is None else broker_away(away))
    return [*lines, f"! {trouble}"] if trouble else lines


def _worker_name(worker: Mapping[str, Any]) -> str:
    executor = worker["executor"]
    return f"{worker['name']} \u00b7 executor {executor}" if executor else str(worker["name"])


def _tasks(columns: Mapping[str, Sequence[Any]], names: Mapping[str, str], room: int) -> list[str]:
    tasks = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    # What is not well comes first.
    tasks.sort(key=lambda task: (task["state"] == "running", -(task["lag"] or 0)))
    shown = tasks if len(tasks) <= room else tasks[: max(0, room - 1)]
    lines = _table(
        ("TASK", "STATE", "WORKER", "IN/S", "LAG", "BUSY", "DROPPED"),
        [
            (
                task["id"],
                _task_state(task),
                names.get(task["worker"], task["worker"]) or "-",
                _number(task["rate"]),
                _number(task["lag"]),
                _part(task["busy"]),
                _number(task["dropped"]),
            )
            for task in shown
        ],
    )
    more = len(tasks) - len(shown)
    return [*lines, f"... and {more:,} more"] if more else lines


def _task_state(task: Mapping[str, Any]) -> str:
    if task["restored"] is None:
        return str(task["state"])
    left = "" if task["eta"] is None else f" {duration(task['eta'])} left"
    return f"{bar(task['restored'], 8)} {task['restored']:.0%}{left}"


def _errors(errors: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the kinds of errors that were seen last; nothing if there are none."""
    if not errors:
        return []
    rows = [
        (_number(one["count"]), _clock(one["first"]), _clock(one["at"]), _error(one))
        for one in errors[:_ERRORS_SHOWN]
    ]
    more = [f"... and {len(errors) - len(rows)} more kinds"] if len(errors) > len(rows) else []
    return ["", *_table(("ERRORS", "FIRST", "LAST", "THE LAST ONE"), rows), *more]


def _error(error: Mapping[str, Any]) -> str:
    topic = error.get("topic")
    place = f" at {topic}/{error['partition']}@{error['offset']}" if topic else ""
    code = f" ({error['location']})" if error.get("location") else ""
    return f"{error['error'].partition(chr(10))[0]}{place}{code}"


def _clock(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).astimezone().strftime("%H:%M:%S")


def _table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """Line up columns; those of figures, whose title is short, to the right."""
    cells = [tuple(header), *(tuple(_plain(str(cell)) for cell in row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    figures = {"TASKS", "IN/S", "LAG", "BUSY", "COMMIT", "ROWS", "SIZE", "DROPPED", "ERRORS"}
    return [
        "  ".join(
            cell.rjust(width) if title in figures else cell.ljust(width)
            for cell, width, title in zip(row, widths, header, strict=True)
        ).rstrip()
        for row in cells
    ]


def _plain(text: str) -> str:
    """Return a text without characters that steer a terminal: names come from others."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def _cut(line: str, width: int) -> str:
    return line if len(line) <= width else f"{line[: max(0, width - 1)]}\u2026"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"


def _about(rows: float | None) -> str:
    """Return rows of a store, which engines estimate."""
    return "-" if rows is None else f"\u2248{_number(rows)}"


def _part(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"


def _bytes(value: int | None) -> str:
    if value is None:
        return "-"
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if value >= size:
            return f"{value / size:.1f} {unit}"
    return f"{value} B"
