"""The console over a real server: who may look, what is streamed, what the page may load."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from penstock._engine.http import guarded_protocol
from penstock._engine.http.access import Access
from penstock._engine.http.console import event_stream
from penstock._engine.http.console import feed as feed_module
from penstock._engine.http.console.feed import Feed
from penstock._engine.http.console.logins import SESSION_SECONDS, SESSION_SECONDS_MAX, Logins, _hash
from penstock._engine.http.listening import Listening
from penstock._engine.http.server import HttpServer
from tests.console.browser import wait_for
from tests.console.simulated import Simulated

TOKEN = "a-token-of-the-tests"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


class Served:
    """A server of a simulated application."""

    def __init__(self) -> None:
        self.application = Simulated(partitions=2, workers=2)
        self.access = Access(TOKEN)
        self.server = HttpServer(self.application, Listening("127.0.0.1", 0, self.access))
        self.port = int(self.server.url.rpartition(":")[2])
        self._open: list[Callable[[], None]] = []

    def ask(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        sent = None if body is None else json.dumps(body)
        connection.request(method, path, sent, headers)
        answer = connection.getresponse()
        self._open += [connection.close, answer.close]
        return answer

    def hang_up(self) -> None:
        """Close all connections."""
        while self._open:
            self._open.pop()()

    def close(self) -> None:
        """Hang up everywhere, and end the server."""
        self.hang_up()
        self.server.close()

    def login(self, body: Any, **headers: str) -> tuple[int, Any]:
        known = {"Content-Type": "application/json", **headers}
        answer = self.ask("POST", "/console/login", body, **known)
        return answer.status, json.loads(answer.read())


@pytest.fixture(scope="module", autouse=True)
def soon() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(feed_module, "LOOK_SECONDS", 0.1)
        yield


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    made = Served()
    yield made
    made.close()


@pytest.fixture
def fresh() -> Iterator[Served]:
    """Return a server for a test that changes it."""
    made = Served()
    yield made
    made.close()


def events(answer: http.client.HTTPResponse, count: int) -> list[tuple[str, Any]]:
    read: list[tuple[str, Any]] = []
    while len(read) < count:
        name = answer.readline().decode().removeprefix("event: ").strip()
        data = answer.readline().decode().removeprefix("data: ")
        assert answer.readline() == b"\n"
        read.append((name, json.loads(data)))
    return read


def test_a_stream_sends_all_once_then_what_changes(fresh: Served) -> None:
    answer = fresh.ask("GET", "/console/stream", **BEARER)
    assert answer.headers["content-type"] == "text/event-stream"
    (_, first), *later = events(answer, 4)
    assert first.keys() >= {"head", "flow", "stores", "workers", "tasks", "time", "errors"}
    assert all(name == "snapshot" and "head" in sections for name, sections in later)
    assert all("errors" not in sections for _, sections in later)
    fresh.application.fail()
    for _ in range(50):
        [(_, sections)] = events(answer, 1)
        if "errors" in sections:
            break
    assert sections["errors"][0]["offset"] == 42
    answer.close()


def test_open_pages_ask_the_workers_nothing(fresh: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(fresh.application, "answer", asked.append)
    monkeypatch.setattr(fresh.application, "source", lambda *what: asked.append(what))
    streams = [fresh.ask("GET", "/console/stream", **BEARER) for _ in range(5)]
    assert [len(events(stream, 10)) for stream in streams] == [10] * 5
    assert asked == []


def test_the_end_of_the_application_is_said(fresh: Served) -> None:
    answer = fresh.ask("GET", "/console/stream", **BEARER)
    events(answer, 1)
    fresh.server.close()
    names = [name for name, _ in iter(lambda: _next(answer), None)]
    assert names[-1] == "end"


def _next(answer: http.client.HTTPResponse) -> tuple[str, Any] | None:
    line = answer.readline()
    if not line:
        return None
    answer.readline(), answer.readline()
    return line.decode().removeprefix("event: ").strip(), None


@pytest.mark.parametrize("path", ["/console/stream", "/console/snapshot", "/console/graph"])
def test_figures_obey_the_token_and_the_host(served: Served, path: str) -> None:
    assert served.ask("GET", path).status == 401
    assert served.ask("GET", path, Authorization="Bearer wrong").status == 401
    assert served.ask("GET", path, Host="evil.example", **BEARER).status == 403
    answer = served.ask("GET", path, **BEARER)
    assert answer.status == 200
    answer.close()


@pytest.mark.parametrize("name", ["", "console/main.js", "console/console.css", "console/mark.svg"])
def test_the_page_itself_is_open_and_may_load_nothing_from_elsewhere(
    served: Served, name: str
) -> None:
    answer = served.ask("GET", f"/{name}")
    body = answer.read()
    assert (answer.status, bool(body)) == (200, True)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "require-trusted-types-for 'script'" in policy
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert b"://" not in body.replace(b"http://www.w3.org/2000/svg", b"")


@pytest.mark.parametrize("path", ["/console/feed.py", "/console/..%2Ffeed.py", "/console/"])
def test_only_files_of_the_page_are_served(served: Served, path: str) -> None:
    assert served.ask("GET", path, **BEARER).status == 404
    assert served.ask("GET", path).status == 401


def test_a_link_lets_one_browser_in_which_reads_and_no_more(served: Served) -> None:
    code = served.access.logins.new_code()
    status, said = served.login({"code": code})
    session = {"Authorization": f"Bearer {said['session']}"}
    assert status == 200
    assert served.login({"code": code})[0] == 401
    assert served.ask("GET", "/console/snapshot", **session).status == 200
    assert served.ask("GET", "/stores/counts/key-07", **session).status == 200
    question = {"Content-Type": "application/msgpack"}
    assert served.ask("POST", "/questions", {}, **session, **question).status == 401


def test_the_token_opens_a_session_and_a_session_makes_links(served: Served) -> None:
    assert served.login({})[0] == 401
    assert served.login({"code": "wrong"}, **BEARER)[0] == 401
    status, said = served.login({}, **BEARER)
    assert status == 200
    headers = {"Content-Type": "application/json"}
    assert served.ask("POST", "/console/link", {}, **headers).status == 401
    session = {"Authorization": f"Bearer {said['session']}"}
    link = served.ask("POST", "/console/link", {}, **headers, **session)
    status, other = served.login({"code": json.loads(link.read())["code"]})
    assert status == 200
    logins = served.access.logins
    limits = [logins._limits[_hash(one["session"])] for one in (said, other)]
    assert limits[0] == limits[1]


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("GET", {}, 405),
        ("POST", {}, 415),
        ("POST", {"Content-Type": "text/plain"}, 415),
        ("POST", {"Content-Type": "application/json", "Host": "evil.example"}, 403),
    ],
)
def test_other_pages_cannot_log_in(
    served: Served, method: str, headers: dict[str, str], status: int
) -> None:
    code = served.access.logins.new_code()
    assert served.ask(method, "/console/login", {"code": code}, **headers).status == status


@pytest.mark.parametrize("body", ["[]", "7", '{"code": 7}', "no JSON", "[" * 10_000])
def test_a_login_that_is_no_login_is_refused(served: Served, body: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=30)
    connection.request("POST", "/console/login", body, {"Content-Type": "application/json"})
    assert connection.getresponse().status in {400, 401}
    connection.close()


def test_too_many_streams_are_refused_and_those_that_end_make_room(
    fresh: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_module, "STREAMS_MAX", 2)
    for _ in range(2):
        fresh.ask("GET", "/console/stream", **BEARER)
    assert fresh.ask("GET", "/console/stream", **BEARER).status == 503
    fresh.hang_up()
    wait_for(
        lambda: fresh.ask("GET", "/console/stream", **BEARER).status == 200,
        "room for another stream",
    )


@pytest.mark.slow
def test_a_stream_outlives_the_limit_of_an_answer_and_a_stuck_reader_does_not(
    fresh: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guarded_protocol, "RESPONSE_SECONDS", 0.5)
    fresh.application.reports = dict  # type: ignore[method-assign]
    answer = fresh.ask("GET", "/console/stream", **BEARER)
    assert len(events(answer, 12)) == 12
    answer.close()
    huge = "x" * 3_000_000
    monkeypatch.setattr(Feed, "changed_since", lambda self, version: (version + 1, huge.encode()))
    with socket.create_connection(("127.0.0.1", fresh.port), timeout=30) as stuck:
        stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        head = f"GET /console/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}"
        stuck.sendall(f"{head}\r\n\r\n".encode())
        feed = fresh.server._feed
        wait_for(lambda: not feed.stream_count, "the end of a stream that is not read")


class Clocked:
    """The loop of a server with a clock that the test moves; its timers are real."""

    def __init__(self, loop: Any) -> None:
        self._loop, self.now = loop, 1000.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loop, name)

    def time(self) -> float:
        return self.now


def test_a_slow_reader_of_large_events_stays(
    fresh: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    huge = b"x" * 8_000_000
    monkeypatch.setattr(Feed, "changed_since", lambda self, version: (version + 1, huge))
    with socket.create_connection(("127.0.0.1", fresh.port), timeout=30) as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        head = f"GET /console/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}"
        slow.sendall(f"{head}\r\n\r\n".encode())
        wait_for(lambda: fresh.server._feed.stream_count, "the stream")
        connections: set[Any] = fresh.server._server.server_state.connections
        (protocol,) = connections
        wait_for(lambda: protocol._full_since is not None, "an event that is not read")
        clock = protocol.loop = Clocked(protocol.loop)
        protocol._full_since = clock.now
        for _ in range(3):
            # An event takes most of the limit, and there is always one.
            clock.now += guarded_protocol.RESPONSE_SECONDS * 0.9
            while protocol._full_since != clock.now:
                assert slow.recv(1 << 20), "the server hung up on a slow reader"
            assert attended(clock, protocol), "a slow reader must stay"
        clock.now += guarded_protocol.RESPONSE_SECONDS
        assert not attended(clock, protocol), "a reader that has stopped must go"


def attended(clock: Clocked, protocol: Any) -> bool:
    """Have the server look at a connection whose limit is over; yes if it stays."""
    done = threading.Event()

    def attend() -> None:
        protocol._too_slow()
        done.set()

    clock.call_soon_threadsafe(attend)
    assert done.wait(30), "waited for the thread of the server"
    return not protocol.transport.is_closing()


class Looked(Simulated):
    """An application that counts how often the figures of its tasks are gathered."""

    looks = 0

    def standby_copies(self) -> Any:
        self.looks += 1
        return super().standby_copies()


def test_without_a_page_no_figures_are_gathered_but_the_timeline_goes_on() -> None:
    application = Looked(partitions=1)
    feed = Feed(application)
    for _ in range(3):
        application.began -= 1  # a second passes
        feed._glance()
    assert feed.changed_since(0) is None
    assert application.looks == 0
    application.kill(0)
    feed._glance()
    sections = json.loads(feed.snapshot())
    events = [event["text"] for event in sections["timeline"]["events"]]
    assert "worker worker-0 on host-0 (process 1000) died" in events
    assert sum(bucket[2] for bucket in sections["timeline"]["buckets"]) > 0


def test_the_first_page_after_a_pause_gets_what_is_there_now(fresh: Served) -> None:
    answer = fresh.ask("GET", "/console/stream", **BEARER)
    events(answer, 1)
    fresh.hang_up()
    feed = fresh.server._feed
    wait_for(lambda: not feed.stream_count, "the end of the first stream")
    wait_for(lambda: not feed._is_fresh(), "the figures to be old")
    fresh.application.kill(0)
    answer = fresh.ask("GET", "/console/stream", **BEARER)
    [(_, first)] = events(answer, 1)
    assert [worker["state"] for worker in first["workers"]] == ["lost", "running"]


def test_a_stream_renews_its_session_and_ends_with_it(
    fresh: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "RENEW_SECONDS", 0.05)
    now = [1000.0]
    logins = fresh.access.logins
    monkeypatch.setattr(logins, "_clock", lambda: now[0])
    session = logins.open()
    answer = fresh.ask("GET", "/console/stream", Authorization=f"Bearer {session}")
    for _ in range(3):
        now[0] += SESSION_SECONDS - 60
        wait_for(lambda: _ends_at(logins) == now[0] + SESSION_SECONDS, "the session's renewal")
    now[0] += SESSION_SECONDS_MAX
    assert answer.read()  # to the end of the stream, which it has
    assert fresh.ask("GET", "/console/stream", Authorization=f"Bearer {session}").status == 401


def _ends_at(logins: Logins) -> float:
    return next(iter(logins._sessions.values()))
