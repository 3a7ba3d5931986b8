"""Strangers at the control port: whatever they do, a worker is answered."""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import pytest

from penstock._engine.control.protocol import wire
from penstock._engine.control.protocol.client import ControlClient, DriverSilent
from penstock._engine.control.protocol.connection import Connection, shake_hands
from penstock._engine.control.protocol.messages import ControlAddress, Instruction, Report
from penstock._engine.control.protocol.server import (
    ConnectionLimits,
    ControlServer,
    LimitedWarnings,
    Verb,
)
from penstock._engine.control.protocol.wire import Message

PATIENCE_SECONDS = 30.0
QUICK = ConnectionLimits(handshake_seconds=0.3, refused_seconds=0.01)


class Driver:
    """Counts what it hears."""

    def __init__(self, limits: ConnectionLimits | None = None) -> None:
        self.heard: list[str] = []
        self.hung_up: list[str] = []
        verbs = {"report": Verb(Report, self._report), "fail": Verb(str, self._fail)}
        self.server = ControlServer("127.0.0.1", verbs, self._hung_up, limits)
        self.address = self.server.address

    def _report(self, report: Report) -> Instruction:
        self.heard.append(report.member_id)
        return Instruction(standbys=(report.member_id,))

    def _fail(self, why: str) -> None:
        raise ValueError(why)

    def _hung_up(self, report: Report) -> None:
        self.hung_up.append(report.member_id)

    def answers(self, name: str = "a") -> bool:
        client = ControlClient(self.address, PATIENCE_SECONDS)
        try:
            told: Instruction = client.ask("report", Report(name, "running"), Instruction)
        finally:
            client.close()
        return told == Instruction(standbys=(name,))

    def stranger(self) -> socket.socket:
        return socket.create_connection((self.address.host, self.address.port), 10)


@contextmanager
def driver(limits: ConnectionLimits | None = None) -> Iterator[Driver]:
    one = Driver(limits)
    try:
        yield one
    finally:
        one.server.close()


