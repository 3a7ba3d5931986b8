"""Lets browsers in: a link that works once becomes a session, which is sent as a bearer token.

A cookie would go to every server of this machine, whatever its port. A session is known to one page
alone, which keeps it for as long as its tab is open. It reads, and it can do no more than that. The
stream of an open page renews it, up to a limit that nothing extends: a link that a session asks for
has the limit of that session.
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
        """When each session ends at the latest, and each link of a session."""

    def new_code(self) -> str:
        """Return the code of a new link; the oldest of too many no longer works."""
        with self._lock:
            return self._new_code()

    def code_of(self, session: str) -> str | None:
        """Return the code of a link for another browser, whose session ends with this one at the
        latest; None if this is no session that lasts.
        """
        with self._lock:
            key = _hash(session)
            if self._sessions.get(key, 0.0) <= self._clock():
                return None
            limit = self._limits[key]
            code = self._new_code()
            self._limits[_hash(code)] = limit
            return code

    def redeem(self, code: str) -> str | None:
        """Return a new session for a code that works; it works no more."""
        with self._lock:
            key, now = _hash(code), self._clock()
            if self._links.pop(key, 0.0) <= now:
                return None
            limit = self._limits.pop(key, now + SESSION_SECONDS_MAX)
            return self._opened(limit) if limit > now else None

    def open(self) -> str:
        """Return a new session for a client that has shown the token."""
        with self._lock:
            return self._opened(self._clock() + SESSION_SECONDS_MAX)

    def accepts(self, session: str) -> bool:
        """Yes if this is a session that lasts; it is renewed."""
        with self._lock:
            key, now = _hash(session), self._clock()
            if self._sessions.get(key, 0.0) <= now:
                return False
            self._sessions[key] = min(now + SESSION_SECONDS, self._limits[key])
            return True

    def _new_code(self) -> str:
        code, now = secrets.token_urlsafe(24), self._clock()
        _trim(self._links, now, LINKS_MAX - 1)
        self._forget_limits()
        self._links[_hash(code)] = now + LINK_SECONDS
        return code

    def _opened(self, limit: float) -> str:
        session, now = secrets.token_urlsafe(32), self._clock()
        key = _hash(session)
        _trim(self._sessions, now, SESSIONS_MAX - 1)
        self._forget_limits()
        self._sessions[key], self._limits[key] = min(now + SESSION_SECONDS, limit), limit
        return session

    def _forget_limits(self) -> None:
        known = self._sessions.keys() | self._links.keys()
        self._limits = {key: limit for key, limit in self._limits.items() if key in known}


def _trim(until: dict[bytes, float], now: float, most: int) -> None:
    """Remove what is over, and the oldest of what is too much."""
    for key in [key for key, end in until.items() if end <= now]:
        del until[key]
    while len(until) > most:
        del until[min(until, key=lambda key: until[key])]


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
