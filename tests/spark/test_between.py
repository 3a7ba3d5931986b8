"""A topology between streaming DataFrames: started and stopped together, killed and gone on with,
ended by one failure, refused where it could not keep its word.

Long because all share one Spark session and one broker.
"""

from __future__ import annotations

import itertools
import json
import re
import time
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

from penstock import (
    Consumed,
    KafkaStreams,
    Materialized,
    Produced,
    SessionWindows,
    StreamsBuilder,
    TimeWindows,
    Topology,
    serdes,
)
from penstock import spark as streams
from penstock._engine.kafka.application.carrier_topics import make_missing
from penstock._engine.kafka.client.groups import delete_group
from penstock._engine.spark.between.initial_tables import write_initial_tables
from penstock._engine.spark.between.live_result import LiveResult
from penstock._engine.spark.between.run_folder import RunFolder
from penstock.errors import ConfigError, StreamsError, TopologyError
from penstock.settings import StreamsConfig
from penstock.testing import TopologyTestDriver
from penstock.testing.broker import LocalBroker
from tests.docs.blocks import DOCS, run_page
from tests.spark.test_sink import committed

pytestmark = pytest.mark.slow

TEXT, LONG = serdes.string(), serdes.long()
SCHEMA = "key string, value string, timestamp long"
WAIT_SECONDS = 120
WINDOW = {"start": 0, "end": 5000}


class Files:
    """A folder of JSON files that are read as a stream."""

    def __init__(self, spark: SparkSession, path: Path) -> None:
        self._spark, self._path = spark, path
        self._count = 0
        path.mkdir()

    def add(self, *rows: tuple[str, str, int]) -> None:
        """Add a file of rows: key, value, time."""
        lines = [
            json.dumps(dict(zip(("key", "value", "timestamp"), row, strict=True))) for row in rows
        ]
        hidden = self._path / f".{self._count}"
        hidden.write_text("\n".join(lines))
        hidden.rename(self._path / f"{self._count}.json")
        self._count += 1

    def frame(self) -> DataFrame:
        return self._spark.readStream.schema(SCHEMA).json(str(self._path))


def counting(name: str, fails_on: str = "nothing", initial: Any = None) -> Topology:
    """Count the orders of customers whom a table knows."""
    builder = StreamsBuilder()
    customers = builder.table(
        f"{name}-customers", Consumed(TEXT, TEXT), Materialized(f"{name}-c"), initial=initial
    )

    def checked(order: str, customer: str) -> str:
        if order == fails_on:
            msg = f"no {order} for {customer}"
            raise ValueError(msg)
        return order

    (
        builder.stream(f"{name}-orders", Consumed(TEXT, TEXT))
        .join(customers, checked)
        .group_by_key()
        .count(Materialized(f"{name}-counts", TEXT, LONG))
        .to_stream()
        .to(f"{name}-totals", Produced(TEXT, LONG))
    )
    return builder.build()


def settings(servers: str, path: Path, **more: Any) -> dict[str, Any]:
    return {
        "bootstrap.servers": servers,
        "state.dir": str(path / "state"),
        "penstock.turn.ms": 2000,
        "statestore.cache.max.bytes": 0,
        "consumer.session.timeout.ms": 6000,
        **more,
    }


def wait_for(is_so: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not is_so():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.2)


class Shop:
    """Orders as a stream of files, customers as a batch, and the run between them and totals."""

    def __init__(self, spark: SparkSession, servers: str, name: str, path: Path) -> None:
        self.spark, self.servers, self.name, self.path = spark, servers, name, path
        self.orders = Files(spark, path / "orders")
        self._commits: set[str] = set()
        self._written: list[tuple[str, int]] = []
        self.customers = spark.createDataFrame([("a", "ada", 1000), ("b", "bob", 1000)], SCHEMA)

    def run(self, topology: Topology | None = None, **more: Any) -> LiveResult:
        inputs = {
            f"{self.name}-orders": self.orders.frame(),
            f"{self.name}-customers": self.customers,
            **more.pop("inputs", {}),
        }
        given = {"partitions": 2, "folder": self.path / "run", **more}
        config = settings(self.servers, self.path, **given.pop("config", {}))
        result: LiveResult = streams.run(topology or counting(self.name), inputs, config, **given)
        return result

    def totals(self, result: LiveResult) -> DataFrame:
        return result.typed(f"{self.name}-totals")

    def write(self, result: LiveResult, **trigger: Any) -> StreamingQuery:
        """Start a query that writes the totals to files."""
        writer = self.totals(result).select("key", "value").writeStream.format("json")
        writer = writer.option("checkpointLocation", result.checkpoint("totals"))
        if trigger:
            writer = writer.trigger(**trigger)
        return result.start(writer, str(self.path / "out"))

    def written(self) -> list[tuple[str, int]]:
        """Return what is committed; Spark is asked only if there is more than at the last time."""
        commits = {path.name for path in self.path.glob("out/_spark_metadata/[0-9]*")}
        if commits != self._commits:
            rows = self.spark.read.schema("key string, value long").json(str(self.path / "out"))
            self._written = sorted((row.key, row.value) for row in rows.collect())
            self._commits = commits
        return self._written

    def records(self, topic: str) -> int:
        return len(committed(self.servers, f"{self.name}-{topic}"))


