"""`write_stream`: a streaming DataFrame into a topic, each batch cut by the topic's partitions.

Spark sorts no streaming DataFrame, and a sink cannot say how its rows are cut. So each batch is
taken as a batch DataFrame: rows get the Kafka partition of their key, are brought together by it
and sorted by timestamp within it. The cut depends on the rows alone, not on the source, the files
or the cores.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from penstock._clock import new_id
from penstock._engine.kafka.client.admin_calls import open_admin
from penstock._engine.kafka.client.topics import output_partition_count
from penstock._engine.kafka.sink.replay import Place
from penstock._engine.spark.batch.arrow_map import is_connect, map_in_arrow
from penstock._engine.spark.batch.schemas import HEADERS
from penstock._engine.spark.dataframes.sink import (
    check_topic,
    columns_of,
    place_of_task,
    write_rows,
)
from penstock._engine.spark.dataframes.sink_columns import SinkColumns
from penstock._engine.spark.dataframes.sink_options import SinkOptions
from penstock._engine.spark.dataframes.stopped_batch import short_if_stopped
from penstock._engine.spark.session import check_local_interpreter
from penstock._engine.spark.shipping.shipping import dumps
from penstock.errors import ConfigError, StreamsError

__all__ = ["QueryOptions", "StreamingQuery", "placed", "start", "write_once"]

MapBatches: TypeAlias = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]

_PLACED = "partition int, timestamp long, key binary, value binary"
_ROWS_OF_A_TASK = 2**33


@dataclass(frozen=True, slots=True)
class QueryOptions:
    """What the user says about the query itself."""

    checkpoint: str | None = None
    trigger: Mapping[str, Any] | None = None
    output_mode: str = "append"
    name: str | None = None
    partitions: int | None = None
    """Into how many partitions a batch is cut, if not into those of the topic."""


def start(frame: DataFrame, options: SinkOptions, query: QueryOptions) -> StreamingQuery:
    """Start the query that writes a streaming DataFrame.

    Raises:
        ConfigError: an argument is wrong.
        StreamsError: the columns do not fit, or the topic does not exist.
    """
    topic = _check(frame, options)
    columns_of(options).check(frame.schema)
    check_local_interpreter(frame.sparkSession)
    check_topic(options.config, topic)
    counted = output_partition_count(open_admin(options.config), topic)
    wanted = query.partitions
    if wanted is not None and not 1 <= wanted <= counted:
        msg = f"partitions must be from 1 to the {counted} of topic {topic!r}; got {wanted}"
        raise ConfigError(msg)
    writer = frame.writeStream.outputMode(query.output_mode)
    if query.checkpoint is not None:
        writer = writer.option("checkpointLocation", query.checkpoint)
    if query.name is not None:
        writer = writer.queryName(query.name)
    if query.trigger is not None:
        writer = writer.trigger(**query.trigger)
    return writer.foreachBatch(_batch_writer(options, topic, wanted)).start()


def write_once(frame: DataFrame, options: SinkOptions, name: str) -> None:
    """Write a batch DataFrame; `name` stands for a query of one batch. A call that follows one that
    was killed, under the same name and with the same rows, writes only what is missing.

    Raises:
        StreamsError: the topic does not exist.
    """
    count = output_partition_count(open_admin(options.config), str(options.topic))
    query = name, new_id()
    rows = placed(frame, options, count)
    writing = _writing(dumps(options), count, query)
    map_in_arrow(rows, writing, "records long", "write").collect()


def placed(frame: DataFrame, options: SinkOptions, count: int) -> DataFrame:
    """Return rows as records of `count` partitions: a Spark partition for each, sorted by time.
    Rows of the same time keep the order that they have in the source's partition.
    """
    # A column of arrays is dear in Spark's rows and in Arrow, even of empty ones.
    headers = f", headers {HEADERS}" if "headers" in frame.columns else ""
    schema = f"{_PLACED}{headers}, rank long"
    coded = map_in_arrow(frame, _placing(dumps(columns_of(options)), count), schema, "place")
    order = ("partition", "timestamp", "rank")
    return coded.repartitionById(count, "partition").sortWithinPartitions(*order)


def _check(frame: object, options: SinkOptions) -> str:
    if not isinstance(frame, DataFrame) or is_connect(frame):
        msg = (
            f"what is written must be a DataFrame of a classic session; got {type(frame).__name__}"
        )
        raise StreamsError(msg)
    if not frame.isStreaming:
        msg = (
            "write_stream writes streaming DataFrames; a batch one is written by "
            "frame.write.format('penstock').mode('append').option('topic', ...).save()"
        )
        raise StreamsError(msg)
    if not isinstance(options.topic, str) or not options.topic:
        msg = f"topic must be the name of a topic; got {options.topic!r}"
        raise ConfigError(msg)
    return options.topic


def _batch_writer(
    options: SinkOptions, topic: str, partitions: int | None
) -> Callable[[DataFrame, int], None]:
    # Settings are part of the code, where no option shows them.
    packed = dumps(options)

    def write_batch(batch: DataFrame, _number: int) -> None:
        # The topic may have got more partitions since the last batch.
        count = partitions or output_partition_count(open_admin(options.config), topic)
        with short_if_stopped():
            rows = placed(batch, options, count)
            map_in_arrow(rows, _writing(packed, count), "records long", "write").collect()

    return write_batch


def _placing(packed: bytes, count: int) -> MapBatches:
    def place(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        columns: SinkColumns = pickle.loads(packed)
        context = TaskContext.get()
        rank = 0 if context is None else context.partitionId() * _ROWS_OF_A_TASK
        for batch in batches:
            made = columns.placed(batch, count)
            ranks = pa.array(range(rank, rank + batch.num_rows), pa.int64())
            yield pa.RecordBatch.from_pydict({**made, "rank": ranks})
            rank += batch.num_rows

    return place


def _writing(packed: bytes, count: int, once: tuple[str, str] | None = None) -> MapBatches:
    """Return what writes the rows of partitions: of the batch that the Spark task works for, or
    `once`, under the name and the run of a write.
    """

    def write(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        options: SinkOptions = pickle.loads(packed)
        columns = SinkColumns(options.topic)
        for partition, pieces in groupby(_pieces(batches), key=itemgetter(0)):
            if once is None:
                place = place_of_task(partition, topic_partition_count=count, again=options.again)
            else:
                place = Place(*once, 0, partition, count, options.again)
            rows = columns.chunks(piece for _, piece in pieces)
            written = write_rows(options.config, place, rows)
            yield pa.RecordBatch.from_pydict({"records": [written.contents.count]})

    return write


def _pieces(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Yield the rows of one partition after the other; Spark may have put several together."""
    for batch in batches:
        at = 0
        numbers = batch.column("partition")
        while at < batch.num_rows:
            number = numbers[at].as_py()
            rest = numbers.slice(at)
            end = at + pc.sum(pc.equal(rest, number)).as_py()
            yield number, batch.slice(at, end - at)
            at = end
