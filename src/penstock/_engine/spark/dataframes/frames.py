"""Reads of topics as DataFrames."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from penstock._engine.spark.batch.arrow_map import map_in_arrow
from penstock._engine.spark.dataframes.batch_reader import plan_parts
from penstock._engine.spark.dataframes.request import ReadRequest
from penstock._engine.spark.dataframes.source import source_of
from penstock._engine.spark.dataframes.split_partitions import SplitPartition, scan_of
from penstock._engine.spark.dataframes.topic_scan import TopicScan
from penstock._engine.spark.session import reading_session
from penstock._engine.spark.shipping.shipping import dumps
from penstock.settings import StreamsConfig

ReadParts: TypeAlias = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def stream_frame(
    request: ReadRequest, config: StreamsConfig, spark: SparkSession | None
) -> DataFrame:
    """Return topics as a streaming DataFrame."""
    request.check_stream()
    source = source_of(request, config)
    session = _session(config, spark)
    session.dataSource.register(source)
    return session.readStream.format(source.name()).load()


def batch_frame(
    request: ReadRequest, config: StreamsConfig, spark: SparkSession | None
) -> DataFrame:
    """Return topics as a batch DataFrame; its bounds are found now, and once.

    Raises:
        StreamsError: a topic does not exist, or has not the offsets.
    """
    request.check_batch()
    parts = plan_parts(request, config)
    scan = scan_of(request, config, latest=request.table)
    return frame_of(scan, parts, _session(config, spark), f"topics_{request.choice.label}")


def frame_of(
    scan: TopicScan, parts: Sequence[SplitPartition], session: SparkSession, name: str
) -> DataFrame:
    """Return ranges of topics as a DataFrame, each read by a Spark task; Spark's UI shows `name`.

    The settings are part of the code that is shipped, where no option shows them; one may be the
    user's function (`oauth_cb`).
    """
    numbers = session.range(0, len(parts), 1, max(1, len(parts)))
    return map_in_arrow(numbers, _reader_of(scan, parts), scan.rows.schema(), name)


def _reader_of(scan: TopicScan, parts: Sequence[SplitPartition]) -> ReadParts:
    """Return the function that reads the ranges whose numbers are in its batches."""
    packed = dumps((scan, list(parts)))

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        scan, parts = pickle.loads(packed)
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from scan.read(parts[number].value, parts[number].timestamp_type)

    return read


def _session(config: StreamsConfig, given: SparkSession | None) -> SparkSession:
    # Reading asks nothing of a session that an application would; a new one is made as for those.
    return given or SparkSession.getActiveSession() or reading_session(config, None)
