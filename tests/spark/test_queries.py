"""Queries against a running application on Spark: every kind of store, by key and by range."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
import uvicorn
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from pyspark.sql import SparkSession

from penstock import (
    Consumed,
    KafkaStreams,
    Materialized,
    SessionWindows,
    StreamsBuilder,
    TimeWindows,
    Topology,
    Windowed,
    serdes,
)
from penstock._engine.http.address_file import ServedAt, read_addresses
from penstock._engine.http.clients.client import HttpClient
from penstock.application import State
from penstock.errors import QueryError, StoreNotReadyError
from penstock.queries import (
    FailureReason,
    HostInfo,
    KeyQuery,
    LagInfo,
    Query,
    RangeQuery,
    StateQueryRequest,
    StreamsMetadata,
    TimestampedKeyQuery,
    WindowKeyQuery,
    WindowRangeQuery,
)
from penstock.stores import TopicPartition, ValueAndTimestamp
from penstock.testing.broker import LocalBroker
from tests.docs.blocks import DOCS, blocks_of, run_page

pytestmark = pytest.mark.slow

TEXT, LONG = serdes.string(), serdes.long()
WINDOW_MS, GAP_MS, HOUR_MS = 10_000, 3_000, 3_600_000
BEGIN_MS = 1_700_000_000_000
KEYS = [f"key-{number:02}" for number in range(40)]
RECORDS = 600


def topology() -> Topology:
    builder = StreamsBuilder()
    events = builder.stream("asked-events", Consumed(TEXT, TEXT))
    grouped = events.group_by_key()
    grouped.count(Materialized("counts", TEXT, LONG))
    grouped.windowed_by(TimeWindows.of_size(WINDOW_MS, grace=HOUR_MS)).count(
        Materialized("windows", TEXT, LONG)
    )
    grouped.windowed_by(SessionWindows.of_inactivity_gap(GAP_MS, grace=HOUR_MS)).count(
        Materialized("sessions", TEXT, LONG)
    )
    builder.global_table("asked-plans", Consumed(TEXT, TEXT), Materialized("plans", TEXT, TEXT))
    return builder.build()


class Asked:
    """The application and what its stores must hold."""

    def __init__(self, broker: LocalBroker, spark: SparkSession, folder: Path) -> None:
        self.servers = broker.bootstrap_servers
        admin = AdminClient({"bootstrap.servers": self.servers})
        topics = [NewTopic("asked-events", 4, 1), NewTopic("asked-plans", 2, 1)]
        for made in admin.create_topics(topics).values():
            made.result()
        self.folder = folder
        self.counts: Counter[str] = Counter()
        self.times: dict[str, list[int]] = {key: [] for key in KEYS}
        self.streams = KafkaStreams(
            topology(),
            {
                "application.id": "asked",
                "bootstrap.servers": self.servers,
                "state.dir": str(folder),
                "processing.guarantee": "exactly_once_v2",
                "penstock.turn.ms": 2000,
                "penstock.spark.slots": "all",
                "application.server": "node-1:8080",
                "penstock.http.port": 0,
                # The events are old: a broker would soon delete them from the changelogs.
                "windowstore.changelog.additional.retention.ms": 100 * 365 * 24 * HOUR_MS,
            },
            spark=spark,
        )
        self.write()
        self.streams.start()
        running = self.streams.wait_until(State.RUNNING, 120_000)
        assert running, (self.streams.state, self.streams.failure)
        self.wait()

    def write(self) -> None:
        """Write events and plans, partitioned as Java's producers do."""
        producer = Producer({"bootstrap.servers": self.servers, "partitioner": "murmur2_random"})
        chance = Random(1)
        for number in range(RECORDS):
            key, at = chance.choice(KEYS), BEGIN_MS + number * 100
            self.counts[key] += 1
            self.times[key].append(at)
            producer.produce("asked-events", b"v", key, timestamp=at)
        for key in KEYS[:5]:
            producer.produce("asked-plans", f"plan of {key}", key)
        producer.flush()

    def wait(self) -> None:
        """Wait until all is counted and committed."""
        until = time.monotonic() + 120
        store, counted = self.streams.store("counts"), 0
        while counted < RECORDS:
            assert time.monotonic() < until
            time.sleep(0.2)
            with suppress(StoreNotReadyError):  # a task moves from one worker to the other
                counted = sum(value.value for _, value in store.all())


@pytest.fixture(scope="module")
def asked(
    kafka_broker: LocalBroker, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Asked]:
    made = Asked(kafka_broker, spark, tmp_path_factory.mktemp("asked"))
    yield made
    assert made.streams.close()


