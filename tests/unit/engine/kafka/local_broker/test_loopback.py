"""Ports, and the few bytes that are exchanged with a broker. (The real one: tests/broker.)"""

from __future__ import annotations

import os
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from penstock._engine.kafka.local_broker import loopback

NO_BROKER = struct.pack(">i", 0)
ONE_BROKER = struct.pack(">i", 1) + b"and so on"
READY, NOT_AVAILABLE = struct.pack(">ih", 0, 0), struct.pack(">ih", 0, 15)


@contextmanager
def listener() -> Iterator[socket.socket]:
    with socket.socket() as server:
        server.bind((loopback.HOST, 0))
        server.listen()
        yield server


@contextmanager
def server_that_replies(*replies: bytes) -> Iterator[int]:
    """Answer each connection with the next reply, framed as Kafka frames them."""

    def serve(server: socket.socket) -> None:
        for reply in replies:
            connection, _ = server.accept()
            with connection:
                connection.recv(1024)
                correlation_id = struct.pack(">i", 0)
                size = struct.pack(">i", len(correlation_id + reply))
                connection.sendall(size + correlation_id + reply)

    with listener() as server:
        thread = threading.Thread(target=serve, args=[server])
        thread.start()
        yield server.getsockname()[1]
        thread.join()


def test_free_ports_differ_and_are_free() -> None:
    ports = loopback.free_ports(5)
    assert len(set(ports)) == 5
    assert all(map(loopback.is_free, ports))


def test_port_with_a_listener_is_not_free() -> None:
    with listener() as server:
        assert not loopback.is_free(server.getsockname()[1])


def test_holder_of_a_port_is_named() -> None:
    with listener() as server:
        holder = loopback.holder(server.getsockname()[1])
    assert holder is not None
    assert holder.endswith(f" (process {os.getpid()})")


def test_lsof_finds_the_same_holder() -> None:
    with listener() as server:
        assert loopback._holder_by_lsof(server.getsockname()[1]) in {os.getpid(), None}


def test_nobody_holds_a_free_port() -> None:
    assert loopback.holder(loopback.free_ports(1)[0]) is None


@pytest.mark.parametrize(
    ("reply", "ready"), [(ONE_BROKER, True), (NO_BROKER, False), (b"", False), (b"?", False)]
)
def test_broker_is_ready_when_it_is_among_the_brokers(reply: bytes, ready: bool) -> None:
    with server_that_replies(reply) as port:
        assert loopback.broker_answers(port) is ready


def test_port_without_a_listener_is_no_broker() -> None:
    assert not loopback.broker_answers(loopback.free_ports(1)[0])


@pytest.mark.parametrize(
    ("of_groups", "of_transactions", "ready"),
    [(READY, READY, True), (NOT_AVAILABLE, READY, False), (READY, NOT_AVAILABLE, False)],
)
def test_both_coordinators_are_asked(of_groups: bytes, of_transactions: bytes, ready: bool) -> None:
    with server_that_replies(of_groups, of_transactions) as port:
        assert loopback.coordinators_answer(port) is ready
