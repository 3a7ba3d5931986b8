"""A TCP proxy between an application and a broker, on loopback, that can be told to misbehave.

All proxies run on one thread of the harness; a mode says what happens to bytes and connections:
open, refuse (connections are refused), black-hole (bytes wait, nothing is closed), slow.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from typing import Any, Final, Literal

HOST: Final = "127.0.0.1"
Mode = Literal["open", "refuse", "black-hole", "slow"]

_CHUNK = 64 * 1024
_SLOW_CHUNK = 2048
_SLOW_SECONDS = 0.02
_RESET = struct.pack("ii", 1, 0)


class Proxies:
    """The event loop on which all proxies of a cluster run."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="chaos-proxies", daemon=True
        )
        self._thread.start()
        self.all: list[Proxy] = []

    def add(self, port: int, target: int) -> Proxy:
        """Listen on `port` for connections to `target`."""
        proxy = Proxy(port, target)
        self.all.append(proxy)
        self._do(proxy.listen())
        return proxy

    def set_mode(self, mode: Mode) -> None:
        """Have all proxies do something else from now on."""
        for proxy in self.all:
            self._do(proxy.set_mode(mode))

    def reset(self) -> None:
        """Reset all connections."""
        for proxy in self.all:
            self._do(proxy.reset())

    def close(self) -> None:
        """Close everything."""
        for proxy in self.all:
            self._do(proxy.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=10)
        self._loop.close()

    def _do(self, work: Any) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(30)


class Proxy:
    """One port, one target."""

    def __init__(self, port: int, target: int) -> None:
        self._port, self._target = port, target
        self._mode: Mode = "open"
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def listen(self) -> None:
        """Take connections."""
        self._server = await asyncio.start_server(self._serve, HOST, self._port)

    async def set_mode(self, mode: Mode) -> None:
        """Behave otherwise."""
        self._mode = mode
        if mode == "refuse":
            await self._stop_listening()
            await self.reset()
        elif self._server is None:
            await self.listen()

    async def reset(self) -> None:
        """Reset all connections that are open: both ends are told RST."""
        for writer in list(self._writers):
            held: socket.socket | None = writer.get_extra_info("socket")
            if held is not None:
                held.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            writer.transport.abort()

    async def close(self) -> None:
        """End all connections and listen no more."""
        await self._stop_listening()
        await self.reset()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _stop_listening(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            there, back = await asyncio.open_connection(HOST, self._target)
        except OSError:
            self._drop(writer)
            return
        self._writers.add(back)
        for source, sink in ((reader, back), (there, writer)):
            task = asyncio.create_task(self._pump(source, sink, (writer, back)))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pump(
        self,
        source: asyncio.StreamReader,
        sink: asyncio.StreamWriter,
        both: tuple[asyncio.StreamWriter, asyncio.StreamWriter],
    ) -> None:
        try:
            while data := await source.read(_SLOW_CHUNK if self._mode == "slow" else _CHUNK):
                while self._mode == "black-hole":
                    await asyncio.sleep(0.05)
                if self._mode == "slow":
                    await asyncio.sleep(_SLOW_SECONDS)
                sink.write(data)
                await sink.drain()
        except (OSError, RuntimeError):
            pass
        finally:
            for writer in both:
                self._drop(writer)

    def _drop(self, writer: asyncio.StreamWriter) -> None:
        self._writers.discard(writer)
        writer.transport.abort()
