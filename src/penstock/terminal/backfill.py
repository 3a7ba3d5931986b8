"""What a person sees while a backfill runs: the stage, the records, the time that is left."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, TextIO

from penstock._clock import monotonic
from penstock.terminal.display import is_terminal
from penstock.terminal.wording import bar, duration

_DRAW_SECONDS = 0.5
_LOG_SECONDS = 10.0
_RETURN, _CLEAR = "\r", "\x1b[K"


class Advance(Protocol):
    """How far a backfill is."""

    @property
    def stage(self) -> int: ...
    @property
    def stages(self) -> int: ...
    @property
    def processed(self) -> int: ...
    @property
    def known(self) -> int: ...


class BackfillDisplay:
    """Draws one line again and again in a terminal, and a line now and then elsewhere."""

    def __init__(self, application_id: str, stream: TextIO, *, quiet: bool = False) -> None:
        self._application_id, self._stream, self._quiet = application_id, stream, quiet
        self._in_place = is_terminal(stream)
        self._began = self._drawn_at = monotonic()
        self._job_began: float | None = None
        self._drawn_stage = 0
        self._is_drawn = False

    def say(self, text: str) -> None:
        """Show a line that stays."""
        if not self._quiet:
            self.clear()
            print(text, file=self._stream, flush=True)

    def advance(self, advance: Advance) -> None:
        """Show how far it is."""
        now = monotonic()
        # What came before, the start of Spark above all, says nothing about the rate.
        self._job_began = self._job_began or now
        pause = _DRAW_SECONDS if self._in_place else _LOG_SECONDS
        if self._quiet or (now - self._drawn_at < pause and advance.stage == self._drawn_stage):
            return
        self._drawn_at, self._drawn_stage = now, advance.stage
        line = f"{self._application_id}: {advance_line(advance, now - self._job_began)}"
        if self._in_place:
            print(f"{_RETURN}{line}{_CLEAR}", end="", file=self._stream, flush=True)
            self._is_drawn = True
        else:
            print(line, file=self._stream, flush=True)

    def finish(self, records_in: int, records_out: int) -> None:
        """Show the final figures."""
        seconds = monotonic() - self._began
        self.say(
            f"{self._application_id}: backfilled in {duration(seconds)}; {records_in:,} records "
            f"in, {records_out:,} written; it can go live"
        )

    def clear(self) -> None:
        """Take the line away."""
        if self._is_drawn:
            print(f"{_RETURN}{_CLEAR}", end="", file=self._stream, flush=True)
            self._is_drawn = False


@contextmanager
def show_backfill(application_id: str, *, quiet: bool) -> Iterator[BackfillDisplay]:
    """Show a backfill on standard error."""
    display = BackfillDisplay(application_id, sys.stderr, quiet=quiet)
    try:
        yield display
    finally:
        display.clear()


def advance_line(advance: Advance, seconds: float) -> str:
    """Return the progress line after so many seconds."""
    known = max(advance.known, advance.processed)
    part = advance.processed / known if known else 0.0
    parts = [
        f"stage {advance.stage} of {advance.stages}",
        f"{bar(part)} {advance.processed:,} of {known:,} records",
    ]
    if advance.processed and seconds > 0:
        rate = advance.processed / seconds
        left = (known - advance.processed) / rate
        parts += [f"{rate:,.0f}/s", f"about {duration(left)} left"]
    return "  ".join(parts)
