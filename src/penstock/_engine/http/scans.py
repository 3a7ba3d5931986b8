"""Pages of scans.

The next page of a key-value scan begins after the last key of the page before: its cursor is that
key, and any server of the application can go on. Scans of windows and sessions have no such order:
they stay open here for a minute, under a random cursor that works once.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from penstock._clock import monotonic
from penstock._engine.http.replies import Refusal
from penstock._engine.http.served import Source
from penstock._engine.queries.questions import Row

PAGE_BYTES_MAX = 8 << 20
_OPEN_MAX = 100
_OPEN_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Page:
    """Rows, and whether there are more."""

    rows: list[Row]
    rest: Iterator[Row] | None


@dataclass(frozen=True, slots=True)
class Scan:
    """Rows that are read, and the store that they come from."""

    source: Source
    rows: Iterator[Row]


def page_of(rows: Iterator[Row], limit: int) -> Page:
    """Return the next rows, at most `limit` and about eight megabytes."""
    taken: list[Row] = []
    size = 0
    for row in rows:
        if len(taken) == limit or size >= PAGE_BYTES_MAX:
            return Page(taken, chain([row], rows))
        taken.append(row)
        size += len(row[0]) + len(row[1])
    return Page(taken, None)


class OpenScans:
    """Scans that wait for their next page."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._scans: dict[str, tuple[float, str, Scan]] = {}

    def keep(self, named: str, scan: Scan) -> str:
        """Keep the rest of a scan; return its cursor. `named` says what is scanned."""
        cursor = secrets.token_urlsafe(12)
        with self._lock:
            self._drop_old()
            while len(self._scans) >= _OPEN_MAX:
                del self._scans[next(iter(self._scans))]
            self._scans[cursor] = (monotonic() + _OPEN_SECONDS, named, scan)
        return cursor

    def take(self, named: str, cursor: str) -> Scan:
        """Return the rest of a scan.

        Raises:
            Refusal: there is none under this cursor.
        """
        with self._lock:
            self._drop_old()
            _, kept, scan = self._scans.get(cursor, (0.0, None, None))
            if kept == named and scan is not None:
                del self._scans[cursor]
                return scan
        msg = (
            "there is no scan with this cursor: it works once, for a minute, with the "
            "parameters of the page before; begin the scan again"
        )
        raise Refusal(410, "gone", msg)

    def _drop_old(self) -> None:
        now = monotonic()
        for cursor in [one for one, (until, _, _) in self._scans.items() if until < now]:
            del self._scans[cursor]
