"""The stream of figures as server-sent events, over ASGI itself.

A browser that reads slowly gets fewer events, not a longer queue: what is sent is what has changed
since the last event that it took. One that takes none is sent away (`guarded_protocol.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

from penstock._engine.http.console.feed import Feed
from penstock._engine.http.replies import Refusal

STREAM_PATH = "/console/stream"
RENEW_SECONDS = 60.0
"""How often a stream asks whether its reader may still read, which renews the session."""

_Receive = Callable[[], Awaitable[Any]]
_Send = Callable[[Any], Awaitable[None]]


async def send_events(
    feed: Feed,
    headers: Mapping[str, str],
    may_read: Callable[[], bool],
    receive: _Receive,
    send: _Send,
) -> None:
    """Send events until the client hangs up, may not read any more, or the application ends.

    Raises:
        Refusal: there are too many streams; nothing was sent.
    """
    loop, changed = asyncio.get_running_loop(), asyncio.Event()

    def notify() -> None:
        with suppress(RuntimeError):  # the server has ended
            loop.call_soon_threadsafe(changed.set)

    if not feed.enter(notify):
        msg = "too many browsers watch already; close one, or ask for /console/snapshot"
        raise Refusal(503, "busy", msg, {"retry-after": "5"})
    gone = asyncio.ensure_future(_hung_up(receive))
    try:
        sent = {**headers, "content-type": "text/event-stream", "x-accel-buffering": "no"}
        raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in sent.items()]
        await send({"type": "http.response.start", "status": 200, "headers": raw})
        version, renew_at = 0, loop.time() + RENEW_SECONDS
        while not gone.done() and not feed.closed:
            changed.clear()
            news = feed.changed_since(version)
            if news is not None:
                version, body = news
                await _send_event(send, b"snapshot", body)
            if loop.time() >= renew_at:
                if not may_read():
                    break
                renew_at = loop.time() + RENEW_SECONDS
            await _either(gone, changed, renew_at - loop.time())
        if not gone.done():
            if feed.closed:
                await _send_event(send, b"end", b"{}")
            await send({"type": "http.response.body", "body": b"", "more_body": False})
    finally:
        gone.cancel()
        feed.leave(notify)


async def _either(gone: asyncio.Future[None], changed: asyncio.Event, seconds: float) -> None:
    """Wait until the client has hung up or there is something new, at most so long."""
    news = asyncio.ensure_future(changed.wait())
    both: set[asyncio.Future[Any]] = {gone, news}
    await asyncio.wait(both, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    news.cancel()


async def _send_event(send: _Send, name: bytes, data: bytes) -> None:
    body = b"event: %s\ndata: %s\n\n" % (name, data)
    await send({"type": "http.response.body", "body": body, "more_body": True})


async def _hung_up(receive: _Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
