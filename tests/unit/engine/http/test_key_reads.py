"""Reads of one key that the event loop waits for, and what is asked again on a thread."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from penstock import serdes
from penstock._engine.http import guarded_protocol, key_reads, store_reads
from penstock._engine.http.access import Access
from penstock._engine.http.key_reads import runs_no_user_code
from penstock._engine.http.listening import Listening
from penstock._engine.http.replies import Asked, Reply
from penstock._engine.http.server import HttpServer
from penstock._engine.queries.asking import Asker
from penstock._engine.queries.question_queues import QuestionQueues
from penstock._engine.queries.questions import Answer, Part, QuestionPoll
from penstock.queries import source
from tests.console.browser import wait_for
from tests.unit.engine.http.shop import Misplaced, Shop

WORKER = ("w", 1)


class Worker:
    """Takes the questions of a shop on a thread of its own, and answers them if it may."""

    def __init__(self, shop: Shop | None = None) -> None:
        self.shop = shop or Shop()
        self.queues = QuestionQueues()
        self.answers: Callable[[Answer], Answer | None] = lambda answer: answer
        self.shop.asker = Asker(
            lambda: [(WORKER, self.shop.reports()["w"].tasks)],
            self.queues.ask,
            begin=self.queues.begin,
            begin_get=self.queues.begin_get,
        )
        self.closed = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self.closed = True
        self.queues.close()
        self._thread.join(30)
        assert not self._thread.is_alive()

    def _run(self) -> None:
        answers: tuple[Answer, ...] = ()
        while not self.closed:
            asked = self.queues.poll(QuestionPoll(*WORKER, answers))
            read = [self.shop._server._answer(one, list(self.shop._tasks)) for one in asked]
            answers = tuple(one for one in map(self.answers, read) if one is not None)


@pytest.fixture
def worker() -> Iterator[Worker]:
    worker = Worker()
    yield worker
    worker.close()


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of each read that the loop has waited for, whether that was enough."""
    seen: list[bool] = []
    real = key_reads._reply

    def reply(read: Any, part: Any) -> Any:
        found = real(read, part)
        seen.append(found is not None)
        return found

    monkeypatch.setattr(key_reads, "_reply", reply)
    return seen


def got(worker: Worker, *paths: str) -> list[tuple[int, Any]]:
    """Return status and body of each path, asked one after the other on one connection."""
    server = HttpServer(worker.shop, Listening("127.0.0.1", 0, Access()))
    client = http.client.HTTPConnection("127.0.0.1", int(server.url.rpartition(":")[2]), timeout=30)
    answers = []
    try:
        for path in paths:
            client.request("GET", path)
            response = client.getresponse()
            answers.append((response.status, json.loads(response.read())))
    finally:
        client.close()
        server.close()
    return answers


def test_a_key_is_answered_without_a_thread(worker: Worker, ends: list[bool]) -> None:
    found, none, other = got(
        worker, "/stores/counts/key-03", "/stores/counts/none", "/stores/numbers/-2?partition=0"
    )
    assert found == (200, {"store": "counts", "key": "key-03", "value": 3, "timestamp": 1003})
    assert (none[0], none[1]["error"]["code"]) == (404, "no_such_key")
    assert other == (200, {"store": "numbers", "key": -2, "value": {"is": 0}})
    assert ends == [True, True, True]


@pytest.mark.parametrize("beside", [16, 2])
def test_a_key_that_is_not_where_it_belongs_is_looked_for_elsewhere(
    beside: int, ends: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "_ASKED_BESIDE_MAX", beside)
    shop = Misplaced()
    worker = Worker(shop)
    try:
        found, none, said, windows = got(
            worker,
            "/stores/counts/key-03",
            "/stores/counts/none",
            "/stores/counts/key-03?partition=0",
            "/stores/windows/a?limit=2",
        )
    finally:
        worker.close()
    assert found == (200, {"store": "counts", "key": "key-03", "value": 3, "timestamp": 1003})
    assert (none[0], none[1]["error"]["code"]) == (404, "no_such_key")
    assert (said[0], said[1]["error"]["code"]) == (404, "no_such_key")
    assert [row["value"] for row in windows[1]["rows"]] == [0, 1]
    # Also of some others the loop waits for the answers; a thread asks many, and for the windows.
    assert ends == [beside == 16, beside == 16, True]