def values(pairs: Any) -> dict[Any, Any]:
    return {key: value.value for key, value in pairs}


def test_keys_one_by_one_several_and_all(asked: Asked) -> None:
    store = asked.streams.store("counts")
    for key in KEYS:
        found = store.get(key)
        assert (None if found is None else found.value) == (asked.counts.get(key) or None)
    assert values(store.get_all(KEYS).items()) == dict(asked.counts)
    assert store.get("nobody") is None
    assert values(store.all()) == dict(asked.counts)
    assert [key for key, _ in store.all()] == sorted(asked.counts)
    assert [key for key, _ in store.reverse_all()] == sorted(asked.counts, reverse=True)
    assert [key for key, _ in store.range("key-05", "key-09")] == KEYS[5:10]
    for prefix in (("key-1",), (b"key-1",), (1, serdes.of(lambda n: b"key-%d" % n, int))):
        assert [key for key, _ in store.prefix_scan(*prefix)] == KEYS[10:20]
    with pytest.raises(QueryError, match="has no null keys"):
        store.prefix_scan(None)
    with store.all() as rows:
        assert next(rows)[0] == KEYS[0]
    assert list(rows) == []
    assert store.approximate_num_entries() == len(asked.counts)
    found = store.get(KEYS[0])
    assert isinstance(found, ValueAndTimestamp)
    assert found.timestamp == asked.times[KEYS[0]][-1]


def test_windows_of_a_key_and_of_all_keys(asked: Asked) -> None:
    expected: Counter[Windowed[str]] = Counter()
    for key, times in asked.times.items():
        for at in times:
            start = at // WINDOW_MS * WINDOW_MS
            expected[Windowed(key, start, start + WINDOW_MS)] += 1
    store = asked.streams.store("windows")
    end = BEGIN_MS + RECORDS * 100
    assert values(store.all()) == dict(expected)
    assert values(store.fetch_all(BEGIN_MS, end)) == dict(expected)
    for key in KEYS:
        starts = {window.start: count for window, count in expected.items() if window.key == key}
        assert values(store.fetch(key, 0, end)) == starts
        assert [start for start, _ in store.backward_fetch(key, 0, end)] == sorted(
            starts, reverse=True
        )
        for start, count in starts.items():
            assert store.fetch(key, start).value == count


def test_sessions_of_a_key(asked: Asked) -> None:
    store = asked.streams.store("sessions")
    for key in KEYS:
        sessions: list[list[int]] = []
        for at in asked.times[key]:
            if sessions and at - sessions[-1][-1] <= GAP_MS:
                sessions[-1].append(at)
            else:
                sessions.append([at])
        found = {(window.start, window.end): count for window, count in store.fetch(key)}
        assert found == {(one[0], one[-1]): len(one) for one in sessions}


def test_a_global_table_is_read_from_any_worker(asked: Asked) -> None:
    store = asked.streams.store("plans")
    until = time.monotonic() + 30
    while store.get(KEYS[4]) is None and time.monotonic() < until:
        time.sleep(0.2)
    assert values(store.all()) == {key: f"plan of {key}" for key in KEYS[:5]}


