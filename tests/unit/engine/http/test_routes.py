"""Requests and their answers, without sockets: stores of all kinds, pages, health, errors.

Long because each route is asked in all ways there are, of the same small shop.
"""

from __future__ import annotations

import base64
import json
import pickle
from itertools import product
from random import Random
from typing import Any
from urllib.parse import quote

import pytest

from penstock._engine.control.drivers import Driver
from penstock._engine.control.protocol import wire
from penstock._engine.http import scans, store_reads
from penstock._engine.http.access import Access
from penstock._engine.http.replies import Asked, Reply
from penstock._engine.http.routes import Routes
from penstock._engine.http.scans import KeyCursor
from penstock._engine.http.store_reads import StoreReads
from penstock._engine.queries import open_scans, query_server
from penstock._engine.queries.asking import ReadOptions
from penstock._engine.queries.questions import Answer, Question, Read
from penstock._engine.state import marking
from penstock.errors import StoreNotReadyError
from penstock.queries import view_of
from penstock.windows import END_OF_TIME
from tests.unit.engine.http.shop import KEYS, LONG_KEYS, Shop

LOCAL = {"host": "127.0.0.1:80"}


@pytest.fixture(scope="module")
def shop() -> Shop:
    return Shop()


def ask(shop: Shop, target: str, **headers: str) -> Reply:
    path, _, query = target.partition("?")
    asked = Asked("GET", path.encode(), query, {**LOCAL, **headers})
    return Routes(shop, Access()).reply(asked)


def got(shop: Shop, target: str) -> Any:
    reply = ask(shop, target)
    assert reply.status == 200, reply.body
    return json.loads(reply.body)


def scanned(shop: Shop, target: str) -> list[Any]:
    """Return the rows of all pages."""
    routes, rows, cursor = Routes(shop, Access()), [], ""
    while True:
        path, _, query = f"{target}{cursor}".partition("?")
        reply = routes.reply(Asked("GET", path.encode(), query, LOCAL))
        assert reply.status == 200, reply.body
        page = json.loads(reply.body)
        rows += page["rows"]
        if page["cursor"] is None:
            return rows
        cursor = f"&cursor={quote(page['cursor'])}"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("counts/key-03", {"key": "key-03", "value": 3, "timestamp": 1003}),
        ("counts/%22key-03%22", {"key": "key-03", "value": 3, "timestamp": 1003}),
        ("counts/a%2Fb", {"key": "a/b", "value": 25, "timestamp": 1025}),
        ("counts/%22%22", {"key": "", "value": 26, "timestamp": 1026}),
        ("counts/%C3%BCn%C3%AF", {"key": "ünï", "value": 27, "timestamp": 1027}),
        ("counts/5", {"key": "5", "value": 28, "timestamp": 1028}),
        ("numbers/-2", {"key": -2, "value": {"is": 0}}),
        ("raw/AP8=", {"key": "AP8=", "value": "AQI="}),
        ("raw/AP8", {"key": "AP8=", "value": "AQI="}),
        ("seats/" + quote('{"row":3,"place":"c"}'), {"key": {"row": 3, "place": "c"}}),
        ("versions/a", {"key": "a", "value": "v4", "timestamp": 1040, "valid_to": None}),
        ("versions/a?as_of=1025", {"value": "v2", "timestamp": 1020}),
        ("versions/a?as_of=1970-01-01T00:00:01.025Z", {"value": "v2"}),
    ],
)
def test_a_key_is_found_as_its_store_writes_it(path: str, expected: Any, shop: Shop) -> None:
    found = got(shop, f"/stores/{path}")
    assert expected.items() <= found.items()
    assert found["store"] == path.partition("/")[0]


