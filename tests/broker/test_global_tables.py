"""Global tables on a real broker: complete before the first record, followed, kept on disk."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from penstock import (
    Consumed,
    JoinWindows,
    Materialized,
    Processor,
    Produced,
    Record,
    Stores,
    StreamsBuilder,
    Topology,
    serdes,
)
from penstock._clock import ManualClock
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock._engine.kafka.tasks.global_tables import pack_offsets, unpack_offsets
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.worker import open_worker
from penstock._engine.runtime.records import Output
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig
from penstock.testing.broker import CreateTopic

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

TEXT = serdes.string()
READ = Consumed(key=TEXT, value=TEXT)
ROWS = 3_000
BEGIN_MS = 1_700_000_000_000
HOUR_MS = 3_600_000


def enrichment(orders: str, products: str, target: str) -> Topology:
    """Look up the product of each order; `-` for one that is not there."""
    builder = StreamsBuilder()
    table = builder.global_table(products, READ, Materialized("products"))
    builder.stream(orders, READ).left_join(
        table, lambda order, product: product, lambda product, row: f"{product}={row or '-'}"
    ).to(target, Produced(key=TEXT, value=TEXT))
    return builder.build()


def settings(
    broker: LocalBroker, state_dir: Path, application_id: str, **more: str
) -> StreamsConfig:
    return StreamsConfig(
        {
            **more,
            "application.id": application_id,
            "bootstrap.servers": broker.bootstrap_servers,
            "state.dir": str(state_dir),
            "processing.guarantee": "exactly_once_v2",
            "commit.interval.ms": 50,
        }
    )


def write(broker: LocalBroker, topic: str, rows: Iterable[tuple[str, str | None]]) -> None:
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers})
    for key, value in rows:
        producer.produce(topic, value, key, timestamp=1_000)
    producer.flush()


class Shop:
    """A worker that a test steps until it has what it waits for."""

    def __init__(self, topology: Topology, config: StreamsConfig) -> None:
        self.blueprint = prepare(topology, config)
        self.outputs: list[Output] = []
        self.host = TaskHost(self.blueprint)
        self.worker = open_worker(self.blueprint, self.host, self.outputs.extend)

    def values(self, count: int) -> list[str]:
        """Work until so many records have come out; give their values."""
        until = time.monotonic() + 60
        while len(self.outputs) < count and time.monotonic() < until:
            self.worker.step()
        return [(value or b"").decode() for _, _, _, value, _, _ in self.outputs]

    def close(self) -> None:
        self.worker.close()
        self.host.close()


@pytest.mark.parametrize("store_format", ["DEFAULT", "HEADERS"])
def test_it_is_complete_before_the_first_record_and_followed_from_then_on(
    store_format: str, kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    orders, products = kafka_topic("orders", partitions=3), kafka_topic("products", partitions=2)
    target = kafka_topic("enriched")
    write(kafka_broker, products, ((f"p{number}", f"old{number}") for number in range(ROWS)))
    write(kafka_broker, products, ((f"p{number}", f"new{number}") for number in range(ROWS)))
    write(kafka_broker, products, [("p0", None)])
    write(kafka_broker, orders, ((f"o{number}", f"p{number}") for number in range(0, ROWS, 100)))
    more = {"dsl.store.format": store_format}
    config = settings(kafka_broker, tmp_path, f"global-{orders}", **more)
    shop = Shop(enrichment(orders, products, target), config)

    expected = {"p0=-"} | {f"p{number}=new{number}" for number in range(100, ROWS, 100)}
    assert set(shop.values(len(expected))) == expected
    assert set(shop.worker.figures.tasks().values()) == {"running"}

    write(kafka_broker, products, [("p0", "back")])
    until, seen = time.monotonic() + 60, ""
    while seen != "p0=back" and time.monotonic() < until:
        write(kafka_broker, orders, [("o", "p0")])
        seen = shop.values(len(shop.outputs) + 1)[-1]
    assert seen == "p0=back"
    shop.close()


def test_it_is_kept_on_disk_with_its_place_in_every_partition(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    orders, products = kafka_topic("orders"), kafka_topic("products", partitions=3)
    target = kafka_topic("enriched")
    rows = [(f"p{number}", str(number)) for number in range(100)]
    write(kafka_broker, products, rows)
    write(kafka_broker, orders, [("o", "p7")])
    config = settings(kafka_broker, tmp_path, f"kept-{orders}")
    topology = enrichment(orders, products, target)
    first = Shop(topology, config)
    assert first.values(1) == ["p7=7"]
    first.close()

    write(kafka_broker, products, [("p7", "later")])
    write(kafka_broker, orders, [("o", "p7")])
    second = Shop(topology, config)
    tables = second.host.global_tables
    assert tables is not None
    kept = tables.stores["products"]
    assert sorted(kept.values.all()) == sorted(rows)
    assert sum(unpack_offsets(kept.changelog_offset() or 0, 3)) == len(rows)
    assert second.values(1) == ["p7=later"]
    second.close()


def test_a_table_whose_old_records_are_gone_is_read_from_its_beginning(
    kafka_broker: LocalBroker,
    kafka_topic: CreateTopic,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    orders, products = kafka_topic("orders"), kafka_topic("products")
    topology = enrichment(orders, products, kafka_topic("enriched"))
    config = settings(kafka_broker, tmp_path, f"gone-{orders}")
    write(kafka_broker, products, [("p1", "1"), ("p2", "2")])
    write(kafka_broker, orders, [("o", "p1")])
    first = Shop(topology, config)
    assert first.values(1) == ["p1=1"]
    first.close()

    write(kafka_broker, products, [("p2", "new"), ("p3", "3"), ("p4", "4")])
    admin = AdminClient({"bootstrap.servers": kafka_broker.bootstrap_servers})
    for answer in admin.delete_records([TopicPartition(products, 0, 4)]).values():
        answer.result(30)
    write(kafka_broker, orders, [("o", f"p{number}") for number in (1, 2, 3, 4)])
    second = Shop(topology, config)
    assert second.values(4) == ["p1=-", "p2=-", "p3=-", "p4=4"]
    second.close()
    assert "reads its global tables anew: topic" in caplog.text


@pytest.mark.parametrize("changes", [False, True])
def test_a_table_is_as_old_as_the_last_time_its_end_was_met(
    changes: bool, kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    """A process that stood still for days and is then closed has not read what came meanwhile."""
    orders, products = kafka_topic("orders"), kafka_topic("products")
    topology = enrichment(orders, products, kafka_topic("enriched"))
    write(kafka_broker, products, [("p1", "1")])
    write(kafka_broker, orders, [("o", "p1")])
    shop = Shop(topology, settings(kafka_broker, tmp_path, f"met-{orders}"))
    tables, clock = shop.host.global_tables, ManualClock(BEGIN_MS)
    assert tables is not None
    tables._clock = clock
    assert shop.values(1) == ["p1=1"]
    if changes:
        clock.advance(HOUR_MS)
        tables.work(0)
        write(kafka_broker, products, [("p1", "2")])
        until = time.monotonic() + 60
        while tables._met_ms[products, 0] == BEGIN_MS and time.monotonic() < until:
            tables.work(0.1)
    clock.advance(72 * HOUR_MS)
    shop.close()
    assert tables._times.of(products) == BEGIN_MS + (HOUR_MS if changes else 0)


def test_the_rows_of_a_processor_s_store_are_what_it_makes_of_the_records(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    orders, words, target = kafka_topic("orders"), kafka_topic("words"), kafka_topic("out")

    class Longest(Processor[str, str, str, str]):
        def process(self, record: Record[str, str]) -> None:
            kept = self.context.get_state_store("longest")
            kept.put(record.key, max(kept.get(record.key) or "", record.value, key=len))

    class Ask(Processor[str, str, str, str]):
        def process(self, record: Record[str, str]) -> None:
            found = self.context.get_state_store("longest").get(record.key)
            self.context.forward(record.with_value(f"{record.value} {found}"))

    builder = StreamsBuilder()
    store = Stores.persistent_key_value_store("longest", key=TEXT, value=TEXT)
    builder.add_global_store(store, words, READ, Longest)
    builder.stream(orders, READ).process(Ask).to(target, Produced(key=TEXT, value=TEXT))
    write(kafka_broker, words, [("k", "mid"), ("k", "longest"), ("k", "s")])
    write(kafka_broker, orders, [("k", "1")])
    shop = Shop(builder.build(), settings(kafka_broker, tmp_path, f"processor-{orders}"))
    assert shop.values(1) == ["1 longest"]
    shop.close()


def test_a_topic_that_is_missing_is_told_before_the_start(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    topology = enrichment(kafka_topic("orders"), "nowhere", "out")
    with pytest.raises(StreamsError, match="missing: 'nowhere', read by"):
        prepare(topology, settings(kafka_broker, tmp_path, "missing"))


def test_inputs_that_are_not_partitioned_alike_are_told_before_the_start(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    two, three = kafka_topic("two", partitions=2), kafka_topic("three", partitions=3)
    builder = StreamsBuilder()
    builder.stream(two, READ).join(
        builder.stream(three, READ),
        lambda left, right: left + right,
        JoinWindows.of_time_difference(10),
    ).to("out", Produced(key=TEXT, value=TEXT))
    with pytest.raises(StreamsError, match=rf"'{three}' has 3, '{two}' has 2.*repartition"):
        prepare(builder.build(), settings(kafka_broker, tmp_path, f"apart-{two}"))


@pytest.mark.parametrize("offsets", [[0], [5], [0, 0], [7, 0, 2**40], [2**63 - 1, 3]], ids=str)
def test_offsets_of_several_partitions_are_one_number(offsets: list[int]) -> None:
    packed = pack_offsets(offsets)
    assert unpack_offsets(packed, len(offsets)) == offsets
    assert unpack_offsets(packed, len(offsets) + 1) == [*offsets, 0]
