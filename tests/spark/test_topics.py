"""Topics as streaming and batch DataFrames, on Spark: by format and by function."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException, Producer
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from penstock import serdes
from penstock import spark as streams
from penstock.errors import ConfigError, StreamsError
from penstock.serdes.wrapping import completed
from penstock.testing.broker import LocalBroker
from penstock.windowed import Windowed
from tests.docs.blocks import DOCS, run_page

pytestmark = pytest.mark.slow

ORDERS, PRICES = "tea-orders", "tea-prices"  # of the page, which runs once
COUNT = 300
FOREVER = {"retention.ms": "-1"}


@dataclass
class Order:
    number: int
    item: str


class Cluster:
    """A broker with a topic of numbered orders, and what writes more."""

    def __init__(self, broker: LocalBroker, folder: Path, numbers: Iterator[int]) -> None:
        self.broker = broker
        self._numbers = numbers
        self.config = {"bootstrap.servers": broker.bootstrap_servers, "state.dir": str(folder)}
        self._producer = Producer({"bootstrap.servers": broker.bootstrap_servers})
        self.numbered = self.topic("numbered", 2)
        self.write(self.numbered, range(COUNT))

    def topic(self, name: str, partitions: int = 1) -> str:
        """Create a topic that no other test has; return its name."""
        unique = f"{name}-{next(self._numbers)}"
        self.broker.create_topic(unique, partitions, FOREVER)
        return unique

    def write(self, topic: str, numbers: range, partitions: int = 2) -> None:
        for number in numbers:
            value = json.dumps({"number": number, "item": "tea"})
            place = number % partitions
            self.send(topic, f"k{number % 10}", value, place, [("n", b"%d" % number)])
        self.flush()

    def send(self, topic: str, key: Any, value: Any, partition: int = 0, headers: Any = ()) -> None:
        more: Any = {"timestamp": 1000, "headers": list(headers), "on_delivery": check_delivery}
        self._producer.produce(topic, value, key, partition, **more)

    def flush(self) -> None:
        assert self._producer.flush(30) == 0, "not all records were taken in 30 s"


def check_delivery(error: KafkaError | None, _: object) -> None:
    if error is not None:
        raise KafkaException(error)


@pytest.fixture(scope="module")
def cluster(
    kafka_broker: LocalBroker,
    tmp_path_factory: pytest.TempPathFactory,
    _topic_numbers: Iterator[int],
) -> Cluster:
    return Cluster(kafka_broker, tmp_path_factory.mktemp("topics"), _topic_numbers)


def run(frame: DataFrame, checkpoint: Path, take: Callable[[DataFrame, int], None]) -> list[Any]:
    """Run a query over what is there now; return the progress of its batches."""
    writer = frame.writeStream.foreachBatch(take).option("checkpointLocation", str(checkpoint))
    query = writer.trigger(availableNow=True).start()
    try:
        assert query.awaitTermination(120), "the query did not end in two minutes"
    finally:
        query.stop()
    return list(query.recentProgress)


def test_a_stream_goes_on_at_its_checkpoint_and_replays_a_failed_batch(
    cluster: Cluster, spark: SparkSession, tmp_path: Path
) -> None:
    first, second = cluster.topic("replayed", 2), cluster.topic("replayed-too")
    cluster.write(first, range(COUNT))
    frame = (
        spark.readStream.format("penstock")
        .option("subscribePattern", f"{re.escape(first)}|{re.escape(second)}")
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", "200")
        .option("includeHeaders", "true")
        .option("keyType", "string")
        .option("kafka.bootstrap.servers", cluster.config["bootstrap.servers"])
        .load()
    )
    assert frame.schema.simpleString() == (
        "struct<key:string,value:binary,topic:string,partition:int,offset:bigint,"
        "timestamp:timestamp,timestampType:int,headers:array<struct<key:string,value:binary>>>"
    )
    seen: dict[int, list[list[Any]]] = {}

    def take(batch: DataFrame, number: int) -> None:
        seen.setdefault(number, []).append(sorted(batch.collect(), key=number_of))
        if number == 1 and len(seen[1]) == 1:
            msg = "the sink is away"
            raise OSError(msg)

    with pytest.raises(PySparkException, match="the sink is away"):
        run(frame, tmp_path / "checkpoint", take)
    cluster.write(second, range(COUNT, COUNT + 10), partitions=1)
    progress = run(frame, tmp_path / "checkpoint", take)

    assert [row.offset for row in seen[1][0]] == [row.offset for row in seen[1][1]]
    assert len(seen[0]) == 1
    rows = [row for batches in seen.values() for row in batches[-1]]
    assert Counter(map(number_of, rows)) == Counter(range(COUNT + 10))
    assert {len(batches[-1]) for batches in seen.values()} == {200, COUNT - 200, 10}
    row = next(row for row in rows if number_of(row) == 7)
    assert (row.key, row.topic, row.partition, row.offset) == ("k7", first, 1, 3)
    assert (row.timestamp.timestamp(), row.timestampType) == (1.0, 0)
    assert [(one.key, bytes(one.value)) for one in row.headers] == [("n", b"7")]
    source = progress[-1].sources[0]
    ends = json.loads(source.endOffset)
    assert ends[first] == {"0": 150, "1": 150}
    assert json.loads(source.latestOffset)[second] == ends[second] == {"0": 10}


def number_of(row: Any) -> int:
    """Return the number of an order."""
    return int(json.loads(row.value)["number"])


def test_batches_between_bounds(cluster: Cluster, spark: SparkSession) -> None:
    asked = spark.read.format("penstock").option("topic", cluster.numbered)
    asked = asked.option("bootstrap.servers", cluster.config["bootstrap.servers"])
    assert asked.load().count() == COUNT
    with pytest.raises(PySparkException, match=r"are not taken from \.schema"):
        asked.schema("value string").load().collect()
    # A secret among the settings of a function is no option: no plan shows it.
    config = {**cluster.config, "app.password": "hunter2"}
    part = streams.read(
        cluster.numbered,
        config,
        value=serdes.json(Order),
        starting={cluster.numbered: {0: 10, 1: -1}},
        ending={cluster.numbered: {0: 30}},
        max_records_per_partition=10,
        spark=spark,
    )
    assert part.rdd.getNumPartitions() == 2
    assert sorted(row.number for row in part.select("value.number").collect()) == [
        *range(20, 60, 2)
    ]
    assert "hunter2" not in part._jdf.queryExecution().toString()
    assert streams.read(cluster.numbered, config, starting=2000, spark=spark).count() == 0


def test_a_table_has_the_latest_row_of_each_key(cluster: Cluster, spark: SparkSession) -> None:
    kept = cluster.topic("kept", 2)
    serde = serdes.time_windowed(serdes.string(), 10_000)
    encode = completed(serde, serdes.string, serdes.string).encode
    for number in range(50):
        key = encode(Windowed(f"k{number % 5}", 10_000, 20_000))
        cluster.send(kept, key, number.to_bytes(8, "big"), number % 5 % 2)
    cluster.send(kept, encode(Windowed("k4", 10_000, 20_000)), None)
    cluster.send(kept, None, (99).to_bytes(8, "big"))
    cluster.flush()
    frame = streams.read(
        kept, cluster.config, key=serde, value=serdes.long(), table=True, spark=spark
    )
    rows = {row.key.key: (row.value, row.key.start.timestamp()) for row in frame.collect()}
    assert rows == {f"k{number}": (45 + number, 10.0) for number in range(4)}
    by_format = spark.read.format("penstock").option("topic", kept).option("table", "true")
    by_format = by_format.option("bootstrap.servers", cluster.config["bootstrap.servers"])
    assert by_format.load().count() == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"topic": "numbered", "sasl.password": "secret1"}, "'sasl.password' holds a secret"),
        ({"topic": "unheard-of"}, "missing: 'unheard-of'"),
    ],
)
def test_wrong_options_are_refused(
    options: dict[str, str], message: str, cluster: Cluster, spark: SparkSession
) -> None:
    asked = spark.read.format("penstock").options(**options)
    with pytest.raises(PySparkException, match=message) as refused:
        asked.option("bootstrap.servers", cluster.config["bootstrap.servers"]).load().collect()
    assert "secret1" not in str(refused.value)


def test_wrong_arguments_are_refused_at_the_call(cluster: Cluster, spark: SparkSession) -> None:
    with pytest.raises(StreamsError, match="missing: 'unheard-of'"):
        streams.read("unheard-of", cluster.config, spark=spark)
    with pytest.raises(ConfigError, match="starting must be"):
        streams.read_stream(cluster.numbered, cluster.config, starting="first", spark=spark)  # type: ignore[arg-type]


def test_the_examples_of_topics_md_are_as_they_say(cluster: Cluster, spark: SparkSession) -> None:
    for topic in (ORDERS, PRICES):
        cluster.broker.create_topic(topic, 1, FOREVER)
    for key, item, grams in [("ann", "green", 50), ("bob", "black", 100), ("ann", "green", 100)]:
        cluster.send(ORDERS, key, json.dumps({"item": item, "grams": grams}))
    cluster.send(ORDERS, "cid", json.dumps({"item": "black", "grams": 200}))
    for item, price in [("green", 8), ("black", 7), ("white", 12), ("green", 9)]:
        cluster.send(PRICES, item, price.to_bytes(8, "big"))
    cluster.send(PRICES, "white", None)
    cluster.flush()
    names = {"spark": spark, "config": cluster.config}
    run_page(DOCS / "spark" / "topics.md", names)
