"""What a notebook shows: tables of rows, the figures of an application, a line that lives.

All of it is plain HTML without scripts; texts are escaped. The line is drawn by IPython's own
display, and only where there is a kernel.
"""

from __future__ import annotations

import atexit
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from math import isfinite
from typing import Any

from penstock._clock import monotonic
from penstock.stores import ValueAndTimestamp
from penstock.terminal.figures import Figures, Meter
from penstock.terminal.foreground import Application
from penstock.terminal.wording import closing_line, status_line
from penstock.windowed import Windowed

_LINE_SECONDS = 1.0
_FINISH_SECONDS = 5.0
_LINE_COLUMNS = 160
_TEXT_CHARACTERS_MAX = 300
_BAR_PIXELS = 120


def table(header: Sequence[str], rows: Iterable[Sequence[object]], note: str = "") -> str:
    """Return a table; a cell that is `Html` stays as it is."""
    head = "".join(f"<th>{escape(title)}</th>" for title in header)
    body = "".join(
        "<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    below = f"<p>{escape(note)}</p>" if note else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


class Html(str):
    """A text that is HTML already."""

    __slots__ = ()


def rows_table(rows: Sequence[Any], *, more: bool) -> str:
    """Return the rows of a query: pairs of a key and a value; windows with their times, and with
    bars where the values are numbers.
    """
    note = f"the first {len(rows)} rows" if more else f"{len(rows)} row{'s' * (len(rows) != 1)}"
    pairs = [_pair(row) for row in rows]
    if pairs and all(len(pair) == 2 and isinstance(pair[0], Windowed) for pair in pairs):
        most = max((abs(value) for _, value in pairs if _is_number(value)), default=0)
        cells = [
            (key.key, _time(key.start), _time(key.end), value, _bar(value, most))
            for key, value in pairs
        ]
        return table(("key", "start", "end", "value", ""), cells, note)
    if pairs and all(len(pair) == 2 for pair in pairs):
        return table(("key", "value"), pairs, note)
    return table(("value",), pairs, note)


def progress_table(progress: Mapping[str, Any]) -> str:
    """Return a progress report: Spark's of a query, with what the source says of the application,
    or that of the development host, whose figures are not inside anything else.
    """
    figures = progress
    rows: list[tuple[str, object]] = []
    if "host" not in progress:
        known = (progress.get("sources") or [{}])[0].get("latestOffset")
        figures = known if isinstance(known, Mapping) else {}
        rows = [
            ("turn", progress.get("batchId")),
            ("rows", progress.get("numInputRows")),
            ("rows each second", progress.get("processedRowsPerSecond")),
        ]
    rows += [(name, value) for name, value in figures.items() if name != "stateOperators"]
    stores = figures.get("stateOperators") or []
    of_stores = [
        (one.get("operatorName"), one.get("numRowsTotal"), one.get("stateBytes")) for one in stores
    ]
    shown = table(("progress", ""), rows)
    return shown + (table(("store", "rows", "bytes"), of_stores) if of_stores else "")


def application_table(application_id: str, figures: Figures, picture: str) -> str:
    """Return an application: its state, its figures and its topology."""
    rows = [
        ("state", figures.state),
        ("records in", f"{figures.total_in:,}"),
        ("records out", f"{figures.total_out:,}"),
        ("lag", "not known" if figures.lag is None else f"{figures.lag:,}"),
        ("tasks", f"{figures.running} of {figures.task_count} run"),
        ("workers", len(figures.workers)),
    ]
    return table((application_id, ""), rows) + picture


def kernel_display() -> Callable[[str], Callable[[str], None]] | None:
    """Return the function that shows HTML in the cell that runs now and returns the one that
    replaces it; None where there is no notebook.
    """
    shell = sys.modules.get("IPython")
    current = None if shell is None else shell.get_ipython()
    if current is None or not hasattr(current, "kernel"):
        return None
    from IPython.display import HTML, display  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415

    def show(html: str) -> Callable[[str], None]:
        handle = display(HTML(html), display_id=True)  # type: ignore[no-untyped-call,unused-ignore]
        return lambda newer: handle.update(HTML(newer))  # type: ignore[no-any-return,union-attr,no-untyped-call,unused-ignore]

    return show


def show_live(application: Application) -> Callable[[], None]:
    """In a notebook, show a line below the cell that follows the application to its end, and close
    the application when the kernel ends. Return what writes the last line: call it at the end.
    """
    show = kernel_display()
    if show is None or threading.current_thread() is not threading.main_thread():
        return lambda: None
    atexit.register(application.close)
    over = threading.Event()
    line = threading.Thread(
        target=_follow,
        args=(application, show(_line("starting")), over),
        name="penstock-notebook",
        daemon=True,
    )
    line.start()

    def finish() -> None:
        over.set()
        line.join(_FINISH_SECONDS)

    return finish


def measure(application: Application, meter: Meter) -> Figures:
    """Return the figures of an application now."""
    return meter.measure(
        application.phase,
        application.reports(),
        application.task_count,
        monotonic(),
        lag=application.lag(),
    )


def _follow(
    application: Application, replace: Callable[[str], None], over: threading.Event
) -> None:
    meter = Meter(monotonic())
    # It may have ended before `over` was known to what ends it.
    while not (over.is_set() or application.ended):
        replace(_line(status_line(measure(application, meter), _LINE_COLUMNS)))
        over.wait(_LINE_SECONDS)
    how = "failed" if application.failed else "ended"
    replace(_line(closing_line(application.application_id, how, measure(application, meter))))


def _pair(row: Any) -> tuple[Any, ...]:
    """Return key and value of a row, without the time of the value; other rows as they are."""
    if not isinstance(row, tuple) or len(row) != 2:
        return (row,)
    key, value = row
    return key, value.value if isinstance(value, ValueAndTimestamp) else value


def _line(text: str) -> str:
    return f"<pre>{escape(text)}</pre>"


def _cell(cell: object) -> str:
    if isinstance(cell, Html):
        return cell
    text = "" if cell is None else str(cell)
    if len(text) > _TEXT_CHARACTERS_MAX:
        text = f"{text[:_TEXT_CHARACTERS_MAX]}\u2026"
    return escape(text)


def _time(ms: int) -> str:
    try:
        return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, OSError, ValueError):
        return str(ms)


def _bar(value: object, most: float) -> Html:
    if not _is_number(value) or not most:
        return Html("")
    width = round(abs(float(value)) / most * _BAR_PIXELS)  # type: ignore[arg-type]
    return Html(
        f'<svg width="{_BAR_PIXELS}" height="10" role="img" aria-hidden="true">'
        f'<rect width="{width}" height="10" rx="2" fill="#2a97a3"/></svg>'
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
