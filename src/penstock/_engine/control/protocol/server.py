"""The server in the driver that answers the workers' requests.

Any user of the machine, and any machine that reaches the port, can connect. So each connection has
a thread of its own and must prove within seconds that it knows the key. At most `unproven_max` may
be unproven at once: the newest replaces the oldest, no faster than a worker needs to prove itself.
A stranger cannot keep a worker out.
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
from penstock._engine.control.protocol import wire
from penstock._engine.control.protocol.connection import Connection, hang_up, shake_hands
from penstock._engine.control.protocol.messages import ControlAddress, Report
from penstock._engine.control.protocol.wire import Message, MessageTooLong, WireError

_log = logging.getLogger(__name__)

_BACKLOG = 1024
_WARNING_SECONDS = 30.0
_NO_ROOM_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Verb:
    """A request that workers may send: the type of its payload, and the function that answers."""

    takes: Any
    answer: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Limits on what connections without the key may use."""

    handshake_seconds: float = 5.0
    unproven_max: int = 128
    crowded_seconds: float = 0.001
    """How long the next connection waits while `unproven_max` are unproven. Times `unproven_max`,
    this is the least time that each of them has.
    """
    refused_seconds: float = 1.0
    """How long a peer with a wrong key waits for its refusal."""
    refused_max: int = 32
    """How many of them wait at once; the server hangs up on others at once."""
    proven_max: int = 4096


class ControlServer:
    """Answers the requests of workers.

    When a connection ends, `on_hang_up` is called with the last report that came over it: a worker
    that dies sends no other sign.
    """

    def __init__(
        self,
        host: str,
        verbs: Mapping[str, Verb],
        on_hang_up: Callable[[Report], None] | None = None,
        limits: ConnectionLimits | None = None,
    ) -> None:
        self._verbs = verbs
        self._on_hang_up = on_hang_up
        self._limits = limits or ConnectionLimits()
        self._key = secrets.token_bytes(32)
        self._listener = _listen(host)
        name, port = self._listener.getsockname()[:2]
        self.address = ControlAddress(str(name), int(port), self._key)
        self._lock = threading.Lock()
        self._unproven: dict[socket.socket, None] = {}
        self._proven = self._refused = 0
        self._warnings = LimitedWarnings()
        self._closed = threading.Event()
        threading.Thread(target=self._accept, name="penstock-control", daemon=True).start()

    def close(self) -> None:
        """Stop listening. Connected workers get answers until they hang up."""
        self._closed.set()
        hang_up(self._listener)

    def _accept(self) -> None:
        while not self._closed.is_set():
            try:
                channel, peer = self._listener.accept()
            except OSError as error:
                if not self._closed.is_set():  # no file descriptor left, for example
                    self._warnings.log("a connection could not be accepted: %s", error)
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
                self._warnings.log("a connection could not be attended to: %s", error)
                self._drop(channel)

    def _make_room(self, count: int) -> bool:
        """Close the oldest unproven connection if there are `count` or more; yes if one was."""
        with self._lock:
            oldest = next(iter(self._unproven), None)
            if oldest is None or len(self._unproven) < count:
                return False
            del self._unproven[oldest]
        self._warnings.log(
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
            self._drop(channel)

    def _prove(self, channel: socket.socket, peer: str) -> Connection | None:
        try:
            connection = shake_hands(channel, self._key, "driver", self._limits.handshake_seconds)
        except WireError as error:
            self._warnings.log("a connection from %s was refused: %s", peer, error)
            self._slow_down()
            return None
        except OSError:  # silent, or gone
            return None
        with self._lock:
            # A connection that was replaced has proved itself too late.
            present = channel in self._unproven
            self._unproven.pop(channel, None)
        return connection if present else None

    def _slow_down(self) -> None:
        """Delay a peer with a wrong key, unless `refused_max` wait already: a flood of them would
        use up the threads and file descriptors of the driver.
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
            self._warnings.log(
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
            request = connection.receive()
            if request.kind != "ask":
                continue
            try:
                connection.send(self._answer(request, last_report))
            except MessageTooLong as error:
                connection.send(_refusal(request, str(error)))

    def _answer(self, request: Message, last_report: list[Report]) -> Message:
        try:
            verb = self._verbs.get(request.verb)
            if verb is None:
                return _refusal(request, f"there is no such verb; known: {', '.join(self._verbs)}")
            payload = wire.decode(request.payload, verb.takes)
            if isinstance(payload, Report):
                last_report[:] = [payload]
            answer = wire.encode(verb.answer(payload))
        except Exception as error:
            _log.exception("control request %r failed", request.verb)
            return _refusal(request, f"{type(error).__name__}: {error}")
        return Message("answer", request.number, request.verb, answer)

    def _drop(self, channel: socket.socket) -> None:
        with self._lock:
            self._unproven.pop(channel, None)
        hang_up(channel)


class LimitedWarnings:
    """Logs one warning each half minute: strangers decide how often there is cause."""

    def __init__(self) -> None:
        self._silent_until = 0.0
        self._left_out = 0
        self._lock = threading.Lock()

    def log(self, text: str, *details: object) -> None:
        """Log a warning, or count it as left out."""
        with self._lock:
            if monotonic() < self._silent_until:
                self._left_out += 1
                return
            self._silent_until = monotonic() + _WARNING_SECONDS
            left_out, self._left_out = self._left_out, 0
        more = f" ({left_out} more since the last warning)" if left_out else ""
        _log.warning(f"{text}%s", *details, more)


def _refusal(request: Message, why: str) -> Message:
    return Message("refusal", request.number, request.verb, wire.encode(why))


def _listen(host: str) -> socket.socket:
    family, _, _, _, place = socket.getaddrinfo(
        host, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    return socket.create_server(place[:2], family=family, backlog=_BACKLOG)
