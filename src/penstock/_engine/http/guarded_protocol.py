"""uvicorn's HTTP/1.1, with limits for clients that are slow, half open, or too many.

uvicorn waits for a request for ever, takes headers of any size, and answers malformed requests in
plain text. Its parser in C takes a tenth of the time of the one in Python, and leaves to the server
what a request must name: one host, and a path. Reads of one key, which come by the hundred a
second, go round ASGI, which costs more than all that is done for them; and round the parser where
only the path differs from the request before.
"""

from __future__ import annotations

import asyncio
import logging
import math
import re
import sys
from collections.abc import Iterable
from functools import partial
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from penstock._engine.http.console.event_stream import STREAM_PATH
from penstock._engine.http.key_reads import KeyRead, KeyReads
from penstock._engine.http.replies import (
    QUESTION_BYTES_MAX,
    Asked,
    Refusal,
    Reply,
    bad_request,
    not_ready,
    response_bytes,
)

_log = logging.getLogger(__name__)

CONNECTIONS_MAX = 500
HEADER_BYTES_MAX = 16 * 1024
REQUEST_BYTES_MAX = 2 * QUESTION_BYTES_MAX
"""With the lengths of chunks; what routes take of it, they say themselves."""
REQUEST_SECONDS = 10.0
"""How long a client may take to send a request, and to begin the next one."""
RESPONSE_SECONDS = 60.0
"""How long a request may take to be answered and read, and an event of a stream to be read."""


CLOSE_SECONDS = 1.5
"""How long a request waits for its answer when the server ends; less than uvicorn waits."""


_SHORT_WAY = b"/stores/"
_GET = b"GET "
_REPEATED_URL = re.compile(rb"/stores/[!\"$-~]+")
"""What the parser takes as a path with a query, less what `_goes_short_way` leaves to ASGI."""
_LONG_WAY = frozenset({"content-length", "transfer-encoding", "expect", "upgrade"})
"""Headers of requests that are left to ASGI: bodies, and what must be answered before them."""


def header_too_large() -> Refusal:
    """Return the refusal of a request whose header is too large."""
    msg = f"path and header of a request may have {HEADER_BYTES_MAX:,} bytes"
    return Refusal(431, "header_too_large", msg, {"connection": "close"})


def _url_too_long() -> Refusal:
    msg = f"the URL of a request may have {HEADER_BYTES_MAX:,} bytes"
    return Refusal(414, "url_too_long", msg, {"connection": "close"})


class _SentTooEarly(Exception):
    """A request came before the one before it was answered."""


class _NoEvent:
    def set(self) -> None: ...


class _ShortCycle:
    """A request without a body that is answered without ASGI, in the place of uvicorn's cycle."""

    __slots__ = ("disconnected", "keep_alive", "more_body", "response_complete", "response_started")

    message_event = _NoEvent()

    def __init__(self, *, keep_alive: bool) -> None:
        self.keep_alive = keep_alive
        self.disconnected = self.response_started = self.response_complete = False
        self.more_body = False


class _Headers:
    """The headers of a request, and what matters of them."""

    __slots__ = ("by_name", "hosts", "is_plain", "raw", "size")

    def __init__(self, raw: list[tuple[bytes, bytes]]) -> None:
        self.raw = raw
        self.by_name: dict[str, str] = {}
        self.hosts = self.size = 0
        for name, value in raw:
            self.by_name.setdefault(name.decode("latin-1"), value.decode("latin-1"))
            self.hosts += name == b"host"
            self.size += len(name) + len(value) + 4
        self.is_plain = _LONG_WAY.isdisjoint(self.by_name)