def test_windows_sessions_and_versions_of_a_key_come_as_rows(shop: Shop) -> None:
    windows = scanned(shop, "/stores/windows/a?time_from=1000&time_to=3000&limit=2")
    assert [row["window"] for row in windows] == [
        {"start": start, "end": start + 1000} for start in (1000, 2000, 3000)
    ]
    backward = scanned(shop, "/stores/windows/a?reverse=true")
    assert [row["value"] for row in backward] == [4, 3, 2, 1, 0]
    sessions = scanned(shop, "/stores/sessions/a?time_from=10500&time_to=20000&limit=1")
    assert [row["window"]["start"] for row in sessions] == [10_000, 20_000]
    history = scanned(shop, "/stores/versions/a?time_from=1010&time_to=1020&limit=1")
    assert [(row["value"], row["valid_to"]) for row in history] == [("v1", 1020), ("v2", 1030)]


def test_a_window_ends_with_time_on_every_route(shop: Shop) -> None:
    window = {"start": 1000, "end": END_OF_TIME}
    for path in ("wide", "wide/a"):
        assert [row["window"] for row in got(shop, f"/stores/{path}")["rows"]] == [window]


@pytest.mark.parametrize("limit", [1, 3, 10_000])
def test_ranges_come_in_pages_each_row_once(limit: int, shop: Shop) -> None:
    def keys(words: str) -> list[str]:
        return [row["key"] for row in scanned(shop, f"/stores/counts?limit={limit}&{words}")]

    assert keys("from=key-05&to=key-09") == KEYS[5:10]
    assert keys("from=key-05&to=key-09&reverse=true") == KEYS[9:4:-1]
    assert keys("prefix=key-1") == KEYS[10:20]
    assert keys("prefix=nothing") == []
    assert keys("stale_ok=true") == ["", "5", "a/b", *KEYS, "ünï"]
    assert got(shop, "/stores/counts/key-01?stale_ok=true")["offsets_behind"] == 0
    assert "offsets_behind" not in got(shop, "/stores/counts/key-01")
    windows = scanned(shop, f"/stores/windows?limit={limit}&to=a&time_to=2000")
    assert [(row["key"], row["window"]["start"]) for row in windows] == [
        ("a", 0),
        ("a", 1000),
        ("a", 2000),
    ]
    assert len(scanned(shop, f"/stores/sessions?limit={limit}")) == 5
    raw = scanned(shop, f"/stores/raw?limit={limit}&prefix={quote(_base64(b'pla'))}")
    assert [row["key"] for row in raw] == [_base64(b"plain")]


def test_a_scan_that_finds_little_is_answered_in_time_with_what_it_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shop = Shop(partitions=3)
    monkeypatch.setattr(marking, "ROWS_PER_MARK", 2)
    monkeypatch.setattr(query_server, "_MARKS_MAX", 1)
    now = slowed(shop, 0.9, monkeypatch)
    # Of ten windows of each task two fit, or none.
    for begin, found, in_all in ((4000, 1, 3 * 2), (5000, 0, 0)):
        now[0] = 0.0
        page = got(shop, f"/stores/windows?time_from={begin}")
        assert (len(page["rows"]), page["cursor"] is None) == (found, False)
        assert now[0] < 4.0
        assert len(scanned(shop, f"/stores/windows?time_from={begin}")) == in_all