_numbers = itertools.count(1)


@pytest.fixture
def shop(spark: SparkSession, kafka_broker: LocalBroker, tmp_path: Path) -> Shop:
    name = f"shop{next(_numbers)}"
    return Shop(spark, kafka_broker.bootstrap_servers, name, tmp_path)


def fill_the_disk(_batch: DataFrame, _number: int) -> None:
    msg = "the disk is full"
    raise OSError(msg)


def locked(frame: DataFrame, lock: Path) -> DataFrame:
    """Return customers of whom one cannot be read while a file is there."""
    lock.touch()

    @F.udf(returnType="string", useArrow=False)
    def held(value: str) -> str:
        if value == "bob" and lock.exists():
            msg = "this customer is locked"
            raise ValueError(msg)
        return value

    return frame.withColumn("value", held("value"))


def run_until_an_output_fails(shop: Shop) -> None:
    with shop.run() as result:
        assert list(result) == [f"{shop.name}-totals"]
        totals = shop.totals(result)
        assert totals.isStreaming
        assert totals.columns == ["key", "value", "timestamp", "headers", "partition", "offset"]
        shop.write(result)
        wait_for(lambda: len(shop.written()) == 3, "three totals")
        assert not result.wait(0)
        with pytest.raises(StreamsError, match="goes on in this process; close it first"):
            shop.run()  # a cell of a notebook that is run twice
        writer = totals.writeStream.foreachBatch(fill_the_disk).queryName("full")
        writer.option("checkpointLocation", result.checkpoint("full")).start()
        assert result.wait(WAIT_SECONDS * 1000), "the run goes on"


def run_until_the_application_fails(shop: Shop) -> None:
    with shop.run(counting(shop.name, fails_on="poison")) as result:
        query = shop.write(result)
        assert query.awaitTermination(WAIT_SECONDS), "the output goes on"


def test_parts_start_together_fail_together_and_go_on(shop: Shop) -> None:
    shop.customers = locked(shop.customers, shop.path / "lock")
    shop.orders.add(("a", "tea", 2000), ("b", "tea", 2001))
    shop.orders.add(("a", "cake", 2002), ("stranger", "tea", 2003))
    with pytest.raises(StreamsError, match=r"customers' failed, .*this customer is locked"):
        shop.run()
    (shop.path / "lock").unlink()
    with pytest.raises(StreamsError, match=r"output query 'full' failed, .*the disk is full"):
        run_until_an_output_fails(shop)
    assert shop.spark.streams.active == []
    shop.orders.add(("a", "poison", 2004))
    with pytest.raises(StreamsError, match=r"the application failed, .*no poison for ada"):
        run_until_the_application_fails(shop)
    assert shop.spark.streams.active == []
    refuse_other_folders(shop)
    shop.orders.add(("b", "pie", 2005))
    with shop.run(available_now=True) as result:
        assert result.wait(0)
        assert shop.write(result, availableNow=True).awaitTermination(WAIT_SECONDS)
        counts = result.store(f"{shop.name}-counts").collect()
    assert result.failure is None
    assert shop.written() == [("a", 1), ("a", 2), ("a", 3), ("b", 1), ("b", 2)]
    assert {row.key: row.value for row in counts} == {"a": 3, "b": 2}
    assert (shop.records("customers"), shop.records("orders")) == (2, 6)


