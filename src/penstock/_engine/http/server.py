"""The server: uvicorn on a thread of its own, requests on others.

Queries have threads of their own, so that slow ones hold up neither health nor each other; more
than wait already are refused at once. So have the questions of other drivers: two drivers that ask
each other would else wait for each other.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias, cast

import uvicorn
from msgspec import structs

from penstock._clock import monotonic
from penstock._engine.http.console.event_stream import STREAM_PATH, send_events
from penstock._engine.http.console.feed import Feed
from penstock._engine.http.guarded_protocol import (
    HEADER_BYTES_MAX,
    GuardedProtocol,
    header_too_large,
)
from penstock._engine.http.key_reads import KeyReads
from penstock._engine.http.listening import WILDCARDS, Listening
from penstock._engine.http.replies import (
    ALWAYS,
    QUESTION_BYTES_MAX,
    QUESTIONS_PATH,
    Asked,
    Refusal,
    Reply,
)
from penstock._engine.http.routes import Routes
from penstock._engine.http.served import Application
from penstock.errors import ConfigError, StreamsError

_log = logging.getLogger(__name__)

BODY_BYTES_MAX = 64 * 1024
_QUERY_THREADS = 32
_WAITING_MAX = 400
_QUESTIONS = QUESTIONS_PATH.encode()
_STREAM = STREAM_PATH.encode()
_KEEP_ALIVE_SECONDS = 5
_TIDY_SECONDS = 1
_START_SECONDS = 10.0
_CLOSE_SECONDS = 5.0

Scope: TypeAlias = Mapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Any]]
Send: TypeAlias = Callable[[Any], Awaitable[None]]
"""ASGI's: a request, how the rest of it comes, how it is answered."""


class _HungUp(Exception):
    """The client is gone before its request was complete."""


class HttpServer:
    """Serves an application until it is closed.

    Raises:
        ConfigError: the address or the certificate cannot be used.
    """

    def __init__(self, application: Application, listening: Listening) -> None:
        self._feed = Feed(application)
        self._asgi = _Asgi(Routes(application, listening.access, self._feed), self._feed)
        self._server = uvicorn.Server(_config(self._asgi, listening))
        self._socket = _bound(listening.address, listening.port)
        host, port = self._socket.getsockname()[:2]
        host = WILDCARDS.get(host, host)
        self.url = f"{listening.scheme}://{f'[{host}]' if ':' in host else host}:{port}"
        """Where it is reached from this machine."""
        self._thread = threading.Thread(target=self._run, name="penstock-http", daemon=True)
        self._thread.start()
        until = monotonic() + _START_SECONDS
        while not self._server.started:
            if not self._thread.is_alive() or monotonic() > until:
                self.close()
                msg = f"the HTTP server at {self.url} did not start"
                raise StreamsError(msg)
            self._thread.join(0.01)
        self._feed.start()

    def close(self) -> None:
        """Take no more requests; those that run are given a moment."""
        self._feed.close()
        self._server.should_exit = True
        self._thread.join(_CLOSE_SECONDS)
        self._asgi.close()
        self._socket.close()

    def _run(self) -> None:
        with suppress(SystemExit):
            self._server.run(sockets=[self._socket])


class _Asgi:
    """Takes requests from uvicorn to the routes and the replies back."""

    def __init__(self, routes: Routes, feed: Feed) -> None:
        self._routes, self._feed = routes, feed
        self._queries = _Threads("penstock-http-query")
        self._questions = _Threads("penstock-http-question")
        self._others = ThreadPoolExecutor(2, "penstock-http")
        self.key_reads = KeyReads(routes, self._queries)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        try:
            _check_header(scope)
            asked = _asked(scope)
            if asked.raw_path == _STREAM:
                may_read = self._routes.check_stream(asked)
                await send_events(self._feed, ALWAYS, may_read, receive, send)
                return
            reply = await self._answered(asked, receive)
        except Refusal as refusal:
            reply = refusal.reply()
        except _HungUp:
            return
        headers = _ALWAYS_RAW if not reply.headers else _raw({**ALWAYS, **reply.headers})
        length = b"%d" % len(reply.body), reply.content_type.encode("latin-1")
        headers = [(b"content-length", length[0]), (b"content-type", length[1]), *headers]
        await send({"type": "http.response.start", "status": reply.status, "headers": headers})
        await send({"type": "http.response.body", "body": reply.body})

    async def tidy(self) -> None:
        """Forget what was kept for requests that have not come; uvicorn calls it now and then."""
        self._routes.drop_old()

    def close(self) -> None:
        """End the threads as they become idle."""
        for threads in (self._queries, self._questions):
            threads.close()
        self._others.shutdown(wait=False, cancel_futures=True)

    async def _answered(self, asked: Asked, receive: Receive) -> Reply:
        raw_path = asked.raw_path
        if raw_path == _QUESTIONS:
            try:
                self._routes.check_driver(asked)
            except Refusal as refusal:
                # Its body stays unread.
                refusal.headers = {**refusal.headers, "connection": "close"}
                raise
            body = await _read_body(asked, receive, QUESTION_BYTES_MAX)
            return await self._questions.run(self._routes.reply, structs.replace(asked, body=body))
        if "content-length" in asked.headers or "transfer-encoding" in asked.headers:
            body = await _read_body(asked, receive, BODY_BYTES_MAX)
            asked = structs.replace(asked, body=body)
        if raw_path.startswith(b"/stores/"):
            return await self._queries.run(self._routes.reply, asked)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._others, self._routes.reply, asked)


