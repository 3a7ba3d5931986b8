"""Requests that have the headers of the one before them, and go round the parser."""

from __future__ import annotations

import http.client
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from penstock._engine.http import guarded_protocol
from tests.unit.engine.http.test_key_reads import HEAD, KEY, TOKEN, Served


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    made = Served()
    yield made
    made.close()


def _exchanged(connection: socket.socket, *pieces: bytes) -> tuple[int, bytes]:
    """Return the answer to a request that is sent in some pieces."""
    for number, piece in enumerate(pieces):
        if number:
            time.sleep(0.02)  # else they arrive as one
        connection.sendall(piece)
    response = http.client.HTTPResponse(connection)
    response.begin()
    return response.status, response.read()


@contextmanager
def _taken_without_parser(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bytes]]:
    """Note the requests that went round the parser."""
    taken: list[bytes] = []
    real = guarded_protocol.GuardedProtocol._is_repeated

    def is_repeated(self: Any, data: bytes) -> bool:
        is_taken = real(self, data)
        taken.extend([data] * is_taken)
        return is_taken

    with monkeypatch.context() as patched:
        patched.setattr(guarded_protocol.GuardedProtocol, "_is_repeated", is_repeated)
        yield taken


FIRST = f"{KEY}{HEAD}\r\n".encode()
_URLS = [
    (b"/stores/counts/key-04", True),
    (b"/stores/counts/none", True),
    (b"/stores/numbers/-2?partition=0", True),
    (b"/stores/counts/a%2Fb", True),
    (b"/stores/counts/%C3%BCn%C3%AF", True),
    (b"/stores/counts/%FF", False),  # no UTF-8: ASGI answers
    (b"/stores/none/a", False),
    (b"/stores/counts", False),
    (b"/stores/windows/a", False),
    (b"/stores/counts/key-03#here", False),
    (b"/stores/counts/key 03", False),
    (b"/stores/counts/key\x0003", False),
    (b"/stores/counts/key\r\n03", False),
    ("/stores/counts/\u00fcn\u00ef".encode(), False),
    (b"http://evil.example/stores/counts/key-03", False),
    (b"/stores/counts/" + b"x" * 17_000, False),
    (b"/health/live", False),
]


@pytest.mark.parametrize(("url", "is_taken"), _URLS, ids=[str(url[:40]) for url, _ in _URLS])
def test_a_request_with_the_headers_of_the_one_before_needs_no_parser(
    url: bytes, is_taken: bool, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = FIRST.replace(b"/stores/counts/key-03", url)
    with served.connected() as connection:
        expected = _exchanged(connection, asked)
    with _taken_without_parser(monkeypatch) as taken, served.connected() as connection:
        assert _exchanged(connection, FIRST)[0] == 200
        assert _exchanged(connection, asked) == expected
    assert taken == [asked] * is_taken


def test_the_parser_is_used_where_a_request_is_not_whole_or_not_alone(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = f"POST /console/login HTTP/1.1\r\n{HEAD}Content-Length: {len(FIRST)}\r\n\r\n".encode()
    with _taken_without_parser(monkeypatch) as taken, served.connected() as connection:
        assert _exchanged(connection, FIRST)[0] == 200
        assert _exchanged(connection, FIRST[:30], FIRST[30:])[0] == 200
        assert not taken
        assert _exchanged(connection, FIRST)[0] == 200
        assert not taken  # the request before it came in pieces
        assert _exchanged(connection, FIRST)[0] == 200
        assert len(taken) == 1
        # What looks like a request is the body of one.
        assert _exchanged(connection, body, FIRST)[0] == 415
        assert _exchanged(connection, FIRST)[0] == 200
        assert len(taken) == 1
    with _taken_without_parser(monkeypatch) as taken, served.connected() as connection:
        assert _exchanged(connection, FIRST)[0] == 200
        connection.sendall(FIRST * 3)
        answers = bytearray()
        while piece := connection.recv(1 << 16):
            answers += piece
        # The one in hand is answered, and the connection ends.
        assert answers.count(b"HTTP/1.1 200 OK") == 1
    assert not taken


def test_a_session_that_has_ended_is_noticed_on_its_connection(served: Served) -> None:
    logins = served.server._asgi._routes._access.logins
    head = FIRST.replace(TOKEN.encode(), logins.open().encode())
    with served.connected() as connection:
        assert _exchanged(connection, head)[0] == 200
        assert _exchanged(connection, head)[0] == 200
        logins._sessions.clear()
        assert _exchanged(connection, head)[0] == 401
        assert _exchanged(connection, FIRST)[0] == 200


def test_long_headers_are_not_kept_for_the_next_request(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Blanks before a value do not count as its bytes.
    long = f"{KEY}X: {' ' * 30_000}a\r\n{HEAD}\r\n".encode()
    with _taken_without_parser(monkeypatch) as taken, served.connected() as connection:
        for _ in range(2):
            assert _exchanged(connection, long)[0] == 200
    assert taken == []


def test_each_request_has_its_own_parameters(served: Served) -> None:
    paths = [
        b"/stores/counts/key-03?partition=0",
        b"/stores/counts/key-03?partition=9",
        b"/stores/counts/key-04",
        b"/stores/counts/key-04?partition=0",
        b"/stores/counts/?partition=0",
        b"/stores/counts/..",
        b"/stores/numbers/2?partition=0",
        b"/stores/counts/2?partition=0",
    ]
    asked = [FIRST.replace(b"/stores/counts/key-03", path) for path in paths]
    expected = []
    for one in asked:
        with served.connected() as connection:
            expected.append(_exchanged(connection, one))
    with served.connected() as connection:
        assert [_exchanged(connection, one) for one in asked] == expected
    assert [status for status, _ in expected] == [200, 400, 200, 200, 404, 404, 200, 404]


def test_a_store_that_changes_or_goes_is_noticed_on_its_connection() -> None:
    served = Served()
    entries = served.worker.shop._entries

    def answers(connection: socket.socket) -> list[tuple[int, bytes]]:
        return [_exchanged(connection, FIRST) for _ in range(2)]

    try:
        with served.connected() as connection:
            assert answers(connection)[0][0] == 200
            entry = entries.pop("counts")
            assert [status for status, _ in answers(connection)] == [404, 404]
            # Its keys are numbers now.
            entries["counts"] = replace(entries["numbers"], name="counts")
            found = answers(connection)
            assert {(status, b"is none of this store" in body) for status, body in found} == {
                (400, True)
            }
            entries["counts"] = entry
            assert [status for status, _ in answers(connection)] == [200, 200]
    finally:
        served.close()