def refuse_other_folders(shop: Shop) -> None:
    """Check that a run is not mixed with another."""
    with pytest.raises(StreamsError, match=r"has records already, and folder .*new does not know"):
        shop.run(folder=shop.path / "new")
    with pytest.raises(ConfigError, match="is that of application 'dataframes-"):
        shop.run(config={"application.id": "another"})
    with pytest.raises(StreamsError, match="must be a batch DataFrame, as at the first start"):
        shop.run(inputs={f"{shop.name}-customers": shop.orders.frame()})
    folder = RunFolder(shop.spark, str(shop.path / "run"))
    record = folder.read()
    assert record is not None
    orders = record.inputs[f"{shop.name}-orders"]
    known, orders.topic_id = orders.topic_id, "another"
    folder.write(record)
    with pytest.raises(StreamsError, match="was deleted and made anew"):
        shop.run()
    orders.topic_id = known
    cluster, record.cluster = record.cluster, "another"
    folder.write(record)
    with pytest.raises(StreamsError, match="on cluster another"):
        shop.run()
    record.cluster = cluster
    folder.write(record)


def test_offsets_that_the_broker_forgets_between_two_runs_are_restored(shop: Shop) -> None:
    admin = AdminClient({"bootstrap.servers": shop.servers})
    shop.orders.add(("a", "tea", 2000))
    with shop.run(available_now=True) as result:
        pass
    delete_group(admin, result.application_id)  # as after 'offsets.retention.minutes'
    shop.orders.add(("a", "cake", 2001))
    with shop.run(available_now=True) as result:
        counts = result.store(f"{shop.name}-counts").collect()
    assert {row.key: row.value for row in counts} == {"a": 2}
    folder = RunFolder(shop.spark, str(shop.path / "run"))
    record = folder.read()
    assert record is not None
    assert not record.is_running
    record.is_running = True  # as after a kill
    folder.write(record)
    delete_group(admin, result.application_id)
    with pytest.raises(StreamsError, match=r"the broker has forgotten how far topic 'shop\d+-"):
        shop.run(available_now=True)


def test_a_pattern_reads_all_of_the_inputs_and_nothing_else(shop: Shop) -> None:
    orders, foreign = f"{shop.name}-orders", f"{shop.name}-orders-of-others"
    config = settings(shop.servers, shop.path, **{"auto.offset.reset": "latest"})
    make_missing(StreamsConfig({"application.id": "x", **config}), {foreign: 2})
    write_rows(shop.servers, foreign)
    builder = StreamsBuilder()
    read = builder.stream(re.compile(f"{orders}.*"), Consumed(TEXT, TEXT, offset_reset="latest"))
    read.to(f"{shop.name}-copies", Produced(TEXT, TEXT))
    shop.orders.add(("a", "tea", 2000), ("b", "tea", 2001))
    given: Any = {"folder": shop.path / "run", "available_now": True}
    with streams.run(builder.build(), {orders: shop.orders.frame()}, config, **given):
        pass
    copies = committed(shop.servers, f"{shop.name}-copies")
    assert sorted((one.key, one.value) for one in copies) == [(b"a", b"tea"), (b"b", b"tea")]


def write_rows(servers: str, topic: str) -> None:
    producer = Producer({"bootstrap.servers": servers})
    producer.produce(topic, b"of others", b"x")
    assert producer.flush(WAIT_SECONDS) == 0


def test_what_the_sink_took_back_is_not_processed_at_least_once(shop: Shop) -> None:
    orders = f"{shop.name}-orders"
    builder = StreamsBuilder()
    builder.stream(orders, Consumed(TEXT, TEXT)).to(f"{shop.name}-copies", Produced(TEXT, TEXT))
    topology, inputs = builder.build(), {orders: shop.orders.frame()}
    config = settings(shop.servers, shop.path, **{"processing.guarantee": "at_least_once"})
    given: Any = {"folder": shop.path / "run", "available_now": True}
    shop.orders.add(("a", "tea", 2000))
    with streams.run(topology, inputs, config, **given):
        pass
    attempt = Producer({"bootstrap.servers": shop.servers, "transactional.id": orders})
    attempt.init_transactions(WAIT_SECONDS)
    attempt.begin_transaction()
    attempt.produce(orders, b"took back", b"a")
    attempt.flush()
    attempt.abort_transaction(WAIT_SECONDS)
    shop.orders.add(("b", "tea", 2000))
    with streams.run(topology, inputs, config, **given):
        pass
    copies = committed(shop.servers, f"{shop.name}-copies")
    assert sorted(str(one.key, "utf-8") for one in copies if one.key) == ["a", "b"]


