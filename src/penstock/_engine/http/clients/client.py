"""Asks the server of an application, from another process of this machine or elsewhere."""

from __future__ import annotations

import http.client
import json
import ssl
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from penstock._engine.http.address_file import ServedAt
from penstock.errors import QueryError, StoreNotReadyError, StreamsError

_SECONDS = 30.0


class StateClient(ABC):
    """Reads the stores of an application, page by page."""

    @abstractmethod
    def get(self, path: str, words: Mapping[str, str] | None = None) -> Any:
        """Return the document at a path; None if the store has no such key.

        Raises:
            QueryError: it is refused.
            StoreNotReadyError: there is no answer now.
        """

    @abstractmethod
    def close(self) -> None:
        """End the connection."""

    def key(self, store: str, key: str, words: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """Return the rows of a key: one, several, none."""
        path = f"/stores/{quote(store, '')}/{quote(key, '') or '%22%22'}"
        document = self.get(path, words)
        if document is None:
            return
        if "rows" in document:
            yield from self._pages(path, words, document)
        else:
            yield {name: value for name, value in document.items() if name != "store"}

    def range(self, store: str, words: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """Return the rows of a range, page by page."""
        path = f"/stores/{quote(store, '')}"
        yield from self._pages(path, words, self.get(path, words))

    def _pages(
        self, path: str, words: Mapping[str, str], page: dict[str, Any]
    ) -> Iterator[dict[str, Any]]:
        while True:
            yield from page["rows"]
            if page["cursor"] is None:
                return
            page = self.get(path, {**words, "cursor": page["cursor"]})


class HttpClient(StateClient):
    """One server. No proxy is asked: the state of an application goes to its readers only."""

    def __init__(self, served: ServedAt) -> None:
        self._served = served
        parts = urlsplit(served.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            msg = f"an address must look like http://127.0.0.1:8080; got {served.url!r}"
            raise StreamsError(msg)
        if parts.scheme == "http":
            self._connection = http.client.HTTPConnection(
                parts.hostname, parts.port, timeout=_SECONDS
            )
        else:
            context = ssl.create_default_context(cafile=served.certificate)
            # A certificate that is known itself needs no name: it is made for others' names.
            context.check_hostname = served.certificate is None
            self._connection = http.client.HTTPSConnection(
                parts.hostname, parts.port, timeout=_SECONDS, context=context
            )

    def get(self, path: str, words: Mapping[str, str] | None = None) -> Any:
        """Return the document at a path; None if there is none (404).

        Raises:
            QueryError: the server refuses.
            StoreNotReadyError: it cannot answer now.
            StreamsError: it does not answer.
        """
        token = self._served.token
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        target = f"{path}?{urlencode(words)}" if words else path
        try:
            self._connection.request("GET", target, headers=headers)
            response = self._connection.getresponse()
            document = json.loads(response.read())
        except (OSError, ValueError, http.client.HTTPException) as error:
            self._connection.close()
            msg = f"the application at {self._served.url} does not answer: {error}"
            raise StreamsError(msg) from error
        return document_of(response.status, document)

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


def document_of(status: int, document: Any) -> Any:
    """Return what a server has answered; None if the store has no such key.

    Raises:
        QueryError: the server refuses.
        StoreNotReadyError: it cannot answer now.
    """
    if status == 200:
        return document
    message = str(document.get("error", {}).get("message", document))
    if status == 404 and "has no such key" in message:
        return None
    raise (StoreNotReadyError if status == 503 else QueryError)(message)
