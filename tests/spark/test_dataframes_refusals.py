"""What a bounded run refuses before its job starts, and what to do instead."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.errors import AnalysisException, IllegalArgumentException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from penstock import (
    Consumed,
    JoinWindows,
    Processor,
    ProcessorContext,
    Produced,
    PunctuationType,
    Record,
    StreamsBuilder,
    Topology,
    serdes,
)
from penstock._engine.planner.layout import draft_of
from penstock._engine.spark.batch import backfill
from penstock._engine.spark.batch.inputs import with_all_offsets
from penstock.database import Database
from penstock.errors import ConfigError, StreamsError
from penstock.outbox import write_once
from penstock.spark import Typed, run, write_stream
from penstock.timestamps import WallclockTimestampExtractor

pytestmark = pytest.mark.slow

TEXT = serdes.string()
RECORDS = "key string, value string, timestamp long"


def copies() -> Topology:
    builder = StreamsBuilder()
    builder.stream("in", Consumed(TEXT, TEXT)).to("out", Produced(TEXT, TEXT))
    return builder.build()


def refusal(action: Callable[[], object]) -> str:
    with pytest.raises(StreamsError) as refused:
        action()
    return str(refused.value)


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (
            "key string, value string",
            "input 'in' must have the columns 'key', 'value' and 'timestamp'; it has no "
            "'timestamp', its columns are 'key', 'value'; rename one, for example "
            "frame.withColumnRenamed(..., 'timestamp')",
        ),
        (
            "key string, value int, timestamp long",
            "input 'in': column 'value' must be binary or string, or Typed(frame, value=...) must "
            "say how it becomes bytes; got int",
        ),
        (
            "key string, value string, timestamp string",
            "input 'in': column 'timestamp' must be timestamp, or bigint milliseconds; got string",
        ),
        (
            f"{RECORDS}, headers map<string,string>",
            "input 'in': column 'headers' must be array<struct<key:string,value:binary>>; got "
            "map<string,string>",
        ),
        (
            f"{RECORDS}, partition string",
            "input 'in': column 'partition' must be int; got string",
        ),
        (
            f"{RECORDS}, offset long",
            "input 'in' has the column 'offset' without 'partition', and offsets have an order "
            "within a partition only: add the column 'partition', or leave 'offset' out",
        ),
        (
            f"{RECORDS}, topic string, timestampType int, amount double",
            "the columns of input 'in' must be key, value, timestamp, headers, partition, offset; "
            "got 'amount': put it into the value or the headers, or drop it",
        ),
    ],
)
def test_columns_that_do_not_fit(spark: SparkSession, columns: str, expected: str) -> None:
    frame = spark.createDataFrame([], columns)
    assert refusal(lambda: run(copies(), {"in": frame})) == expected


def test_a_type_that_its_serde_does_not_write_is_refused_before_any_job(
    spark: SparkSession,
) -> None:
    builder = StreamsBuilder()
    builder.stream("in", Consumed(TEXT, serdes.long())).to("out", Produced(TEXT, serdes.long()))
    # A job would read the partitions first, to count them.
    frame = spark.range(1).selectExpr(
        "'a' AS key", "1.5D AS value", "id AS timestamp", "raise_error('a job') AS partition"
    )
    frame = frame.withColumn("partition", F.col("partition").cast("int"))
    for typed in (Typed(frame), Typed(frame, value=serdes.long())):
        with pytest.raises(StreamsError) as refused:
            run(builder.build(), {"in": typed})
        assert str(refused.value) == (
            "input 'in': column 'value' must be bigint for serdes.long(); got double; cast it, or "
            "pass the serde of what it holds"
        )


def test_workers_of_another_python_are_refused_before_any_job(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a program that runs in an environment which is not activated: `python3` is another."""
    other = tmp_path / "python3"
    other.write_text(f"#!/bin/sh\necho {sys.version_info.major}.{sys.version_info.minor} False\n")
    other.chmod(0o755)
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(other))
    batch = spark.createDataFrame([], RECORDS)
    stream = spark.readStream.format("rate").load().selectExpr("'a' AS key", "'b' AS value")
    starts: list[Callable[[], object]] = [
        lambda: run(copies(), {"in": batch}),
        lambda: run(copies(), {"in": stream}, folder=tmp_path / "live"),
        lambda: write_stream(stream, "out", {"bootstrap.servers": "127.0.0.1:1"}),
    ]
    for start in starts:
        with pytest.raises(ConfigError) as refused:
            start()
        assert "which has no package 'penstock'; set PYSPARK_PYTHON=" in str(refused.value)
        assert str(other) in str(refused.value)


