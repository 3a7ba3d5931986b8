"""A worker's connection to the driver: opened when needed, opened again when it breaks."""

from __future__ import annotations

import socket
import threading
from typing import Any

from penstock._clock import monotonic
from penstock._engine.control.protocol import wire
from penstock._engine.control.protocol.connection import Connection, hang_up, shake_hands
from penstock._engine.control.protocol.messages import ControlAddress
from penstock._engine.control.protocol.wire import Message, WireError

_CONNECT_SECONDS = 5.0
_PAUSE_SECONDS, _PAUSE_SECONDS_MAX = 0.05, 1.0


class DriverSilent(ConnectionError):
    """The driver does not answer, or is gone."""


class ControlClient:
    """Sends requests to the driver; used by one thread at a time.

    `patience_seconds` limits the retries of a request whose connection failed or broke. A retry
    may reach the driver after the first try did: it may see a request twice.
    """

    def __init__(self, address: ControlAddress, patience_seconds: float = 15.0) -> None:
        self._address = address
        self._patience_seconds = patience_seconds
        self._connection: Connection | None = None
        self._number = 0
        self._closed = threading.Event()

    def ask(self, verb: str, payload: Any = None, answer: Any = Any) -> Any:
        """Return the driver's answer, of type `answer`.

        Raises:
            DriverSilent: there was none in time.
            MessageTooLong: the payload is longer than a message may be.
            RuntimeError: the driver could not answer this question.
        """
        data = wire.encode(payload)
        deadline = monotonic() + self._patience_seconds
        pause = _PAUSE_SECONDS
        while True:
            try:
                reply = self._try(verb, data, deadline)
                break
            except (OSError, EOFError) as error:
                self._hang_up()
                # A retry needs time for its answer.
                if self._closed.is_set() or monotonic() + pause >= deadline:
                    raise DriverSilent(self._silence(error)) from error
            self._closed.wait(pause)
            pause = min(2 * pause, _PAUSE_SECONDS_MAX)
        if reply.kind == "refusal":
            msg = f"the driver could not answer {verb!r}: {wire.decode(reply.payload, str)}"
            raise RuntimeError(msg)
        return wire.decode(reply.payload, answer)

    def close(self) -> None:
        """Hang up. Any thread may call this: a request that waits for its answer fails."""
        self._closed.set()
        self._hang_up()

    def _try(self, verb: str, data: bytes, deadline: float) -> Message:
        connection = self._connected()
        self._number += 1
        connection.send(Message("ask", self._number, verb, data))
        while True:
            reply = connection.receive(max(0.001, deadline - monotonic()))
            if reply.kind == "ask":  # workers answer no requests yet
                msg = f"workers have no verb {reply.verb!r}"
                connection.send(Message("refusal", reply.number, reply.verb, wire.encode(msg)))
            elif reply.number == self._number:
                return reply

    def _connected(self) -> Connection:
        if self._connection is None:
            place = self._address.host, self._address.port
            channel = socket.create_connection(place, _CONNECT_SECONDS)
            try:
                self._connection = shake_hands(
                    channel, self._address.key, "worker", _CONNECT_SECONDS
                )
            except BaseException:
                hang_up(channel)
                raise
        return self._connection

    def _hang_up(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _silence(self, error: BaseException) -> str:
        why = str(error) or type(error).__name__
        if isinstance(error, WireError):
            why += "; is another program listening at its port?"
        return (
            f"the driver at {self._address.host}:{self._address.port} did not answer within "
            f"{self._patience_seconds:.0f} s: {why}"
        )
