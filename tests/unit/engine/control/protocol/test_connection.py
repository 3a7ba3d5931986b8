"""Both ends of one connection, without a server: handshake, messages, limits in time."""

from __future__ import annotations

import socket
import threading

import pytest

from penstock._engine.control.protocol import connection as control_connection
from penstock._engine.control.protocol.connection import Connection, shake_hands
from penstock._engine.control.protocol.wire import Message, WireError

KEY = b"k" * 32
SECONDS = 10.0


def ends() -> tuple[Connection, Connection, socket.socket]:
    """Return the worker's and the driver's end, and the worker's socket."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        mine = socket.create_connection(listener.getsockname())
        theirs, _ = listener.accept()
    found: list[Connection] = []
    driving = threading.Thread(
        target=lambda: found.append(shake_hands(theirs, KEY, "driver", SECONDS))
    )
    driving.start()
    worker = shake_hands(mine, KEY, "worker", SECONDS)
    driving.join()
    return worker, found[0], mine


def test_either_side_may_ask() -> None:
    worker, driver, _ = ends()
    for one, other in ((worker, driver), (driver, worker)):
        one.send(Message("ask", 1, "how", b"\xc0"))
        assert other.receive() == Message("ask", 1, "how", b"\xc0")
        other.send(Message("answer", 1, "how", b"\x01"))
        assert one.receive(SECONDS).kind == "answer"
    worker.close()
    driver.close()


def test_a_long_message_arrives_whole() -> None:
    worker, driver, _ = ends()
    message = Message("ask", 1, "how", bytes(5 << 20))
    sending = threading.Thread(target=worker.send, args=(message,))
    sending.start()
    assert driver.receive() == message
    sending.join()
    worker.close()
    with pytest.raises(EOFError):
        driver.receive()
    driver.close()


def test_the_rest_of_a_message_must_come_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_connection, "FRAME_SECONDS", 0.1)
    worker, driver, channel = ends()
    channel.sendall(b"\x00\x00")
    with pytest.raises(TimeoutError):
        driver.receive()
    worker.close()
    driver.close()


def test_a_message_that_ends_early_is_told() -> None:
    worker, driver, channel = ends()
    channel.sendall(b"\x00\x00")
    worker.close()
    with pytest.raises(WireError, match="hung up in the middle"):
        driver.receive()
    driver.close()


def test_a_silent_peer_is_waited_for_as_long_as_was_said_and_may_speak_later() -> None:
    worker, driver, _ = ends()
    for seconds in (0.05, 0.05, 0.02):
        with pytest.raises(TimeoutError, match="timed out"):
            driver.receive(seconds)
    message = Message("ask", 1, "how", b"\xc0")
    worker.send(message)
    assert driver.receive() == message
    worker.send(message)
    assert driver.receive(SECONDS) == message
    worker.close()
    driver.close()


def test_messages_that_come_together_are_received_one_by_one() -> None:
    worker, driver, _ = ends()
    for number in range(50):
        worker.send(Message("ask", number, "how", bytes(number)))
    received = [driver.receive(SECONDS) for _ in range(50)]
    assert [(one.number, len(one.payload)) for one in received] == [(n, n) for n in range(50)]
    worker.close()
    driver.close()


def test_a_peer_that_does_not_read_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_connection, "FRAME_SECONDS", 0.05)
    worker, driver, channel = ends()
    channel.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 14)
    with pytest.raises(TimeoutError):
        worker.send(Message("ask", 1, "how", bytes(2 << 20)))
    worker.close()
    driver.close()
