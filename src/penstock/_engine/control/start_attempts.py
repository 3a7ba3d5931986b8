"""Starts that fail one after another: a few more are worth it, on a busy machine; then no more."""

from __future__ import annotations

AGAIN_MAX = 5
_TOGETHER_SECONDS = 120.0
"""Failures that are further apart than this have a start between them that did its work."""


class StartAttempts:
    """Counts the starts of one thing that failed one after another."""

    def __init__(self) -> None:
        self._failed = 0
        self._failed_at = float("-inf")

    @property
    def failed(self) -> int:
        """How many failed, one after another."""
        return self._failed

    def may_follow(self, now: float) -> bool:
        """Return whether another start may follow the one that has failed `now`."""
        is_next = now - self._failed_at < _TOGETHER_SECONDS
        self._failed = self._failed + 1 if is_next else 1
        self._failed_at = now
        return self._failed <= AGAIN_MAX