def wait_for(true: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not true():
        assert time.monotonic() < until
        time.sleep(0.01)


def is_closed(channel: socket.socket) -> bool:
    """Yes when the other side has hung up; waits for it."""
    channel.settimeout(PATIENCE_SECONDS)
    try:
        while channel.recv(4096):
            pass
    except ConnectionError:
        pass
    return True


def test_one_silent_connection_does_not_keep_workers_out() -> None:
    with driver() as one, one.stranger():
        assert one.answers()


def test_500_silent_connections_do_not_keep_workers_out() -> None:
    with driver() as one, ExitStack() as stack:
        for _ in range(500):
            stack.enter_context(one.stranger())
        assert one.answers()
        assert len(one.server._unproven) <= ConnectionLimits().unproven_max


def test_a_flood_of_connections_does_not_keep_workers_out() -> None:
    over = threading.Event()

    def flood(one: Driver) -> None:
        held: list[socket.socket] = []
        while not over.is_set():
            try:
                held.append(one.stranger())
            except OSError:
                continue
            if len(held) > 300:
                held.pop(0).close()
        for each in held:
            each.close()

    with driver() as one:
        floods = [threading.Thread(target=flood, args=(one,)) for _ in range(2)]
        for each in floods:
            each.start()
        try:
            assert one.answers()
        finally:
            over.set()
            for each in floods:
                each.join()


def test_a_silent_connection_is_closed_in_time() -> None:
    with driver(QUICK) as one, one.stranger() as silent:
        assert is_closed(silent)


def test_a_connection_that_sends_a_byte_now_and_then_is_closed_in_time() -> None:
    with driver(QUICK) as one, one.stranger() as slow:
        for byte in wire.greeting(bytes(wire.NONCE_BYTES)):
            try:
                slow.sendall(bytes([byte]))
            except OSError:
                break
            time.sleep(0.05)
        assert is_closed(slow)
        assert one.answers()


@pytest.mark.parametrize(
    "said", [b"GET / HTTP/1.1\r\n\r\n" * 9, b"\x80\x04pickle" * 20, wire.greeting(b"n" * 32) * 3]
)
def test_garbage_is_refused_and_logged(said: bytes, caplog: pytest.LogCaptureFixture) -> None:
    with driver(QUICK) as one, one.stranger() as stranger:
        stranger.sendall(said)
        assert is_closed(stranger)
        assert one.answers()
    assert "a connection from 127.0.0.1 was refused" in caplog.text


def test_a_huge_length_is_refused_before_anything_is_read() -> None:
    with driver(QUICK) as one, one.stranger() as stranger:
        stranger.sendall(wire.greeting(b"n" * 32) + b"\xff\xff\xff\xff")
        assert is_closed(stranger)


def test_a_stranger_with_a_wrong_key_is_not_heard(caplog: pytest.LogCaptureFixture) -> None:
    with driver(QUICK) as one:
        wrong = ControlClient(replace(one.address, key=b"guess" * 8), patience_seconds=0.5)
        with pytest.raises(DriverSilent, match=r"127.0.0.1:\d+ did not answer within"):
            wrong.ask("report", Report("stranger", "running"), Instruction)
        assert one.answers()
        assert one.heard == ["a"]
    assert "was refused: the peer does not know the key" in caplog.text


def test_the_key_is_in_no_repr_and_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with driver(QUICK) as one, one.stranger() as stranger:
        stranger.sendall(b"x" * 200)
        assert is_closed(stranger)
        assert one.answers()
        key = one.address.key
        for text in (repr(one.address), caplog.text):
            assert repr(key) not in text
            assert key.hex() not in text


def proven(one: Driver) -> tuple[socket.socket, Connection]:
    channel = one.stranger()
    return channel, shake_hands(channel, one.address.key, "worker", PATIENCE_SECONDS)


def asking(number: int, name: str) -> Message:
    return Message("ask", number, "report", wire.encode(Report(name, "running")))


@pytest.mark.parametrize("change", ["replayed", "tampered", "reordered", "huge"])
def test_a_frame_that_is_not_the_next_one_ends_the_connection(change: str) -> None:
    with driver() as one:
        channel, connection = proven(one)
        with channel:
            frames = [connection._seals.seal(wire.encode(asking(n, f"w{n}"))) for n in range(3)]
            channel.sendall(frames[0])
            connection.receive()
            wrong = {
                "replayed": frames[0],
                "tampered": frames[1][:-1] + bytes([frames[1][-1] ^ 1]),
                "reordered": frames[2],
                "huge": b"\x7f\xff\xff\xff",
            }
            channel.sendall(wrong[change])
            assert is_closed(channel)
        wait_for(lambda: one.hung_up == ["w0"])
        assert one.heard == ["w0"]
        assert one.answers()


def test_a_frame_that_is_sent_back_ends_the_connection() -> None:
    with driver() as one:
        channel, connection = proven(one)
        with channel:
            connection.send(asking(1, "w"))
            answer = channel.recv(10_000)
            channel.sendall(answer)
            assert is_closed(channel)
        assert one.heard == ["w"]


def test_a_worker_that_closes_its_half_has_hung_up() -> None:
    with driver() as one:
        channel, connection = proven(one)
        with channel:
            connection.send(asking(1, "w"))
            connection.receive()
            channel.shutdown(socket.SHUT_WR)
            wait_for(lambda: one.hung_up == ["w"])


def test_a_worker_that_reads_no_answers_keeps_no_other_waiting() -> None:
    with driver() as one:
        channel, connection = proven(one)
        with channel:
            channel.settimeout(0.05)
            frame = Message("ask", 1, "report", wire.encode(Report("deaf" * 9000, "running")))
            for _ in range(2000):
                try:
                    channel.sendall(connection._seals.seal(wire.encode(frame)))
                except TimeoutError:
                    break
            else:
                pytest.fail("the server reads on although its answers are not read")
            assert one.answers()


def test_no_more_workers_than_allowed_are_connected(caplog: pytest.LogCaptureFixture) -> None:
    with driver(ConnectionLimits(proven_max=1)) as one:
        channel, _ = proven(one)
        with channel:
            wait_for(lambda: one.server._proven == 1)
            second, _ = proven(one)
            with second:
                assert is_closed(second)
        assert "there are 1 already" in caplog.text
        assert one.answers()


def test_questions_that_cannot_be_answered_are_refused_and_the_line_stands() -> None:
    with driver() as one:
        client = ControlClient(one.address)
        with pytest.raises(RuntimeError, match="no such verb; known: report, fail"):
            client.ask("blueprint", None)
        with pytest.raises(RuntimeError, match="sent no Report"):
            client.ask("report", {"member_id": 1})
        with pytest.raises(RuntimeError, match="could not answer 'fail': ValueError: because"):
            client.ask("fail", "because")
        assert client.ask("report", Report("a", "running"), Instruction).standbys == ("a",)
        client.close()
        assert one.server._proven <= 1


def test_warnings_about_strangers_are_few(caplog: pytest.LogCaptureFixture) -> None:
    warnings = LimitedWarnings()
    for _ in range(100):
        warnings.log("refused %s", "x")
    assert caplog.messages == ["refused x"]
    warnings._silent_until = 0.0
    warnings.log("refused %s", "y")
    assert caplog.messages[1:] == ["refused y (99 more since the last warning)"]


def test_a_listener_at_a_name_is_found() -> None:
    server = ControlServer("localhost", {"slots": Verb(int, lambda turn: turn + 1)})
    client = ControlClient(server.address)
    assert client.ask("slots", 4, int) == 5
    client.close()
    server.close()
    address = ControlAddress(server.address.host, server.address.port, server.address.key)
    with pytest.raises(DriverSilent):
        ControlClient(address, patience_seconds=0.2).ask("slots", 4, int)
