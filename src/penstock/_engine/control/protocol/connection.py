"""One connection between a worker and the driver: handshake, messages, deadlines.

A handshake, the rest of a frame and the sending of a frame have time limits. Between two frames a
side may be silent; TCP keepalive probes notice a machine that is gone.

A frame mostly goes and comes with one call of the system. Python's own time limits would take three
of them, and each gives the interpreter's lock away: a thread beside a busy one, as the one that
answers queries, waits milliseconds for it every time. So the system keeps the limits where it can.
"""

from __future__ import annotations

import secrets
import socket
import struct
from contextlib import suppress

from penstock._clock import monotonic
from penstock._engine.control.protocol import wire
from penstock._engine.control.protocol.wire import Message, Seals, Side, WireError

FRAME_SECONDS = 20.0
"""How long sending a frame, or receiving it after its first byte, may take."""

_KEEPALIVE = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 20_000}
_PIECE_BYTES = 1 << 16
_TIMEVAL = struct.Struct("@ll")
_NEARLY = 0.01
"""By how much of itself a limit may be missed: not worth another call of the system."""


class Connection:
    """Sends and receives messages over a socket whose peer has proved that it knows the key."""

    def __init__(self, channel: socket.socket, seals: Seals) -> None:
        self._channel = channel
        self._seals = seals
        self._buffer = bytearray()
        """What has arrived and was not received yet."""
        self._wait_seconds: float | None = None
        """How long the system waits for bytes; None: for ever."""
        channel.settimeout(None)
        channel.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _timeval(FRAME_SECONDS))

    def send(self, message: Message) -> None:
        """Send a message.

        Raises:
            MessageTooLong: the peer would refuse it; the connection stays usable.
            OSError: the peer is gone, or does not read.
        """
        frame = self._seals.seal(wire.encode(message))
        deadline = monotonic() + FRAME_SECONDS
        try:
            sent = self._channel.send(frame)
        except BlockingIOError:
            raise _timeout() from None
        if sent < len(frame):
            try:
                _send(self._channel, frame[sent:], deadline)
            finally:
                self._channel.settimeout(None)

    def receive(self, wait_seconds: float | None = None) -> Message:
        """Return the next message; wait at most `wait_seconds` for its first byte, None: for ever.

        Raises:
            EOFError: the peer has hung up between two messages.
            OSError: the peer is gone or too slow; WireError, if it did not send a message.
        """
        if not self._buffer:
            self._wait_at_most(wait_seconds)
            try:
                self._buffer += self._channel.recv(_PIECE_BYTES)
            except BlockingIOError:
                raise _timeout() from None
            if not self._buffer:
                raise EOFError
        deadline = monotonic() + FRAME_SECONDS
        begin = wire.HEADER_BYTES
        header = bytes(self._filled(begin, deadline)[:begin])
        end = begin + wire.body_length(header)
        buffer = self._filled(end + wire.MAC_BYTES, deadline)
        body, mac = bytes(buffer[begin:end]), bytes(buffer[end : end + wire.MAC_BYTES])
        del buffer[: end + wire.MAC_BYTES]
        return wire.decode(self._seals.open(header, body, mac), Message)

    def _filled(self, count: int, deadline: float) -> bytearray:
        """Return what has arrived, `count` bytes at least. A frame mostly arrives at once, and is
        read so; memory grows with what arrives, not with what is announced.
        """
        buffer = self._buffer
        if len(buffer) < count:
            try:
                while len(buffer) < count:
                    buffer += _piece(self._channel, _PIECE_BYTES, deadline)
            finally:
                self._channel.settimeout(None)
        return buffer

    def _wait_at_most(self, seconds: float | None) -> None:
        now = self._wait_seconds
        is_near = seconds == now or (
            seconds is not None and now is not None and abs(seconds - now) <= _NEARLY * seconds
        )
        if not is_near:
            limit = _timeval(0.0 if seconds is None else max(0.001, seconds))
            self._channel.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
            self._wait_seconds = seconds

    def close(self) -> None:
        """Hang up; a thread that waits in `receive` wakes."""
        hang_up(self._channel)


def shake_hands(channel: socket.socket, key: bytes, side: Side, seconds: float) -> Connection:
    """Return the connection over a fresh socket when both sides have proved that they know the key.

    The worker speaks first, so a stranger who connects to the driver receives nothing.

    Raises:
        OSError: the peer is gone or too slow; WireError, if it does not know the key.
    """
    deadline = monotonic() + seconds
    _set_keepalive(channel)
    own = secrets.token_bytes(wire.NONCE_BYTES)
    if side == "worker":
        _send(channel, wire.greeting(own), deadline)
    theirs = wire.nonce_of(_receive(channel, wire.GREETING_BYTES, deadline))
    if side == "driver":
        _send(channel, wire.greeting(own), deadline)
    nonces = (own, theirs) if side == "worker" else (theirs, own)
    seals = Seals(side, key, *nonces)
    if side == "worker":
        _send(channel, seals.seal(wire.PROOF), deadline)
    # No byte more than that: what follows is for the connection.
    header = _receive(channel, wire.HEADER_BYTES, deadline)
    body = _receive(channel, wire.body_length(header, len(wire.PROOF)), deadline)
    if seals.open(header, body, _receive(channel, wire.MAC_BYTES, deadline)) != wire.PROOF:
        msg = "the peer sent no proof that it knows the key"
        raise WireError(msg)
    if side == "driver":
        _send(channel, seals.seal(wire.PROOF), deadline)
    return Connection(channel, seals)


def hang_up(channel: socket.socket) -> None:
    """Close a socket; a thread that waits on it wakes."""
    with suppress(OSError):  # the peer was faster
        channel.shutdown(socket.SHUT_RDWR)
    channel.close()


def _receive(channel: socket.socket, count: int, deadline: float) -> bytes:
    """Return exactly `count` bytes."""
    received = bytearray()
    while len(received) < count:
        received += _piece(channel, count - len(received), deadline)
    return bytes(received)


def _timeval(seconds: float) -> bytes:
    """Return a time as the system takes it; 0 is for ever."""
    whole = int(seconds)
    return _TIMEVAL.pack(whole, int((seconds - whole) * 1_000_000))


def _timeout() -> TimeoutError:
    return TimeoutError("timed out")


def _piece(channel: socket.socket, count: int, deadline: float) -> bytes:
    channel.settimeout(_left(deadline))
    piece = channel.recv(min(count, _PIECE_BYTES))
    if not piece:
        msg = "the peer hung up in the middle of a message"
        raise WireError(msg)
    return piece


def _send(channel: socket.socket, data: bytes, deadline: float) -> None:
    channel.settimeout(_left(deadline))
    channel.sendall(data)


def _left(deadline: float) -> float:
    left = deadline - monotonic()
    if left <= 0:
        msg = "the peer was too slow"
        raise TimeoutError(msg)
    return left


def _set_keepalive(channel: socket.socket) -> None:
    channel.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    channel.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for name, value in _KEEPALIVE.items():
        option = getattr(socket, name, None)  # not every system has them all
        if option is not None:
            channel.setsockopt(socket.IPPROTO_TCP, option, value)
