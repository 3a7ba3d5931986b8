"""A damaged store on disk is set aside and restored from its changelog; the application goes on."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer

from penstock import Consumed, KStream, Materialized, Produced, StreamsBuilder, serdes
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.worker import open_worker
from penstock._engine.runtime.records import Output
from penstock.errors import StateError
from penstock.handlers import LogAndContinueProcessingExceptionHandler
from penstock.settings import StreamsConfig
from penstock.testing.broker import CreateTopic

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

TEXT = serdes.string()
READ = Consumed(key=TEXT, value=TEXT)
WRITE = Produced(key=TEXT, value=TEXT)
KEYS = [f"key-{number:03}" for number in range(200)]


class Application:
    """A program that is run by one worker in this process."""

    def __init__(self, builder: StreamsBuilder, broker: LocalBroker, name: str, path: Path) -> None:
        self._config = StreamsConfig(
            {
                "application.id": name,
                "bootstrap.servers": broker.bootstrap_servers,
                "state.dir": str(path),
                "commit.interval.ms": 50,
                "statestore.cache.max.bytes": 0,
                "processing.guarantee": "exactly_once_v2",
                # Whatever it says about records, it must not be asked about a damaged disk.
                "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
                # A task that starts reads a row: what is garbled later must be read from disk.
                "rocksdb.block.cache.size": 0,
            }
        )
        self.path = path / name
        self._topology = builder.build()
        self._producer = Producer({"bootstrap.servers": broker.bootstrap_servers})
        self.outputs: list[Output] = []
        self.start()

    def start(self) -> None:
        blueprint = prepare(self._topology, self._config)
        self._host = TaskHost(blueprint)
        self._worker = open_worker(blueprint, self._host, self.outputs.extend)

    def stop(self) -> None:
        try:
            self._worker.close()
        finally:
            self._host.close()

    def abandon(self) -> None:
        self._worker.abandon()
        self._host.close()

    def standby_entries(self) -> int:
        """Open the store of the first task as a worker that keeps a copy does; count its rows."""
        blueprint = prepare(self._topology, self._config)
        with TaskHost(blueprint) as host:
            opened = host.open_standby(blueprint.tasks[0])
            assert opened is not None
            [store] = opened.stores
            return store.committed_entries()

    def write_all(self, topic: str) -> None:
        for key in KEYS:
            self._producer.produce(topic, key * 20, key)
        self._producer.flush()

    def settle(self) -> None:
        """Work until the tasks run and have read everything."""
        until = time.monotonic() + 60
        while not self._worker.figures.caught_up() and time.monotonic() < until:
            self._worker.step()

    def results(self, topic: str, count: int) -> list[tuple[Any, Any]]:
        """Work until so many records of a topic have come out and been committed."""
        until = time.monotonic() + 60
        while len(self._of(topic)) < count and time.monotonic() < until:
            self._worker.step()
        return self._of(topic)

    def _of(self, topic: str) -> list[tuple[Any, Any]]:
        return [(key, value) for name, _, key, value, _, _ in self.outputs if name == topic]


def counted(stream: KStream[str, str], **options: Any) -> KStream[str, str]:
    kept: Materialized[str, int] = Materialized("counts", key=TEXT, value=serdes.long(), **options)
    return stream.group_by_key().count(kept).to_stream().map_values(str)


def expected(rounds: int) -> list[tuple[bytes, bytes]]:
    return sorted((key.encode(), str(n + 1).encode()) for key in KEYS for n in range(rounds))


def garble_tables(store: Path) -> None:
    """Overwrite the rows of all table files, not what tells where they are."""
    tables = list(store.glob("*.sst"))
    assert tables
    for table in tables:
        with table.open("r+b") as file:
            file.write(b"\xab" * (table.stat().st_size // 2))


def cut_manifest(store: Path) -> None:
    [manifest] = store.glob("MANIFEST-*")
    manifest.write_bytes(manifest.read_bytes()[:20])


def test_a_damaged_store_does_not_end_the_application(
    kafka_broker: LocalBroker,
    kafka_topic: CreateTopic,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    topic, out = kafka_topic("in"), kafka_topic("out")
    builder = StreamsBuilder()
    counted(builder.stream(topic, READ)).to(out, WRITE)
    application = Application(builder, kafka_broker, f"damaged-{topic}", tmp_path)
    store = application.path / "0_0" / "rocksdb" / "counts"
    application.write_all(topic)
    application.results(out, len(KEYS))
    application.stop()
    cut_manifest(store)
    application.start()
    application.write_all(topic)
    assert sorted(application.results(out, 2 * len(KEYS))) == expected(2)
    application.stop()
    [told] = [record for record in caplog.records if "is damaged" in record.message]
    assert "store 'counts' of task 0_0 is damaged and is rebuilt from topic" in told.message
    assert str(store.parent.parent / "damaged" / "counts") in told.message
    assert (store.parent.parent / "damaged" / "counts").is_dir()


def test_a_store_that_is_damaged_while_it_is_used_is_restored(
    kafka_broker: LocalBroker,
    kafka_topic: CreateTopic,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    topic, out = kafka_topic("in"), kafka_topic("out")
    builder = StreamsBuilder()
    counted(builder.stream(topic, READ)).to(out, WRITE)
    application = Application(builder, kafka_broker, f"damaged-{topic}", tmp_path)
    application.write_all(topic)
    application.results(out, len(KEYS))
    # RocksDB writes table files when it is opened again.
    application.stop()
    application.start()
    application.settle()
    garble_tables(application.path / "0_0" / "rocksdb" / "counts")
    application.write_all(topic)
    assert sorted(application.results(out, 2 * len(KEYS))) == expected(2)
    application.stop()
    assert [record for record in caplog.records if "is damaged" in record.message]


def test_a_damaged_standby_begins_anew(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    topic, out = kafka_topic("in"), kafka_topic("out")
    builder = StreamsBuilder()
    counted(builder.stream(topic, READ)).to(out, WRITE)
    application = Application(builder, kafka_broker, f"damaged-{topic}", tmp_path)
    application.write_all(topic)
    application.results(out, len(KEYS))
    application.stop()
    assert application.standby_entries() > 0
    cut_manifest(application.path / "0_0" / "rocksdb" / "counts")
    assert application.standby_entries() == 0
    assert (application.path / "0_0" / "damaged" / "counts").is_dir()


def test_a_damaged_store_without_a_changelog_is_told_and_kept(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    topic, out = kafka_topic("in"), kafka_topic("out")
    builder = StreamsBuilder()
    counted(builder.stream(topic, READ), logging=False).to(out, WRITE)
    application = Application(builder, kafka_broker, f"damaged-{topic}", tmp_path)
    application.write_all(topic)
    application.results(out, len(KEYS))
    application.stop()
    store = application.path / "0_0" / "rocksdb" / "counts"
    cut_manifest(store)
    application.start()
    with pytest.raises(StateError, match=r"'counts' of task 0_0 .* has no changelog"):
        application.results(out, 2 * len(KEYS))
    application.abandon()
    assert (store / "CURRENT").exists()


@pytest.mark.parametrize("when", ["stopped", "running"])
def test_a_damaged_global_table_is_read_again(
    when: str,
    kafka_broker: LocalBroker,
    kafka_topic: CreateTopic,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    topic, table, out = kafka_topic("in"), kafka_topic("table"), kafka_topic("out")
    builder = StreamsBuilder()
    rows = builder.global_table(table, READ, Materialized("rows", key=TEXT, value=TEXT))
    stream = builder.stream(topic, READ)
    stream.join(rows, lambda key, value: key, lambda value, row: str(value == row)).to(out, WRITE)
    application = Application(builder, kafka_broker, f"damaged-{topic}", tmp_path)
    application.write_all(table)
    application.settle()
    application.stop()
    application.start()
    application.settle()
    [store] = application.path.glob("global_*/rocksdb/rows")
    if when == "stopped":
        application.stop()
        cut_manifest(store)
        application.start()
    else:
        garble_tables(store)
    application.write_all(topic)
    assert sorted(application.results(out, len(KEYS))) == [(k.encode(), b"True") for k in KEYS]
    application.stop()
    assert [record for record in caplog.records if "is damaged" in record.message]
