"""When the stores of a task were last complete, in a file of the task's directory.

A changelog that is compacted forgets deletions after a while. Local state that was last complete
before that cannot be brought up to date: keys that were deleted since would stay. The offset in a
store does not say how old it is, so the time is kept beside it. A time that is too early is safe.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

UNREADABLE = 0
"""The time of all stores whose file was cut short: that of the epoch."""


class StateTimes:
    """The times of the stores of one task, in milliseconds of the wall clock."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._times: dict[str, int] | None = None

    def of(self, store: str) -> int | None:
        """Return when a store was last complete, None if that was never noted."""
        if self._times is None:
            self._times = self._read()
        return UNREADABLE if UNREADABLE in self._times.values() else self._times.get(store)

    def note(self, stores: Iterable[str], now_ms: int) -> None:
        """Note that each of `stores` is complete, or empty, as of `now_ms`."""
        # Not read again where another process may have had the directory meanwhile: `of` did so.
        known = self._read() if self._times is None else self._times
        self._times = {
            **{store: time for store, time in known.items() if time != UNREADABLE},
            **dict.fromkeys(stores, now_ms),
        }
        made = self._path.with_suffix(".new")
        # On a full disk the times of before stay; the stores report the full disk themselves.
        with suppress(OSError):
            made.write_text(json.dumps(self._times), encoding="utf-8")
            made.replace(self._path)

    def _read(self) -> dict[str, int]:
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
            return {str(store): int(time) for store, time in found.items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, AttributeError, TypeError):
            return {"": UNREADABLE}
