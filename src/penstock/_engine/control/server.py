"""The small server in the driver that workers talk to: whether to go on, how it goes.

Any user of the machine, and any machine that reaches the port, can connect. So each connection has
a thread of its own from the start, must prove within seconds that it knows the key, and only so
many may be unproven at once: the oldest of them gives way to the newest, and no faster than a
worker needs to prove itself. Nothing that a stranger does keeps a worker out.
"""

from __future__ import annotations

import logging
import secrets
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from penstock._clock import monotonic
from penstock._engine.control import wire
from penstock._engine.control.connection import Connection, hang_up, shake_hands
from penstock._engine.control.messages import ControlAddress, Report
from penstock._engine.control.wire import Message, MessageTooLong, WireError

_log = logging.getLogger(__name__)

_BACKLOG = 1024
_COMPLAINT_SECONDS = 30.0
_NO_ROOM_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Verb:
    """What a worker may ask: the type of the payload, and what answers."""

    takes: Any
    answer: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class DoorLimits:
    """What strangers may use up."""

    handshake_seconds: float = 5.0
    unproven_max: int = 128
    crowded_seconds: float = 0.001
    """How long the next connection waits while so many are unproven: times `unproven_max`, this is
    the time that each of them has at least.
    """
    refused_seconds: float = 1.0
    """How long a peer with a wrong key waits for its refusal."""
    refused_max: int = 32
    """How many of them wait at once; others are hung up on."""
    proven_max: int = 4096


class ControlServer:
    """Answers what workers ask.

    A worker that dies says nothing, but its connection ends: `on_hang_up` is given the last report
    that came over a connection when it does.
    """

    def __init__(
        self,
        host: str,
        verbs: Mapping[str, Verb],
        on_hang_up: Callable[[Report], None] | None = None,
        limits: DoorLimits | None = None,
    ) -> None:
        self._verbs = verbs
        self._on_hang_up = on_hang_up
        self._limits = limits or DoorLimits()
        self._key = secrets.token_bytes(32)
        self._listener = _listen(host)
        name, port = self._listener.getsockname()[:2]
        self.address = ControlAddress(str(name), int(port), self._key)
        self._lock = threading.Lock()
        self._unproven: dict[socket.socket, None] = {}
        self._proven = self._refused = 0
        self._complaints = Complaints()
        self._closed = threading.Event()
        threading.Thread(target=self._accept, name="penstock-control", daemon=True).start()

    def close(self) -> None:
        """Stop listening. Workers that are connected are answered until they hang up."""
        self._closed.set()
        hang_up(self._listener)

    def _accept(self) -> None:
        while not self._closed.is_set():
            try:
                channel, peer = self._listener.accept()
            except OSError as error:
                if not self._closed.is_set():  # no file descriptor left, for example
                    self._complaints.make("a connection could not be accepted: %s", error)
                    self._make_room(0)
                    self._closed.wait(_NO_ROOM_SECONDS)
                continue
            if self._make_room(self._limits.unproven_max):
                self._closed.wait(self._limits.crowded_seconds)
            with self._lock:
                self._unproven[channel] = None
            try:
                threading.Thread(
                    target=self._attend,
                    args=(channel, str(peer[0])),
                    name="penstock-control-client",
                    daemon=True,
                ).start()
            except RuntimeError as error:  # no thread left
                self._complaints.make("a connection could not be attended to: %s", error)
                self._let_go(channel)

    def _make_room(self, count: int) -> bool:
        """Close the oldest unproven connection if there are `count` or more; yes if one was."""
        with self._lock:
            oldest = next(iter(self._unproven), None)
            if oldest is None or len(self._unproven) < count:
                return False
            del self._unproven[oldest]
        self._complaints.make(
            "many connections to the control port do not prove that they know the key; "
            "the oldest is closed"
        )
        # Its own thread closes it: a number that is closed here might be reused there.
        with suppress(OSError):
            oldest.shutdown(socket.SHUT_RDWR)
        return True

    def _attend(self, channel: socket.socket, peer: str) -> None:
        try:
            connection = self._prove(channel, peer)
            if connection is not None:
                self._serve_counted(connection, peer)
        finally:
            self._let_go(channel)

    def _prove(self, channel: socket.socket, peer: str) -> Connection | None:
        try:
            connection = shake_hands(channel, self._key, "driver", self._limits.handshake_seconds)
        except WireError as error:
            self._complaints.make("a connection from %s was refused: %s", peer, error)
            self._slow_down()
            return None
        except OSError:  # silent, or gone
            return None
        with self._lock:
            # One that had to give way proved itself too late.
            present = channel in self._unproven
            self._unproven.pop(channel, None)
        return connection if present else None

    def _slow_down(self) -> None:
        """Let a peer with a wrong key wait, unless so many wait that a flood of them would use up
        the threads and file descriptors of the driver.
        """
        with self._lock:
            may_wait = self._refused < self._limits.refused_max
            self._refused += may_wait
        if may_wait:
            self._closed.wait(self._limits.refused_seconds)
            with self._lock:
                self._refused -= 1

    def _serve_counted(self, connection: Connection, peer: str) -> None:
        with self._lock:
            full = self._proven >= self._limits.proven_max
            self._proven += not full
        if full:
            self._complaints.make(
                "a worker at %s was refused: there are %d already", peer, self._limits.proven_max
            )
            return
        last_report: list[Report] = []
        try:
            with suppress(EOFError, OSError):
                self._serve(connection, last_report)
        finally:
            with self._lock:
                self._proven -= 1
            if last_report and self._on_hang_up is not None:
                self._on_hang_up(last_report[0])

    def _serve(self, connection: Connection, last_report: list[Report]) -> None:
        while True:
            asked = connection.receive()
            if asked.kind != "ask":
                continue
            try:
                connection.send(self._answer(asked, last_report))
            except MessageTooLong as error:
                connection.send(_refusal(asked, str(error)))

    def _answer(self, asked: Message, last_report: list[Report]) -> Message:
        try:
            verb = self._verbs.get(asked.verb)
            if verb is None:
                return _refusal(asked, f"there is no such verb; known: {', '.join(self._verbs)}")
            payload = wire.decode(asked.payload, verb.takes)
            if isinstance(payload, Report):
                last_report[:] = [payload]
            answer = wire.encode(verb.answer(payload))
        except Exception as error:
            _log.exception("control request %r failed", asked.verb)
            return _refusal(asked, f"{type(error).__name__}: {error}")
        return Message("answer", asked.number, asked.verb, answer)

    def _let_go(self, channel: socket.socket) -> None:
        with self._lock:
            self._unproven.pop(channel, None)
        hang_up(channel)


class Complaints:
    """Warnings about strangers, one each half minute: they decide how often there is cause."""

    def __init__(self) -> None:
        self._silent_until = 0.0
        self._left_out = 0
        self._lock = threading.Lock()

    def make(self, text: str, *details: object) -> None:
        """Log a warning, or count it."""
        with self._lock:
            if monotonic() < self._silent_until:
                self._left_out += 1
                return
            self._silent_until = monotonic() + _COMPLAINT_SECONDS
            left_out, self._left_out = self._left_out, 0
        more = f" ({left_out} more since the last warning)" if left_out else ""
        _log.warning(f"{text}%s", *details, more)


def _refusal(asked: Message, why: str) -> Message:
    return Message("refusal", asked.number, asked.verb, wire.encode(why))


def _listen(host: str) -> socket.socket:
    family, _, _, _, place = socket.getaddrinfo(
        host, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    return socket.create_server(place[:2], family=family, backlog=_BACKLOG)