def test_long_scans_come_in_pages(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    from penstock._engine.queries import asking  # noqa: PLC0415

    options = asking.ReadOptions(rows_max=3)
    store = asked.streams.store("counts")
    object.__setattr__(store._source, "options", options)
    assert values(store.all()) == dict(asked.counts)


def only(asked: Asked, store: str, query: Query[Any], **wanted: Any) -> Any:
    result = asked.streams.query(StateQueryRequest(store, query, **wanted)).only_partition_result
    return None if result is None else result.result


def test_queries_of_the_second_kind(asked: Asked) -> None:
    key = KEYS[0]
    last, count = asked.times[key][-1], asked.counts[key]
    assert only(asked, "counts", KeyQuery(key)) == count
    assert only(asked, "counts", TimestampedKeyQuery(key)) == ValueAndTimestamp(count, last)
    assert only(asked, "counts", KeyQuery("nobody")) is None
    ranges = asked.streams.query(StateQueryRequest("counts", RangeQuery("key-05", "key-09")))
    found = {each: [*one.result] for each, one in ranges.partition_results.items() if one.result}
    assert dict(pair for pairs in found.values() for pair in pairs) == {
        each: asked.counts[each] for each in KEYS[5:10]
    }
    partition = asked.streams.query_metadata_for_key("windows", key).partition
    windows = only(asked, "windows", WindowKeyQuery(key), partitions=[partition])
    assert sum(value.value for _, value in windows) == count
    sessions = only(asked, "sessions", WindowRangeQuery(key), partitions=[partition])
    assert sum(value for _, value in sessions) == count
    plan = asked.streams.query(StateQueryRequest("plans", KeyQuery(key))).global_result
    assert plan is not None
    assert plan.result == f"plan of {key}"


def test_a_position_is_reached_or_not(asked: Asked) -> None:
    position = asked.streams.query(StateQueryRequest("counts", KeyQuery(KEYS[0]))).position
    offsets = position.partition_positions("asked-events")
    # Offsets of the last records: the partitions hold nothing else.
    assert sum(offset + 1 for offset in offsets.values()) == RECORDS
    again = StateQueryRequest("counts", KeyQuery(KEYS[0]), position_bound=position)
    assert all(one.is_success for one in asked.streams.query(again).partition_results.values())
    later = position.with_component("asked-events", 2, offsets[2] + 1)
    result = asked.streams.query(StateQueryRequest("counts", KeyQuery("k"), position_bound=later))
    assert {each: one.failure_reason for each, one in result.partition_results.items()} == {
        0: None,
        1: None,
        2: FailureReason.NOT_UP_TO_BOUND,
        3: None,
    }


def test_metadata_says_where_keys_and_stores_are(asked: Asked) -> None:
    here, streams = HostInfo("node-1", 8080), asked.streams
    for key in KEYS:
        found = streams.query_metadata_for_key("counts", key)
        assert (found.active_host, found.is_local) == (here, True)
        assert not found.standby_hosts
        kept = streams.store("counts", partition=found.partition).get(key)
        assert (kept.value if kept else 0) == asked.counts[key]
    (instance,) = streams.metadata_for_all_streams_clients()
    assert instance == StreamsMetadata(
        here,
        frozenset({"counts", "windows", "sessions", "plans"}),
        frozenset(TopicPartition("asked-events", number) for number in range(4)),
    )
    assert streams.streams_metadata_for_store("windows") == [instance]
    assert streams.all_local_store_partition_lags() == {
        name: {number: LagInfo(0) for number in range(4)}
        for name in ("counts", "windows", "sessions")
    }


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda s: s.query(StateQueryRequest("count", KeyQuery("a"))), "has no store 'count'"),
        (lambda s: s.query_metadata_for_key("count", "a"), "has no store 'count'"),
        (lambda s: s.streams_metadata_for_store("count"), "has no store 'count'"),
        (lambda s: s.store("count"), "has no store 'count'; its stores: 'counts', 'plans'"),
        (lambda s: s.store("counts", partition=9), "has no partition 9; it has 4"),
        (lambda s: s.store("counts").get(None), "has no null keys"),
        (lambda s: s.store("counts").get(5), "has no such keys as 5"),
    ],
)
def test_a_question_that_cannot_be_asked_says_why(ask: Any, message: str, asked: Asked) -> None:
    with pytest.raises(QueryError, match=message):
        ask(asked.streams)


def over_http(asked: Asked) -> HttpClient:
    (served,) = read_addresses(asked.folder / "asked")
    return HttpClient(served)


def commanded(asked: Asked, *words: str) -> list[Any]:
    """Ask with the command line, in a process of its own."""
    start = "import sys; from penstock.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", start, "query", "asked", *words, "--json"]
    done = subprocess.run(
        [*command, "--state-dir", str(asked.folder)], capture_output=True, text=True, check=False
    )
    note = "application 'asked' runs, and is asked by" if "--changelog" in words else ""
    assert note in done.stderr
    assert note or done.stderr in {"", "there is no such row\n"}
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_http_says_the_same_as_python(asked: Asked) -> None:
    client = over_http(asked)
    for key in KEYS:
        found = {row["key"]: row["value"] for row in client.key("counts", key, {})}
        assert found == ({key: asked.counts[key]} if key in asked.counts else {})
    for limit in ("7", "1000"):
        rows = list(client.range("counts", {"limit": limit}))
        assert [(row["key"], row["value"]) for row in rows] == sorted(asked.counts.items())
        windows = client.range("windows", {"limit": limit})
        assert {
            Windowed(row["key"], row["window"]["start"], row["window"]["end"]): row["value"]
            for row in windows
        } == values(asked.streams.store("windows").all())
    sessions = [
        (row["window"]["start"], row["window"]["end"], row["value"])
        for row in client.key("sessions", KEYS[3], {"limit": "2"})
    ]
    expected = asked.streams.store("sessions").fetch(KEYS[3])
    assert sessions == [(window.start, window.end, count) for window, count in expected]
    client.close()


