"""The stores of an application as tables: all kinds, typed, of a running and a stopped one."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from penstock import (
    Consumed,
    Grouped,
    Materialized,
    Produced,
    SessionWindows,
    StreamsBuilder,
    TimeWindows,
    Topology,
    serdes,
)
from penstock import spark as streams
from penstock.errors import ConfigError, QueryError, StreamsError
from penstock.testing.broker import LocalBroker
from tests.broker.applications import run_until, settings
from tests.docs.blocks import DOCS, run_page

pytestmark = pytest.mark.slow

TEXT, LONG = serdes.string(), serdes.long()
NAME, EVENTS, PRICES, PLANS, OUT = "tabled", "t-events", "t-prices", "t-plans", "t-out"
KEYS = [f"key-{number:02}" for number in range(20)]
RECORDS = 200
# Brokers delete old windows from changelogs.
BEGIN_MS = int(time.time()) // 60 * 60_000 - 600_000


@dataclass
class Total:
    count: int
    last: str
    seen: list[int]
    note: str | None = None


def topology() -> Topology:
    builder = StreamsBuilder()
    grouped = builder.stream(EVENTS, Consumed(TEXT, TEXT)).group_by_key(Grouped("by", TEXT, TEXT))
    totals = grouped.aggregate(
        lambda: Total(0, "", []),
        lambda key, value, total: Total(total.count + 1, value, [total.count]),
        Materialized("totals", TEXT, serdes.json(Total)),
    )
    grouped.windowed_by(TimeWindows.of_size(10_000, grace=3_600_000)).count(
        Materialized("windows", TEXT, LONG)
    )
    grouped.windowed_by(SessionWindows.of_inactivity_gap(500, grace=3_600_000)).count(
        Materialized("sessions", TEXT, LONG)
    )
    builder.table(
        PRICES,
        Consumed(TEXT, LONG),
        Materialized("prices", TEXT, LONG, history_retention=3_600_000),
    )
    builder.global_table(PLANS, Consumed(TEXT, TEXT), Materialized("plans", TEXT, TEXT))
    grouped.count(Materialized("forgotten", TEXT, LONG, logging=False))
    totals.to_stream().to(OUT, Produced(TEXT, serdes.json(Total)))
    return builder.build()


class Tabled:
    """An application that has run and ended, and what its stores must hold."""

    def __init__(self, broker: LocalBroker, folder: Path) -> None:
        self.servers = broker.bootstrap_servers
        for topic in (EVENTS, PRICES, PLANS, OUT):
            broker.create_topic(topic, 3, config={"retention.ms": "-1"})
        producer = Producer({"bootstrap.servers": self.servers, "partitioner": "murmur2_random"})
        self.events: list[tuple[str, int]] = []
        for number in range(RECORDS):
            key, at = KEYS[number % len(KEYS)], BEGIN_MS + number * 100
            self.events.append((key, at))
            producer.produce(EVENTS, f"v{number}", key, timestamp=at)
        for key in KEYS:
            for price in (1, 2):
                value = price.to_bytes(8, "big")
                producer.produce(PRICES, value, key, timestamp=BEGIN_MS + price * 1000)
            producer.produce(PLANS, f"plan of {key}", key)
        producer.flush()
        self.config = settings(broker, folder, NAME)
        self.run(2 * len(KEYS))

    def run(self, prices: int) -> None:
        """Run it until all events are counted, in this process."""
        run_until(
            topology(),
            self.config,
            lambda seen: (
                Counter(output[0] for output in seen)
                >= Counter({OUT: RECORDS, f"{NAME}-prices-changelog": prices})
            ),
        )


@pytest.fixture(scope="module")
def tabled(kafka_broker: LocalBroker, tmp_path_factory: pytest.TempPathFactory) -> Tabled:
    return Tabled(kafka_broker, tmp_path_factory.mktemp("tabled"))


@pytest.fixture
def loaded(tabled: Tabled, spark: SparkSession) -> Any:
    """Return the rows of a store as dicts."""

    def load(store: str, **more: Any) -> list[dict[str, Any]]:
        given = {"topology": topology(), **more}
        frame = streams.state(NAME, store, tabled.config, spark=spark, **given)
        return [row.asDict(recursive=True) for row in frame.collect()]

    return load


def test_a_store_has_typed_columns(tabled: Tabled, loaded: Any, spark: SparkSession) -> None:
    frame = streams.state(NAME, "totals", tabled.config, topology=topology(), spark=spark)
    assert frame.schema.simpleString() == (
        "struct<partition:int,key:string,value:struct<count:bigint,last:string,seen:array<bigint>,"
        "note:string>,timestamp:timestamp>"
    )
    assert frame.rdd.getNumPartitions() == 3
    rows = {row["key"]: row for row in loaded("totals")}
    assert sorted(rows) == KEYS
    for number, key in enumerate(KEYS):
        last = RECORDS - len(KEYS) + number
        count = RECORDS // len(KEYS)
        assert rows[key]["value"] == {
            "count": count,
            "last": f"v{last}",
            "seen": [count - 1],
            "note": None,
        }
        assert rows[key]["timestamp"].timestamp() * 1000 == BEGIN_MS + last * 100
    frame.createOrReplaceTempView("totals")
    found = spark.sql("SELECT sum(value.count) AS events, count(*) AS keys FROM totals").first()
    assert found is not None
    assert (found.events, found["keys"]) == (RECORDS, len(KEYS))


def test_windows_sessions_versions_and_global_tables(tabled: Tabled, loaded: Any) -> None:
    windows = Counter((key, at // 10_000 * 10_000) for key, at in tabled.events)
    shown = {
        (row["key"], round(row["window_start"].timestamp() * 1000)): row["value"]
        for row in loaded("windows")
    }
    assert shown == dict(windows)
    sessions = loaded("sessions")
    assert len(sessions) == RECORDS
    assert all(row["window_start"] == row["window_end"] for row in sessions)
    prices = {(row["key"], row["value"]): row for row in loaded("prices")}
    assert len(prices) == 2 * len(KEYS)
    old, new = prices[KEYS[0], 1], prices[KEYS[0], 2]
    assert (old["valid_to"], new["valid_to"]) == (new["valid_from"], None)
    assert {row["key"]: row["value"] for row in loaded("plans")} == {
        key: f"plan of {key}" for key in KEYS
    }


def test_without_types_it_is_bytes_and_serdes_can_be_given(loaded: Any) -> None:
    rows = loaded("totals", topology=None)
    assert {bytes(row["key"]) for row in rows} == {key.encode() for key in KEYS}
    rows = loaded("windows", topology=None, key=TEXT, value=LONG)
    assert sum(row["value"] for row in rows) == RECORDS


def test_the_data_source_is_found_by_its_name(
    tabled: Tabled, spark: SparkSession, tmp_path: Path
) -> None:
    file = tmp_path / "client.properties"
    file.write_text(f"bootstrap.servers={tabled.servers}\n")
    asked = spark.read.format("penstock-state").option("application", NAME)
    asked = asked.option("keyType", "string").option("valueType", "long")
    frame = asked.option("store", "windows").option("settings", str(file)).load()
    assert frame.columns == [
        "partition",
        "key",
        "value",
        "timestamp",
        "window_start",
        "window_end",
    ]
    file.unlink()  # the read is planned once, whatever is computed later
    assert frame.selectExpr("sum(value)").first()[0] == RECORDS  # type: ignore[index]
    file.touch()  # the option is still there
    streams.register(spark)
    direct = asked.option("store", "sessions").option("bootstrap.servers", tabled.servers).load()
    assert direct.where("partition = 1").count() < direct.count() == RECORDS
    with pytest.raises(PySparkException, match=r"are not taken from \.schema"):
        asked.option("store", "sessions").schema("key string").load().collect()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "needs option\\('store', ...\\)"),
        ({"store": "totals", "sasl.password": "secret1"}, "'sasl.password' holds a secret"),
        ({"store": "totals", "until": "0-5"}, "'until' must look like 0:1200,1:980"),
        ({"store": "totals", "keyType": "strong"}, "did you mean 'string'"),
        ({"store": "totals", "bootstrap.server": "x"}, "bootstrap.server"),
        ({"store": "total"}, "has no store 'total'; its stores: 'forgotten', 'prices'"),
    ],
)
def test_wrong_options_are_refused(
    options: dict[str, str], message: str, tabled: Tabled, spark: SparkSession
) -> None:
    asked = spark.read.format("penstock-state").option("application", NAME)
    asked = asked.option("bootstrap.servers", tabled.servers).options(**options)
    with pytest.raises(PySparkException, match=message) as refused:
        asked.load().collect()
    assert "secret1" not in str(refused.value)


def test_what_cannot_be_a_table_is_refused(tabled: Tabled, loaded: Any) -> None:
    with pytest.raises(QueryError, match="store 'forgotten' has no changelog"):
        loaded("forgotten")
    with pytest.raises(QueryError, match="has no store 'total'"):
        loaded("total")
    with pytest.raises(StreamsError, match="'nobody' has never run"):
        streams.state("nobody", "totals", tabled.config)
    with pytest.raises(ConfigError, match="until must be offsets by partition"):
        loaded("totals", until=[5])
    with pytest.raises(StreamsError, match="has the committed offsets 0 to"):
        loaded("totals", until={0: 10**9})


def test_an_earlier_offset_shows_the_state_of_then(loaded: Any) -> None:
    partition = loaded("totals")[0]["partition"]
    (first,) = [
        row for row in loaded("totals", until={partition: 1}) if row["partition"] == partition
    ]
    assert first["value"]["count"] == 1
    assert {row["partition"] for row in loaded("totals", until={partition: 0})} == (
        {0, 1, 2} - {partition}
    )


def test_the_examples_of_state_as_tables_md_are_as_they_say(
    tabled: Tabled, spark: SparkSession
) -> None:
    config = {key: tabled.config.given()[key] for key in ("bootstrap.servers", "state.dir")}
    names = {"spark": spark, "config": config, "topology": topology()}
    run_page(DOCS / "spark" / "state-as-tables.md", names)
