"""A worker's line to the driver is made again when it breaks, and gives up with a reason."""

from __future__ import annotations

import socket
import threading

import pytest

from penstock._engine.control.protocol.client import ControlClient, DriverSilent
from penstock._engine.control.protocol.messages import ControlAddress
from penstock._engine.control.protocol.server import ControlServer, Verb
from penstock._engine.control.protocol.wire import MessageTooLong


def doubling() -> ControlServer:
    return ControlServer("127.0.0.1", {"double": Verb(int, lambda number: 2 * number)})


def test_a_connection_that_breaks_is_made_again() -> None:
    server = doubling()
    client = ControlClient(server.address)
    assert client.ask("double", 1, int) == 2
    assert client._connection is not None
    client._connection._channel.shutdown(socket.SHUT_RDWR)
    assert client.ask("double", 2, int) == 4
    client.close()
    server.close()


def test_a_driver_that_is_gone_is_given_up_with_a_reason() -> None:
    with socket.create_server(("127.0.0.1", 0)) as place:
        port = place.getsockname()[1]
    client = ControlClient(ControlAddress("127.0.0.1", port, b"k"), patience_seconds=0.3)
    with pytest.raises(DriverSilent, match=rf"127.0.0.1:{port} did not answer.*refused"):
        client.ask("double", 1, int)


def test_a_driver_that_never_answers_is_given_up() -> None:
    stuck = threading.Event()
    server = ControlServer("127.0.0.1", {"wait": Verb(None, lambda _: stuck.wait())})
    client = ControlClient(server.address, patience_seconds=0.3)
    with pytest.raises(DriverSilent, match="did not answer within 0 s: timed out"):
        client.ask("wait")
    stuck.set()
    server.close()


def test_another_program_at_the_port_is_named() -> None:
    server = doubling()
    stranger = ControlServer("127.0.0.1", {})
    address = ControlAddress("127.0.0.1", stranger.address.port, server.address.key)
    client = ControlClient(address, patience_seconds=0.3)
    with pytest.raises(DriverSilent, match="is another program listening at its port"):
        client.ask("double", 1, int)
    server.close()
    stranger.close()


def test_a_question_that_is_too_long_is_told_at_once_and_the_line_stands() -> None:
    server = doubling()
    client = ControlClient(server.address)
    with pytest.raises(MessageTooLong):
        client.ask("double", "x" * (17 << 20))
    assert client.ask("double", 3, int) == 6
    client.close()
    server.close()
