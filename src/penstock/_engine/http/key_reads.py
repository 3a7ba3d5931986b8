"""Reads of one key that the event loop answers, without a thread or a task of their own.

A thread for each request costs the driver more than the request itself: two switches, and the
interpreter's lock against all others; a task of ASGI half of that. Only what cannot wait runs on
the loop: no code of the user, no other driver, one try. Whatever is not answered at once, and well,
is asked again on a thread, which has the rest of the time (`store_reads.py`).
"""

from __future__ import annotations

import asyncio
import logging
import math
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import dropwhile, islice
from typing import Any, Protocol

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
_BUSY_SECONDS = 0.01
_HUNG_SECONDS = 0.1
_GATHER_SECONDS, _GATHER_SECONDS_MAX = 0.005, 0.02


@dataclass(frozen=True, slots=True)
class KeyRead:
    """A read of one key, ready to be asked."""

    source: Source
    raw_key: bytes
    seconds: float
    reply: Callable[[Part], Reply]
    """Returns the response to a good answer; raises Refusal."""


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
        self._again: set[asyncio.Task[None]] = set()
        self._gathers = False
        """Whether a pause has been called for."""
        self._never = threading.Event()

    def begin(self, asked: Asked, send: Callable[[Reply], None]) -> bool:
        """Begin to answer a request, which `send` is called for once, later; no if it is none for
        one key, must wait on a thread, or is to be refused.
        """
        try:
            read = self._reader.key_read(asked)
            if read is None:
                return False
            self._threads.enter()
        except Refusal:
            return False
        loop = asyncio.get_running_loop()
        pending = _Pending(asked, read, send, monotonic())
        try:
            drop = read.source.begin_get(read.raw_key, self._taker(pending))
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
            self._timer = loop.call_later(read.seconds + _GRACE_SECONDS, self._give_up)
        return True

    def _taker(self, pending: _Pending) -> Callable[[Part | None], None]:
        """Return what takes the answer to a request, on any thread."""
        loop = asyncio.get_running_loop()

        def ended(part: Part | None) -> None:
            self._answered.append((pending, part))
            # Answers come many at a time: the loop is woken for the first of them.
            if not self._is_called:
                self._is_called = True
                with suppress(RuntimeError):  # the server is closed
                    loop.call_soon_threadsafe(self._hand_over)

        return ended

    def _gather(self, loop: asyncio.AbstractEventLoop, now: float) -> None:
        """Have the requests of the next moment read together, if many wait for busy workers: each
        would wake this thread, which costs more than to answer it.
        """
        if not self._gathers and self._crowd_waited(now) > _BUSY_SECONDS:
            self._gathers = True
            loop.call_soon(self._pause)

    def _pause(self) -> None:
        self._gathers = False
        self._hand_over()  # what waits for this thread only would wait for the pause as well
        waited = self._crowd_waited(monotonic())
        if waited > _BUSY_SECONDS:
            self._never.wait(max(_GATHER_SECONDS, min(waited, _GATHER_SECONDS_MAX)))

    def _crowd_waited(self, now: float) -> float:
        """Return for how long a crowd waits by now; less than no time if none does."""
        if len(self._pending) < _CROWD:
            return -math.inf
        waiting = dropwhile(lambda one: now - one.begun > _HUNG_SECONDS, self._pending)
        crowd = next(islice(waiting, _CROWD - 1, None), None)
        return -math.inf if crowd is None else now - crowd.begun

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
        if part is not None and _is_good(part) and not part.rows and not pending.is_elsewhere:
            pending.is_elsewhere = True
            try:
                drop = pending.read.source.begin_elsewhere(
                    pending.read.raw_key, self._taker(pending)
                )
            except Exception:  # as in `begin`
                _log.debug("a read of a key is asked again on a thread", exc_info=True)
                part = drop = None
            if drop is not None:
                pending.drop = drop
                return
        del self._pending[pending]
        self._threads.leave()
        if part is None:
            pending.drop()
        reply = _reply(pending.read, part)
        if reply is not None:
            pending.send(reply)
            return
        task = asyncio.get_running_loop().create_task(self._ask_again(pending))
        self._again.add(task)
        task.add_done_callback(self._again.discard)

    async def _ask_again(self, pending: _Pending) -> None:
        asked = replace(pending.asked, until=pending.until)
        try:
            reply = await self._threads.run(self._reader.reply, asked)
        except Refusal as refusal:
            reply = refusal.reply()
        pending.send(reply)


class _Pending:
    """A request whose question is on its way."""

    __slots__ = ("asked", "begun", "drop", "is_elsewhere", "read", "send")

    def __init__(
        self, asked: Asked, read: KeyRead, send: Callable[[Reply], None], begun: float
    ) -> None:
        self.asked, self.read, self.send, self.begun = asked, read, send, begun
        self.drop: Callable[[], None] = _nothing
        self.is_elsewhere = False
        """Whether the partitions are asked in which the key does not belong."""

    @property
    def until(self) -> float:
        """When its time is over."""
        return self.begun + self.read.seconds


def _nothing() -> None:
    pass


def _reply(read: KeyRead, part: Part | None) -> Reply | None:
    """Return the response to an answer; None if a thread must ask again."""
    if part is None or not _is_good(part):
        return None
    try:
        return read.reply(part)
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
    return part.failure is None and part.cursor is None and bytes_of(part.rows) <= _BYTES_MAX
