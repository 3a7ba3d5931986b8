"""Who may ask: the token, and the names by which the server may be addressed.

A web page of a stranger can point its own name at 127.0.0.1 and let a browser ask (DNS rebinding).
The `Host` header then has that name, so only names that are known and addresses in digits are
served.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from penstock._engine.http.console.logins import Logins
from penstock._engine.http.replies import Refusal

_KNOWN_MAX = 64


@dataclass(frozen=True, slots=True)
class Access:
    """What a request must show; `token` None: it needs none."""

    token: str | None = field(repr=False, default=None)
    hosts: frozenset[str] = frozenset()
    """Names besides localhost."""
    logins: Logins = field(repr=False, default_factory=Logins, compare=False)
    """The browsers that were let in."""
    _known: set[tuple[str | None, str | None]] = field(
        repr=False, default_factory=set, init=False, compare=False
    )
    """Hosts and authorizations of requests that had the token: most requests have the same. A set
    compares them by their hashes first, so that how long it takes says nothing of the token.
    """

    def check(self, headers: Mapping[str, str]) -> None:
        """Refuse a request that was sent to another name, or that may not read.

        Raises:
            Refusal: 401, 403.
        """
        sent = headers.get("host"), headers.get("authorization")
        if sent in self._known:
            return
        self.check_host(headers)
        self.check_reader(headers)
        if self.has_token(headers):  # the session of a browser may end
            if len(self._known) >= _KNOWN_MAX:  # strangers choose their host
                self._known.clear()
            self._known.add(sent)

    def check_host(self, headers: Mapping[str, str]) -> None:
        """Refuse a request that was sent to another name.

        Raises:
            Refusal: 403.
        """
        sent = headers.get("host", "")
        name = host_name(sent)
        if name is None or not (is_address(name) or name in {"localhost", *self.hosts}):
            msg = (
                f"this server is not called {sent[:80]!r}; ask it by its address, or name the host "
                "in the setting 'penstock.http.hosts'"
            )
            raise Refusal(403, "forbidden_host", msg)

    def check_reader(self, headers: Mapping[str, str]) -> None:
        """Refuse a request that has neither the token nor the session of a browser.

        Raises:
            Refusal: 401.
        """
        try:
            self.check_token(headers)
        except Refusal:
            session = _bearer(headers)
            if session is None or not self.logins.accepts(session):
                raise

    def link_code(self, headers: Mapping[str, str]) -> str:
        """Return the code of a link for another browser; that of a session ends with it.

        Raises:
            Refusal: 401.
        """
        try:
            self.check_token(headers)
        except Refusal:
            session = _bearer(headers)
            code = None if session is None else self.logins.code_of(session)
            if code is None:
                raise
            return code
        return self.logins.new_code()

    def may_read(self, headers: Mapping[str, str]) -> bool:
        """Yes if a request has the token or the session of a browser, which is renewed."""
        try:
            self.check_reader(headers)
        except Refusal:
            return False
        return True

    def check_token(self, headers: Mapping[str, str]) -> None:
        """Refuse a request without the token.

        Raises:
            Refusal: 401.
        """
        if not self.has_token(headers):
            msg = (
                "the token is missing or wrong: send 'Authorization: Bearer TOKEN'; the "
                "application prints in which file its token is when it starts"
            )
            raise Refusal(401, "unauthorized", msg, {"www-authenticate": "Bearer"})

    def has_token(self, headers: Mapping[str, str]) -> bool:
        """Yes if a request has the token, or needs none."""
        if self.token is None:
            return True
        given = _bearer(headers)
        return given is not None and hmac.compare_digest(given.encode(), self.token.encode())


def _bearer(headers: Mapping[str, str]) -> str | None:
    """Return what a request sends as its bearer, None if it sends none."""
    scheme, _, given = headers.get("authorization", "").partition(" ")
    return given.strip() if scheme.lower() == "bearer" else None


def host_name(header: str) -> str | None:
    """Return the name in a Host header, in lower case and without the port; None if it has none."""
    if header.startswith("["):
        name, bracket, port = header[1:].partition("]")
        ends = bool(bracket) and (not port or (port[0] == ":" and port[1:].isdigit()))
        return name.lower() if ends else None
    name, colon, port = header.partition(":")
    if not name or (colon and not port.isdigit()):
        return None
    return name.lower().removesuffix(".")


def is_loopback(address: str) -> bool:
    """Yes if only processes of this machine reach an address."""
    if address.lower() == "localhost":
        return True
    return is_address(address) and ipaddress.ip_address(address).is_loopback


@lru_cache(maxsize=64)
def is_address(name: str) -> bool:
    """Yes if a host is an address in digits."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
