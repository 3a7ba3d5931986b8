"""Killed at any step, the order pipeline has every order in the database once, and the relay
publishes every message of the outbox.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition

from examples import order_pipeline
from examples.shows.order_pipeline import OrderPipeline
from examples.stage.checked import script
from examples.stage.show import Stored
from examples.stage.topics import Writer, read_all
from penstock.database import Database
from penstock.outbox import ID_HEADER, Outbox
from penstock.settings import StreamsConfig
from penstock.testing.broker import CreateTopic, LocalBroker

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
BEGIN = 1_750_000_000_000
ORDERS = 300
MESSAGES = 120
PATIENCE_SECONDS = 120.0
TOPICS = ("products", "submitted-orders", "rejected-orders", "processed-orders", "customers")

WRITE_POINTS = ("begin:before", "save:before", "save:after", "commit:before", "commit:after")
RELAY_POINTS = ("send:after", "flush:before", "flush:after", "commit:before", "commit:after")
KAFKA_POINTS = ("before-send", "before-offsets", "before-commit", "after-commit", "after-apply")

_numbers = count(1)


@pytest.fixture(scope="module")
def shop_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalBroker]:
    """A broker of our own: the example's topics have fixed names."""
    with LocalBroker(tmp_path_factory.mktemp("shop")) as broker:
        for topic in (*TOPICS, "unreadable-orders"):
            broker.create_topic(topic, 2)
        writer = Writer(broker.bootstrap_servers)
        writer.write(script(OrderPipeline(), BEGIN, ORDERS))
        writer.flush()
        yield broker


def start(*arguments: str, environment: dict[str, str] | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.crash.order_shop", *arguments],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def dies(process: subprocess.Popen[str]) -> None:
    said, _ = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == -9, said


def expected_rows(servers: str) -> Counter[object]:
    inputs = read_all(servers, OrderPipeline.inputs)
    rows = OrderPipeline().expected(inputs)["in database"]
    assert isinstance(rows, Counter)
    return rows


def rows_of(database: Database) -> Counter[object]:
    return Counter(database.read("SELECT number, customer, product, cents FROM orders"))


def committed(servers: str, group: str) -> int:
    """Return how many orders an application has committed."""
    consumer = Consumer({"bootstrap.servers": servers, "group.id": group})
    places = [TopicPartition("submitted-orders", number) for number in range(2)]
    found = consumer.committed(places)
    consumer.close()
    return sum(max(0, place.offset) for place in found)


def finish(servers: str, state: Path, database: Database) -> None:
    """Run without crashes until all orders are processed and committed."""
    process = start("write", servers, str(state), database.url)
    try:
        until = time.monotonic() + PATIENCE_SECONDS
        while committed(servers, state.name) < ORDERS and time.monotonic() < until:
            assert process.poll() is None, process.communicate()[0]
            time.sleep(0.2)
    finally:
        process.terminate()
        said, _ = process.communicate(timeout=PATIENCE_SECONDS)
    # If all was committed before, it may be told to stop before it listens.
    assert process.returncode in {0, -signal.SIGTERM}, said


@pytest.mark.parametrize("point", [f"{point}:40" for point in WRITE_POINTS])
def test_a_writer_that_dies_there_writes_every_order_once(
    point: str, shop_broker: LocalBroker, database: Database, tmp_path: Path
) -> None:
    servers, state = shop_broker.bootstrap_servers, tmp_path / f"shop-{next(_numbers)}"
    order_pipeline.create_tables(database)
    wanted = expected_rows(servers)
    dies(start("write", servers, str(state), database.url, point))
    assert 0 < rows_of(database).total() < wanted.total()
    finish(servers, state, database)
    assert rows_of(database) == wanted


@pytest.mark.parametrize("point", KAFKA_POINTS)
def test_a_writer_that_dies_in_a_commit_of_kafka_writes_every_order_once(
    point: str, shop_broker: LocalBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers, state = shop_broker.bootstrap_servers, tmp_path / f"shop-{next(_numbers)}"
    database = Database(f"sqlite:{tmp_path / 'orders.db'}")
    order_pipeline.create_tables(database)
    wanted = expected_rows(servers)
    with monkeypatch.context() as doomed:
        doomed.setenv("PENSTOCK_CRASH_AT", f"{point}:1")
        dies(start("write", servers, str(state), database.url))
    finish(servers, state, database)
    assert rows_of(database) == wanted
    # As many messages for the warehouse, each once.
    outbox = Counter(database.read(f"SELECT message_key FROM {order_pipeline.outbox.table}"))
    assert set(outbox.values()) == {1}
    assert outbox.total() == wanted.total()


@pytest.mark.parametrize("point", RELAY_POINTS)
def test_a_relay_that_dies_there_publishes_every_message(
    point: str, kafka_broker: LocalBroker, kafka_topic: CreateTopic, database: Database
) -> None:
    servers, topic = kafka_broker.bootstrap_servers, kafka_topic("shipments", partitions=2)
    outbox = Outbox("crash_outbox")
    outbox.create(database)
    connection = database.connect()
    for number in range(MESSAGES):
        with connection.transaction() as transaction:
            key = f"customer-{number % 7}".encode()
            outbox.add(transaction, topic, key, str(number).encode())
    connection.close()
    # In the second of three batches; a connection commits once for each.
    often = 70 if point.startswith("send") else 2
    dies(start("relay", servers, outbox.table, database.url, f"{point}:{often}"))
    again = start("relay", servers, outbox.table, database.url)
    said, _ = again.communicate(timeout=PATIENCE_SECONDS)
    assert again.returncode == 0, said

    published = read_all(servers, [topic])
    by_id = {dict(record.headers)[ID_HEADER]: record for record in published}
    assert len(by_id) == MESSAGES
    assert {int(record.value or b"") for record in by_id.values()} == set(range(MESSAGES))
    assert in_order(published)
    assert database.read("SELECT count(*) FROM crash_outbox WHERE NOT published") == [(0,)]
    may_double = point in {"send:after", "flush:before", "flush:after", "commit:before"}
    assert may_double or len(published) == MESSAGES


def in_order(published: list[Stored]) -> bool:
    """Yes if the first copies of each key's messages are in the order they were added."""
    last: dict[bytes | None, int] = {}
    seen = set()
    for record in published:
        number = int(record.value or b"")
        if number not in seen and number < last.get(record.key, -1):
            return False
        seen.add(number)
        last[record.key] = max(number, last.get(record.key, -1))
    return True


def test_the_config_of_an_application_serves_the_relay() -> None:
    """Its guarantee and its id are not the relay's."""
    from penstock.outbox import OutboxRelay  # noqa: PLC0415

    config = StreamsConfig({**order_pipeline.settings, "bootstrap.servers": "localhost:1"})
    OutboxRelay(Database("sqlite::memory:"), Outbox(), config).close()
