"""DataFrames written to topics: by stream and by batch, killed, replayed, cut otherwise, typed."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.cimpl import NewPartitions
from pyspark.errors import PySparkException, StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from penstock import serdes
from penstock import spark as streams
from penstock._engine.kafka.client.admin_calls import open_admin
from penstock._engine.kafka.client.topic_io import Read, TopicReader
from penstock._engine.runtime.output.murmur2 import partition_of
from penstock.errors import ConfigError, StreamsError
from penstock.settings import StreamsConfig
from penstock.testing.broker import CreateTopic, LocalBroker
from tests.docs.blocks import DOCS, run_page

pytestmark = pytest.mark.slow

SCHEMA = "key string, value string, timestamp long"
NOW = {"availableNow": True}
STEPS = (
    "sink-before-init",
    "sink-after-init",
    "sink-after-journal",
    "sink-writing",
    "sink-before-commit",
    "sink-after-commit",
)
WAIT_SECONDS = 300


class Folder:
    """A folder of JSON files that a query reads, and the topic that it writes."""

    def __init__(self, spark: SparkSession, servers: str, topic: str, path: Path) -> None:
        self.spark, self.servers, self.topic, self.path = spark, servers, topic, path
        self.config = {"bootstrap.servers": servers}
        self.checkpoint = str(path / "checkpoint")
        self.expected: list[str] = []
        self._files = 0
        (path / "in").mkdir()

    def add(self, rows: int = 20, files: int = 4) -> None:
        """Add files; each batch reads all that is new."""
        for _ in range(files):
            lines = []
            for number in range(rows):
                name = f"{self._files}-{number}"
                # Files are read side by side, and each begins anew in time.
                row = {"key": f"k{number % 5}", "value": name, "timestamp": 1000 + number}
                lines.append(json.dumps(row))
                self.expected.append(name)
            file = self.path / "in" / f"{self._files}.json"
            file.write_text("\n".join(lines))
            self._files += 1

    def frame(self) -> DataFrame:
        return self.spark.readStream.schema(SCHEMA).json(str(self.path / "in"))

    def plain(self, frame: DataFrame | None = None, **options: str) -> None:
        """Write all that is there by `format("penstock")`."""
        chosen = self.frame() if frame is None else frame
        writer = chosen.writeStream.format("penstock")
        writer = writer.option("topic", self.topic).option("bootstrap.servers", self.servers)
        writer = writer.option("checkpointLocation", self.checkpoint).options(**options)
        _wait(writer.trigger(availableNow=True).start())

    def placed(self, frame: DataFrame | None = None, **more: Any) -> None:
        """Write all that is there by `write_stream`."""
        chosen = self.frame() if frame is None else frame
        given = {"checkpoint": self.checkpoint, "trigger": NOW, **more}
        _wait(streams.write_stream(chosen, self.topic, self.config, **given))

    def forget_last_commit(self) -> None:
        """Make Spark run the last batch again, as if it had died before it noted its end."""
        commits = Path(self.checkpoint) / "commits"
        last = max(int(file.name) for file in commits.iterdir() if file.name.isdigit())
        for name in (str(last), f".{last}.crc"):
            (commits / name).unlink(missing_ok=True)

    def written(self) -> list[Read]:
        return committed(self.servers, self.topic)

    def wait_for_rows(self, query: Any) -> None:
        """Wait until a running query has written all that was in the files."""
        deadline = time.monotonic() + WAIT_SECONDS
        while len(self.written()) < len(self.expected):
            assert query.isActive, f"the query has ended: {query.exception()}"
            assert time.monotonic() < deadline, "the rows were not written"
            time.sleep(0.2)
        self.check()

    def check(self) -> None:
        """Compare what is committed with what was in the files."""
        values = Counter((record.value or b"").decode() for record in self.written())
        assert values == Counter(self.expected)


def _wait(query: Any) -> None:
    try:
        assert query.awaitTermination(WAIT_SECONDS), "the query did not end"
    finally:
        query.stop()


def committed(servers: str, topic: str) -> list[Read]:
    reader = TopicReader(servers, [topic])
    found: list[Read] = []
    while not reader.caught_up:
        found += reader.read(0.1)
    reader.close()
    return found


@pytest.fixture
def folder(
    spark: SparkSession, kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> Folder:
    return Folder(spark, kafka_broker.bootstrap_servers, kafka_topic("frames", 3), tmp_path)


@pytest.fixture
def ways(folder: Folder) -> dict[str, Callable[..., None]]:
    return {"plain": folder.plain, "placed": folder.placed}


class Failing:
    """A row that holds its partition back until others are committed, and then fails."""

    def __init__(self, folder: Folder) -> None:
        self._folder, self._file = folder, folder.path / "failing"
        self._file.write_text("hold")

    def frame(self) -> DataFrame:
        path, fatal = str(self._file), self._folder.expected[-1]

        @F.udf(returnType="string", useArrow=False)
        def pass_or_fail(value: str) -> str:
            deadline = time.monotonic() + WAIT_SECONDS
            while value == fatal and Path(path).exists():
                if Path(path).read_text() == "fail" or time.monotonic() >= deadline:
                    msg = f"row {value} fails"
                    raise ValueError(msg)
                time.sleep(0.05)
            return value

        return self._folder.frame().withColumn("value", pass_or_fail("value"))

    def run(self) -> int:
        """Write with the plain sink until it fails; return how many rows are committed."""
        with ThreadPoolExecutor(1) as threads:
            watching = threads.submit(self._fail_after_commit)
            with pytest.raises(StreamingQueryException, match="fails"):
                self._folder.plain(self.frame())
            watching.result(WAIT_SECONDS)
        self._file.unlink()
        return len(self._folder.written())

    def _fail_after_commit(self) -> None:
        deadline = time.monotonic() + WAIT_SECONDS
        while not self._folder.written() and time.monotonic() < deadline:
            time.sleep(0.05)
        self._file.write_text("fail")


@pytest.mark.parametrize("way", [pytest.param("plain", marks=pytest.mark.long), "placed"])
def test_workers_killed_at_each_step_and_batches_replayed(
    way: str, folder: Folder, ways: dict[str, Callable[..., None]], crash_file: Path
) -> None:
    # Each step of the plain way, without Spark: tests/broker/test_sink.py.
    for step in STEPS if way == "placed" else STEPS[-2:]:
        folder.add(rows=5, files=3)
        crash_file.write_text(step)
        ways[way]()
        assert not crash_file.exists(), f"no worker was killed at {step}"
    folder.check()
    for _ in range(2):
        folder.forget_last_commit()
        ways[way]()
    folder.check()
    folder.add(rows=5)
    ways[way]()
    folder.check()


def test_records_are_placed_as_by_java_and_sorted_by_time(folder: Folder) -> None:
    folder.add()
    folder.placed()
    folder.check()
    records = folder.written()
    for record in records:
        assert record.partition == partition_of(record.key or b"", 3)
    for partition in range(3):
        times = [record.timestamp for record in records if record.partition == partition]
        assert times == sorted(times)


def test_partitions_that_a_topic_gets_while_the_query_runs_are_used(folder: Folder) -> None:
    folder.add(rows=50, files=1)
    query = streams.write_stream(
        folder.frame(), folder.topic, folder.config, checkpoint=folder.checkpoint
    )
    try:
        folder.wait_for_rows(query)
        grown = open_admin(StreamsConfig({"application.id": "grow", **folder.config}))
        (done,) = grown.create_partitions([NewPartitions(folder.topic, 6)]).values()
        done.result(WAIT_SECONDS)
        before = len(folder.expected)
        folder.add(rows=50, files=1)
        folder.wait_for_rows(query)
    finally:
        query.stop()
    later = set(folder.expected[before:])
    records = [one for one in folder.written() if (one.value or b"").decode() in later]
    places = [partition_of(record.key or b"", 6) for record in records]
    assert [record.partition for record in records] == places
    assert max(places) > 2


def test_a_batch_that_fails_in_the_middle_is_finished(folder: Folder) -> None:
    """The plain sink must compare the partitions first, which takes another start."""
    folder.add()
    failing = Failing(folder)
    partly = failing.run()
    assert 0 < partly < len(folder.expected)
    with pytest.raises(StreamingQueryException, match="start the query again, it writes the rest"):
        folder.plain(failing.frame())
    assert len(folder.written()) == partly
    folder.plain(failing.frame())
    folder.check()


def test_another_cut_of_a_half_written_batch_is_refused(folder: Folder) -> None:
    folder.add()
    failing = Failing(folder)
    partly = failing.run()
    for partitions in (1, 7):
        with pytest.raises(StreamingQueryException, match="afterPartialWrite"):
            folder.plain(failing.frame().repartition(partitions))
        assert len(folder.written()) == partly
    folder.plain(failing.frame().repartition(7), afterPartialWrite="again")
    values = Counter((record.value or b"").decode() for record in folder.written())
    assert values.total() == partly + len(folder.expected)
    assert set(values) == set(folder.expected)


def test_write_stream_does_not_depend_on_the_cut_of_the_source(folder: Folder) -> None:
    folder.add()
    folder.placed(folder.frame().repartition(5))
    for partitions in (1, 8):
        folder.forget_last_commit()
        folder.placed(folder.frame().repartition(partitions))
    folder.check()


def test_two_queries_and_a_new_checkpoint_are_writers_of_their_own(folder: Folder) -> None:
    folder.add(files=1)
    folder.plain()
    folder.placed(checkpoint=f"{folder.checkpoint}-other")
    folder.checkpoint += "-new"
    folder.plain()
    folder.expected *= 3
    folder.check()


def test_batches_are_written_with_all_columns(
    spark: SparkSession, folder: Folder, kafka_topic: CreateTopic
) -> None:
    other = kafka_topic("other", 2)
    frame = spark.createDataFrame(
        [
            (1, ("pen", 3), [("h", bytearray(b"x"))], 5000, 1, folder.topic),
            (None, None, None, 6000, None, other),
        ],
        "key int, value struct<item:string,count:int>, "
        "headers array<struct<key:string,value:binary>>, timestamp long, partition int, "
        "topic string",
    )
    writer = frame.write.format("penstock").mode("append").options(**folder.config)
    writer.option("keyType", "integer").option("valueType", "json").save()
    (first,) = folder.written()
    assert (first.key, first.value) == (b"\0\0\0\1", b'{"item":"pen","count":3}')
    assert (first.timestamp, first.partition, first.headers) == (5000, 1, (("h", b"x"),))
    (second,) = committed(folder.servers, other)
    assert (second.key, second.value, second.timestamp, second.headers) == (None, None, 6000, ())


def test_typed_columns_of_a_stream(folder: Folder) -> None:
    folder.add(files=1)
    typed = folder.frame().selectExpr(
        "timestamp AS key",
        "struct(value, key AS name) AS value",
        "timestamp_millis(timestamp) AS timestamp",
    )
    folder.placed(typed, key=serdes.long(), value=serdes.json())
    records = sorted(folder.written(), key=lambda record: record.timestamp)
    assert [record.timestamp for record in records] == list(range(1000, 1020))
    assert {int.from_bytes(record.key or b"", "big") for record in records} == set(
        range(1000, 1020)
    )
    assert json.loads(records[3].value or b"") == {"value": "0-3", "name": "k3"}


def test_mistakes_are_found_before_anything_is_written(folder: Folder, spark: SparkSession) -> None:
    folder.add(files=1)
    wrong = folder.frame().withColumn("colour", F.lit("red"))
    with pytest.raises(StreamsError, match="got 'colour'"):
        folder.placed(wrong)
    with pytest.raises(StreamingQueryException, match="got 'colour'"):
        folder.plain(wrong)
    with pytest.raises(
        StreamingQueryException, match=r"'sasl\.password' holds a secret"
    ) as refused:
        folder.plain(None, **{"sasl.password": "hush1"})
    assert "hush1" not in str(refused.value)
    with pytest.raises(StreamsError, match="writes streaming DataFrames"):
        folder.placed(spark.range(3).selectExpr("'x' AS value"))
    with pytest.raises(ConfigError, match="from 1 to the 3 of topic"):
        folder.placed(partitions=4)
    with pytest.raises(ConfigError, match="key must be a serde, such as"):
        folder.placed(key="string")
    with pytest.raises(ConfigError, match="after_partial_write must be"):
        folder.placed(after_partial_write="hope")
    batch = spark.range(3).selectExpr("'x' AS value").write.format("penstock")
    batch = batch.options(**folder.config).option("topic", folder.topic)
    with pytest.raises(PySparkException, match="cannot be overwritten"):
        batch.mode("overwrite").save()
    assert folder.written() == []


def test_the_examples_of_sink_md_are_as_they_say(
    folder: Folder, spark: SparkSession, kafka_topic: CreateTopic
) -> None:
    folder.add(files=2)
    names = {
        "spark": spark,
        "config": folder.config,
        "folder": str(folder.path / "in"),
        "checkpoints": folder.path,
        "topic": folder.topic,
    }
    run_page(DOCS / "spark" / "sink.md", names)
