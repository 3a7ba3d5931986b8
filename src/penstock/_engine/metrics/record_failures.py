"""Records that have just failed, on their way from a task to the driver: what, where, a preview.

A task keeps one of each kind, with the number of all, and only until the next report: a million bad
records cost no more than a hundred, and hide no failure of another kind.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

TEXT_CHARACTERS_MAX = 1000
PREVIEW_CHARACTERS_MAX = 300
HEADERS_MAX = 10
HEADER_CHARACTERS_MAX = 100
KEPT_MAX = 20
"""How many kinds of failures of one task wait for the next report; more are not counted."""

FailureKind: TypeAlias = tuple[str, str | None, str, str, str | None, bool]
"""Where and how records fail alike: node, topic, reason, type of the exception, line of code, and
whether they were skipped.
"""


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
    count: int = 1
    """How many of its kind there were; this is the first of them."""

    @property
    def kind(self) -> FailureKind:
        exception = self.error.partition(":")[0]
        return self.node, self.topic, self.reason, exception, self.location, self.skipped


class RecentFailures:
    """The failures of one task since the last report: the first of each kind, with a count."""

    __slots__ = ("_counts", "_kept")

    def __init__(self) -> None:
        self._kept: dict[FailureKind, RecordFailure] = {}
        self._counts: dict[FailureKind, int] = {}

    def add(self, kind: FailureKind, describe: Callable[[], RecordFailure]) -> None:
        """Count a failure; it is described only if it is the first of its kind, and there is room.
        What made the task fail is always kept.
        """
        if kind in self._kept:
            self._counts[kind] += 1
        elif len(self._kept) < KEPT_MAX or not kind[-1]:
            self._kept[kind], self._counts[kind] = describe(), 1

    def take(self) -> tuple[RecordFailure, ...]:
        """Return what is kept, oldest first, and forget it."""
        taken = tuple(replace(one, count=self._counts[kind]) for kind, one in self._kept.items())
        self._kept.clear()
        self._counts.clear()
        return taken


def merged(failures: Iterable[RecordFailure], kinds_max: int) -> tuple[RecordFailure, ...]:
    """Return the failures of several tasks, one of each kind; what made a task fail is last."""
    of_kind: dict[FailureKind, RecordFailure] = {}
    for failure in failures:
        known = of_kind.get(failure.kind)
        of_kind[failure.kind] = (
            failure if known is None else replace(known, count=known.count + failure.count)
        )
    return tuple(sorted(of_kind.values(), key=lambda one: not one.skipped))[-kinds_max:]


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
