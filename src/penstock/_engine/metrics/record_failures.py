"""Records that have just failed, on their way from a task to the driver: what, where, a preview.

A task keeps few of them and only until the next report, so that a million bad records cost no more
than a hundred.
"""

from __future__ import annotations

import reprlib
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

TEXT_CHARACTERS_MAX = 1000
PREVIEW_CHARACTERS_MAX = 300
HEADERS_MAX = 10
HEADER_CHARACTERS_MAX = 100
KEPT_MAX = 20
"""How many failures of one task wait for the next report."""


@dataclass(frozen=True, slots=True)
class RecordFailure:
    """One record that a node could not take, and what became of it."""

    task_id: str
    node: str
    reason: str
    """As in `DropReason`."""
    error: str
    """The type of the exception, and its text."""
    location: str | None = None
    """`file:line` of the user's code."""
    topic: str | None = None
    partition: int | None = None
    offset: int | None = None
    """Where the input record is that was in hand; nothing in a timer."""
    at_ms: int = 0
    key: str | None = None
    value: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    """Previews, cut to a few hundred characters."""
    skipped: bool = True
    """Whether a handler skipped it and the task went on; else the task failed."""
    dead_letters: tuple[str, ...] = ()
    """The topics to which the handler sent it."""


class RecentFailures:
    """The failures of one task since the last report; the oldest go first."""

    __slots__ = ("_kept", "total")

    def __init__(self) -> None:
        self._kept: deque[RecordFailure] = deque(maxlen=KEPT_MAX)
        self.total = 0
        """How many there were, whether kept or not."""

    @property
    def has_room(self) -> bool:
        """Whether another one can be kept without the loss of one."""
        return len(self._kept) < KEPT_MAX

    def add(self, failure: RecordFailure) -> None:
        """Keep a failure."""
        self._kept.append(failure)

    def take(self) -> tuple[RecordFailure, ...]:
        """Return what is kept, oldest first, and forget it."""
        taken = tuple(self._kept)
        self._kept.clear()
        return taken


class _Short(reprlib.Repr):
    """Cuts long parts before they are written: a value may have megabytes."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = self.maxlong = PREVIEW_CHARACTERS_MAX
        self.maxdict = self.maxlist = self.maxtuple = self.maxset = 20

    def repr_bytes(self, value: bytes, _level: int) -> str:
        return repr(value[:PREVIEW_CHARACTERS_MAX])


_SHORT = _Short()


def preview(value: Any) -> str | None:
    """Return a short text of a key or a value; None if there is none."""
    if value is None:
        return None
    if isinstance(value, str):
        return cut(value, PREVIEW_CHARACTERS_MAX)
    try:
        text = _SHORT.repr(value)
    except Exception as error:
        text = f"<{type(value).__name__}, whose repr failed: {type(error).__name__}>"
    return cut(text, PREVIEW_CHARACTERS_MAX)


def preview_headers(headers: Iterable[tuple[str, bytes | None]]) -> tuple[tuple[str, str], ...]:
    """Return the first headers of a record as text."""
    shown: list[tuple[str, str]] = []
    for name, value in headers:
        if len(shown) == HEADERS_MAX:
            break
        text = "" if value is None else value[:HEADER_CHARACTERS_MAX].decode("utf-8", "replace")
        shown.append((cut(str(name), HEADER_CHARACTERS_MAX), text))
    return tuple(shown)


def cut(text: str, characters_max: int) -> str:
    """Return the beginning of a text."""
    return text if len(text) <= characters_max else text[: characters_max - 1] + "\u2026"
