"""The writing half of `format("penstock")`: a transaction for each batch and partition.

Spark hands `write` no batch: query, run and batch are local properties of the Spark task. PySpark
makes a writer anew for each batch, and once more to commit it.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark import TaskContext
from pyspark.sql.datasource import (
    DataSourceArrowWriter,
    DataSourceStreamArrowWriter,
    WriterCommitMessage,
)
from pyspark.sql.types import StructType

from penstock._clock import new_id
from penstock._engine.kafka.client.admin_calls import open_admin
from penstock._engine.kafka.client.topics import check_outputs
from penstock._engine.kafka.sink.journal import (
    JournalPlace,
    begin_batch_journal,
    sink_settings,
)
from penstock._engine.kafka.sink.partition_writer import Report, agree_on_cut, write_partition
from penstock._engine.kafka.sink.replay import Place
from penstock._engine.spark.dataframes.sink_columns import SinkColumns
from penstock._engine.spark.dataframes.sink_options import SinkOptions, options_of
from penstock._engine.spark.shipping.shipping import dumps
from penstock.errors import ConfigError, StreamsError

if TYPE_CHECKING:
    import pyarrow as pa

    from penstock.settings import StreamsConfig

_QUERY = "sql.streaming.queryId"
_BATCH = "streaming.sql.batchId"
_RUN = "spark.jobGroup.id"
"""A streaming query runs its jobs in a group that is named after its run."""

_seen_topics: set[tuple[str, str]] = set()


@dataclass
class Reported(WriterCommitMessage):
    """What a Spark task of the sink tells the driver."""

    report: Report


def stream_writer(options: Mapping[str, str], schema: StructType) -> DataSourceStreamArrowWriter:
    """Return the writer of a batch of a streaming query.

    Raises:
        ConfigError: an option is wrong or a secret.
        StreamsError: the columns do not fit, or the topic does not exist.
    """
    return StreamWriter(_checked(options, schema))


def batch_writer(
    options: Mapping[str, str], schema: StructType, *, overwrite: bool
) -> DataSourceArrowWriter:
    """Return the writer of a batch DataFrame.

    Raises:
        ConfigError: an option is wrong or a secret, or the mode is overwrite.
        StreamsError: the columns do not fit, or the topic does not exist.
    """
    if overwrite:
        msg = "a topic cannot be overwritten, only appended to: say mode('append')"
        raise ConfigError(msg)
    chosen = _checked(options, schema)
    query = f"batch-{new_id()}"
    journal = begin_batch_journal(sink_settings(chosen.config.given(), query), query)
    return BatchWriter(chosen, journal)


class StreamWriter(DataSourceStreamArrowWriter):
    """Writes the partitions of a batch, those of a replayed batch only if they are not written."""

    def __init__(self, options: SinkOptions) -> None:
        self._packed = dumps(options)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        options: SinkOptions = pickle.loads(self._packed)
        place = place_of_task(_context().partitionId(), again=options.again)
        rows = columns_of(options).chunks(iterator)
        return Reported(write_rows(options.config, place, rows))

    def commit(self, messages: Sequence[Any], batchId: int) -> None:
        reports = [message.report for message in messages if message is not None]
        if any(report.is_withheld for report in reports):
            options: SinkOptions = pickle.loads(self._packed)
            query = next(report.place.query for report in reports if report.is_withheld)
            config = sink_settings(options.config.given(), query)
            agree_on_cut(config, JournalPlace.of_query(query), reports)

    def abort(self, messages: Sequence[Any], batchId: int) -> None:
        """Do nothing: what a partition has written stays, and its replay writes nothing."""


class BatchWriter(DataSourceArrowWriter):
    """Writes the partitions of a batch DataFrame, each once over the attempts of its Spark task."""

    def __init__(self, options: SinkOptions, journal: JournalPlace) -> None:
        self._packed = dumps((options, journal))

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        options: SinkOptions
        journal: JournalPlace
        options, journal = pickle.loads(self._packed)
        place = Place(journal.query, journal.query, 0, _context().partitionId())
        config = sink_settings(options.config.given(), journal.query)
        rows = columns_of(options).chunks(iterator)
        return Reported(write_partition(config, journal, place, rows))


def _checked(options: Mapping[str, str], schema: StructType) -> SinkOptions:
    chosen = options_of(options)
    columns_of(chosen).check(schema)
    if chosen.topic is not None:
        check_topic(chosen.config, chosen.topic)
    return chosen


def columns_of(options: SinkOptions) -> SinkColumns:
    """Return how rows become records."""
    return SinkColumns(options.topic, options.key, options.value)


def check_topic(config: StreamsConfig, topic: str) -> None:
    """Look for the topic, once in a process.

    Raises:
        StreamsError: it does not exist, and the cluster makes none by itself.
    """
    seen = (config.bootstrap_servers, topic)
    if seen not in _seen_topics:
        writer = {topic: "the sink of a DataFrame"}
        command = f"penstock topics --create {topic}"
        check_outputs(open_admin(config), writer, before="rows are written", command=command)
        _seen_topics.add(seen)


def place_of_task(
    part: int, *, topic_partition_count: int | None = None, again: bool = False
) -> Place:
    """Return the place of a partition in the batch that this Spark task works for.

    Raises:
        StreamsError: it works for no streaming query.
    """
    context = _context()
    query, run_id, batch = map(context.getLocalProperty, (_QUERY, _RUN, _BATCH))
    if query is None or run_id is None or batch is None:
        msg = (
            "Spark does not say which batch of which query is written: the exactly-once sink "
            "needs a micro-batch query of a classic session (no continuous trigger)"
        )
        raise StreamsError(msg)
    return Place(query, run_id, int(batch), part, topic_partition_count, again)


def write_rows(config: StreamsConfig, place: Place, rows: Iterator[list[Any]]) -> Report:
    """Write the rows of a partition of a streaming query."""
    journal = JournalPlace.of_query(place.query)
    return write_partition(sink_settings(config.given(), place.query), journal, place, rows)


def _context() -> TaskContext:
    context = TaskContext.get()
    assert context is not None, "not in a Spark task"
    return context