def windowed(spark: SparkSession, *keys: str) -> DataFrame:
    """Return rows whose keys are in the window of the first five seconds."""
    rows = spark.createDataFrame([(key,) for key in keys], "word string")
    moments = [F.timestamp_millis(F.lit(at)).alias(name) for name, at in WINDOW.items()]
    return rows.select(F.struct(F.col("word").alias("key"), *moments).alias("key"), "word").select(
        "key", F.col("word").alias("value")
    )


def shown_keys(shop: Shop, result: LiveResult, outputs: list[str]) -> set[tuple[str, str, int]]:
    """Return the outputs' names with the words of their keys, and where the windows begin."""
    frames = [
        result.typed(topic).select(F.lit(topic).alias("topic"), "key.key", "key.start")
        for topic in outputs
    ]
    writer = reduce(DataFrame.union, frames).writeStream.format("memory")
    writer = writer.queryName(f"{shop.name}_keys").trigger(availableNow=True)
    assert result.start(writer).awaitTermination(WAIT_SECONDS)
    rows = shop.spark.table(f"{shop.name}_keys").select(
        "topic", "key", F.unix_millis("start").alias("start")
    )
    return {(row.topic.rpartition("-")[2], row.key, row.start) for row in rows.collect()}


def test_outputs_begin_with_the_first_record_there_is_and_show_windows(shop: Shop) -> None:
    orders, copies, known = (f"{shop.name}-{part}" for part in ("orders", "copies", "known"))
    config = settings(shop.servers, shop.path)
    make_missing(StreamsConfig({"application.id": "x", **config}), {copies: 1})
    write_rows(shop.servers, copies)
    builder = StreamsBuilder()
    in_time, in_session = serdes.time_windowed(TEXT, 5000), serdes.session_windowed(TEXT)
    read = builder.stream(orders, Consumed(TEXT, TEXT))
    read.to(copies, Produced(TEXT, TEXT))
    by_key = read.group_by_key()
    times = by_key.windowed_by(TimeWindows.of_size(5000)).count().to_stream()
    times.to(f"{shop.name}-times", Produced(in_time, LONG))
    times.to(f"{shop.name}-inferred", Produced(value=LONG))
    sessions = by_key.windowed_by(SessionWindows.of_inactivity_gap(5000)).count().to_stream()
    sessions.to(f"{shop.name}-sessions", Produced(in_session, LONG))
    builder.stream(known, Consumed(in_time, TEXT)).to(f"{shop.name}-again", Produced(in_time, TEXT))
    inputs: dict[str, Any] = {
        orders: shop.orders.frame(),
        known: streams.Typed(windowed(shop.spark, "c")),
    }
    shop.orders.add(("a", "tea", 2000), ("b", "tea", 2001))
    given: Any = {"folder": shop.path / "run", "available_now": True}
    with streams.run(builder.build(), inputs, config, **given) as result:
        admin = AdminClient({"bootstrap.servers": shop.servers})
        for future in admin.delete_records([TopicPartition(copies, 0, 2)]).values():
            future.result()
        writer = result[copies].writeStream.format("memory").queryName(shop.name)
        assert result.start(writer.trigger(availableNow=True)).awaitTermination(WAIT_SECONDS)
        outputs = [one for one in result if one != copies]
        assert shown_keys(shop, result, outputs) == {
            *(("times", key, 0) for key in ("a", "b")),
            *(("inferred", key, 0) for key in ("a", "b")),
            *(("sessions", key, at) for key, at in (("a", 2000), ("b", 2001))),
            ("again", "c", 0),
        }
    assert shop.spark.table(shop.name).count() == 1


Refusal: TypeAlias = tuple[dict[str, Any], type[StreamsError], str]