def test_a_key_may_be_with_a_worker_that_does_not_answer(
    ends: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock._engine.http.store_reads._SECONDS", 0.3)
    worker = Worker(Misplaced())

    def answers(answer: Answer) -> Answer | None:
        return None if any(part.partition == 2 for part in answer.parts) else answer

    worker.answers = answers
    try:
        ((status, body),) = got(worker, "/stores/counts/none")
    finally:
        worker.close()
    assert (status, body["error"]["code"]) == (503, "not_ready")


def test_what_may_wait_for_more_has_a_thread(worker: Worker, ends: list[bool]) -> None:
    answers = got(
        worker,
        "/stores/counts/key-03?stale_ok=true",
        "/stores/windows/a",
        "/stores/versions/a",
        "/stores/seats/%7B%22row%22:3,%22place%22:%22c%22%7D",
        "/stores/counts",
    )
    assert [status for status, _ in answers] == [200] * 5
    assert ends == []


def test_what_is_wrong_is_refused_as_ever(worker: Worker, ends: list[bool]) -> None:
    wrong = {
        "/stores/none/a": 404,
        "/stores/numbers/text": 400,
        "/stores/counts/a?partition=7": 400,
        "/stores/counts/a?limit=0": 400,
        "/stores/counts/a?from=b": 400,
        "/stores/counts/a?partition=0&partition=0": 400,
        "/stores/counts/a/b": 404,
        "/stores/counts/": 404,
    }
    answers = got(worker, *wrong)
    assert {path: status for path, (status, _) in zip(wrong, answers, strict=True)} == wrong
    assert ends == []


def test_a_restoring_task_says_so(worker: Worker, ends: list[bool]) -> None:
    worker.shop.restored = False
    ((status, body),) = got(worker, "/stores/counts/key-03")
    assert (status, body["error"]["code"]) == (503, "not_ready")
    assert "1,234 changelog records are left" in body["error"]["message"]


def test_a_worker_that_does_not_answer_is_waited_for_in_all_as_long_as_ever(
    worker: Worker, ends: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_reads, "_SECONDS", 0.2)
    monkeypatch.setattr(key_reads, "_GRACE_SECONDS", 0.0)
    worker.answers = lambda answer: Answer(answer.number, busy="a commit")
    ((status, body),) = got(worker, "/stores/counts/key-03")
    assert status == 503
    assert "a commit" in body["error"]["message"]
    assert ends == [False]


def test_a_question_without_answer_is_dropped(
    worker: Worker, ends: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_reads, "_SECONDS", 0.2)
    monkeypatch.setattr(key_reads, "_GRACE_SECONDS", 0.0)
    first = threading.Event()

    def late(answer: Answer) -> Answer | None:
        if first.is_set():
            return answer
        first.set()
        return None  # the worker has taken it, and is killed

    worker.answers = late
    monkeypatch.setattr("penstock._engine.queries.question_queues._WAIT_SECONDS", 0.05)
    ((status, _),) = got(worker, "/stores/counts/key-03")
    assert status == 200
    assert ends == [False]
    assert worker.queues._queues[WORKER]._taken == {}


def test_a_worker_that_dies_ends_its_questions(worker: Worker, ends: list[bool]) -> None:
    def die(answer: Answer) -> None:
        worker.answers = lambda answer: answer
        worker.queues.forget(WORKER)

    worker.answers = die
    ((status, body),) = got(worker, "/stores/counts/key-03")
    assert (status, body.get("value")) == (200, 3)
    assert ends == [False]


TOKEN = "the-token-of-the-shop"
HEAD = f"Host: localhost\r\nAuthorization: Bearer {TOKEN}\r\n"
LAST = "Connection: close\r\n"
KEY = "GET /stores/counts/key-03 HTTP/1.1\r\n"


class Served:
    """A worker, and a server that asks it, with raw requests."""

    def __init__(self) -> None:
        self.worker = Worker()
        self.server = HttpServer(self.worker.shop, Listening("127.0.0.1", 0, Access(TOKEN)))
        self.reads = self.server._asgi.key_reads

    def connected(self) -> socket.socket:
        port = int(self.server.url.rpartition(":")[2])
        return socket.create_connection(("127.0.0.1", port), timeout=30)

    def raw(self, data: str) -> bytes:
        """Return all that is answered to some bytes, until the server hangs up."""
        read = bytearray()
        with self.connected() as connection:
            connection.sendall(data.encode())
            while piece := connection.recv(1 << 16):
                read += piece
        return bytes(read)

    @contextmanager
    def held_up(self) -> Iterator[socket.socket]:
        """Ask for a key that the worker does not answer meanwhile."""
        go_on = threading.Event()

        def wait(answer: Answer) -> Answer:
            assert go_on.wait(30)
            return answer

        self.worker.answers = wait
        try:
            with self.connected() as connection:
                connection.sendall(f"{KEY}{HEAD}\r\n".encode())
                wait_for(lambda: len(self.reads._pending) == 1, "a question on its way")
                yield connection
        finally:
            go_on.set()
            self.worker.answers = lambda answer: answer

    def close(self) -> None:
        self.server.close()
        self.worker.close()


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    made = Served()
    yield made
    made.close()


def test_what_goes_round_asgi_looks_as_what_does_not(served: Served, ends: list[bool]) -> None:
    for key in ("key-03", "none"):
        asked = f"GET /stores/counts/{key} HTTP/1.1\r\n{HEAD}{LAST}"
        answers = served.raw(f"{asked}\r\n"), served.raw(f"{asked}Content-Length: 0\r\n\r\n")
        (head, _, body), (long_head, _, long_body) = (one.partition(b"\r\n\r\n") for one in answers)
        lines, long_lines = (
            {line for line in one.split(b"\r\n") if not line.startswith(b"date: ")}
            for one in (head, long_head)
        )
        assert (lines, body) == (long_lines, long_body)
        assert b"connection: close" in lines
    assert ends == [True, True]


def test_what_is_not_plain_does_not_go_round_asgi(served: Served, ends: list[bool]) -> None:
    cases = [
        (f"GET /stores/counts/key-03 HTTP/1.0\r\n{HEAD}", 200),
        (f"HEAD /stores/counts/key-03 HTTP/1.1\r\n{HEAD}", 200),
        (f"POST /stores/counts/key-03 HTTP/1.1\r\n{HEAD}Content-Length: 0\r\n", 405),
        (f"{KEY}{HEAD}Expect: 100-continue\r\n", 200),
        (f"GET /stores/counts/key-03#here HTTP/1.1\r\n{HEAD}", 200),
        (f"{KEY}Host: evil.example\r\nAuthorization: Bearer {TOKEN}\r\n", 403),
        (f"{KEY}Host: localhost\r\n", 401),
        (f"{KEY}{HEAD}X: {'x' * 20_000}\r\n", 431),
        (f"GET /stores/counts/{'x' * 17_000} HTTP/1.1\r\n{HEAD}", 414),
    ]
    for asked, status in cases:
        answer = served.raw(f"{asked}{LAST}\r\n")
        assert answer.startswith(f"HTTP/1.1 {status} ".encode()), (asked[:100], answer[:200])
    assert ends == []


def test_other_headers_on_the_same_connection_are_checked(served: Served) -> None:
    statuses = []
    with served.connected() as connection:
        for token in (TOKEN, "another", TOKEN, TOKEN[:-1]):
            head = f"{KEY}Host: localhost\r\nAuthorization: Bearer {token}\r\n\r\n"
            connection.sendall(head.encode())
            response = http.client.HTTPResponse(connection)
            response.begin()
            response.read()
            statuses.append(response.status)
    assert statuses == [200, 401, 200, 401]


def test_a_client_that_hangs_up_before_its_answer_leaves_nothing(served: Served) -> None:
    with served.held_up() as connection:
        connection.close()
    wait_for(lambda: not served.reads._pending, "the end of the question")
    assert served.server._asgi._queries._waiting == 0
    assert served.raw(f"{KEY}{HEAD}{LAST}\r\n").startswith(b"HTTP/1.1 200 ")


def test_a_server_that_ends_answers_what_is_on_its_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded_protocol, "CLOSE_SECONDS", 0.01)
    served = Served()
    with served.held_up() as connection:
        served.server.close()
        answer = connection.recv(1 << 16)
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert b"connection: close" in answer
    served.close()