def slowed(shop: Shop, seconds: float, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Have the workers take so long for an answer; return what the time is."""
    now = [0.0]
    for module in (store_reads, scans):
        monkeypatch.setattr(module, "monotonic", lambda: now[0])
    answer = shop._server._answer

    def slow(question: Question, tasks: Any) -> Answer:
        now[0] += seconds
        return answer(question, tasks)

    monkeypatch.setattr(shop._server, "_answer", slow)
    return now


def test_rows_that_are_there_are_in_the_page_though_its_time_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shop = Shop()
    slowed(shop, 9.0, monkeypatch)
    for path, count in (("counts", 29), ("windows", 10), ("windows/a", 5)):
        assert len(got(shop, f"/stores/{path}")["rows"]) == count


def test_a_page_of_keys_is_answered_in_time_and_goes_on_behind_its_last_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(store_reads, "_ROWS_AT_ONCE_MAX", 5)
    shop = Shop(partitions=3)
    now = slowed(shop, 0.9, monkeypatch)
    page = got(shop, "/stores/counts?limit=1000")
    assert 5 <= len(page["rows"]) < 3 * 29
    assert page["cursor"] is not None
    assert now[0] < 4.0
    assert len(scanned(shop, "/stores/counts?limit=1000")) == 3 * 29


@pytest.mark.parametrize(
    "words", ["numbers?from=-1&to=2", "windows?from=b&to=a", "sessions?from=b&to=a&limit=1"]
)
def test_a_range_that_is_empty_by_the_order_of_bytes_is_refused(words: str, shop: Shop) -> None:
    reply = ask(shop, f"/stores/{words}")
    assert reply.status == 400
    assert b"in which negative numbers come after all others" in reply.body
    assert got(shop, "/stores/numbers?from=2&to=-1")["rows"]


def test_every_page_says_how_far_its_tasks_had_come(shop: Shop) -> None:
    for path in ("counts?limit=2", "windows?limit=2", "windows/a?limit=2", "sessions?limit=9"):
        page = got(shop, f"/stores/{path}")
        assert page["position"] == {"in": {"0": 0}}
    routes = Routes(shop, Access())
    first = json.loads(routes.reply(Asked("GET", b"/stores/windows", "limit=2", LOCAL)).body)
    words = f"limit=2&cursor={quote(first['cursor'])}"
    second = json.loads(routes.reply(Asked("GET", b"/stores/windows", words, LOCAL)).body)
    assert second["rows"] != first["rows"]
    assert second["position"] == {"in": {"0": 0}}


def test_a_page_is_limited_in_bytes(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock._engine.http.scans.PAGE_BYTES_MAX", 40)
    page = got(shop, "/stores/counts?limit=10000")
    assert 0 < len(page["rows"]) < 10
    assert len(scanned(shop, "/stores/counts?limit=10000")) == 29


def test_pages_have_every_row_of_a_key_that_is_in_several_partitions() -> None:
    shop = Shop(partitions=2)
    for limit, reverse in product((1, 2, 7, 1000), ("false", "true")):
        rows = scanned(shop, f"/stores/counts?limit={limit}&reverse={reverse}")
        keys = [row["key"] for row in rows]
        assert len(keys) == 2 * 29
        assert keys == sorted(keys, key=str.encode, reverse=reverse == "true")
    assert len(scanned(shop, "/stores/counts?limit=3&prefix=key-0")) == 2 * 10


@pytest.mark.parametrize("limit", [1, 2, 7, 25, 50, 1000])
def test_a_page_of_keys_leaves_no_scan_open_at_the_workers(
    limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # So the rows of a page come with several answers.
    monkeypatch.setattr(store_reads, "_ROWS_AT_ONCE_MAX", 10)
    shop = Shop(partitions=3)
    for words, count in (("reverse=false", 29), ("reverse=true", 29), ("prefix=key-0", 10)):
        rows = scanned(shop, f"/stores/counts?limit={limit}&{words}")
        keys = [row["key"] for row in rows]
        assert len(keys) == 3 * count
        assert keys == sorted(keys, key=str.encode, reverse=words == "reverse=true")
        assert len(shop._server._cursors) == 0


def test_a_page_of_large_rows_leaves_no_scan_open_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock._engine.queries.questions.ANSWER_BYTES_MAX", 40)
    shop = Shop(partitions=3)
    for words in ("limit=100", "limit=100&reverse=true"):
        assert len(scanned(shop, f"/stores/counts?{words}")) == 3 * 29
    assert len(shop._server._cursors) == 0


def test_a_cursor_without_a_partition_is_refused(shop: Shop) -> None:
    old = base64.urlsafe_b64encode(b"key-03").decode()
    for cursor in (old, f"0.{old}", f"x.{old}", f".{old}", "99999999999.", "0.!", "\u0661.abc"):
        reply = ask(shop, f"/stores/counts?limit=2&cursor={quote(cursor)}")
        assert reply.status == 400, cursor
        assert b"cursor" in reply.body


def test_a_cursor_of_another_store_is_refused(shop: Shop) -> None:
    cursor = quote(got(shop, "/stores/counts?limit=2")["cursor"])
    assert got(shop, f"/stores/counts?limit=2&cursor={cursor}")["rows"]
    reply = ask(shop, f"/stores/raw?limit=2&cursor={cursor}")
    assert reply.status == 400
    assert b"of the same store" in reply.body


@pytest.mark.parametrize("limit", [1, 2, 1000])
def test_a_scan_goes_on_behind_a_key_that_is_too_long_for_a_request(limit: int, shop: Shop) -> None:
    def keys(words: str) -> list[str]:
        return [row["key"] for row in scanned(shop, f"/stores/long?limit={limit}{words}")]

    assert keys("") == LONG_KEYS
    assert keys("&reverse=true") == LONG_KEYS[::-1]
    assert keys("&prefix=k") == LONG_KEYS
    assert keys("&prefix=k3") == LONG_KEYS[3:4]
    assert keys("&from=k1&to=k3") == LONG_KEYS[1:3]
    in_both = scanned(Shop(partitions=2), f"/stores/long?limit={limit}")
    assert [row["key"] for row in in_both] == [key for key in LONG_KEYS for _ in range(2)]


def test_the_cursor_of_a_long_key_is_short_works_once_and_for_its_scan_only(shop: Shop) -> None:
    routes = Routes(shop, Access())

    def reply(store: str, query: str) -> Reply:
        return routes.reply(Asked("GET", f"/stores/{store}".encode(), query, LOCAL))

    cursor = json.loads(reply("long", "limit=2").body)["cursor"]
    assert len(cursor) < 100
    for store, query in (
        ("long", "limit=2&reverse=true"),
        ("long", "limit=2&to=k3"),
        ("counts", "limit=2"),
        ("windows", "limit=2"),
    ):
        assert reply(store, f"{query}&cursor={cursor}").status == 410
    page = json.loads(reply("long", f"limit=2&cursor={cursor}").body)
    assert [row["value"] for row in page["rows"]] == [2, 3]
    again = reply("long", f"limit=2&cursor={cursor}")
    assert (again.status, json.loads(again.body)["error"]["code"]) == (410, "gone")
    # A short key needs no memory, and its cursor works as often as it is sent.
    short = json.loads(reply("counts", "limit=2").body)["cursor"]
    assert [reply("counts", f"limit=2&cursor={short}").status for _ in range(2)] == [200, 200]


def test_the_words_that_are_sent_with_a_cursor_leave_less_room_for_it(shop: Shop) -> None:
    words = f"limit=1&to={'z' * 8_190}"
    cursor = got(shop, f"/stores/counts?{words}")["cursor"]
    assert cursor.startswith("kept.")
    assert len(scanned(shop, f"/stores/counts?{words}")) == 28  # all but 'ünï'


def test_the_long_keys_that_are_kept_are_limited(shop: Shop) -> None:
    routes = Routes(shop, Access())

    def reply(words: str) -> Reply:
        return routes.reply(Asked("GET", b"/stores/long", words, LOCAL))

    cursors = [json.loads(reply("limit=1").body)["cursor"] for _ in range(101)]
    assert len(routes._reads._long_keys._scans) == 100
    assert reply(f"limit=1&cursor={cursors[0]}").status == 410
    assert reply(f"limit=1&cursor={cursors[1]}").status == 200


def test_a_long_key_is_forgotten_when_its_time_is_over(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_scans, "OPEN_SECONDS", 0.0)
    routes = Routes(shop, Access())
    routes.reply(Asked("GET", b"/stores/long", "limit=1", LOCAL))
    routes.drop_old()
    assert len(routes._reads._long_keys._scans) == 0


def test_a_scan_that_no_request_carries_keeps_no_keys(shop: Shop) -> None:
    page = StoreReads(shop, None).reply(["long"], {"limit": "2"})
    cursor = json.loads(page.body)["cursor"]
    assert KeyCursor.of(cursor, "long").key.decode() == LONG_KEYS[1]


def test_a_version_that_was_not_there_yet_is_missing_at_its_time(shop: Shop) -> None:
    reply = ask(shop, "/stores/versions/a?as_of=1")
    assert reply.status == 404
    assert b"has no such key as 'a' at the time 1" in reply.body


def test_a_page_of_one_key_asks_the_worker_once(monkeypatch: pytest.MonkeyPatch) -> None:
    shop = Shop()
    asked: list[Question] = []
    answer = shop._server._answer

    def counted(question: Question, tasks: Any) -> Answer:
        asked.append(question)
        return answer(question, tasks)

    monkeypatch.setattr(shop._server, "_answer", counted)
    for path in ("windows/a", "sessions/a", "versions/a"):
        asked.clear()
        page = got(shop, f"/stores/{path}?limit=1&time_from=0")
        assert (len(page["rows"]), len(asked)) == (1, 1), path
        assert page["cursor"] is not None
        assert len(scanned(shop, f"/stores/{path}?limit=1&time_from=0")) == 5


def test_a_view_reads_the_windows_of_a_key_as_they_are_asked_for() -> None:
    shop = Shop()
    asking = shop.asker, shop._config, ReadOptions(rows_max=2)
    windows = view_of(shop.stores(), "windows", asking).fetch("a", 0, 10_000)
    assert next(windows) == (0, 0)
    shop.owned = False  # the rest is with the worker that has begun
    assert [start for start, _ in windows] == [1000, 2000, 3000, 4000]
    with pytest.raises(StoreNotReadyError):  # at the call, not with the first row
        view_of(shop.stores(), "windows", (*asking[:2], ReadOptions(seconds=0.0))).fetch("a", 0, 9)


def test_a_cursor_of_windows_works_once_and_for_its_scan_only(shop: Shop) -> None:
    routes = Routes(shop, Access())

    def reply(query: str) -> Reply:
        return routes.reply(Asked("GET", b"/stores/windows", query, LOCAL))

    cursor = json.loads(reply("limit=2").body)["cursor"]
    assert reply(f"limit=2&reverse=true&cursor={cursor}").status == 410
    assert reply(f"limit=2&cursor={cursor}").status == 200
    assert reply(f"limit=2&cursor={cursor}").status == 410


def test_what_is_not_restored_is_not_ready_unless_stale_is_good_enough() -> None:
    shop = Shop()
    shop.restored = False
    reply = ask(shop, "/stores/counts/key-01")
    assert (reply.status, reply.headers["retry-after"]) == (503, "1")
    assert "1,234 changelog records are left" in reply.body.decode()
    found = got(shop, "/stores/counts/key-01?stale_ok=true")
    assert (found["value"], found["offsets_behind"]) == (1, 1234)
    missing = ask(shop, "/stores/counts/none?stale_ok=true")
    document = json.loads(missing.body)
    assert (missing.status, document["offsets_behind"]) == (404, 1234)
    assert "'none' in a copy that is 1,234 offsets behind" in document["error"]["message"]
    page = got(shop, "/stores/windows?stale_ok=true&limit=1")
    assert page["offsets_behind"] == 1234
    ready = ask(shop, "/health/ready")
    assert ready.status == 503
    assert json.loads(ready.body)["reasons"] == ["task 0_0 is restoring"]
    assert ask(shop, "/health/live").status == 200


@pytest.mark.parametrize(
    ("state", "owned", "live", "reasons"),
    [
        ("RUNNING", True, 200, []),
        ("REBALANCING", True, 200, ["the application is REBALANCING"]),
        (
            "REBALANCING",
            False,
            200,
            ["the application is REBALANCING", "task 0_0 has no worker"],
        ),
        ("ERROR", True, 503, ["the application is ERROR"]),
    ],
)
def test_health_says_whether_and_why_not(
    state: str, owned: bool, live: int, reasons: list[str]
) -> None:
    shop = Shop()
    shop.state, shop.owned = state, owned
    assert ask(shop, "/health/live").status == live
    ready = ask(shop, "/health/ready")
    assert ready.status == (503 if reasons else 200)
    assert json.loads(ready.body)["reasons"] == reasons


def test_a_worker_that_sends_no_reports_is_not_ready() -> None:
    shop = Shop()
    shop.worker_state = "silent"
    ready = ask(shop, "/health/ready")
    assert ready.status == 503
    reason = "task 0_0: worker w sends no reports; its log says why"
    assert json.loads(ready.body)["reasons"] == [reason]
    assert [task["state"] for task in got(shop, "/tasks")["tasks"]] == ["silent"]
    shop.others = [Driver("there", "node/2", tasks={"0_0": "running"})]
    assert ask(shop, "/health/ready").status == 200


def test_stores_tasks_and_metadata_are_listed(shop: Shop) -> None:
    stores = {one["name"]: one["kind"] for one in got(shop, "/stores")["stores"]}
    assert stores["windows"] == "window"
    assert stores["versions"] == "versioned"
    (task,) = got(shop, "/tasks")["tasks"]
    assert (task["id"], task["state"], task["worker"]) == ("0_0", "running", "w")
    metadata = got(shop, "/metadata")
    assert metadata["application_id"] == "shop"
    counts = next(one for one in metadata["stores"] if one["name"] == "counts")
    assert counts["parts"] == [{"partition": 0, "task": "0_0", "worker": "w", "driver": "shop/1"}]


@pytest.mark.parametrize(
    ("query", "accept", "kind", "begin"),
    [
        ("", "*/*", "text/plain; charset=utf-8", b"Topologies:"),
        ("?format=mermaid", "", "text/plain; charset=utf-8", b"flowchart"),
        ("?format=svg", "text/plain", "image/svg+xml", b"<svg"),
        ("", "text/html, image/svg+xml;q=0.9", "image/svg+xml", b"<svg"),
    ],
)
def test_the_topology_comes_in_three_forms(
    query: str, accept: str, kind: str, begin: bytes, shop: Shop
) -> None:
    reply = ask(shop, f"/topology{query}", accept=accept)
    assert reply.content_type == kind
    assert begin in reply.body[:300]


def test_metrics_are_prometheus_text(shop: Shop) -> None:
    reply = ask(shop, "/metrics")
    assert reply.content_type.startswith("text/plain; version=0.0.4")
    assert reply.body.startswith(b"# TYPE ")


def test_what_is_not_ready_is_no_failure_of_the_server(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    shop = Shop()

    def not_ready() -> Any:
        raise StoreNotReadyError("the application starts")

    for name, path in (("metrics", "/metrics"), ("tasks", "/tasks"), ("stores", "/stores")):
        monkeypatch.setattr(shop, name, not_ready)
        reply = ask(shop, path)
        assert (reply.status, reply.headers["retry-after"]) == (503, "1")
        error = {"code": "not_ready", "message": "the application starts"}
        assert json.loads(reply.body) == {"error": error}
    assert caplog.text == ""


def test_the_document_names_every_route_and_the_page_loads_nothing(shop: Shop) -> None:
    document = got(shop, "/openapi.json")
    for path in document["paths"]:
        target = path.replace("{name}", "counts").replace("{key}", "key-01")
        assert ask(shop, target).status == 200, path
    page = ask(shop, "/api").body.decode()
    assert "/stores/{name}/{key}" in page
    assert "<script" not in page
    assert "http" not in page.replace("HTTP", "")


def test_the_token_is_asked_for_but_at_health_and_documentation(shop: Shop) -> None:
    routes = Routes(shop, Access("right" * 5))

    def status(path: str, **headers: str) -> int:
        return routes.reply(Asked("GET", path.encode(), "", {**LOCAL, **headers})).status

    for path in (
        "/stores",
        "/stores/counts/key-01",
        "/tasks",
        "/metadata",
        "/metrics",
        "/topology",
        "/x",
    ):
        assert status(path) == 401
        assert status(path, authorization="Bearer wrong") == 401
        assert status(path, authorization="Basic " + "right" * 5) == 401
        assert status(path, authorization="Bearer ünï") == 401
    assert status("/stores", authorization="Bearer " + "right" * 5) == 200
    for path in ("/", "/openapi.json", "/health/live", "/health/ready"):
        assert status(path) == 200


def test_a_failure_of_the_server_says_nothing_of_its_inside(
    shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    routes = Routes(shop, Access())
    routes._application = None  # type: ignore[assignment]
    reply = routes.reply(Asked("GET", b"/tasks", "", LOCAL))
    assert reply.status == 500
    assert json.loads(reply.body)["error"]["code"] == "failed"
    assert "a request of the HTTP server failed" in caplog.text


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def asked_by_driver(shop: Shop, body: bytes = b"", **other: str) -> Reply:
    headers = {
        **LOCAL,
        "content-type": "application/msgpack",
        "x-penstock-driver": "here",
        "authorization": "Bearer secret",
        **{name.replace("_", "-"): value for name, value in other.items()},
    }
    method = headers.pop("method", "POST")
    return Routes(shop, Access("secret")).reply(Asked(method, b"/questions", "", headers, body))


def test_a_question_of_another_driver_is_answered(shop: Shop) -> None:
    question = Question(8, "counts", Read("get", (b"key-01",)), (0, 1))
    reply = asked_by_driver(shop, wire.encode(question))
    assert (reply.status, reply.content_type) == (200, "application/msgpack")
    answer = wire.decode(reply.body, Answer)
    assert answer.number == 8
    assert [(part.partition, len(part.rows)) for part in answer.parts] == [(0, 1)]


@pytest.mark.parametrize(
    ("other", "status"),
    [
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": ""}, 401),
        ({"host": "evil.example"}, 403),
        ({"method": "GET"}, 405),
        ({"content_type": "text/plain"}, 415),
        ({"x_penstock_driver": "there"}, 421),
        ({}, 400),
    ],
)
def test_a_question_that_is_none_of_a_driver_is_refused(
    shop: Shop, other: dict[str, str], status: int
) -> None:
    assert asked_by_driver(shop, b"\x91\x05", **other).status == status


def test_nothing_that_a_driver_sends_makes_the_server_fail(shop: Shop) -> None:
    chance, good = Random(3), wire.encode(Question(1, "counts", Read("range"), (0,)))
    pickled = pickle.dumps(print)
    for body in (b"", pickled, b"{}", b"\xc1" * 100, b"\x81\xa1" * 5000):
        assert asked_by_driver(shop, body).status == 400
    for _ in range(500):
        cut = bytearray(good)
        cut[chance.randrange(len(cut))] = chance.randrange(256)
        assert asked_by_driver(shop, bytes(cut)).status in {200, 400}


def test_an_answer_that_is_too_long_says_so(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock._engine.http.routes.ANSWER_BYTES_MAX", 100)
    question = Question(8, "counts", Read("range"), (0,))
    answer = wire.decode(asked_by_driver(shop, wire.encode(question)).body, Answer)
    assert "ask for fewer rows" in answer.busy


def test_tasks_of_another_driver_are_shown_and_count_for_readiness() -> None:
    shop = Shop()
    shop.owned = False
    assert json.loads(ask(shop, "/health/ready").body)["reasons"] == ["task 0_0 has no worker"]
    for state, reasons in (("restoring", ["task 0_0 is restoring"]), ("running", [])):
        other = Driver("there", "node/2", host=("h", 1), url="http://h:2", tasks={"0_0": state})
        shop.others = [other]
        assert json.loads(ask(shop, "/health/ready").body)["reasons"] == reasons
        (task,) = got(shop, "/tasks")["tasks"]
        assert (task["state"], task["worker"], task["driver"]) == (state, None, "node/2")
    shown = got(shop, "/metadata")
    assert shown["drivers"][1] == {
        "name": "node/2",
        "address": "http://h:2",
        "host": ["h", 1],
        "tasks": ["0_0"],
    }
    assert {part["driver"] for store in shown["stores"] for part in store["parts"]} == {"node/2"}
    shop.owned = True  # a killed driver claims it for a while
    assert got(shop, "/tasks")["tasks"][0]["driver"] == "shop/1"
