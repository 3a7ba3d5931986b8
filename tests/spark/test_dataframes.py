"""The same topology over DataFrames: outputs and stores, on any number of partitions."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from penstock import (
    Consumed,
    Grouped,
    Materialized,
    Produced,
    StreamsBuilder,
    TimeWindows,
    Topology,
    serdes,
)
from penstock._engine.spark.batch.result import Result
from penstock._engine.spark.dataframes.rows import RecordRows
from penstock.errors import StreamsError
from penstock.spark import Typed, run
from penstock.testing import TopologyTestDriver

pytestmark = pytest.mark.slow

TEXT = serdes.string()
WORDS = [(f"k{n % 3}", f"w{n % 5}", 1000 + n) for n in range(50)]


def word_counts() -> Topology:
    builder = StreamsBuilder()
    words = builder.stream("words", Consumed(TEXT, TEXT)).map(lambda key, word: (word, key))
    counts = words.group_by_key(Grouped("by-word", TEXT, TEXT)).count(Materialized("counts", TEXT))
    counts.to_stream().to("counts", Produced(TEXT, serdes.long()))
    return builder.build()


def windowed_counts() -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("words", Consumed(TEXT, TEXT)).group_by_key(Grouped(None, TEXT, TEXT))
    windows = TimeWindows.of_size(timedelta(milliseconds=20), grace=timedelta(milliseconds=5))
    stream.windowed_by(windows).count(Materialized("windows", TEXT, retention=timedelta(hours=1)))
    return builder.build()


@pytest.fixture(scope="module")
def words(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(WORDS, "key string, value string, timestamp long")


@pytest.fixture(scope="module")
def counted(words: DataFrame) -> Iterator[tuple[Result, list[Any]]]:
    """Yield a result that has been computed, and the progress that was reported meanwhile."""
    seen: list[Any] = []
    result = run(word_counts(), {"words": words}, partitions=3).compute(seen.append)
    yield result, seen
    result.unpersist()


def milliseconds(time: datetime) -> int:
    return round(time.timestamp() * 1000)


def driven() -> list[tuple[Any, ...]]:
    """Return what the test driver says of the words."""
    with TopologyTestDriver(word_counts()) as driver:
        topic = driver.create_input_topic("words", TEXT, TEXT)
        for key, word, time in WORDS:
            topic.pipe_input(key, word, timestamp=time)
        records = driver.create_output_topic("counts", TEXT, serdes.long()).read_records()
    return [(record.key, record.value, record.timestamp) for record in records]


def shown(rows: list[Row]) -> list[tuple[Any, ...]]:
    return [(row.key, row.value, milliseconds(row.timestamp)) for row in rows]


def test_outputs_are_those_of_the_test_driver(words: DataFrame) -> None:
    result = run(word_counts(), {"words": words}, partitions=1)
    assert list(result) == ["counts"]
    rows = result.typed("counts").orderBy("partition", "offset").collect()
    assert shown(rows) == driven()
    assert [row.offset for row in rows] == list(range(50))
    result.unpersist()


def test_outputs_of_several_partitions_are_the_same(counted: tuple[Result, list[Any]]) -> None:
    rows = counted[0].typed("counts").collect()
    assert sorted(shown(rows)) == sorted(driven())
    assert {row.partition for row in rows} == {0, 1, 2}


def test_a_store_is_a_frame_of_its_rows(counted: tuple[Result, list[Any]]) -> None:
    result, _ = counted
    rows = result.store("counts").orderBy("key").collect()
    assert [(row.key, row.value) for row in rows] == [(f"w{n}", 10) for n in range(5)]
    assert rows[0].timestamp.astimezone(UTC) == datetime.fromtimestamp(1.045, UTC)


def test_windows_are_columns_of_their_store(words: DataFrame) -> None:
    result = run(windowed_counts(), {"words": words}, partitions=2)
    frame = result.store("windows").where("key = 'k0'").orderBy("window_start")
    assert frame.columns == ["partition", "key", "value", "timestamp", "window_start", "window_end"]
    rows = [
        (row.value, milliseconds(row.window_start), milliseconds(row.window_end))
        for row in frame.collect()
    ]
    assert rows == [(7, 1000, 1020), (7, 1020, 1040), (3, 1040, 1060)]
    result.unpersist()


def test_outputs_compose_with_sql_and_progress_is_told(
    counted: tuple[Result, list[Any]], spark: SparkSession
) -> None:
    result, seen = counted
    ends = [one for one in seen if one.partitions_done == one.partitions]
    assert (ends[0].stage, ends[0].stages, ends[0].name) == (1, 2, "sub-topology 0")
    assert (ends[-1].stage, ends[-1].records, ends[-1].seconds_left) == (2, 100, 0.0)
    assert str(ends[-1]).startswith("stage 2 of 2 (sub-topology 1): 3 of 3 partitions, 100 records")
    result.typed("counts").createOrReplaceTempView("counts")
    [[most]] = spark.sql("select max(value) from counts").collect()
    assert most == 10


def test_typed_columns_become_bytes_by_their_serde(spark: SparkSession) -> None:
    builder = StreamsBuilder()
    orders = builder.stream("orders", Consumed(serdes.long(), serdes.json()))
    orders.map_values(lambda order: order["amount"] * 2).to(
        "doubled", Produced(serdes.long(), serdes.long())
    )
    frame = spark.range(3).select(
        F.col("id").alias("key"),
        F.struct(F.col("id").alias("amount")).alias("value"),
        F.lit(5).cast("long").alias("timestamp"),
        # What a read of a topic shows besides is left out.
        F.lit("other").alias("topic"),
        F.lit(0).alias("timestampType"),
    )
    result = run(builder.build(), {"orders": Typed(frame)}, partitions=1)
    rows = result.typed("doubled").orderBy("key").collect()
    assert [(row.key, row.value) for row in rows] == [(0, 0), (1, 2), (2, 4)]
    result.unpersist()


class Sale(msgspec.Struct, rename="camel"):
    """A document of a known type."""

    shop_name: str
    lines: list[int]


def test_typed_outputs_and_stores_show_structs_as_live_ones_do(spark: SparkSession) -> None:
    builder = StreamsBuilder()
    sales = builder.stream("sales", Consumed(TEXT, serdes.json(Sale)))
    windows = sales.group_by_key().windowed_by(TimeWindows.of_size(10, grace=0))
    latest = windows.reduce(
        lambda old, new: new, Materialized("latest", retention=timedelta(hours=1))
    )
    sale, key = serdes.json(Sale), serdes.time_windowed(TEXT, 10)
    latest.to_stream().to("latest", Produced(key, sale))
    rows = [
        ("oslo", '{"shopName":"a","lines":[1]}', 12),
        ("oslo", '{"shopName":"b","lines":[]}', 9),
    ]
    frame = spark.createDataFrame(rows, "key string, value string, timestamp long")
    result = run(builder.build(), {"sales": frame}, partitions=1)
    shown = result.typed("latest")
    # The very columns that a live run shows.
    expected = RecordRows(key, sale).schema().split(", topic")[0]
    assert ", ".join(f"{n} {t}" for n, t in shown.dtypes[:2]) == expected.replace("`", "")
    cells = [
        (row.key.key, milliseconds(row.key.start), milliseconds(row.key.end), row.value.shopName)
        for row in shown.collect()
    ]
    assert cells == [("oslo", 0, 10, "b"), ("oslo", 10, 20, "a")]
    stored = result.store("latest").orderBy("window_start").collect()
    assert [row.value.lines for row in stored] == [[], [1]]
    result.unpersist()


def test_partitions_and_offsets_of_an_input_are_kept(spark: SparkSession) -> None:
    builder = StreamsBuilder()
    builder.stream("in", Consumed(TEXT, TEXT)).to("out", Produced(TEXT, TEXT))
    rows = [("a", "late", 9, 1, 11), ("a", "early", 10, 1, 10), ("b", "other", 1, 0, 7)]
    frame = spark.createDataFrame(
        rows, "key string, value string, timestamp long, partition int, offset long"
    )
    result = run(builder.build(), {"in": frame})
    positions = result._job.positions().orderBy("partition").collect()
    assert [(row.partition, row.next_offset) for row in positions] == [(0, 8), (1, 12)]
    written = result.typed("out").orderBy("partition", "offset").collect()
    # Both have the partition of their key among two, in the order of the input's offsets.
    assert [row.value for row in written if row.key == "a"] == ["early", "late"]
    result.unpersist()


def test_a_global_table_is_whole_before_the_streams(spark: SparkSession) -> None:
    builder = StreamsBuilder()
    names = builder.global_table("names", Consumed(TEXT, TEXT), Materialized("names-store"))
    builder.stream("ids", Consumed(TEXT, TEXT)).join(
        names, lambda key, value: value, lambda value, name: name
    ).to("out", Produced(TEXT, TEXT))
    ids = spark.createDataFrame([("a", "1", 5)], "key string, value string, timestamp long")
    # Later than the stream's record, and yet there.
    table = spark.createDataFrame([("1", "one", 9)], "key string, value string, timestamp long")
    result = run(builder.build(), {"ids": ids, "names": table}, partitions=2)
    assert [row.value for row in result.typed("out").collect()] == ["one"]
    assert [(row.key, row.value) for row in result.store("names-store").collect()] == [("1", "one")]
    result.unpersist()


def test_what_a_function_raises_names_its_node(words: DataFrame) -> None:
    builder = StreamsBuilder()
    builder.stream("words", Consumed(TEXT, TEXT)).filter(lambda key, word: 1 // 0).to(
        "out", Produced(TEXT, TEXT)
    )
    with pytest.raises(Exception, match="ZeroDivisionError"):
        run(builder.build(), {"words": words}, partitions=1)["out"].collect()


def test_a_time_that_is_null_is_named(spark: SparkSession) -> None:
    frame = spark.createDataFrame([("a", "b", None)], "key string, value string, timestamp long")
    result = run(word_counts(), {"words": frame}, partitions=1)
    with pytest.raises(Exception, match="input 'words': column 'timestamp' must not be null"):
        result["counts"].collect()
    result.unpersist()


def test_a_partition_that_is_not_there_is_named(spark: SparkSession) -> None:
    schema = "key string, value string, timestamp long, partition int"
    frame = spark.createDataFrame([("a", "b", 1, 7)], schema)
    result = run(word_counts(), {"words": frame}, partitions={"words": 2})
    with pytest.raises(Exception, match=r"column 'partition' must be from 0 to 1; .*; got 7"):
        result["counts"].collect()
    result.unpersist()


def test_a_topic_that_is_not_written_is_refused(counted: tuple[Result, list[Any]]) -> None:
    result, _ = counted
    with pytest.raises(KeyError, match="does not write to topic 'none'; its sink topics: 'counts'"):
        result["none"]
    with pytest.raises(
        StreamsError, match="the topology has no store 'none'; its stores: 'counts'"
    ):
        result.store("none")