@dataclass
class Order:
    """A class of the user, whose code may run."""

    number: int


def test_serdes_with_code_of_the_user_stay_off_the_loop() -> None:
    plain: list[serdes.Serde[Any]] = [
        serdes.string(),
        serdes.long(),
        serdes.bytes(),
        serdes.json(),
        serdes.json(dict),
    ]
    assert all(runs_no_user_code(serde) for serde in plain)
    own: list[serdes.Serde[Any]] = [
        serdes.json(Order),
        serdes.of(lambda value: b"", lambda data: data),
    ]
    assert not any(runs_no_user_code(serde) for serde in own)


class Endless:
    """A store whose worker does not answer; also the reader and the threads of its requests."""

    is_current = True
    seconds = 60.0

    def begin_get(self, raw_key: bytes, ended: object) -> Callable[[], None]:
        return lambda: None

    def begin_elsewhere(self, raw_key: bytes, ended: object) -> None: ...

    @property
    def source(self) -> Any:
        return self

    def raw_key(self, text: str) -> bytes:
        return text.encode()

    def reply(self, text: str, part: Part) -> Reply:
        return Reply(200, text.encode(), "")

    def key_read(self, asked: Asked) -> Any:
        keys: Any = self
        return key_reads.KeyRead.of(asked, keys, "k", is_lasting=True)

    def enter(self) -> None: ...
    def leave(self) -> None: ...