def test_health_tasks_and_topology_over_http(asked: Asked) -> None:
    client = over_http(asked)
    assert client.get("/health/ready")["ready"] is True
    tasks = client.get("/tasks")["tasks"]
    assert len(tasks) == 4
    assert {task["state"] for task in tasks} == {"running"}
    owners = {task["id"]: task["worker"] for task in tasks}
    stores = {store["name"]: store for store in client.get("/metadata")["stores"]}
    assert {part["task"]: part["worker"] for part in stores["counts"]["parts"]} == owners
    assert stores["plans"]["global"] is True
    client.close()
    (served,) = read_addresses(asked.folder / "asked")
    with (
        closing(HttpClient(ServedAt(served.url))) as without_token,
        pytest.raises(QueryError, match="token is missing or wrong"),
    ):
        without_token.get("/stores")


def test_the_command_line_says_the_same(asked: Asked) -> None:
    assert {row["name"] for row in commanded(asked)} == {"counts", "windows", "sessions", "plans"}
    key = max(asked.counts, key=asked.counts.__getitem__)
    (row,) = commanded(asked, "counts", key)
    assert (row["key"], row["value"]) == (key, asked.counts[key])
    assert commanded(asked, "counts", "nobody") == []
    rows = commanded(asked, "counts", "--from", "key-05", "--to", "key-09", "--reverse")
    assert [row["key"] for row in rows] == KEYS[9:4:-1]
    assert len(commanded(asked, "windows", "--all")) == len(
        list(asked.streams.store("windows").all())
    )


def test_the_changelogs_say_the_same_as_the_running_application(
    asked: Asked, tmp_path: Path
) -> None:
    program = tmp_path / "app.py"
    program.write_text("from tests.spark.test_queries import topology\n\nbuilt = topology()\n")
    more = ["--changelog", "--program", str(program)]
    more += ["--bootstrap-servers", asked.servers, "--set", "processing.guarantee=exactly_once_v2"]
    ranges = (["counts", "--from", "key-05", "--reverse"], ["plans"], ["sessions", KEYS[3]])
    for words in (["windows", "--all"], *ranges):
        running, stored = commanded(asked, *words), commanded(asked, *words, *more)
        assert running
        assert stored == running


def test_a_store_is_a_dataframe(asked: Asked, spark: SparkSession) -> None:
    frame = asked.streams.store("counts").to_dataframe(spark)
    assert frame.columns == ["partition", "key", "value", "timestamp"]
    assert {row.key: row.value for row in frame.collect()} == dict(asked.counts)
    part = asked.streams.store("counts", partition=2).to_dataframe(spark).collect()
    assert {row.partition for row in part} == {2}
    with pytest.raises(QueryError, match="store 'plans' is global"):
        asked.streams.store("plans").to_dataframe(spark)


def test_the_progress_says_where_the_server_is(asked: Asked) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        progress = asked.streams.progress()
        if progress is not None and "http" in progress["sources"][0]["latestOffset"]:
            break
        time.sleep(0.2)
    assert progress is not None
    said = progress["sources"][0]["latestOffset"]["http"]
    assert said["address"].startswith("http://127.0.0.1:")
    assert Path(said["tokenFile"]).stat().st_mode & 0o777 == 0o600


def test_the_examples_of_query_the_state_md_are_as_they_say(asked: Asked) -> None:
    (served,) = read_addresses(asked.folder / "asked")
    names = {"streams": asked.streams, "url": served.url, "token": served.token}
    run_page(DOCS / "how-to" / "query-the-state.md", names)


class Unstarted:
    """The running application, as a service starts and stops it: it stays for the other tests."""

    def __init__(self, streams: KafkaStreams) -> None:
        self._streams = streams
        self.calls: list[str] = []

    def start(self) -> None:
        self.calls.append("start")

    def close(self) -> None:
        self.calls.append("close")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._streams, name)


def test_the_service_of_fastapi_md_answers(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/how-to/fastapi.md: its first block makes the service, the later ones ask it."""
    monkeypatch.chdir(tmp_path)
    page = DOCS / "how-to" / "fastapi.md"
    names: dict[str, Any] = {}
    exec(blocks_of(page, "python")[0].text, names)
    streams = Unstarted(asked.streams)
    server = uvicorn.Server(uvicorn.Config(names["make_app"](streams), port=0, log_level="error"))
    serving = threading.Thread(target=server.run, daemon=True)
    serving.start()
    try:
        until = time.monotonic() + 30
        while not server.started:
            assert time.monotonic() < until, "the service does not start"
            time.sleep(0.05)
        port = server.servers[0].sockets[0].getsockname()[1]
        run_page(page, {"url": f"http://127.0.0.1:{port}"})
    finally:
        server.should_exit = True
        serving.join(timeout=30)
    assert streams.calls == ["start", "close"]
