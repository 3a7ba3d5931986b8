"""What is asked and what is answered, as plain data: a server turns it into HTTP."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

JSON = "application/json"
MESSAGEPACK = "application/msgpack"
TEXT = "text/plain; charset=utf-8"
HTML = "text/html; charset=utf-8"

QUESTIONS_PATH = "/questions"
"""Where the drivers of an application ask each other."""
DRIVER_HEADER = "x-penstock-driver"
QUESTION_BYTES_MAX = 4 << 20
ANSWER_BYTES_MAX = 64 << 20


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: header names in lower case, the path as it was sent."""

    method: str
    raw_path: bytes
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Reply:
    """A response."""

    status: int
    body: bytes
    content_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)


class Refusal(Exception):
    """A request that is answered with an error; `code` is for programs, the message for people."""

    def __init__(
        self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.headers = status, code, headers or {}

    def reply(self) -> Reply:
        """Return the response that says so."""
        document = {"error": {"code": self.code, "message": str(self)}}
        return json_reply(document, self.status, self.headers)


def bad_request(message: str) -> Refusal:
    """Return the refusal of a request whose words are wrong."""
    return Refusal(400, "bad_request", message)


def not_found(message: str) -> Refusal:
    """Return the refusal of a request for something that is not there."""
    return Refusal(404, "not_found", message)


def not_ready(message: str, seconds: int = 1) -> Refusal:
    """Return the refusal of a request that may be answered later."""
    return Refusal(503, "not_ready", message, {"retry-after": str(seconds)})


def json_reply(document: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    """Return a document that is plain JSON already."""
    try:
        body = json.dumps(document, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except UnicodeEncodeError:  # a lone surrogate is no UTF-8, but JSON can escape it
        body = json.dumps(document, allow_nan=False).encode("ascii")
    return Reply(status, body + b"\n", JSON, headers or {})
