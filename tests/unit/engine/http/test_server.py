"""A real server asked over sockets: bad requests, slow and half-open clients, many at once."""

from __future__ import annotations

import http.client
import json
import select
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from penstock._engine.http import guarded_protocol, server
from penstock._engine.http.access import Access
from penstock._engine.http.listening import Listening
from penstock._engine.http.server import HttpServer
from penstock._engine.queries import open_scans
from penstock.errors import ConfigError
from tests.console.browser import wait_for
from tests.unit.engine.http.shop import LONG_KEYS, Shop

TOKEN = "a-token-of-the-tests"


class Served:
    """A server, and raw requests to it."""

    def __init__(self) -> None:
        self.shop = Shop()
        self.server = HttpServer(self.shop, Listening("127.0.0.1", 0, Access(TOKEN)))
        self.port = int(self.server.url.rpartition(":")[2])

    def connected(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def raw(self, data: bytes) -> tuple[int, dict[str, str], bytes]:
        with self.connected() as connection:
            with suppress(ConnectionError):  # it has answered and hung up already
                connection.sendall(data)
            return answered(connection, data.partition(b" ")[0].decode("latin-1"))

    def get(
        self, target: str, method: str = "GET", **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        sent = {"Host": "localhost", "Authorization": f"Bearer {TOKEN}", **headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items() if value)
        head = f"{method} {target} HTTP/1.1\r\n{lines}Connection: close\r\n\r\n"
        return self.raw(head.encode("latin-1"))


def answered(connection: socket.socket, method: str = "GET") -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body of the answer on a connection."""
    response = http.client.HTTPResponse(connection, method=method)
    response.begin()
    headers = {name.lower(): value for name, value in response.getheaders()}
    return response.status, headers, response.read()


def _trickle(connection: socket.socket) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        connection.sendall(b"G")
        time.sleep(0.05)


def _all_of(connection: socket.socket) -> bytes:
    read = bytearray()
    with suppress(ConnectionError):
        while data := connection.recv(1 << 20):
            read += data
    return bytes(read)


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    made = Served()
    yield made
    made.server.close()
    # All goes with it: the port is free again.
    with pytest.raises(OSError, match="refused"):
        made.connected()


def still_works(served: Served) -> None:
    status, _, body = served.get("/stores/counts/key-07")
    assert (status, json.loads(body)["value"]) == (200, 7)


HUGE = "9" * 5000
BAD: list[tuple[str, int, str]] = [
    ("/stores/nothing", 404, "has no store 'nothing'; its stores: 'counts'"),
    ("/stores/nothing/key", 404, "has no store 'nothing'"),
    ("/stores/COUNTS", 404, "has no store 'COUNTS'"),
    ("/stores/counts/absent", 404, "store 'counts' has no such key as 'absent'"),
    ("/stores/numbers/99", 404, "has no such key as '99'"),
    ("/stores/numbers/text", 400, "the key 'text' is none of this store: it is no JSON"),
    ("/stores/numbers/1.5", 400, "is none of this store"),
    ("/stores/numbers/99999999999999999999", 400, "is none of this store"),
    (f"/stores/numbers/{HUGE}", 400, "is none of this store"),
    ("/stores/numbers/NaN", 400, "is none of this store"),
    ("/stores/numbers/null", 400, "is none of this store"),
    ("/stores/numbers/" + "[" * 3000, 400, "is none of this store"),
    ("/stores/raw/!!!!", 400, "write bytes as base64"),
    ("/stores/raw/A", 400, "write bytes as base64"),
    ("/stores/seats/%7B%22row%22%3A%22x%22%7D", 400, "is none of this store"),
    ("/stores/counts/%ff%fe", 400, "the path must be UTF-8"),
    ("/stores/counts?limit=0", 400, "'limit' must be a whole number from 1 to 10,000; got '0'"),
    ("/stores/counts?limit=10001", 400, "'limit' must be a whole number"),
    ("/stores/counts?limit=-1", 400, "'limit' must be a whole number"),
    (f"/stores/counts?limit={HUGE}", 400, "'limit' must be a whole number"),
    ("/stores/counts?limit=ten", 400, "'limit' must be a whole number"),
    ("/stores/counts?limit=%D9%A3", 400, "'limit' must be a whole number"),
    ("/stores/counts?limit=1&limit=2", 400, "'limit' may be said once only"),
    ("/stores/counts?cursor=%21", 400, "'cursor' must be that of the page before"),
    ("/stores/windows?cursor=abc", 410, "there is no scan with this cursor"),
    ("/stores/counts?prefix=a&reverse=true", 400, "'prefix' goes without"),
    ("/stores/counts?reverse=perhaps", 400, "'reverse' must be true or false"),
    ("/stores/counts?colour=red", 400, "there is no parameter 'colour' here"),
    ("/stores/counts?time_from=1", 400, "there is no parameter 'time_from' here"),
    ("/stores/counts?partition=7", 400, "store 'counts' has no partition 7; it has 1"),
    ("/stores/counts?partition=-1", 400, "'partition' must be a whole number"),
    ("/stores/counts?limit", 400, "must look like name=value"),
    ("/stores/counts?from=%ff", 400, "in UTF-8"),
    ("/stores/counts?" + "&".join(f"a{n}=1" for n in range(200)), 400, "must look like"),
    ("/stores/windows/a?time_from=tomorrow", 400, "'time_from' must be milliseconds since 1970"),
    ("/stores/windows/a?time_from=-5", 400, "'time_from' must be milliseconds"),
    ("/stores/windows/a?time_from=2026-01-31T12:00", 400, "a time with its zone"),
    (f"/stores/windows/a?time_from={HUGE}", 400, "'time_from' must be milliseconds"),
    ("/stores/windows/a?time_from=5&time_to=4", 400, "'time_from' must not be after 'time_to'"),
    ("/stores/versions", 400, "is versioned: it is read by key"),
    ("/stores/versions/a?as_of=1&time_from=1", 400, "say one of both"),
    ("/topology?format=pdf", 400, "'format' must be 'text', 'mermaid', 'svg'"),
    ("/stores/", 404, "a store is at /stores/NAME"),
    ("/stores/counts/", 404, "an empty key %22%22"),
    ("/stores/counts/a/b", 404, "a slash in a key is written %2F"),
    ("/stores/../../etc/passwd", 404, "a store is at"),
    ("/stores/%2e%2e%2f%2e%2e%2fetc%2fpasswd", 404, "has no store '../../etc/passwd'"),
    ("/stores/%00", 404, r"has no store '\x00'"),
    ("//stores", 404, "there is nothing at this path"),
    ("/health", 404, "there is nothing at this path"),
    ("/health/ready/now", 404, "there is nothing at this path"),
    ("/tasks?all=true", 400, "there is no parameter 'all' here"),
    ("http://localhost/stores", 400, "begins with '/'"),
    ("*", 400, "begins with '/'"),
]


def test_a_scan_whose_time_is_over_is_forgotten_without_another_request(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_scans, "OPEN_SECONDS", 0.0)
    status, _, body = served.get("/stores/windows?limit=2")
    assert (status, bool(json.loads(body)["cursor"])) == (200, True)
    scans = served.server._asgi._routes._reads._open._scans
    wait_for(lambda: not len(scans), "the end of a scan whose time is over")


@pytest.mark.parametrize("words", ["limit=1", "limit=1&reverse=true", "limit=2&prefix=k"])
def test_a_scan_of_long_keys_fits_in_the_header_of_its_requests(words: str, served: Served) -> None:
    keys, cursor = [], ""
    while cursor is not None:
        status, _, body = served.get(f"/stores/long?{words}{cursor and f'&cursor={cursor}'}")
        assert status == 200, body
        page = json.loads(body)
        keys += [row["key"] for row in page["rows"]]
        cursor = page["cursor"]
    assert sorted(keys) == LONG_KEYS


@pytest.mark.parametrize(("target", "status", "message"), BAD, ids=range(len(BAD)))
def test_a_bad_request_is_refused_with_a_reason(
    target: str, status: int, message: str, served: Served
) -> None:
    got, headers, body = served.get(target)
    said = json.loads(body)["error"]["message"]
    assert (got, message in said) == (status, True), (got, said)
    assert headers["content-type"] == "application/json"
    assert len(body) < 1000


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"Authorization": ""}, 401, "unauthorized"),
        ({"Authorization": "Bearer "}, 401, "unauthorized"),
        ({"Authorization": f"Bearer {TOKEN}x"}, 401, "unauthorized"),
        ({"Authorization": TOKEN}, 401, "unauthorized"),
        ({"Authorization": "Bearer \xff"}, 401, "unauthorized"),
        ({"Host": "evil.example"}, 403, "forbidden_host"),
        ({"Host": "evil.example:80"}, 403, "forbidden_host"),
        ({"Host": "127.0.0.1.evil.example"}, 403, "forbidden_host"),
        ({"Host": "localhost:port"}, 403, "forbidden_host"),
        ({"Host": "[::1"}, 403, "forbidden_host"),
        ({"Host": ""}, 400, "bad_request"),
        ({"X-Long": "x" * 40_000}, 431, "header_too_large"),
        ({f"X-{n}": "x" * 100 for n in range(400)}, 431, "header_too_large"),
        ({"Content-Length": "10000000"}, 413, "body_too_large"),
        ({"Content-Length": "-5"}, 400, "bad_request"),
        ({"Transfer-Encoding": "gzip"}, 400, "bad_request"),
        ({"Upgrade": "websocket", "Sec-WebSocket-Version": "13"}, 200, ""),
    ],
)
def test_headers_are_checked(
    headers: dict[str, str], status: int, code: str, served: Served
) -> None:
    got, answer, body = served.get("/stores", **headers)
    assert got == status, body
    if code:
        assert json.loads(body)["error"]["code"] == code
    assert ("www-authenticate" in answer) == (status == 401)
    still_works(served)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_the_state_is_only_read(method: str, served: Served) -> None:
    status, headers, body = served.get("/stores/counts/key-01", method)
    assert (status, headers["allow"]) == (405, "GET, HEAD")
    assert "the state is only read" in json.loads(body)["error"]["message"]


def test_head_has_no_body(served: Served) -> None:
    status, headers, body = served.get("/stores", "HEAD")
    assert (status, body) == (200, b"")
    assert int(headers["content-length"]) > 0


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 100,
        b"hello\r\n\r\n",
        b"GET /stores HTTP/x.1\r\nHost: localhost\r\n\r\n",
        b"GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: other\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n",
        b"NONE / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
)
def test_what_is_no_http_is_answered_with_400(data: bytes, served: Served) -> None:
    status, _, body = served.raw(data)
    assert (status, json.loads(body)["error"]["code"]) == (400, "bad_request")
    still_works(served)


@pytest.mark.parametrize("path", ["/stores/counts/", "/stores?from=", "/nothing/"])
@pytest.mark.parametrize("size", [17_000, 100_000, 1_000_000])
def test_a_url_that_is_too_long_is_answered_with_414(path: str, size: int, served: Served) -> None:
    request = f"GET {path}{'x' * size} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    for piece in (len(request), 4_000):
        with served.connected() as connection:
            with suppress(ConnectionError):  # it hangs up before it has read all
                for at in range(0, len(request), piece):
                    connection.sendall(request[at : at + piece])
            status, headers, body = answered(connection)
        assert (status, headers["connection"]) == (414, "close")
        assert json.loads(body)["error"]["code"] == "url_too_long"
    still_works(served)


def test_a_header_that_comes_in_small_pieces_has_the_same_limit(served: Served) -> None:
    with served.connected() as connection:
        connection.sendall(b"GET /stores HTTP/1.1\r\nHost: localhost\r\n")
        with suppress(ConnectionError):
            for number in range(40):
                connection.sendall(f"X-{number}: {'x' * 1000}\r\n".encode())
                time.sleep(0.005)
        assert answered(connection)[0] == 431
    still_works(served)


ONE = f"GET /stores/counts/key-03 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n"


def test_requests_that_do_not_wait_for_their_answers_do_not_pile_up(served: Served) -> None:
    with served.connected() as connection:
        with suppress(ConnectionError):
            connection.sendall((ONE + "\r\n").encode() * 10_000)
        data = _all_of(connection)
    # The first is answered, the connection ends; a client sends the others again.
    assert data.count(b"HTTP/1.1 200") == 1
    assert b"connection: close" in data
    still_works(served)


def test_what_follows_a_body_in_chunks_is_no_header(served: Served) -> None:
    head = "GET /stores/counts/key-03 HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
    body = f"\r\n1\r\nx\r\n0\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
    assert served.raw((head + body).encode())[0] == 401
    trailers = "".join(f"X-{number}: {'x' * 1000}\r\n" for number in range(20_000))
    with served.connected() as connection, pytest.raises(ConnectionError):
        connection.sendall((head + "\r\n1\r\nx\r\n0\r\n" + trailers).encode())
    still_works(served)


def test_a_body_without_length_is_read_up_to_its_limit(served: Served) -> None:
    head = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunk = b"1000\r\n" + b"x" * 4096 + b"\r\n"
    assert served.raw(head + chunk + b"0\r\n\r\n")[0] == 200
    assert served.raw(head + chunk * 30)[0] == 413


@pytest.mark.slow
def test_slow_and_half_open_clients_are_sent_away(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guarded_protocol, "REQUEST_SECONDS", 0.3)
    with served.connected() as silent:
        assert silent.recv(100) == b""
    with served.connected() as half:
        half.sendall(b"GET /stores HTTP/1.1\r\nHost: localhost\r\n")
        status, _, body = answered(half)
        assert (status, json.loads(body)["error"]["code"]) == (408, "too_slow")
    with served.connected() as slow_body:
        slow_body.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\nx")
        assert answered(slow_body)[0] == 408
    with served.connected() as trickling, pytest.raises(ConnectionError):
        _trickle(trickling)
    still_works(served)


@pytest.mark.slow
def test_a_client_that_does_not_read_its_answer_is_sent_away(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guarded_protocol, "RESPONSE_SECONDS", 0.3)
    monkeypatch.setattr(served.shop, "topology", lambda form: "x" * (64 << 20))
    with served.connected() as connection:
        head = f"GET /topology HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
        connection.sendall(head.encode())
        time.sleep(1)
        assert len(_all_of(connection)) < 64 << 20


@pytest.mark.slow
def test_a_thousand_requests_at_once_are_answered_or_told_to_wait(served: Served) -> None:
    def one(number: int) -> int:
        status, headers, body = served.get(f"/stores/counts/key-{number % 25:02}")
        if status == 200:
            assert json.loads(body)["value"] == number % 25
        else:
            assert headers["retry-after"] == "1"
        return status

    with ThreadPoolExecutor(100) as pool:
        statuses = Counter(pool.map(one, range(1000)))
    assert statuses[200] + statuses[503] == 1000
    assert statuses[200] > 500
    still_works(served)


def test_too_many_connections_are_told_to_come_back(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guarded_protocol, "CONNECTIONS_MAX", 5)
    go_on = threading.Event()
    served.shop.busy = go_on
    asking = (
        f"GET /stores/counts/a HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n"
    )
    held: list[socket.socket] = []
    try:
        for _ in range(5):
            held.append(served.connected())
            held[-1].sendall(f"{asking}\r\n".encode())
        connections = served.server._server.server_state.connections
        until = time.monotonic() + 30
        while sum(getattr(one, "cycle", None) is not None for one in list(connections)) < 5:
            assert time.monotonic() < until, "all requests arrive"
            time.sleep(0.005)
        # Those that ask are not sent away for one that comes.
        held.append(served.connected())
        status, headers, body = answered(held[-1])
        assert (status, headers["retry-after"]) == (503, "1")
        assert json.loads(body)["error"]["code"] == "busy"
    finally:
        served.shop.busy = None
        go_on.set()
        for connection in held:
            connection.close()


def test_silent_connections_make_room_for_those_that_ask(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guarded_protocol, "CONNECTIONS_MAX", 5)
    with ExitStack() as held:
        silent = [held.enter_context(served.connected()) for _ in range(5)]
        for connection in silent[1:4]:
            connection.sendall(b"POST /console/login HTTP/1.1\r\nHost: localhost\r\n")
        for _ in range(3):
            assert served.get("/health/live")[0] == 200
        ended, _, _ = select.select(silent, [], [], 30)
        assert ended, "one has made room"


@pytest.mark.slow
def test_slow_queries_block_neither_health_nor_documents(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_WAITING_MAX", 40)
    go_on = threading.Event()
    served.shop.busy = go_on
    with ThreadPoolExecutor(50) as pool:
        try:
            slow = [pool.submit(served.get, "/stores/counts/key-01") for _ in range(50)]
            until = time.monotonic() + 30
            while sum(one.done() for one in slow) < 10 and time.monotonic() < until:
                time.sleep(0.01)
            assert served.get("/health/live")[0] == 200
            assert served.get("/stores")[0] == 200
        finally:
            go_on.set()
            served.shop.busy = None
        statuses = Counter(one.result()[0] for one in slow)
    assert statuses == {200: 40, 503: 10}


def test_requests_follow_each_other_on_a_connection(served: Served) -> None:
    client = http.client.HTTPConnection("127.0.0.1", served.port, timeout=30)
    for number in range(20):
        client.request(
            "GET", f"/stores/counts/key-{number:02}", headers={"Authorization": f"Bearer {TOKEN}"}
        )
        assert json.loads(client.getresponse().read())["value"] == number
    client.close()


def test_an_address_that_is_taken_is_named(served: Served) -> None:
    with pytest.raises(ConfigError, match=f"cannot listen at 127.0.0.1 port {served.port}"):
        HttpServer(served.shop, Listening("127.0.0.1", served.port, Access()))


def test_a_file_that_is_no_certificate_is_named(served: Served, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.pem"
    wrong.write_text("no certificate")
    listening: Any = Listening("127.0.0.1", 0, Access(), certificate=wrong)
    with pytest.raises(ConfigError, match="the certificate cannot be used"):
        HttpServer(served.shop, listening)