class GuardedProtocol(HttpToolsProtocol):
    """One connection."""

    _timer: asyncio.TimerHandle | None = None
    _rings_at = math.inf
    """When the timer rings."""
    _limit_ends = 0.0
    _header_bytes = 0
    """Of the request whose header is not complete yet."""
    _in_header = False
    _body_bytes = 0
    _is_last = False
    """Whether the connection ends with the request that is being answered."""
    _sent = _Headers([])
    """The headers of the last request: most clients send the same ones each time."""
    _is_between = True
    """Whether the parser is between two requests."""
    _tail = b""
    """What followed the path of the last request, if that went the short way and came alone: one
    with the same tail has the same headers, and needs no parser. Empty if there is none.
    """
    _read: KeyRead | None = None
    """The last read of a key with these headers, if others may be answered in the same way."""
    _full_since: float | None = None
    """Since when the client has not read what there is for it; None if there is room for more."""

    def __init__(self, reads: KeyReads, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._reads = reads

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._limit(REQUEST_SECONDS)
        if len(self.connections) > CONNECTIONS_MAX and not self._take_room():
            msg = f"there are {CONNECTIONS_MAX} connections already; ask again in a moment"
            self._refuse(Refusal(503, "busy", msg, {"retry-after": "1"}))

    def _take_room(self) -> bool:
        """Hang up on the client that has been silent for longest, yes if there is one. Strangers
        need no token to be silent, and probes of health must find room.
        """
        others: Iterable[Any] = self.connections - {self}
        silent = [one for one in others if _is_silent(one)]
        if not silent:
            return False
        min(silent, key=lambda one: one._limit_ends).transport.abort()
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing() or self._is_last:
            return
        if self._tail and self._is_repeated(data):
            return
        begins, self._tail = self._is_between, b""
        super().data_received(data)
        if self.transport.is_closing() or self._is_last:
            return
        if self._in_header:
            self._header_bytes += len(data)
            if self._header_bytes > HEADER_BYTES_MAX:
                self._refuse(header_too_large())
                return
        cycle = self.cycle
        if cycle is None or cycle.response_complete:
            return
        if not cycle.more_body:
            self._limit(RESPONSE_SECONDS)
            if begins and isinstance(cycle, _ShortCycle) and cycle.keep_alive:
                self._tail = self._tail_of(data)
            return
        self._body_bytes += len(data)
        if self._body_bytes > REQUEST_BYTES_MAX:
            msg = f"a request may have {REQUEST_BYTES_MAX:,} bytes"
            self._refuse(Refusal(413, "body_too_large", msg))

    def _tail_of(self, data: bytes) -> bytes:
        """Return what follows the path in the bytes of one whole request; nothing if there are
        more of them, or fewer, or more than is kept for each connection.
        """
        tail = data[len(_GET) + len(self.url) :]
        is_alone = data.startswith(_GET + self.url) and tail.startswith(b" HTTP/1.1\r\n")
        if not is_alone or len(tail) > HEADER_BYTES_MAX:
            return b""
        return tail if tail.find(b"\r\n\r\n") == len(tail) - 4 else b""

    def _is_repeated(self, data: bytes) -> bool:
        """Begin to answer a request that has the headers of the one before it; no if it has others,
        or ASGI must answer it.
        """
        tail = self._tail
        if not (data.endswith(tail) and data.startswith(_GET) and self.cycle.response_complete):
            return False
        url = data[len(_GET) : -len(tail)]
        if _REPEATED_URL.fullmatch(url) is None or len(url) + self._sent.size > HEADER_BYTES_MAX:
            return False
        if self.flow.write_paused or not self._begin_short(url, keep_alive=True):
            return False
        self._unset_keepalive_if_required()
        self._limit(RESPONSE_SECONDS)
        return True

    def on_message_complete(self) -> None:
        self._is_between = True
        super().on_message_complete()

    def on_message_begin(self) -> None:
        self._is_between = False
        self._in_header, self._header_bytes, self._body_bytes = True, 0, 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Take a URL, or a piece of one."""
        self.url += url
        if len(self.url) > HEADER_BYTES_MAX:
            self._refuse_early_request()
            raise _url_too_long()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header. What follows a body in chunks is dropped: it must not count as one."""
        if self._in_header:  # as uvicorn does it, without a call for each header
            name = name.lower()
            if name == b"expect" and value.lower() == b"100-continue":
                self.expect_100_continue = True
            self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        """Begin to answer a request, if it says what it is for."""
        self._in_header = False
        self._refuse_early_request()
        if self.headers != self._sent.raw:
            self._sent, self._read = _Headers(self.headers), None
        if self._sent.hosts != 1:
            msg = f"a request must have one Host header; this one has {self._sent.hosts}"
            raise bad_request(msg)
        if not self.url.startswith(b"/"):
            msg = "a request must name a path that begins with '/'"
            raise bad_request(msg)
        if not self._goes_short_way():
            super().on_headers_complete()

    def _refuse_early_request(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            raise _SentTooEarly

    def _goes_short_way(self) -> bool:
        """Begin to answer a request that needs no ASGI; no if it does, or is to be refused."""
        url, parser, sent = self.url, self.parser, self._sent
        if not url.startswith(_SHORT_WAY) or parser.get_method() != b"GET" or not sent.is_plain:
            return False
        if parser.get_http_version() != "1.1" or not url.isascii() or b"#" in url:
            return False
        if len(url) + sent.size > HEADER_BYTES_MAX or self.flow.write_paused:
            return False
        return self._begin_short(url, keep_alive=parser.should_keep_alive())

    def _begin_short(self, url: bytes, *, keep_alive: bool) -> bool:
        cycle = _ShortCycle(keep_alive=keep_alive)
        send = partial(self._answer, cycle)
        read = None if self._read is None else self._read.again(url)
        if read is None:
            path, _, query = url.partition(b"?")
            asked = Asked("GET", path, query.decode("ascii"), self._sent.by_name)
            read = self._reads.begin(asked, send)
        elif not self._reads.begin_read(read, send):
            read = None
        self._read = read if read is not None and read.is_lasting else None
        if read is None:
            return False
        self.cycle = cycle  # type: ignore[assignment]
        return True

    def shutdown(self) -> None:
        """Answer the request in hand, and hang up; uvicorn calls it when the server ends."""
        super().shutdown()
        cycle: object = self.cycle
        if isinstance(cycle, _ShortCycle):
            reply = not_ready("the server ends").reply()
            self.loop.call_later(CLOSE_SECONDS, self._answer, cycle, reply)

    def _answer(self, cycle: _ShortCycle, reply: Reply) -> None:
        if cycle.response_complete:
            return  # the server ended meanwhile
        cycle.response_started = cycle.response_complete = True
        if cycle.disconnected or self.transport.is_closing():
            return
        first, is_last = self.server_state.default_headers, not cycle.keep_alive
        self.transport.write(response_bytes(reply, first, is_last=is_last))
        if is_last:
            self.transport.close()
        self.server_state.total_requests += 1
        self._limit_next()

    def on_response_complete(self) -> None:
        self._limit_next()
        super().on_response_complete()

    def _limit_next(self) -> None:
        """Limit the time until the response is read and the next request is there."""
        unread = self.transport.get_write_buffer_size() > 0
        self._limit(RESPONSE_SECONDS if unread else REQUEST_SECONDS)

    def send_400_response(self, msg: str) -> None:
        """Answer a request that is no HTTP; called while its error is handled."""
        error = sys.exc_info()[1]
        cause = None if error is None else error.__context__
        if isinstance(cause, _SentTooEarly):
            # Requests that wait would pile up. The one in hand is answered; a client sends the
            # others again when the connection ends.
            self._is_last = True
            self.cycle.keep_alive = False
        elif isinstance(cause, Refusal):
            self._refuse(cause)
        else:
            self._refuse(bad_request(f"this is no HTTP request: {error or msg}"))

    def pause_writing(self) -> None:
        self._full_since = self.loop.time()
        super().pause_writing()

    def resume_writing(self) -> None:
        self._full_since = None
        super().resume_writing()

    def _limit(self, seconds: float) -> None:
        """Send the client away after some seconds. A timer that rings too early is set again:
        cheaper than a new one for each request.
        """
        self._limit_ends = self.loop.time() + seconds
        if self._rings_at > self._limit_ends:
            if self._timer is not None:
                self._timer.cancel()
            self._ring_at_limit(seconds)

    def _ring_at_limit(self, seconds: float) -> None:
        self._timer = self.loop.call_later(seconds, self._check_limit)
        self._rings_at = self._limit_ends

    def _check_limit(self) -> None:
        self._timer, self._rings_at = None, math.inf
        left = self._limit_ends - self.loop.time()
        if left > 0:
            self._ring_at_limit(left)
        else:
            self._too_slow()

    def _too_slow(self) -> None:
        if self._is_stream():
            self._attend_stream()
            return
        waits_for_request = self.cycle is None or self.cycle.response_complete
        is_answered = not waits_for_request and not self.cycle.more_body
        if is_answered or self.transport.get_write_buffer_size() > 0:
            self.transport.abort()  # it does not read its answer
        elif waits_for_request and not self._in_header:
            self.transport.close()
        else:
            msg = f"the request was not complete after {REQUEST_SECONDS:.0f} seconds"
            self._refuse(Refusal(408, "too_slow", msg))

    def _is_stream(self) -> bool:
        """Yes if a stream of figures is being sent."""
        cycle = self.cycle
        sends = cycle is not None and cycle.response_started and not cycle.response_complete
        return bool(sends) and cycle.scope["path"] == STREAM_PATH

    def _attend_stream(self) -> None:
        """End a stream of which no event was read for too long. A slow reader that takes one event
        now and then stays: there is never more for it than one event and a small buffer.
        """
        full_since = self._full_since
        if full_since is None:
            self._limit(RESPONSE_SECONDS)
            return
        left = full_since + RESPONSE_SECONDS - self.loop.time()
        if left > 0:
            self._limit(left)
            return
        _log.warning(
            "a browser has read none of its figures for %.0f s; its connection is closed, and it "
            "may come again",
            RESPONSE_SECONDS,
        )
        self.transport.abort()

    def _refuse(self, refusal: Refusal) -> None:
        """Answer without the application, and hang up."""
        cycle = self.cycle
        if cycle is not None and cycle.response_started and not cycle.response_complete:
            self.transport.abort()  # an answer has begun already
            return
        reply = refusal.reply()
        headers = {
            "content-type": reply.content_type,
            "content-length": str(len(reply.body)),
            **reply.headers,
            "connection": "close",
        }
        lines = [f"HTTP/1.1 {reply.status} {HTTPStatus(reply.status).phrase}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self.transport.write("\r\n".join([*lines, "", ""]).encode("latin-1") + reply.body)
        self.transport.close()


def _is_silent(connection: Any) -> bool:
    """Yes if a connection has no request that is complete, nor an answer that is not sent yet."""
    if connection.transport.is_closing() or connection.transport.get_write_buffer_size() > 0:
        return False
    cycle = connection.cycle
    return cycle is None or cycle.response_complete or cycle.more_body
