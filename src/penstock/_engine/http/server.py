"""The server: uvicorn on a thread of its own, requests on others.

Queries have threads of their own, so that slow ones hold up neither health nor each other; more
than wait already are refused at once.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import uvicorn
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from penstock._clock import monotonic
from penstock._engine.http.guarded_protocol import (
    HEADER_BYTES_MAX,
    GuardedProtocol,
    header_too_large,
)
from penstock._engine.http.listening import Listening
from penstock._engine.http.replies import Asked, Refusal, Reply
from penstock._engine.http.routes import Routes
from penstock._engine.http.served import Application
from penstock.errors import ConfigError, StreamsError

BODY_BYTES_MAX = 64 * 1024
_QUERY_THREADS = 32
_WAITING_MAX = 400
_KEEP_ALIVE_SECONDS = 5
_START_SECONDS = 10.0
_CLOSE_SECONDS = 5.0
_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}

_ALWAYS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
}


class HttpServer:
    """Serves an application until it is closed.

    Raises:
        ConfigError: the address or the certificate cannot be used.
    """

    def __init__(self, application: Application, listening: Listening) -> None:
        self._asgi = _Asgi(Routes(application, listening.access))
        self._server = uvicorn.Server(_config(self._asgi, listening))
        self._socket = _bound(listening.address, listening.port)
        host, port = self._socket.getsockname()[:2]
        host = _WILDCARDS.get(host, host)
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

    def close(self) -> None:
        """Take no more requests; those that run are given a moment."""
        self._server.should_exit = True
        self._thread.join(_CLOSE_SECONDS)
        self._asgi.close()
        self._socket.close()

    def _run(self) -> None:
        with suppress(SystemExit):
            self._server.run(sockets=[self._socket])


class _Asgi:
    """Takes requests from uvicorn to the routes and the replies back."""

    def __init__(self, routes: Routes) -> None:
        self._routes = routes
        self._queries = ThreadPoolExecutor(_QUERY_THREADS, "penstock-http-query")
        self._others = ThreadPoolExecutor(2, "penstock-http")
        self._waiting = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        try:
            _check_header(scope)
            await _read_body(request)
            reply = await self._answered(request)
        except Refusal as refusal:
            reply = refusal.reply()
        except ClientDisconnect:
            return
        headers = {**_ALWAYS, **reply.headers}
        response = Response(reply.body, reply.status, headers, media_type=reply.content_type)
        await response(scope, receive, send)

    def close(self) -> None:
        """End the threads as they become idle."""
        for pool in (self._queries, self._others):
            pool.shutdown(wait=False, cancel_futures=True)

    async def _answered(self, request: Request) -> Reply:
        raw_path: bytes = request.scope["raw_path"]
        query = request.scope["query_string"].decode("latin-1")
        asked = Asked(request.method, raw_path, query, dict(request.headers))
        loop = asyncio.get_running_loop()
        if not raw_path.startswith(b"/stores/"):
            return await loop.run_in_executor(self._others, self._routes.reply, asked)
        if self._waiting >= _WAITING_MAX:
            msg = f"{self._waiting} queries are waiting already; ask again in a moment"
            raise Refusal(503, "busy", msg, {"retry-after": "1"})
        self._waiting += 1
        try:
            return await loop.run_in_executor(self._queries, self._routes.reply, asked)
        finally:
            self._waiting -= 1


def _check_header(scope: Scope) -> None:
    """Refuse a header that is too large, though it came at once.

    Raises:
        Refusal: 431.
    """
    size = len(scope["raw_path"]) + len(scope["query_string"])
    size += sum(len(name) + len(value) + 4 for name, value in scope["headers"])
    if size > HEADER_BYTES_MAX:
        raise header_too_large()


async def _read_body(request: Request) -> None:
    """Read what a request brings and no route needs, up to a limit.

    Raises:
        Refusal: it is too much.
    """
    msg = f"the body of a request may have {BODY_BYTES_MAX:,} bytes; none is needed here"
    too_large = Refusal(413, "body_too_large", msg, {"connection": "close"})
    length = request.headers.get("content-length", "0")
    if not length.isdigit() or int(length[:20]) > BODY_BYTES_MAX:
        raise too_large
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > BODY_BYTES_MAX:
            raise too_large


def _config(app: _Asgi, listening: Listening) -> uvicorn.Config:
    config = uvicorn.Config(
        app,
        loop="asyncio",
        http=GuardedProtocol,
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
        h11_max_incomplete_event_size=HEADER_BYTES_MAX,
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
