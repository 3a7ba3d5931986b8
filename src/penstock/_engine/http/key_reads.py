"""Reads of one key that the event loop answers, without a thread or a task of their own.

A thread for each request costs the driver more than the request itself: two switches, and the
interpreter's lock against all others; a task of ASGI half of that. Only what cannot wait runs on
the loop: no code of the user, no other driver, one try. Whatever is not answered at once, and well,
is asked again on a thread, which has the rest of the time (`store_reads.py`).
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from itertools import dropwhile, islice
from typing import Any, Protocol
from urllib.parse import unquote_to_bytes

import msgspec
from msgspec import structs

from penstock._clock import monotonic
from penstock._engine.http.replies import Asked, Refusal, Reply
from penstock._engine.http.served import Source
from penstock._engine.queries.questions import Part
from penstock._engine.queries.reading import bytes_of
from penstock.serdes import Serde
from penstock.serdes.contract import replaceable
from penstock.serdes.documents import JsonSerde

_log = logging.getLogger(__name__)

# To decode more than this, and to encode it as JSON, takes milliseconds.
_BYTES_MAX = 1 << 16
# A worker that took a question answers it, or says why not, a moment after its time is over.
_GRACE_SECONDS = 1.0
# When so many requests wait for so long already, others may wait a moment, too. Those that wait
# for longer do not count: a worker that hangs must not slow down the reads of others.
_CROWD = 8
_CROWD_SECONDS = 0.01
_HUNG_SECONDS = 0.1
# All that the server answers waits as long, health and the console too.
_PAUSE_SECONDS = 0.03


class Keys(Protocol):
    """Reads single keys of a store; `KeysOfStore` does."""

    @property
    def source(self) -> Source: ...
    @property
    def seconds(self) -> float:
        """How long an answer is waited for."""

    @property
    def is_current(self) -> bool:
        """Whether the application still has this store."""

    def raw_key(self, text: str) -> bytes:
        """Return the bytes of the key that a text names.

        Raises:
            Refusal: the store has no such keys.
        """

    def reply(self, text: str, part: Part) -> Reply:
        """Return the response to a good answer.

        Raises:
            Refusal: there is no such key.
        """


class KeyRead(msgspec.Struct, frozen=True):
    """A request for one key, and what others have in common with it that differ in the key only."""

    asked: Asked
    keys: Keys
    text: str
    """The key."""
    is_lasting: bool
    """Whether its sender may read as long as the server runs."""
    before: bytes
    """What is before the key in the path."""
    after: bytes
    """What is behind it, with the question mark."""

    @classmethod
    def of(cls, asked: Asked, keys: Keys, text: str, *, is_lasting: bool) -> KeyRead:
        """Return the read of a request whose path ends with the key."""
        before = asked.raw_path[: asked.raw_path.rindex(b"/") + 1]
        after = b"?%b" % asked.query.encode("ascii") if asked.query else b""
        return cls(asked, keys, text, is_lasting, before, after)

    def again(self, url: bytes) -> KeyRead | None:
        """Return the read of a request that has the same headers; None if it differs in more than
        in its key, or its key cannot be read.
        """
        before, after = self.before, self.after
        if not (url.startswith(before) and url.endswith(after)):
            return None
        key = url[len(before) : len(url) - len(after)]
        if not key or b"/" in key or b"?" in key:
            return None
        try:
            text = (unquote_to_bytes(key) if b"%" in key else key).decode("utf-8")
        except UnicodeDecodeError:
            return None
        asked = Asked("GET", before + key, self.asked.query, self.asked.headers)
        return KeyRead(asked, self.keys, text, self.is_lasting, before, after)


class Threads(Protocol):
    """Threads for requests that wait, and how many of these wait."""

    def enter(self) -> None:
        """Count a request while it waits.

        Raises:
            Refusal: 503, too many wait already.
        """

    def leave(self) -> None:
        """Count it no more."""

    def run(self, reply: Callable[[Asked], Reply], asked: Asked) -> Awaitable[Reply]:
        """Return the reply, made on one of the threads.

        Raises:
            Refusal: 503, too many wait already.
        """


class Reader(Protocol):
    """Answers requests; `Routes` does."""

    def key_read(self, asked: Asked) -> KeyRead | None: ...
    def reply(self, asked: Asked) -> Reply: ...


class KeyReads:
    """Asks workers, and has the event loop send what they answer; used on the loop's thread."""

    def __init__(self, reader: Reader, threads: Threads) -> None:
        self._reader, self._threads = reader, threads
        self._answered: deque[tuple[_Pending, Part | None]] = deque()
        self._is_called = False
        self._pending: dict[_Pending, None] = {}
        """In the order of their deadlines: all have the same time."""
        self._timer: asyncio.TimerHandle | None = None
        self._on_threads: set[asyncio.Task[None]] = set()
        self._gathers = False
        """Whether a pause has been called for."""
        self._never = threading.Event()
        self._loop: asyncio.AbstractEventLoop

    def begin(self, asked: Asked, send: Callable[[Reply], None]) -> KeyRead | None:
        """Begin to answer a request, which `send` is called for once, later; return None if it is
        none for one key, must wait on a thread, or is to be refused.
        """
        try:
            read = self._reader.key_read(asked)
        except Refusal:
            return None
        return read if read is not None and self.begin_read(read, send) else None

    def begin_read(self, read: KeyRead, send: Callable[[Reply], None]) -> bool:
        """Begin to answer a request as `begin` does; no if that cannot be done."""
        keys = read.keys
        try:
            if not keys.is_current:
                return False
            raw_key = keys.raw_key(read.text)
            self._threads.enter()
        except Exception:  # it is refused or fails on a thread again, and is answered there
            return False
        self._loop = loop = asyncio.get_running_loop()
        pending = _Pending(read, raw_key, send, monotonic())
        try:
            drop = keys.source.begin_get(raw_key, partial(self._answer, pending))
        except Exception:
            # On a thread it fails again, and is logged and answered there.
            _log.debug("a read of a key is asked again on a thread", exc_info=True)
            drop = None
        if drop is None:
            self._threads.leave()
            return False
        pending.drop = drop
        self._pending[pending] = None
        self._gather(loop, pending.begun)
        if self._timer is None:
            self._timer = loop.call_later(keys.seconds + _GRACE_SECONDS, self._give_up)
        return True

    def _answer(self, pending: _Pending, part: Part | None) -> None:
        """Take the answer to a request, on any thread."""
        self._answered.append((pending, part))
        # Answers come many at a time: the loop is woken for the first of them.
        if not self._is_called:
            self._is_called = True
            with suppress(RuntimeError):  # the server is closed
                self._loop.call_soon_threadsafe(self._hand_over)

    def _gather(self, loop: asyncio.AbstractEventLoop, now: float) -> None:
        """Have the requests of the next moment read together, if many wait: each would wake this
        thread, which costs more than to answer it.
        """
        if not self._gathers and self._crowd_waits(now):
            self._gathers = True
            loop.call_soon(self._pause)

    def _pause(self) -> None:
        self._gathers = False
        self._hand_over()  # what waits for this thread only would wait for the pause as well
        if self._crowd_waits(monotonic()):
            self._never.wait(_PAUSE_SECONDS)

    def _crowd_waits(self, now: float) -> bool:
        """Return whether a crowd waits for a while by now."""
        if len(self._pending) < _CROWD:
            return False
        waiting = dropwhile(lambda one: now - one.begun > _HUNG_SECONDS, self._pending)
        last = next(islice(waiting, _CROWD - 1, None), None)
        return last is not None and now - last.begun > _CROWD_SECONDS

    def _hand_over(self) -> None:
        self._is_called = False
        while self._answered:
            try:
                self._end(*self._answered.popleft())
            except Exception:  # the other answers are not lost with it
                _log.exception("the answer to a request of the HTTP server could not be sent")

    def _give_up(self) -> None:
        """End the reads whose time is over."""
        self._timer = None
        now = monotonic()
        while self._pending:
            first = next(iter(self._pending))
            left = first.until + _GRACE_SECONDS - now
            if left > 0:
                self._timer = asyncio.get_running_loop().call_later(left, self._give_up)
                return
            self._end(first, None)

    def _end(self, pending: _Pending, part: Part | None) -> None:
        if pending not in self._pending:
            return  # it was over before
        good = part if part is not None and _is_good(part) else None
        if good is not None and not good.rows and not pending.is_elsewhere:
            pending.is_elsewhere = True
            source = pending.read.keys.source
            try:
                drop = source.begin_elsewhere(pending.raw_key, partial(self._answer, pending))
            except Exception:  # as in `begin`
                _log.debug("a read of a key is asked again on a thread", exc_info=True)
                good = drop = None
            if drop is not None:
                pending.drop = drop
                return
        del self._pending[pending]
        self._threads.leave()
        drop, pending.drop = pending.drop, _nothing  # it holds the request: no cycle stays
        if part is None:
            drop()
        reply = _reply(pending.read, good)
        if reply is not None:
            pending.send(reply)
            return
        task = asyncio.get_running_loop().create_task(self._ask_again(pending))
        self._on_threads.add(task)
        task.add_done_callback(self._on_threads.discard)

    async def _ask_again(self, pending: _Pending) -> None:
        asked = structs.replace(pending.read.asked, until=pending.until)
        try:
            reply = await self._threads.run(self._reader.reply, asked)
        except Refusal as refusal:
            reply = refusal.reply()
        pending.send(reply)


