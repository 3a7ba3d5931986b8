"""What is asked and what is answered, as plain data: a server turns it into HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from http import HTTPStatus
from typing import Any

import msgspec

JSON = "application/json"
MESSAGEPACK = "application/msgpack"
TEXT = "text/plain; charset=utf-8"
HTML = "text/html; charset=utf-8"

ALWAYS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
}
"""The headers of every response."""

QUESTIONS_PATH = "/questions"
"""Where the drivers of an application ask each other."""
DRIVER_HEADER = "x-penstock-driver"
QUESTION_BYTES_MAX = 4 << 20
ANSWER_BYTES_MAX = 64 << 20


class Asked(msgspec.Struct, frozen=True, gc=False):
    """A request: header names in lower case, the path as it was sent."""

    method: str
    raw_path: bytes
    query: str = ""
    headers: Mapping[str, str] = msgspec.field(default_factory=dict)
    body: bytes = b""
    until: float | None = None
    """When the time for its answer is over, by the monotonic clock; None: it begins now."""


class Reply(msgspec.Struct, frozen=True, gc=False):
    """A response."""

    status: int
    body: bytes
    content_type: str = JSON
    headers: Mapping[str, str] = msgspec.field(default_factory=dict)


class Refusal(Exception):
    """A request that is answered with an error; `code` is for programs, the message for people."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        headers: Mapping[str, str] | None = None,
        more: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.headers = status, code, headers or {}
        self._more = more or {}
        """What the document has beside the error."""

    def reply(self) -> Reply:
        """Return the response that says so."""
        document = {"error": {"code": self.code, "message": str(self)}, **self._more}
        return json_reply(document, self.status, self.headers)


def bad_request(message: str) -> Refusal:
    """Return the refusal of a request whose words are wrong."""
    return Refusal(400, "bad_request", message)


def not_found(message: str) -> Refusal:
    """Return the refusal of a request for something that is not there."""
    return Refusal(404, "not_found", message)


def no_such_key(message: str, behind: Mapping[str, int]) -> Refusal:
    """Return the refusal of a request for a key that its store does not have; `behind`: how far the
    copies were behind that were read.
    """
    return Refusal(404, "no_such_key", message, more=behind)


def not_ready(message: str, seconds: int = 1) -> Refusal:
    """Return the refusal of a request that may be answered later."""
    return Refusal(503, "not_ready", message, {"retry-after": str(seconds)})


_PLAIN_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def json_reply(document: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    """Return a document that is plain JSON already."""
    try:
        body = msgspec.json.encode(document)
    except (TypeError, UnicodeEncodeError):
        body = _unusual_json(document)
    return Reply(status, body + b"\n", JSON, headers or {})


def _unusual_json(document: Any) -> bytes:
    """Return a document that msgspec does not write: one with subclasses of `str`, `int` or
    `float`, or with text that is not Unicode, which is escaped.
    """
    try:
        return _PLAIN_JSON.encode(document).encode("utf-8")
    except UnicodeEncodeError:
        return ascii_json(document)


def ascii_json(document: Any) -> bytes:
    """Return a document that is plain JSON already as ASCII: what is no Unicode is escaped, too."""
    return json.dumps(document, allow_nan=False, separators=(",", ":")).encode("ascii")


def response_bytes(
    reply: Reply, first: Iterable[tuple[bytes, bytes]], *, is_last: bool = False
) -> bytes:
    """Return a response as it is sent, with some headers before its own; `is_last`: the connection
    ends with it.
    """
    own = tuple(reply.headers.items()) if reply.headers else ()
    before, after = _head(reply.status, reply.content_type, own)
    lines = b"".join([b"%b: %b\r\n" % header for header in first])
    ends = b"connection: close\r\n" if is_last else b""
    body = reply.body
    return b"%b%b%bcontent-length: %d\r\n%b%b" % (before, lines, ends, len(body), after, body)


@lru_cache(maxsize=64)
def _head(
    status: int, content_type: str, headers: tuple[tuple[str, str], ...]
) -> tuple[bytes, bytes]:
    """Return what most responses have in common: their first line, and most of their headers."""
    sent = {"content-type": content_type, **ALWAYS, **dict(headers)}
    lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
    first = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n"
    return first.encode("ascii"), f"{lines}\r\n".encode("latin-1")
