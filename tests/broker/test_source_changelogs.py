"""A table whose topic is its changelog: it is restored from it, up to what was processed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient

from penstock import (
    Consumed,
    Materialized,
    Processor,
    ProcessorContext,
    Record,
    Stores,
    StreamsBuilder,
    Topology,
    serdes,
)
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.client.topics import existing_topics
from penstock._engine.runtime.records import Output
from penstock.testing.broker import CreateTopic, LocalBroker
from tests.broker.applications import latest, run_until, settings, write

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

TEXT = serdes.string()
OPTIMIZED: dict[str, Any] = {"topology.optimization": "reuse.ktable.source.topics"}


def kept_rows(rows: str, out: str) -> Topology:
    """Write the rows that are not "gone"; the old value, which only the store knows, decides
    whether a row that is "gone" is worth a deletion.
    """
    builder = StreamsBuilder()
    table = builder.table(rows, Consumed(TEXT, TEXT), Materialized("rows"))
    table.filter(lambda key, value: value != "gone").to_stream().to(out)
    return builder.build(OPTIMIZED)


@pytest.mark.parametrize("state", ["lost", "kept"])
@pytest.mark.parametrize("guarantee", ["exactly_once_v2", "at_least_once"])
def test_rows_that_came_while_it_was_away_are_processed_and_not_restored(
    state: str,
    guarantee: str,
    kafka_broker: LocalBroker,
    kafka_topic: CreateTopic,
    tmp_path: Path,
) -> None:
    rows, out = kafka_topic("rows", partitions=2), kafka_topic("out")
    application_id = f"reuse-{rows}"

    def run(directory: str, count: int) -> list[tuple[bytes | None, bytes | None]]:
        def done(committed: list[Output]) -> bool:
            return sum(record[0] == out for record in committed) >= count

        config = settings(
            kafka_broker,
            tmp_path / directory,
            application_id,
            **{**OPTIMIZED, "processing.guarantee": guarantee, "commit.interval.ms": 100},
        )
        committed = run_until(kept_rows(rows, out), config, done)
        return sorted((record[2], record[3]) for record in committed if record[0] == out)

    write(kafka_broker, rows, [("a", "x"), ("b", "gone"), ("c", "z"), (None, "no row")])
    assert run("first", 2) == [(b"a", b"x"), (b"c", b"z")]
    write(kafka_broker, rows, [("a", "gone"), ("b", "gone"), ("c", "w"), ("d", "gone")])
    assert run("first" if state == "kept" else "second", 2) == [(b"a", None), (b"c", b"w")]
    assert latest(kafka_broker, out) == {"a": None, "c": "w"}
    admin = AdminClient({"bootstrap.servers": kafka_broker.bootstrap_servers})
    assert f"{application_id}-rows-changelog" not in existing_topics(admin)


class Fill(Processor[str, str, Any, Any]):
    """Fills a read-only store, and notes beside it that it ran here."""

    def init(self, context: ProcessorContext[Any, Any]) -> None:
        super().init(context)
        self.names = context.get_state_store("names")
        (context.state_dir / "note").write_text("ran", encoding="utf-8")

    def process(self, record: Record[str, str]) -> None:
        self.names.put(record.key, record.value)


class Name(Processor[str, str, str, str]):
    """Forwards the name of each key."""

    def process(self, record: Record[str, str]) -> None:
        name = self.context.get_state_store("names").get(record.key)
        self.context.forward(record.with_value(name or "unknown"))


def named(names: str, asked: str, out: str) -> Topology:
    store = Stores.persistent_key_value_store("names", key=TEXT, value=TEXT)
    text: dict[str, Any] = {"key": TEXT, "value": TEXT}
    topology = Topology().add_read_only_state_store(store, "rows", names, "fill", Fill, **text)
    topology.add_source("asked", asked, **text).add_processor("name", Name, "asked")
    topology.connect_processor_and_state_stores("name", "names")
    return topology.add_sink("out", out, "name", **text)


def test_a_read_only_store_is_restored_from_its_topic(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    names, asked, out = (kafka_topic(name) for name in ("names", "asked", "out"))
    application_id = f"read-only-{names}"

    def run(directory: str) -> dict[str, Any]:
        def done(committed: list[Output]) -> bool:
            return any(record[0] == out for record in committed)

        config = settings(
            kafka_broker, tmp_path / directory, application_id, **{"commit.interval.ms": 100}
        )
        run_until(named(names, asked, out), config, done)
        assert [path.read_text() for path in (tmp_path / directory).rglob("user/note")] == ["ran"]
        return latest(kafka_broker, out)

    write(kafka_broker, names, [("a", "Ann"), ("b", "Bob"), ("b", None)])
    write(kafka_broker, asked, [("a", "?")])
    assert run("first") == {"a": "Ann"}
    write(kafka_broker, asked, [("b", "?"), ("a", "?")])
    assert run("second") == {"a": "Ann", "b": "unknown"}
    admin = AdminClient({"bootstrap.servers": kafka_broker.bootstrap_servers})
    assert f"{application_id}-names-changelog" not in existing_topics(admin)


FORGETFUL = {"cleanup.policy": "delete", "retention.ms": "3600000"}


@pytest.mark.parametrize(
    "cleanup",
    [FORGETFUL, {"cleanup.policy": "delete", "retention.ms": "-1"}, {"cleanup.policy": "compact"}],
)
def test_a_topic_that_forgets_rows_is_no_good_changelog(
    cleanup: dict[str, str],
    kafka_broker: LocalBroker,
    kafka_topic: CreateTopic,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    rows = kafka_topic("rows", config=cleanup)
    config = settings(kafka_broker, tmp_path, f"forget-{rows}", **OPTIMIZED)
    prepare(kept_rows(rows, kafka_topic("out")), config)
    told = [text.split(" ")[:2] for text in caplog.messages if "restored from this topic" in text]
    assert told == ([[f"topic={rows}", "store=rows"]] if cleanup is FORGETFUL else [])
