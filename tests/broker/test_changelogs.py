"""The stores of an application that does not run, read from its changelogs by `penstock query`."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.changelogs import extent
from penstock._engine.kafka.changelogs.extent import find_extent
from penstock._engine.kafka.changelogs.known_stores import stores_of_program, stores_on_record
from penstock._engine.kafka.changelogs.stopped_stores import StoppedStores
from penstock._engine.kafka.changelogs.store_copy import StoreCopy, copying_settings
from penstock._engine.kafka.client.admin_calls import open_admin
from penstock._engine.kafka.client.topic_history import Split, find_range
from penstock._engine.queries.asking import ReadOptions
from penstock._engine.queries.questions import Read
from penstock.cli import main
from penstock.cli.arguments.programs import load_application
from penstock.errors import QueryError, StreamsError
from penstock.settings import StreamsConfig
from penstock.testing.broker import CreateTopic, LocalBroker
from tests.broker.applications import run_until, settings

pytestmark = pytest.mark.slow

PROGRAM = """
from penstock import (
    Consumed, Grouped, KafkaStreams, Materialized, Produced, Repartitioned, SessionWindows,
    StreamsBuilder, TimeWindows, serdes,
)

text, number = serdes.string(), serdes.long()


def by_length(topic, key, value, partitions):
    return len(key) % partitions


builder = StreamsBuilder()
events = builder.stream("{events}", Consumed(text, text))
grouped = events.group_by_key(Grouped("by-key", text, text))
counts = grouped.count(Materialized("counts", text, number))
grouped.windowed_by(TimeWindows.of_size(10_000, grace=0)).count(
    Materialized("windows", text, number, retention=20_000)
)
grouped.windowed_by(SessionWindows.of_inactivity_gap(3_000, grace=3_600_000)).count(
    Materialized("sessions", text, number)
)
builder.table("{users}", Consumed(text, text), Materialized("users", text, text))
builder.table(
    "{prices}",
    Consumed(text, number),
    Materialized("prices", text, number, history_retention=3_600_000),
)
builder.global_table("{plans}", Consumed(text, text), Materialized("plans", text, text))
placed = events.repartition(Repartitioned("placed", text, text, partitioner=by_length))
again = placed.group_by_key(Grouped("again", text, text))
placed_counts = again.count(Materialized("placed-counts", text, number))
placed_counts.to_stream().to("{out}", Produced(text, number))
grouped.count(Materialized("forgotten", text, number, logging=False))
counts.to_stream().to("{out}", Produced(text, number))

if __name__ == "__main__":
    config = {{
        "application.id": "{name}",
        "processing.guarantee": "exactly_once_v2",
        "topology.optimization": "all",
        "statestore.cache.max.bytes": 0,
    }}
    KafkaStreams(builder.build(config), config).run()
