"""uvicorn's HTTP/1.1, with limits for clients that are slow, half open, or too many.

uvicorn waits for a request for ever, and answers malformed ones in plain text.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from penstock._engine.http.console.event_stream import STREAM_PATH
from penstock._engine.http.replies import Refusal

CONNECTIONS_MAX = 500
HEADER_BYTES_MAX = 16 * 1024
REQUEST_SECONDS = 10.0
"""How long a client may take to send a request, and to begin the next one."""
RESPONSE_SECONDS = 60.0
"""How long a request may take to be answered and read."""


def header_too_large() -> Refusal:
    """Return the refusal of a request whose header is too large."""
    msg = f"path and header of a request may have {HEADER_BYTES_MAX:,} bytes"
    return Refusal(431, "header_too_large", msg, {"connection": "close"})


class GuardedProtocol(H11Protocol):
    """One connection."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._limit(REQUEST_SECONDS)
        if len(self.connections) > CONNECTIONS_MAX:
            msg = f"there are {CONNECTIONS_MAX} connections already; ask again in a moment"
            self._refuse(Refusal(503, "busy", msg, {"retry-after": "1"}))

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        cycle = self.cycle
        if cycle is not None and not cycle.more_body and not cycle.response_complete:
            self._limit(RESPONSE_SECONDS)

    def on_response_complete(self) -> None:
        unread = self.transport.get_write_buffer_size() > 0
        self._limit(RESPONSE_SECONDS if unread else REQUEST_SECONDS)
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer a request that is no HTTP; called while its error is handled."""
        error = sys.exc_info()[1]
        status = getattr(error, "error_status_hint", 400)
        if status == 431:
            refusal = header_too_large()
        else:
            refusal = Refusal(400, "bad_request", f"this is no HTTP request: {error or msg}")
        self._refuse(refusal)

    def _limit(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(seconds, self._too_slow)

    def _too_slow(self) -> None:
        if self._is_stream_that_is_read():
            self._limit(RESPONSE_SECONDS)
            return
        waits_for_request = self.cycle is None or self.cycle.response_complete
        begun = self.conn.their_state is not h11.IDLE or bool(self.conn.trailing_data[0])
        is_answered = not waits_for_request and not self.cycle.more_body
        if is_answered or self.transport.get_write_buffer_size() > 0:
            self.transport.abort()  # it does not read its answer
        elif waits_for_request and not begun:
            self.transport.close()
        else:
            msg = f"the request was not complete after {REQUEST_SECONDS:.0f} seconds"
            self._refuse(Refusal(408, "too_slow", msg))

    def _is_stream_that_is_read(self) -> bool:
        """Yes if a stream of figures is being sent, and its client takes it."""
        cycle = self.cycle
        sends = cycle is not None and cycle.response_started and not cycle.response_complete
        streams = sends and cycle.scope["path"] == STREAM_PATH
        return bool(streams) and self.transport.get_write_buffer_size() == 0

    def _refuse(self, refusal: Refusal) -> None:
        """Answer without the application, and hang up."""
        reply = refusal.reply()
        headers = [
            ("content-type", reply.content_type),
            ("content-length", str(len(reply.body))),
            *{**reply.headers, "connection": "close"}.items(),
        ]
        events: list[Any] = [
            h11.Response(status_code=reply.status, headers=headers),
            h11.Data(data=reply.body),
            h11.EndOfMessage(),
        ]
        try:
            for event in events:
                self.transport.write(self.conn.send(event))
        except h11.LocalProtocolError:  # an answer has begun already
            self.transport.abort()
            return
        self.transport.close()