class _Threads:
    """Threads for one kind of request, and how many of these wait."""

    def __init__(self, name: str) -> None:
        self._pool = ThreadPoolExecutor(_QUERY_THREADS, name)
        self._waiting = 0

    def enter(self) -> None:
        """Count a request while it waits.

        Raises:
            Refusal: 503, too many wait already.
        """
        if self._waiting >= _WAITING_MAX:
            msg = f"{self._waiting} queries are waiting already; ask again in a moment"
            raise Refusal(503, "busy", msg, {"retry-after": "1"})
        self._waiting += 1

    def leave(self) -> None:
        """Count it no more."""
        self._waiting -= 1

    async def run(self, reply: Callable[[Asked], Reply], asked: Asked) -> Reply:
        """Return the reply, made on one of the threads.

        Raises:
            Refusal: 503, too many wait already.
        """
        self.enter()
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._pool, reply, asked)
        finally:
            self.leave()

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


def _asked(scope: Scope) -> Asked:
    headers: dict[str, str] = {}
    for name, value in scope["headers"]:
        headers.setdefault(name.decode("latin-1"), value.decode("latin-1"))
    query = scope["query_string"].decode("latin-1")
    return Asked(scope["method"], scope["raw_path"], query, headers)


def _raw(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]


_ALWAYS_RAW = _raw(ALWAYS)


def _check_header(scope: Scope) -> None:
    """Refuse a header that is too large, though it came at once.

    Raises:
        Refusal: 431.
    """
    size = len(scope["raw_path"]) + len(scope["query_string"])
    size += sum(len(name) + len(value) + 4 for name, value in scope["headers"])
    if size > HEADER_BYTES_MAX:
        raise header_too_large()


async def _read_body(asked: Asked, receive: Receive, bytes_max: int) -> bytes:
    """Return the body of a request, up to a limit; most routes need none.

    Raises:
        Refusal: it is too much.
        _HungUp: the client is gone.
    """
    msg = f"the body of a request may have {bytes_max:,} bytes here"
    too_large = Refusal(413, "body_too_large", msg, {"connection": "close"})
    length = asked.headers.get("content-length", "0")
    if not length.isdigit() or int(length[:20]) > bytes_max:
        raise too_large
    body, more = bytearray(), True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _HungUp
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > bytes_max:
            raise too_large
    return bytes(body)


def _config(app: _Asgi, listening: Listening) -> uvicorn.Config:
    config = uvicorn.Config(
        app,
        loop="auto",  # uvloop where there is one
        http=cast(type[asyncio.Protocol], partial(GuardedProtocol, app.key_reads)),
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=2,
        callback_notify=app.tidy,
        timeout_notify=_TIDY_SECONDS,
        ssl_certfile=listening.certificate,
        ssl_keyfile=listening.private_key,
    )
    try:
        config.load()
    except OSError as error:  # ssl.SSLError is one
        msg = f"setting 'penstock.http.certificate': the certificate cannot be used: {error}"
        raise ConfigError(msg) from error
    return config


def _bound(address: str, port: int) -> socket.socket:
    try:
        found = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)
        family, kind, protocol, _, place = found[0]
        bound = socket.socket(family, kind, protocol)
        try:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(place)
            bound.listen(1024)
        except OSError:
            bound.close()
            raise
    except OSError as error:
        msg = (
            f"the HTTP server cannot listen at {address} port {port}: {error.strerror}; choose "
            "another 'penstock.http.port' (0: any free one) or 'penstock.http.address'"
        )
        raise ConfigError(msg) from error
    return bound