def refusals(shop: Shop) -> dict[str, Refusal]:
    """Return arguments that are wrong, and how each is refused."""
    orders, customers = f"{shop.name}-orders", f"{shop.name}-customers"
    return {
        "an input that is not read": (
            {"inputs": {"tea": shop.customers}},
            StreamsError,
            "the inputs have 'tea', which the topology does not read",
        ),
        "a column that would be lost": (
            {"inputs": {orders: shop.orders.frame().withColumn("colour", F.lit("red"))}},
            StreamsError,
            f"input '{orders}': columns of what is written must be .*; got 'colour'",
        ),
        "a value without a serde": (
            {"inputs": {customers: shop.customers.withColumn("value", F.lit(1.5))}},
            StreamsError,
            f"input '{customers}': column 'value' .* must be binary or string",
        ),
        "no DataFrame": (
            {"inputs": {customers: [1]}},
            StreamsError,
            f"input '{customers}' must be a DataFrame of Spark; got list",
        ),
        "no folder": ({"folder": None}, ConfigError, "needs folder=..."),
        "a folder of no file system": (
            {"folder": "nowhere://x/y"},
            ConfigError,
            "folder must be a path that Spark can write to",
        ),
        "a trigger of a run that ends": (
            {"available_now": True, "trigger": {"processingTime": "1 second"}},
            ConfigError,
            "leave out available_now",
        ),
        "partitions of no topic": (
            {"partitions": {"tea": 3}},
            StreamsError,
            "partitions has 'tea'",
        ),
        "another session": (
            {
                "inputs": {
                    customers: shop.spark.newSession().createDataFrame([("a",)], "value string")
                }
            },
            StreamsError,
            "must be of one Spark session",
        ),
    }


def test_what_cannot_be_run_is_refused_before_anything_is_written(shop: Shop) -> None:
    for what, (given, kind, match) in refusals(shop).items():
        with pytest.raises(kind, match=match):
            shop.run(**given)
        assert not (shop.path / "run").exists(), what
    with pytest.raises(ConfigError, match="are for streaming inputs"):
        streams.run(counting(shop.name), {"orders": shop.customers}, folder=shop.path / "run")


def test_a_table_begins_with_a_dataframe(shop: Shop) -> None:
    topology = counting(shop.name, initial=locked(shop.customers, shop.path / "lock"))
    config = StreamsConfig({"application.id": shop.name, **settings(shop.servers, shop.path)})
    with pytest.raises(StreamsError, match=r"'shop[0-9]+-customers' must exist before table"):
        KafkaStreams(topology, config).start()
    make_missing(config, {f"{shop.name}-{part}": 2 for part in ("customers", "orders", "totals")})
    with pytest.raises(StreamsError, match=r"initial=.* cannot be written: .*customer is locked"):
        KafkaStreams(topology, config).start()
    (shop.path / "lock").unlink()
    for _ in range(2):
        write_initial_tables(topology, config)
        assert shop.records("customers") == 2
    wrong = counting(shop.name, initial=shop.customers.withColumn("colour", F.lit("red")))
    with pytest.raises(StreamsError, match=r"table\('.*-customers', initial=...\): .*'colour'"):
        KafkaStreams(wrong, config).start()
    another = StreamsConfig({**config.given(), "application.id": f"{shop.name}-other"})
    with pytest.raises(StreamsError, match=r"has records already, .* as if they were newer"):
        KafkaStreams(topology, another).start()


def test_where_a_table_cannot_begin_with_a_dataframe(shop: Shop) -> None:
    with pytest.raises(TopologyError, match="must be a batch DataFrame: its rows are written once"):
        counting("begins", initial=shop.orders.frame())
    with pytest.raises(TopologyError, match="must be a DataFrame of Spark, or Typed"):
        counting("begins", initial=[("a", "ada")])
    topology = counting("begins", initial=shop.customers)
    with pytest.raises(TopologyError, match="and pipe its rows into the topic"):
        TopologyTestDriver(topology)
    with pytest.raises(TopologyError, match="and give the DataFrame as an input"):
        streams.run(topology, {"begins-orders": shop.customers})
    with pytest.raises(TopologyError, match="and give the DataFrame in inputs="):
        streams.backfill(topology, {"application.id": "begins", "bootstrap.servers": shop.servers})
    both = {"begins-customers": shop.customers, "begins-orders": shop.orders.frame()}
    with pytest.raises(StreamsError, match="are both batch DataFrames; give one of them"):
        streams.run(topology, both, folder=shop.path / "run")


def test_the_page_is_as_it_says(
    spark: SparkSession, kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    orders, payments = Files(spark, tmp_path / "orders"), Files(spark, tmp_path / "payments")
    orders.add(("1", "tea", 60_000), ("2", "pen", 120_000))
    orders.add(("3", "ink", 61_000))
    payments.add(("2", "cash", 130_000), ("1", "card", 70_000), ("3", "late", 900_000))
    config = settings(kafka_broker.bootstrap_servers, tmp_path)
    names = {"spark": spark, "folder": str(tmp_path), "config": config}
    run_page(DOCS / "spark" / "between.md", names)
