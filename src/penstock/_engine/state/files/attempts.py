"""Counts how often the process of a task has died at one place, in a file of the task's directory.

A marker is written before the first record after the task was opened, and deleted at the first
commit or when the task is closed. A task that finds one was held by a process that died before it
committed. After some such deaths the task is processed carefully: one record after the other, each
named in the marker before it is processed. So the record that kills the process is known.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

Place = tuple[str, int, int]
"""Topic, partition and offset of a record."""

DEATHS_UNTIL_CAREFUL = 2
"""Besides the first one, which leaves no marker if the task had committed before."""
DEATHS_UNTIL_BLAMED = 2
"""At one record, while the task is processed carefully: one may be chance."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """What earlier processes of the task have left in the marker."""

    offsets: Mapping[str, int]
    """The offsets at which the task began to read."""
    deaths: int = 0
    careful: bool = False
    in_hand: Place | None = None
    decoding: bool = False
    """Whether the record in hand was being decoded, or processed."""
    in_hand_deaths: int = 0

    @property
    def culprit(self) -> Place | None:
        """The record that kills the process, None if it is not known."""
        return self.in_hand if self.in_hand_deaths >= DEATHS_UNTIL_BLAMED else None


def next_attempt(left: Attempt | None, offsets: Mapping[str, int]) -> Attempt:
    """Return the attempt that begins at `offsets`, after the one that the last process left."""
    if left is None:
        return Attempt(offsets)
    if left.careful:
        died_there = left.in_hand_deaths + 1 if left.in_hand is not None else 0
        return replace(left, offsets=offsets, deaths=left.deaths + 1, in_hand_deaths=died_there)
    deaths = left.deaths + 1 if left.offsets == offsets else 1
    return Attempt(offsets, deaths, careful=deaths >= DEATHS_UNTIL_CAREFUL)


class AttemptFile:
    """The marker of one task."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._attempt = Attempt({})

    def begin(self, offsets: Mapping[tuple[str, int], int]) -> Attempt:
        """Return the attempt that begins now. Only `mark` writes it: a task without records cannot
        cause the next death.
        """
        named = {f"{topic}:{number}": offset for (topic, number), offset in offsets.items()}
        self._attempt = next_attempt(self._read(), named)
        self.clear()
        return self._attempt

    def mark(self) -> None:
        """Write the marker, before the first record."""
        self._write(self._attempt)

    def take_in_hand(self, place: Place, *, decoding: bool) -> None:
        """Write the record that is decoded or processed next into the marker."""
        before = self._attempt
        deaths = before.in_hand_deaths if place == before.in_hand else 0
        self._write(replace(before, in_hand=place, decoding=decoding, in_hand_deaths=deaths))

    def put_down(self) -> None:
        """Remove the record in hand from the marker."""
        self._write(replace(self._attempt, in_hand=None, in_hand_deaths=0))

    def clear(self) -> None:
        """Delete the marker, after a commit or when the task is closed."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)

    def _read(self) -> Attempt | None:
        # A marker that was cut short by the death counts as none.
        with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
            found = json.loads(self._path.read_bytes())
            place = found.pop("in_hand")
            return Attempt(in_hand=None if place is None else tuple(place), **found)
        return None

    def _write(self, attempt: Attempt) -> None:
        made = self._path.with_suffix(".new")
        # On a full disk the task runs without a marker: only the search for a deadly record needs
        # it, and the stores report the full disk themselves.
        with suppress(OSError):
            made.write_bytes(json.dumps(asdict(attempt)).encode())
            made.replace(self._path)