def test_errors_of_the_format_are_a_sentence(spark: SparkSession) -> None:
    with pytest.raises(AnalysisException) as unread:
        spark.read.format("penstock").load()
    rows = spark.range(1).selectExpr("'a' AS value", "'b' AS other", "'c' AS key").write
    to_topic = rows.format("penstock").mode("append").option("topic", "out")
    to_topic = to_topic.option("kafka.bootstrap.servers", "127.0.0.1:1")
    with pytest.raises(AnalysisException) as unwritten:
        to_topic.save()
    for error, sentence in (
        (unread, "penstock.errors.ConfigError: format('penstock') needs one of option('topic', "),
        (unwritten, "penstock.errors.StreamsError: columns of what is written must be key, value"),
    ):
        subject, _, told = str(error.value).partition(": ")
        assert subject.startswith("[PYTHON_DATA_SOURCE_ERROR] Failed to ")
        assert told.startswith(sentence)
        assert len(str(error.value)) < 400
    # Spark compares it with a table's before the source is asked: see docs/spark/sink.md.
    with pytest.raises(IllegalArgumentException, match="requirement failed: The provided partit"):
        to_topic.partitionBy("key").save()


def test_write_once_of_rows_without_offsets(spark: SparkSession, tmp_path: Path) -> None:
    """Each run would number them from 0, and take the marks of an earlier one for its own."""
    once: Any = write_once(Database(f"sqlite:{tmp_path}/shop.db"), lambda *_: None, name="orders")
    builder = StreamsBuilder()
    builder.stream("in", Consumed(TEXT, TEXT)).process_values(once).to("out")
    config = {"default.key.serde": TEXT, "default.value.serde": TEXT}
    for columns in (RECORDS, f"{RECORDS}, partition int"):
        frame = spark.createDataFrame([], columns)
        said = refusal(lambda frame=frame: run(builder.build(), {"in": frame}, config))  # type: ignore[misc]
        assert said.startswith("write_once(name='orders') knows records by partition and offset")
    placed = f"{RECORDS}, partition int, offset long"
    frame = spark.createDataFrame([("a", "b", 1, 0, None)], placed)
    run(builder.build(), {"in": frame}, config)  # its rows are looked at later
    with pytest.raises(Exception, match="column 'offset' must not be null"):
        with_all_offsets("in", frame).collect()


def test_write_once_in_a_backfill_of_rows_that_lack_offsets(
    spark: SparkSession, tmp_path: Path
) -> None:
    """They would be numbered from 0, and the live records of these numbers not be written."""
    once: Any = write_once(Database(f"sqlite:{tmp_path}/shop.db"), lambda *_: None, name="orders")
    builder = StreamsBuilder()
    builder.stream("in", Consumed(TEXT, TEXT)).process_values(once).to("out", Produced(TEXT, TEXT))
    tasks = [SimpleNamespace(subtopology=plan) for plan in draft_of(builder.build(), "app").plans]
    admitted: Any = SimpleNamespace(blueprint=SimpleNamespace(tasks=tasks), begun=None)
    placed = f"{RECORDS}, partition int, offset long"
    for offset in (7, None):
        frame = spark.createDataFrame([("a", "b", 1, 0, 6), ("a", "b", 1, 0, offset)], placed)
        inputs: Any = SimpleNamespace(plans={"in": None}, given={"in": frame})
        if offset is None:
            said = refusal(lambda given=inputs: backfill._check_marks(admitted, given))  # type: ignore[misc]
            assert "in this run those of 'in' have none of their own" in said
        else:
            backfill._check_marks(admitted, inputs)


def test_two_columns_of_one_name(spark: SparkSession) -> None:
    frame = spark.createDataFrame([], f"{RECORDS}, other string").withColumnRenamed(
        "other", "value"
    )
    assert refusal(lambda: run(copies(), {"in": frame})) == (
        "input 'in' must have each column once; it has 'value' twice: drop one"
    )


