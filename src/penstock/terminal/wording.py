"""From figures to lines: one that fits a terminal, one for a log, one for the end."""

from __future__ import annotations

from penstock.terminal.figures import Figures

_BAR_CELLS = 12


def status_line(figures: Figures, width: int) -> str:
    """Return the line that is shown while the application runs, cut to `width`."""
    parts = [figures.state, *_parts(figures), *([figures.note] if figures.note else [])]
    line = " " + "  ".join(parts)
    return line if len(line) < width else f"{line[: max(0, width - 2)]}…"


def log_line(application_id: str, figures: Figures) -> str:
    """Return the same for output where lines follow lines."""
    return f"{application_id}: {'  '.join([figures.state, *_parts(figures)])}"


def closing_line(application_id: str, how: str, figures: Figures) -> str:
    """Return the line that remains at the end."""
    return (
        f"{application_id}: {how} after {duration(figures.seconds)}; "
        f"{figures.total_in:,} record{'' if figures.total_in == 1 else 's'} in, "
        f"{figures.total_out:,} out"
    )


def duration(seconds: float) -> str:
    """Return a time as people say it: 48 s, 3 min 12 s, 2 h 5 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def broker_away(seconds: float) -> str:
    """Return what is wrong while the cluster does not answer."""
    return f"the broker has not answered for {duration(seconds)}"


def bar(part: float, cells: int = _BAR_CELLS) -> str:
    """Draw a bar that is full at 1."""
    full = min(cells, max(0, round(part * cells)))
    return "█" * full + "░" * (cells - full)


def _parts(figures: Figures) -> list[str]:
    total = f"total {figures.total_in:,} in, {figures.total_out:,} out"
    if not figures.workers:
        return [total] if figures.total_in else [f"{figures.seconds:.0f} s"]
    parts = [_restoring(figures)] if figures.restored is not None else []
    if figures.broker_away_seconds is not None:
        parts.insert(0, broker_away(figures.broker_away_seconds))
    return [
        *parts,
        f"in {figures.rate_in:,.0f}/s",
        f"out {figures.rate_out:,.0f}/s",
        total,
        f"lag {'?' if figures.lag is None else format(figures.lag, ',')}",
        _tasks(figures),
    ]


def _restoring(figures: Figures) -> str:
    part = figures.restored or 0.0
    return f"restoring {bar(part)} {part:.0%}, {figures.restore_remaining:,} to go"


def _tasks(figures: Figures) -> str:
    shares = " + ".join(
        f"{running}" if not restoring else f"{running} (+{restoring} restoring)"
        for running, restoring in figures.workers
    )
    all_run = figures.running == figures.task_count
    count = f"{figures.running}" if all_run else f"{figures.running} of {figures.task_count}"
    return f"tasks {count} = {shares}" if len(figures.workers) > 1 else f"tasks {count}"
