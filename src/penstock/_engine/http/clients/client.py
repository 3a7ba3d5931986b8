"""Asks the server of an application, from another process of this machine or elsewhere."""

from __future__ import annotations

import http.client
import json
import ssl
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from penstock._engine.http.address_file import ServedAt
from penstock.errors import QueryError, StoreNotReadyError, StreamsError

_SECONDS = 30.0
_SHOWN = 200


_NO_SUCH_KEY = "no_such_key"
"""The code of the error of a key that a store does not have."""


class StateClient(ABC):
    """Reads the stores of an application, page by page."""

    place = "in this process"
    """Where they are read."""
    offsets_behind: int | None = None
    """How far the copies were behind that have answered pages, at most; None if that was not asked
    for.
    """

    @abstractmethod
    def get(self, path: str, words: Mapping[str, str] | None = None) -> Any:
        """Return the document at a path; None if the store has no such key.

        Raises:
            QueryError: it is refused.
            StoreNotReadyError: there is no answer now.
            StreamsError: what answers is no Penstock server.
        """

    @abstractmethod
    def close(self) -> None:
        """End the connection."""

    def having(self, path: str, *names: str) -> Any:
        """Return the document at a path, an object that has these names.

        Raises:
            StreamsError: what answers is no Penstock server, or as `get`.
        """
        return self._checked(self.get(path), names)

    def key(self, store: str, key: str, words: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """Return the rows of a key: one, several, none."""
        path = f"/stores/{quote(store, '')}/{quote(key, '') or '%22%22'}"
        document = self.get(path, words)
        if document is None:
            return
        if "rows" in self._checked(document, ("store",)):
            yield from self._pages(path, words, document)
        else:
            row = self._checked(document, ("key", "value"))
            yield {name: value for name, value in row.items() if name != "store"}

    def range(self, store: str, words: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """Return the rows of a range, page by page."""
        path = f"/stores/{quote(store, '')}"
        yield from self._pages(path, words, self.get(path, words))

    def _pages(
        self, path: str, words: Mapping[str, str], document: Any
    ) -> Iterator[dict[str, Any]]:
        while True:
            page = self._checked(document, ("store", "rows", "cursor"))
            behind = page.get("offsets_behind")
            if behind is not None:
                self.offsets_behind = max(self.offsets_behind or 0, behind)
            yield from page["rows"]
            if page["cursor"] is None:
                return
            document = self.get(path, {**words, "cursor": page["cursor"]})

    def _checked(self, document: Any, names: Iterable[str]) -> Any:
        if document is not None and document.keys() >= set(names):
            return document
        raise no_penstock(self.place, json.dumps(document))


class HttpClient(StateClient):
    """One server. No proxy is asked: the state of an application goes to its readers only."""

    def __init__(self, served: ServedAt) -> None:
        self._served = served
        self.place = f"at {served.url}"
        try:
            parts = urlsplit(served.url)
            if parts.scheme not in {"http", "https"} or not parts.hostname:
                raise _no_address(served.url)
            parts.hostname.encode("idna")
            if parts.scheme == "http":
                self._connection = http.client.HTTPConnection(
                    parts.hostname, parts.port, timeout=_SECONDS
                )
            else:
                self._connection = http.client.HTTPSConnection(
                    parts.hostname, parts.port, timeout=_SECONDS, context=_tls(served)
                )
        except (ValueError, http.client.InvalidURL) as error:
            raise _no_address(served.url) from error

    def connect(self) -> None:
        """Connect now; without it, `get` does.

        Raises:
            StreamsError: nothing listens there.
        """
        try:
            self._connection.connect()
        except OSError as error:
            raise self._silent(error) from error

    def get(self, path: str, words: Mapping[str, str] | None = None) -> Any:
        """Return the document at a path; None if there is none (404).

        Raises:
            QueryError: the server refuses.
            StoreNotReadyError: it cannot answer now.
            StreamsError: it does not answer, or is no Penstock server.
        """
        token = self._served.token
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        target = f"{path}?{urlencode(words)}" if words else path
        try:
            self._connection.request("GET", target, headers=headers)
            response = self._connection.getresponse()
            body = response.read()
        except (OSError, http.client.HTTPException) as error:
            raise self._silent(error) from error
        try:
            document = json.loads(body)
        except ValueError as error:
            said = body[:_SHOWN].decode("utf-8", "replace")
            raise no_penstock(self.place, f"{response.status} {said}") from error
        return document_of(response.status, document, self.place)

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    def _silent(self, error: Exception) -> StreamsError:
        self._connection.close()
        return StreamsError(f"the application {self.place} does not answer: {error}")


def _no_address(url: str) -> StreamsError:
    return StreamsError(f"an address must look like http://127.0.0.1:8080; got {url!r}")


def _tls(served: ServedAt) -> ssl.SSLContext:
    """Return what to trust.

    Raises:
        StreamsError: the certificate cannot be read.
    """
    try:
        context = ssl.create_default_context(cafile=served.certificate)
    except OSError as error:  # also of what is in it
        msg = (
            f"the certificate of the application at {served.url}, {served.certificate}, cannot be "
            f"read: {error.strerror or error}; it is the file of 'penstock.http.certificate'"
        )
        raise StreamsError(msg) from error
    # A certificate that is known itself needs no name: it is made for others' names.
    context.check_hostname = served.certificate is None
    return context


def document_of(status: int, document: Any, place: str) -> Any:
    """Return what a server has answered; None if the store has no such key, or a page without rows
    if only copies were asked that may be behind.

    Raises:
        QueryError: the server refuses.
        StoreNotReadyError: it cannot answer now.
        StreamsError: it is no Penstock server.
    """
    if status == 200 and isinstance(document, dict):
        return document
    if isinstance(document, dict) and "ready" in document:
        raise StoreNotReadyError(str(document))
    match document:
        case {"error": {"code": str(code), "message": str(message)}}:
            if code == _NO_SUCH_KEY:
                behind = document.get("offsets_behind")
                if not behind:
                    return None
                return {"store": "", "rows": [], "cursor": None, "offsets_behind": behind}
            raise (StoreNotReadyError if status == 503 else QueryError)(message)
    raise no_penstock(place, f"{status} {json.dumps(document)}")


def no_penstock(place: str, said: str) -> StreamsError:
    """Return the error of an address at which something else answers."""
    shown = said if len(said) <= _SHOWN else f"{said[:_SHOWN]}..."
    return StreamsError(
        f"what answers {place} is no Penstock server, or one of another version: it said {shown}; "
        "--address is the line 'state over HTTP' that the application prints when it starts"
    )