def test_what_is_no_batch_of_rows(spark: SparkSession) -> None:
    assert refusal(lambda: run(copies(), {})) == (
        "inputs must be a dict of topics and DataFrames; got {}"
    )
    assert refusal(lambda: run(copies(), {"in": [1]})) == (  # type: ignore[dict-item]
        "input 'in' must be a DataFrame of Spark; got list"
    )
    ticking = spark.readStream.format("rate").load()
    assert refusal(lambda: run(copies(), {"in": ticking})) == (
        "a topology between streaming DataFrames needs folder=..., a path for the checkpoints of "
        "its queries: without them a second start would write all inputs again"
    )


def test_partitions_that_are_none(spark: SparkSession) -> None:
    frame = spark.createDataFrame([], RECORDS)
    assert refusal(lambda: run(copies(), {"in": frame}, partitions=0)) == (
        "partitions must be a number of at least 1, or a dict of topics and such numbers; got 0"
    )


def test_a_join_without_serdes(spark: SparkSession) -> None:
    builder = StreamsBuilder()
    left, right = (builder.stream(name, Consumed(TEXT, TEXT)) for name in ("left", "right"))
    left.join(right, str.__add__, JoinWindows.of_time_difference(10)).to("out")
    frame = spark.createDataFrame([], RECORDS)
    said = refusal(lambda: run(builder.build(), {"left": frame, "right": frame}))
    assert said.startswith(
        f"join store 'KSTREAM-JOINTHIS-0000000004-store' (defined at {__file__}:"
    )
    assert said.endswith(
        ") has no key serde; pass StreamJoined(key=...), or set 'default.key.serde'"
    )


class Ticking(Processor[str, str, str, str]):
    """Starts a timer that a bounded run has no clock for."""

    def init(self, context: ProcessorContext[str, str]) -> None:
        context.schedule(1000, PunctuationType.WALL_CLOCK_TIME, lambda now_ms: None)

    def process(self, record: Record[str, str]) -> None:
        """Take it."""


def test_timers_of_the_wall_clock(spark: SparkSession) -> None:
    builder = StreamsBuilder()
    builder.stream("in", Consumed(TEXT, TEXT)).process(Ticking)
    frame = spark.createDataFrame([], RECORDS)
    text = refusal(lambda: run(builder.build(), {"in": frame}))
    assert text.startswith("processor 'KSTREAM-PROCESSOR-0000000001' (defined at ")
    assert text.endswith(
        ") schedules a timer of the wall clock, which stands still in a bounded run: it would "
        "never fire; use PunctuationType.STREAM_TIME, or run the topology live with KafkaStreams"
    )


def test_records_that_take_their_time_from_the_wall_clock(spark: SparkSession) -> None:
    builder = StreamsBuilder()
    consumed = Consumed(TEXT, TEXT, timestamp_extractor=WallclockTimestampExtractor())
    builder.stream("in", consumed).to("out", Produced(TEXT, TEXT))
    frame = spark.createDataFrame([], RECORDS)
    text = refusal(lambda: run(builder.build(), {"in": frame}))
    assert text.endswith(
        "takes the time of its records from the wall clock: a bounded run would give other results "
        "each time; use the records' own time, or another timestamp extractor"
    )


def test_functions_that_cannot_travel(spark: SparkSession) -> None:
    held = spark.createDataFrame([], RECORDS)

    def uses(frame: DataFrame) -> Topology:
        builder = StreamsBuilder()
        stream = builder.stream("in", Consumed(TEXT, TEXT))
        stream.filter(lambda key, value: frame is not None).to("out", Produced(TEXT, TEXT))
        return builder.build()

    text = refusal(lambda: run(uses(held), {"in": held}))
    assert text.startswith("node 'KSTREAM-FILTER-0000000001'")


def test_where_records_name_their_topics_any_may_have_partitions(spark: SparkSession) -> None:
    builder = StreamsBuilder()
    routed = builder.stream("in", Consumed(TEXT, TEXT))
    routed.to(lambda key, value, context: value, Produced(TEXT, TEXT))
    frame = spark.createDataFrame([("key", "red", 5)], RECORDS)
    result = run(builder.build(), {"in": frame}, partitions={"red": 3})
    assert [row.value for row in result["red"].collect()] == [b"red"]