"""
# Brokers delete old windows from changelogs.
BEGIN_MS = int(time.time()) // 60 * 60_000 - 600_000
KEYS = [f"{'k' * (1 + number % 3)}{number:02}" for number in range(12)]
RECORDS = 240


class Stopped:
    """An application that has run and ended, and what its stores must hold."""

    def __init__(self, broker: LocalBroker, topics: dict[str, str], folder: Path) -> None:
        self.servers = broker.bootstrap_servers
        self.topics, self.name = topics, f"stopped-{topics['events']}"
        self.program = folder / "app.py"
        self.program.write_text(PROGRAM.format(name=self.name, **topics))
        self.times: dict[str, list[int]] = {key: [] for key in KEYS}
        self._write(broker)
        made = load_application(str(self.program), {})
        more = {key: made.config.given()[key] for key in ("topology.optimization",)}
        self.config = settings(broker, folder / "state", self.name, **more)
        self.topology = made.topology
        # Each event is counted twice.
        counted = Counter({topics["out"]: 2 * RECORDS})
        run_until(
            self.topology,
            self.config,
            lambda seen: Counter(output[0] for output in seen) >= counted,
        )

    def _write(self, broker: LocalBroker) -> None:
        producer = Producer({"bootstrap.servers": self.servers, "partitioner": "murmur2_random"})
        for number in range(RECORDS):
            key, at = KEYS[number % len(KEYS)], BEGIN_MS + number * 500
            self.times[key].append(at)
            producer.produce(self.topics["events"], b"v", key, timestamp=at)
        for turn in range(3):
            for key in KEYS:
                at = BEGIN_MS + turn * 1000
                producer.produce(self.topics["users"], f"{key} {turn}", key, timestamp=at)
                price = (turn * 10).to_bytes(8, "big")
                producer.produce(self.topics["prices"], price, key, timestamp=at)
                producer.produce(self.topics["plans"], f"plan {turn}", key, timestamp=at)
        producer.produce(self.topics["plans"], None, KEYS[0])
        producer.flush()

    @property
    def last_ms(self) -> int:
        return BEGIN_MS + (RECORDS - 1) * 500


@pytest.fixture(scope="module")
def stopped(kafka_broker: LocalBroker, tmp_path_factory: pytest.TempPathFactory) -> Stopped:
    folder = tmp_path_factory.mktemp("stopped")
    topics = {part: f"gone-{part}" for part in ("events", "users", "prices", "plans", "out")}
    for topic in topics.values():
        kafka_broker.create_topic(topic, 3, config={"retention.ms": "-1"})
    return Stopped(kafka_broker, topics, folder)


@pytest.fixture
def query(
    stopped: Stopped,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> Any:
    """Ask on the command line; give rows, or what was said with an exit code of 1."""
    monkeypatch.setattr(sys, "path", sys.path.copy())

    def ask(*words: str, program: bool = True, code: int = 0) -> Any:
        given = ["--bootstrap-servers", stopped.servers, "--state-dir", str(tmp_path), "--json"]
        given += ["--program", str(stopped.program)] if program else []
        returned = main(["query", stopped.name, *words, *given])
        said = capsys.readouterr()
        assert returned == code, said.err
        assert "as of the last commit" in said.err or code == 1
        return [json.loads(line) for line in said.out.splitlines()] if code == 0 else said.err

    return ask


def test_every_kind_of_store_is_listed(query: Any) -> None:
    kinds = {row["name"]: row["kind"] for row in query()}
    assert kinds == {
        "counts": "key_value",
        "windows": "window",
        "sessions": "session",
        "users": "key_value",
        "prices": "versioned",
        "plans": "key_value",
        "placed-counts": "key_value",
        "forgotten": "key_value",
    }
    assert {row["name"] for row in query(program=False)} == kinds.keys() - {"plans"}


def test_keys_and_ranges_of_counts(query: Any, stopped: Stopped) -> None:
    for key in KEYS[:3]:
        expected = {"key": key, "value": RECORDS // len(KEYS), "timestamp": stopped.times[key][-1]}
        assert query("counts", key) == [expected]
    assert "there is no such row" in query("counts", "nobody", code=1)
    assert [row["key"] for row in query("counts", "--all")] == sorted(KEYS)
    assert [row["key"] for row in query("counts", "--reverse", "--limit", "3")] == (
        sorted(KEYS, reverse=True)[:3]
    )
    assert [row["key"] for row in query("counts", "--prefix", "kkk", "--limit", "2")] == (
        sorted(key for key in KEYS if key.startswith("kkk"))[:2]
    )


def test_windows_that_the_store_has_dropped_are_not_shown(query: Any, stopped: Stopped) -> None:
    def live(key: str) -> list[tuple[int, int]]:
        starts = Counter(at // 10_000 * 10_000 for at in stopped.times[key])
        return [(start, count) for start, count in sorted(starts.items())]

    # Each task has seen its own last event; windows that start more than 20 s before are gone.
    for program in (True, False):
        types = [] if program else ["--key-type", "string", "--value-type", "long"]
        rows = query("windows", "--all", *types, program=program)
        shown = {(row["key"], row["window"]["start"]): row["value"] for row in rows}
        for key in KEYS:
            newest = [one for one in live(key) if one[0] > stopped.last_ms - 18_000]
            assert newest
            assert {start: shown[key, start] for start, _ in newest} == dict(newest)
        assert min(start for _, start in shown) > stopped.last_ms - 35_000
        assert {row["window"]["end"] - row["window"]["start"] for row in rows} == {10_000}


def test_sessions_versions_and_a_table_that_is_its_own_changelog(
    query: Any, stopped: Stopped
) -> None:
    key = KEYS[5]
    sessions = query("sessions", key, "--limit", "7")
    assert [(row["window"]["start"], row["value"]) for row in sessions] == [
        (at, 1) for at in stopped.times[key][:7]
    ]
    (price,) = query("prices", key, "--as-of", str(BEGIN_MS + 1500))
    assert (price["value"], price["timestamp"]) == (10, BEGIN_MS + 1000)
    history = query("prices", key, "--time-from", "0")
    assert [row["value"] for row in history] == [0, 10, 20]
    assert {row["key"]: row["value"] for row in query("users", "--all")} == {
        name: f"{name} 2" for name in KEYS
    }
    assert {row["key"] for row in query("plans", "--all")} == set(KEYS[1:])


def test_a_key_is_looked_for_where_the_partitioner_puts_it(query: Any, stopped: Stopped) -> None:
    for key in KEYS[:3]:
        (row,) = query("placed-counts", key)
        assert row["value"] == RECORDS // len(KEYS)
        (same,) = query("placed-counts", key, "--partition", str(len(key) % 3))
        assert same == row
        elsewhere = str((len(key) + 1) % 3)
        assert "no such row" in query("placed-counts", key, "--partition", elsewhere, code=1)


def test_without_the_program_keys_and_values_are_bytes_or_of_a_given_type(
    query: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    (row,) = query("counts", "azAw", program=False)
    assert (row["key"], row["value"]) == ("azAw", "AAAAAAAAABQ=")
    types = ["--key-type", "string", "--value-type", "long"]
    (row,) = query("counts", "k00", *types, program=False)
    assert (row["key"], row["value"]) == ("k00", 20)
    assert len(query("users", "--all", "--key-type", "string", program=False)) == len(KEYS)


@pytest.mark.parametrize(
    ("words", "program", "message"),
    [
        (["nothing"], True, "has no store 'nothing'; its stores: 'counts'"),
        (["forgotten", "k00"], True, "store 'forgotten' has no changelog"),
        (["counts", "k00", "--uncommitted"], True, "committed rows only"),
        (["counts", "k00", "--partition", "7"], True, "has no partition 7; it has 3"),
        (["counts", "not base64!"], False, "write bytes as base64"),
        (["counts", "k00", "--key-type", "string"], True, "go without --program"),
        (["plans"], False, "has no store 'plans'"),
        (["windows", "k00", "--as-of", "5"], True, "there is no parameter 'as_of' here"),
    ],
)
def test_what_cannot_be_read_says_why(
    words: list[str], program: bool, message: str, query: Any
) -> None:
    assert message in query(*words, program=program, code=1)


def test_an_unknown_application_and_another_program_are_refused(
    stopped: Stopped, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster = ["--bootstrap-servers", stopped.servers, "--state-dir", str(tmp_path)]
    assert main(["query", "nobody", "counts", *cluster]) == 1
    assert "'nobody' has never run on the cluster" in capsys.readouterr().err
    other = tmp_path / "other.py"
    text = stopped.program.read_text()
    other.write_text(text.replace("of_size(10_000, grace=0)", "of_size(5_000, grace=0)"))
    assert main(["query", stopped.name, "counts", *cluster, "--program", str(other)]) == 1
    assert "its store 'windows' was of kind" in capsys.readouterr().err


def opened(stopped: Stopped) -> SimpleNamespace:
    admin = open_admin(stopped.config)
    known = stores_of_program(stopped.topology, stopped.config, admin)
    return SimpleNamespace(admin=admin, entries=known.entries, known=known)


def test_inputs_behind_the_last_commit_are_no_rows(stopped: Stopped) -> None:
    there = opened(stopped)
    producer = Producer({"bootstrap.servers": stopped.servers, "partitioner": "murmur2_random"})
    producer.produce(stopped.topics["users"], "later", KEYS[0])
    producer.flush()
    with StoppedStores(there.known, stopped.config, there.admin) as stores:
        source = stores.source("users", ReadOptions(), None)
        (row,) = source.of_key(KEYS[0], Read("get"))
    assert row[1] == f"{KEYS[0]} 2".encode()
    entry, ends = there.entries["users"], {0: 10**6}
    with pytest.raises(StreamsError, match="has the committed offsets"):
        find_extent(entry, stopped.config, there.admin, ends)
    changed = find_extent(entry, stopped.config, there.admin).ends
    behind = find_range(there.admin, stopped.topics["users"]).ends
    (later,) = [number for number in changed if changed[number] < behind[number]]
    with pytest.raises(QueryError, match="the last commit is at offset"):
        find_extent(entry, stopped.config, there.admin, {later: behind[later]})


def test_a_table_whose_offsets_the_broker_has_forgotten_is_not_shown_as_empty(
    stopped: Stopped, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = opened(stopped)
    monkeypatch.setattr(extent, "committed_offsets", lambda config, places: {})
    with pytest.raises(QueryError, match="has forgotten the offsets"):
        find_extent(there.entries["users"], stopped.config, there.admin)


def test_an_open_transaction_is_not_read_and_not_waited_for(stopped: Stopped) -> None:
    there = opened(stopped)
    changelog = f"{stopped.name}-counts-changelog"
    before = find_extent(there.entries["counts"], stopped.config, there.admin)
    producer = Producer(
        {"bootstrap.servers": stopped.servers, "transactional.id": f"open-{stopped.name}"}
    )
    producer.init_transactions()
    producer.begin_transaction()
    producer.produce(changelog, (99).to_bytes(8, "big"), KEYS[0], 0)
    producer.flush()
    try:
        after = find_extent(there.entries["counts"], stopped.config, there.admin)
        assert after.ends == before.ends
        with StoppedStores(there.known, stopped.config, there.admin) as stores:
            source = stores.source("counts", ReadOptions(), 0)
            assert all(
                row[1] == (20).to_bytes(8, "big") for _, row in source.placed_by_key(Read("range"))
            )
    finally:
        producer.abort_transaction()


def test_an_earlier_offset_is_read_unless_records_are_gone(stopped: Stopped) -> None:
    there = opened(stopped)
    entry = there.entries["counts"]
    whole = find_extent(entry, stopped.config, there.admin)
    place = next(number for number, end in whole.ends.items() if end > 20)
    part = find_extent(entry, stopped.config, there.admin, {place: 12})
    assert part.checked == {place}
    reading = copying_settings(stopped.config)
    copy = StoreCopy(entry.plan, stopped.config)
    copy.restore(part.by_partition[place], reading, checked=True)
    seen = sum(int.from_bytes(value, "big") for _, value, *_ in copy.rows())
    copy.close()
    assert 0 < seen <= 12
    with pytest.raises(StreamsError, match="has the committed offsets"):
        find_extent(entry, stopped.config, there.admin, {place: whole.ends[place] + 5})


def test_an_offset_whose_records_may_be_compacted_is_refused(
    stopped: Stopped, kafka_topic: CreateTopic
) -> None:
    topic = kafka_topic("gaps")
    producer = Producer({"bootstrap.servers": stopped.servers, "transactional.id": topic})
    producer.init_transactions()
    for keys, end in (
        ("ab", producer.commit_transaction),
        ("abc", producer.abort_transaction),
        ("a", producer.commit_transaction),
    ):
        producer.begin_transaction()
        for key in keys:
            producer.produce(topic, b"v", key, 0)
        producer.flush()
        end()
    plan = replace(opened(stopped).entries["counts"].plan, changelog=topic)

    def keys_until(offset: int, config: StreamsConfig) -> int:
        copy = StoreCopy(plan, config)
        try:
            split = Split(topic, 0, 0, offset)
            copy.restore([split], copying_settings(stopped.config), checked=True)
            return len(list(copy.rows()))
        finally:
            copy.close()

    assert [keys_until(offset, stopped.config) for offset in (0, 1, 2, 3)] == [0, 1, 2, 2]
    with pytest.raises(QueryError, match="there are no records at the offsets 2 to 6"):
        keys_until(8, stopped.config)
    # Without exactly-once no transaction explains the gap.
    plain = StreamsConfig({**stopped.config.given(), "processing.guarantee": "at_least_once"})
    with pytest.raises(QueryError, match="there are no records at the offsets 2 to 2"):
        keys_until(3, plain)


def test_copies_are_deleted(
    stopped: Stopped, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    there = opened(stopped)
    with StoppedStores(there.known, stopped.config, there.admin) as stores:
        assert (
            len(list(stores.source("counts", ReadOptions(), None).placed_by_key(Read("range"))))
            == 12
        )
        assert list(tmp_path.iterdir())
    assert list(tmp_path.iterdir()) == []


def test_retention_is_known_from_the_topic(stopped: Stopped) -> None:
    admin = open_admin(stopped.config)
    of_program = stores_of_program(stopped.topology, stopped.config, admin)
    on_record = stores_on_record(stopped.config, admin)
    assert on_record is not None
    for name in ("windows", "sessions"):
        one, other = (known.entries[name].plan.builder.times for known in (of_program, on_record))
        assert one is not None
        assert other is not None
        assert (one.retention_ms, one.segment_interval_ms, one.window_size_ms) == (
            other.retention_ms,
            other.segment_interval_ms,
            other.window_size_ms,
        )


def test_a_deleted_changelog_is_told(stopped: Stopped) -> None:
    there = opened(stopped)
    admin = AdminClient({"bootstrap.servers": stopped.servers})
    topic = f"{stopped.name}-sessions-changelog"
    for gone in admin.delete_topics([topic]).values():
        gone.result()
    with pytest.raises(QueryError, match=f"the changelog '{topic}' .* does not exist"):
        find_extent(there.entries["sessions"], stopped.config, there.admin)