@pytest.mark.parametrize(("busy_seconds", "pauses"), [(-1.0, 2), (60.0, 0)])
def test_requests_are_read_together_while_many_wait_for_busy_workers(
    busy_seconds: float, pauses: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[float] = []
    monkeypatch.setattr(key_reads, "_CROWD", 3)
    monkeypatch.setattr(key_reads, "_CROWD_SECONDS", busy_seconds)
    endless: Any = Endless()
    reads = key_reads.KeyReads(endless, endless)
    monkeypatch.setattr(reads._never, "wait", counted.append)
    asked = Asked("GET", b"/stores/counts/k", "", {})

    async def ask(times: int) -> None:
        for _ in range(times):
            assert reads.begin(asked, lambda reply: None)
        await asyncio.sleep(0)

    async def run() -> None:
        await ask(2)
        assert not counted
        await ask(3)  # they came in the same moment: one pause
        await ask(1)

    asyncio.run(run())
    assert len(counted) == pauses


@pytest.mark.parametrize(("waiting", "pauses"), [(2, 0), (3, 1)])
def test_requests_whose_answers_are_there_call_for_no_pause(
    waiting: int, pauses: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[float] = []
    sent: list[Reply] = []
    ends: list[Callable[[Part], None]] = []
    monkeypatch.setattr(key_reads, "_CROWD", 3)
    monkeypatch.setattr(key_reads, "_CROWD_SECONDS", -1.0)
    quick: Any = Endless()
    reads = key_reads.KeyReads(quick, quick)

    def begin_get(_key: bytes, ended: Callable[[Part], None]) -> Callable[[], None]:
        ends.append(ended)
        return ends.clear

    monkeypatch.setattr(quick, "begin_get", begin_get)
    monkeypatch.setattr(reads._never, "wait", counted.append)
    asked = Asked("GET", b"/stores/counts/k", "", {})

    async def run() -> None:
        assert all(reads.begin(asked, sent.append) for _ in range(5 + waiting))
        for ended in ends[:5]:
            ended(Part(0))
        await asyncio.sleep(0)

    asyncio.run(run())
    assert (len(sent), len(counted)) == (5, pauses)


def test_requests_that_wait_for_a_hung_worker_slow_down_no_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted: list[float] = []
    now = [100.0]
    monkeypatch.setattr(key_reads, "_CROWD", 3)
    monkeypatch.setattr(key_reads, "monotonic", lambda: now[0])
    endless: Any = Endless()
    reads = key_reads.KeyReads(endless, endless)
    monkeypatch.setattr(reads._never, "wait", counted.append)
    asked = Asked("GET", b"/stores/counts/k", "", {})

    async def ask(times: int, seconds: float) -> None:
        for _ in range(times):
            assert reads.begin(asked, lambda reply: None)
        await asyncio.sleep(0)
        now[0] += seconds

    async def run() -> None:
        await ask(5, 1.0)  # by a worker that hangs
        await ask(3, 0.05)
        assert not counted
        # Many wait for a busy worker beside it.
        await ask(1, 0.0)
        assert len(counted) == 1

    asyncio.run(run())
