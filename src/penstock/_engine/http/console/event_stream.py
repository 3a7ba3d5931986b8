"""The stream of figures as server-sent events, over ASGI itself.

A browser that reads slowly gets fewer events, not a longer queue: what is sent is what has changed
since the last event that it took.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from penstock._engine.http.console.feed import Feed
from penstock._engine.http.replies import Refusal

STREAM_PATH = "/console/stream"
_LOOK_SECONDS = 0.2

_Receive = Callable[[], Awaitable[Any]]
_Send = Callable[[Any], Awaitable[None]]


async def send_events(
    feed: Feed, headers: Mapping[str, str], receive: _Receive, send: _Send
) -> None:
    """Send events until the client hangs up or the application ends.

    Raises:
        Refusal: there are too many streams; nothing was sent.
    """
    if not feed.enter():
        msg = "too many browsers watch already; close one, or ask for /console/snapshot"
        raise Refusal(503, "busy", msg, {"retry-after": "5"})
    gone = asyncio.ensure_future(_hung_up(receive))
    try:
        sent = {**headers, "content-type": "text/event-stream", "x-accel-buffering": "no"}
        raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in sent.items()]
        await send({"type": "http.response.start", "status": 200, "headers": raw})
        version = 0
        while not gone.done() and not feed.closed:
            changed = feed.changed_since(version)
            if changed is not None:
                version, body = changed
                await _send_event(send, b"snapshot", body)
            await asyncio.wait({gone}, timeout=_LOOK_SECONDS)
        if not gone.done():
            await _send_event(send, b"end", b"{}")
            await send({"type": "http.response.body", "body": b"", "more_body": False})
    finally:
        gone.cancel()
        feed.leave()


async def _send_event(send: _Send, name: bytes, data: bytes) -> None:
    body = b"event: %s\ndata: %s\n\n" % (name, data)
    await send({"type": "http.response.body", "body": body, "more_body": True})


async def _hung_up(receive: _Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
