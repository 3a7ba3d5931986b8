"""Pages of scans.

The next page of a key-value scan begins after the last row of the page before: its cursor is the
key and the partition of that row, and any server of the application can go on. A key that is too
long for a request is kept here. Scans of windows and sessions have no such order: they stay open
here. What is kept is kept for a minute, under a random cursor that works once.
"""

from __future__ import annotations

import base64
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Generic, TypeVar
from zlib import crc32

from penstock._clock import monotonic
from penstock._engine.http.json_values import bytes_of
from penstock._engine.http.replies import Refusal, bad_request
from penstock._engine.http.served import Source
from penstock._engine.queries.merging import PlacedRow
from penstock._engine.queries.open_scans import OpenScans
from penstock._engine.queries.questions import Row

PAGE_BYTES_MAX = 8 << 20
_OPEN_MAX = 100
_KEPT = "kept."
"""How the cursor of what is kept begins, which no `KeyCursor` does."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page:
    """Rows, and whether there are more."""

    rows: list[Row]
    rest: Iterator[Row | None] | None


@dataclass(frozen=True, slots=True)
class KeyCursor:
    """The last row of a page of a key-value scan."""

    store: str
    place: int
    """Its partition: the same key may be in others."""
    key: bytes

    @classmethod
    def of(cls, text: str, store: str) -> KeyCursor:
        """Return the cursor of a scan of `store` that a text is.

        Raises:
            Refusal: it is none.
        """
        place, _, rest = text.partition(".")
        mark, dot, key = rest.partition(".")
        is_of_store = bool(dot) and mark == _mark_of(store)
        if not (is_of_store and re.fullmatch(r"-1|[0-9]{1,9}", place, re.ASCII)):
            msg = (
                "'cursor' must be that of the page before, of the same store and with the same "
                f"parameters; got {text[:80]!r}; begin the scan again"
            )
            raise bad_request(msg)
        return cls(store, int(place), bytes_of(key, "cursor"))

    def __str__(self) -> str:
        key = base64.urlsafe_b64encode(self.key).decode("ascii")
        return f"{self.place}.{_mark_of(self.store)}.{key}"

    def is_before(self, placed: PlacedRow) -> bool:
        """Yes if a row comes after this one; rows are in the order of `queries/merging.py`."""
        place, row = placed
        return row[0] != self.key or place > self.place


def _mark_of(store: str) -> str:
    """Return what a cursor says of its store: keys of another one are of another order."""
    return f"{crc32(store.encode()):08x}"


@dataclass(frozen=True, slots=True)
class Scan:
    """Rows that are read, and the store that they come from."""

    source: Source
    rows: Iterator[Row | None]
    """None where more must be asked for."""


def page_of(rows: Iterator[Row | None], limit: int, until: float) -> Page:
    """Return the next rows, at most `limit` and about eight megabytes; when the time is over, those
    that are there, be it none: more are not asked for.
    """
    taken: list[Row] = []
    size = 0
    for row in rows:
        if row is None:
            if monotonic() >= until:
                return Page(taken, rows)
            continue
        if len(taken) == limit or size >= PAGE_BYTES_MAX:
            return Page(taken, chain([row], rows))
        taken.append(row)
        size += len(row[0]) + len(row[1])
    return Page(taken, None)


def is_kept(cursor: str) -> bool:
    """Yes if a cursor is one of `PagedScans`."""
    return cursor.startswith(_KEPT)


class PagedScans(Generic[T]):
    """Scans that wait for their next page: for each a T, which says how it goes on."""

    def __init__(self) -> None:
        self._scans: OpenScans[str, tuple[str, T]] = OpenScans(
            lambda: f"{_KEPT}{secrets.token_urlsafe(12)}", _OPEN_MAX
        )

    def keep(self, named: str, scan: T) -> str:
        """Keep the rest of a scan; return its cursor. `named` says what is scanned."""
        return self._scans.keep((named, scan))

    def drop_old(self) -> None:
        """Forget scans whose time is over; called now and then."""
        self._scans.drop_old()

    def take(self, named: str, cursor: str) -> T:
        """Return the rest of a scan.

        Raises:
            Refusal: there is none under this cursor.
        """
        kept = self._scans.take(cursor, lambda one: one[0] == named)
        if kept is not None:
            return kept[1]
        msg = (
            "there is no scan with this cursor: it works once, for a minute, with the "
            "parameters of the page before; begin the scan again"
        )
        raise Refusal(410, "gone", msg)
