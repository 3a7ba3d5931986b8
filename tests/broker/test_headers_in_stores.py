"""Stores with headers in an application: the real changelog, restored state, queries, and the
stores of the application once it has stopped.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
from confluent_kafka import Producer

from penstock import (
    AggregationWithHeaders,
    Consumed,
    Headers,
    KafkaStreams,
    Materialized,
    Processor,
    ProcessorContext,
    Produced,
    Record,
    SessionWindows,
    State,
    Stores,
    StreamsBuilder,
    TimeWindows,
    Topology,
    ValueAndTimestamp,
    ValueTimestampHeaders,
    Windowed,
    serdes,
)
from penstock._engine.http.store_reads import StoreReads
from penstock._engine.kafka.changelogs.known_stores import stores_of_program
from penstock._engine.kafka.changelogs.stopped_stores import StoppedStores
from penstock._engine.kafka.client.admin_calls import open_admin
from penstock._engine.queries.asking import ReadOptions
from penstock._engine.queries.questions import Read
from penstock._engine.state.header_codec import pack_headers
from penstock.queries import (
    KeyQuery,
    StateQueryRequest,
    TimestampedKeyQuery,
    WindowKeyQuery,
    WindowRangeQuery,
)
from penstock.testing.broker import LocalBroker
from tests.broker.applications import PATIENCE_SECONDS, run_until, settings

pytestmark = pytest.mark.slow

TEXT = serdes.string()
TRACE = Headers([("trace", b"1"), ("none", None)])
# Brokers delete old windows from changelogs.
NOW = int(time.time()) // 60 * 60_000


class Keeper(Processor[str, str, str, str]):
    """Puts each record into three stores; one that says "delete" deletes its rows."""

    def init(self, context: ProcessorContext[str, str]) -> None:
        self._last: Any = context.get_state_store("last")
        self._windows: Any = context.get_state_store("windows")
        self._visits: Any = context.get_state_store("visits")

    def process(self, record: Record[str, str]) -> None:
        key, value, at, headers = record.key, record.value, record.timestamp, record.headers
        session = Windowed(key, NOW, NOW + 5)
        if value == "delete":
            self._last.delete(key)
            self._windows.put(key, None, NOW)
            self._visits.remove(session)
            return
        self._last.put(key, ValueTimestampHeaders(value, at, headers))
        self._windows.put(key, ValueTimestampHeaders(value, at, headers), NOW)
        self._visits.put(session, AggregationWithHeaders(value, headers))


def keeping(topic: str) -> Topology:
    day = 24 * 3_600_000
    stores = (
        Stores.timestamped_key_value_store_with_headers("last", key=TEXT, value=TEXT),
        Stores.timestamped_window_store_with_headers(
            "windows", retention=day, window_size=60_000, key=TEXT, value=TEXT, caching=True
        ),
        Stores.session_store_with_headers("visits", retention=day, key=TEXT, value=TEXT),
    )
    topology = Topology().add_source("source", topic, key=TEXT, value=TEXT)
    topology.add_processor("keeper", Keeper, "source")
    for store in stores:
        topology.add_state_store(store, "keeper")
    return topology


def wait_for(true: Callable[[], object], what: str) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not true():
        assert time.monotonic() < until, f"waited in vain for {what}"
        time.sleep(0.02)


def has_only(store: Any, key: str) -> bool:
    return [each for each, _ in store.all()] == [key]


def shown(store: Callable[[str], Any]) -> tuple[Any, Any, Any]:
    """Return what the three stores have of key a, and that they have nothing else."""
    last, windows, visits = (store(name) for name in ("last", "windows", "visits"))
    assert [key for key, _ in last.all()] == ["a"]
    assert [key.key for key, _ in windows.all()] == ["a"]
    assert [key.key for key, _ in visits.fetch_range(None, None)] == ["a"]
    return last.get("a"), windows.fetch("a", NOW), visits.fetch_session("a", NOW, NOW + 5)


EXPECTED = (
    ValueTimestampHeaders("x", NOW + 1, TRACE),
    ValueTimestampHeaders("x", NOW + 1, TRACE),
    AggregationWithHeaders("x", TRACE),
)


def test_headers_are_logged_restored_and_queried(kafka_broker: LocalBroker, tmp_path: Path) -> None:
    name = "headers-in-stores"
    kafka_broker.create_topic(name, 1)
    config = settings(kafka_broker, tmp_path / "state", f"{name}-app")
    producer = Producer({"bootstrap.servers": kafka_broker.bootstrap_servers})
    producer.produce(name, b"y", b"b", timestamp=NOW, headers=[("trace", b"2")])
    producer.produce(name, b"x", b"a", timestamp=NOW + 1, headers=list(TRACE))
    producer.produce(name, b"delete", b"b", timestamp=NOW + 2)
    producer.flush(PATIENCE_SECONDS)

    for run in ("as they were put", "restored"):
        with KafkaStreams(keeping(name), config, host="local") as streams:
            streams.start()
            assert streams.wait_until(State.RUNNING, 60_000), (streams.state, streams.failure)
            last = streams.store("last")
            wait_for(partial(has_only, last, "a"), f"the rows, {run}")
            assert shown(streams.store) == EXPECTED, run
            if run == "restored":
                check_queries(streams)
        rmtree(tmp_path / "state")

    # The same from the changelogs alone.
    admin = open_admin(config)
    known = stores_of_program(keeping(name), config, admin)
    with StoppedStores(known, config, admin) as stopped:
        (row,) = stopped.source("last", ReadOptions(), None).one_by_one(Read("range"))
        assert row[:3] == (b"a", pack_headers(TRACE) + b"x", NOW + 1)
        reply = StoreReads(stopped).reply(["last", "a"], {})
        assert json.loads(reply.body)["headers"] == [["trace", "MQ=="], ["none", None]]


def check_queries(streams: KafkaStreams) -> None:
    """Queries for plain values and for values with a time leave the headers out."""

    def answer(store: str, query: Any) -> Any:
        answered = streams.query(StateQueryRequest(store, query)).only_partition_result
        assert answered is not None
        return answered.result

    assert answer("last", KeyQuery("a")) == "x"
    timed = ValueAndTimestamp("x", NOW + 1)
    assert answer("last", TimestampedKeyQuery("a")) == timed
    assert list(answer("windows", WindowKeyQuery("a", NOW, NOW))) == [(NOW, timed)]
    visits = answer("visits", WindowRangeQuery(key="a"))
    assert list(visits) == [(Windowed("a", NOW, NOW + 5), "x")]


def counting(topic: str, store_format: str | None = None) -> Topology:
    """Count the records of each key, in all and in windows and sessions."""
    builder = StreamsBuilder()
    text, number, day = TEXT, serdes.long(), 24 * 3_600_000
    grouped = builder.stream(topic, Consumed(text, text)).group_by_key()
    groups: tuple[tuple[str, Any], ...] = (
        ("all", grouped),
        ("windows", grouped.windowed_by(TimeWindows.of_size(day))),
        ("sessions", grouped.windowed_by(SessionWindows.of_inactivity_gap(day))),
    )
    for name, group in groups:
        counts = group.count(Materialized(name, text, number)).to_stream()
        counts = counts.filter(lambda _, count: count is not None)
        named = counts.select_key(partial(always, name))
        named.to(f"{topic}-out", Produced(text, number))
    return builder.build({"dsl.store.format": store_format} if store_format else None)


def always(name: str, *_: object) -> str:
    return name


def test_the_program_that_ran_is_known_if_settings_chose_the_format(
    kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    name = "formats-by-settings"
    kafka_broker.create_topic(name, 1)
    kafka_broker.create_topic(f"{name}-out", 1)
    format_by_settings = {"dsl.store.format": "HEADERS"}
    config = settings(kafka_broker, tmp_path / "state", f"{name}-app", **format_by_settings)
    topology = counting(name)
    with KafkaStreams(topology, config, host="local") as streams:
        streams.start()
        assert streams.wait_until(State.RUNNING, 60_000), (streams.state, streams.failure)
    admin = open_admin(config)
    known = stores_of_program(topology, config, admin)
    assert known.entries["all"].plan.builder.kind == "timestamped_key_value_with_headers"


def test_stores_of_verbs_may_come_to_hold_headers_and_back(
    kafka_broker: LocalBroker, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    name = "formats-of-stores"
    kafka_broker.create_topic(name, 1)
    kafka_broker.create_topic(f"{name}-out", 1)
    config = settings(kafka_broker, tmp_path / "state", f"{name}-app")
    producer = Producer({"bootstrap.servers": kafka_broker.bootstrap_servers})
    for count, store_format in enumerate(("DEFAULT", "HEADERS", "DEFAULT"), 1):
        producer.produce(name, b"x", b"a", timestamp=NOW + count, headers=[("trace", b"1")])
        producer.flush(PATIENCE_SECONDS)
        with caplog.at_level(logging.WARNING, "penstock"):
            found = run_until(counting(name, store_format), config, lambda seen: len(seen) >= 6)
        rows = [row for row in found if row[0] == f"{name}-out"]
        counts = {(key, int.from_bytes(value or b"")) for _, _, key, value, *_ in rows}
        assert counts == {(store, count) for store in (b"all", b"windows", b"sessions")}
        rebuilt = sum("is rebuilt from topic" in line for line in caplog.messages)
        assert rebuilt == (0 if count == 1 else 3), store_format
        caplog.clear()