class _Pending:
    """A request whose question is on its way."""

    __slots__ = ("begun", "drop", "is_elsewhere", "raw_key", "read", "send")

    def __init__(
        self, read: KeyRead, raw_key: bytes, send: Callable[[Reply], None], begun: float
    ) -> None:
        self.read, self.raw_key, self.send, self.begun = read, raw_key, send, begun
        self.drop: Callable[[], None] = _nothing
        self.is_elsewhere = False
        """Whether the partitions are asked in which the key does not belong."""

    @property
    def until(self) -> float:
        """When its time is over."""
        return self.begun + self.read.keys.seconds


def _nothing() -> None:
    pass


def _reply(read: KeyRead, good: Part | None) -> Reply | None:
    """Return the response to a good answer; None if a thread must ask again."""
    if good is None:
        return None
    try:
        return read.keys.reply(read.text, good)
    except Refusal as refusal:
        return refusal.reply()
    except Exception:
        # On a thread it fails again, and is logged and answered there.
        _log.debug("a read of a key is asked again on a thread", exc_info=True)
        return None


def runs_no_user_code(serde: Serde[Any]) -> bool:
    """Yes if encoding and decoding run nothing of the user's, which may wait."""
    if isinstance(serde, JsonSerde) and serde.reads_classes:
        return False
    return replaceable(serde) is not None


def _is_good(part: Part) -> bool:
    rows = part.rows
    is_short = not rows or bytes_of(rows) <= _BYTES_MAX
    return is_short and part.failure is None and part.cursor is None
