"""Lets browsers in: a link that works once becomes a session, which is sent as a bearer token.

A cookie would go to every server of this machine, whatever its port. A session is known to one page
alone, which keeps it for as long as its tab is open. It reads, and it can do no more than that. The
stream of an open page renews it, up to a limit that nothing extends.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections.abc import Callable

from penstock._clock import monotonic

LINK_SECONDS = 3600.0
"""How long a link works, if it is not used."""
SESSION_SECONDS = 12 * 3600.0
"""How long a session lasts after its last request, or the end of its stream."""
SESSION_SECONDS_MAX = 7 * 24 * 3600.0
"""How long a session lasts at most, however much it is used."""
LINKS_MAX = 32
SESSIONS_MAX = 200


class Logins:
    """The links and sessions of one server; any thread may call it."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        # Only hashes are kept and compared, so that no comparison depends on a secret's beginning.
        self._links: dict[bytes, float] = {}
        self._sessions: dict[bytes, float] = {}
        self._limits: dict[bytes, float] = {}
        """When each session ends at the latest."""

    def new_code(self) -> str:
        """Return the code of a new link; the oldest of too many no longer works."""
        code = secrets.token_urlsafe(24)
        with self._lock:
            _trim(self._links, self._clock(), LINKS_MAX - 1)
            self._links[_hash(code)] = self._clock() + LINK_SECONDS
        return code

    def redeem(self, code: str) -> str | None:
        """Return a new session for a code that works; it works no more."""
        with self._lock:
            if self._links.pop(_hash(code), 0.0) <= self._clock():
                return None
            return self._opened()

    def open(self) -> str:
        """Return a new session for a client that has shown the token."""
        with self._lock:
            return self._opened()

    def accepts(self, session: str) -> bool:
        """Yes if this is a session that lasts; it is renewed."""
        with self._lock:
            key, now = _hash(session), self._clock()
            if self._sessions.get(key, 0.0) <= now:
                return False
            self._sessions[key] = min(now + SESSION_SECONDS, self._limits[key])
            return True

    def _opened(self) -> str:
        session, now = secrets.token_urlsafe(32), self._clock()
        key = _hash(session)
        _trim(self._sessions, now, SESSIONS_MAX - 1)
        self._limits = {each: self._limits[each] for each in self._sessions}
        self._sessions[key], self._limits[key] = now + SESSION_SECONDS, now + SESSION_SECONDS_MAX
        return session


def _trim(until: dict[bytes, float], now: float, most: int) -> None:
    """Remove what is over, and the oldest of what is too much."""
    for key in [key for key, end in until.items() if end <= now]:
        del until[key]
    while len(until) > most:
        del until[min(until, key=lambda key: until[key])]


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
