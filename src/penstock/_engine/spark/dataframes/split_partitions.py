"""Ranges of offsets as Spark's InputPartitions, and how workers read them."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pyspark.sql.datasource import InputPartition

from penstock._engine.kafka.client.topic_history import Split, reading_settings
from penstock._engine.spark.dataframes.request import ReadRequest
from penstock._engine.spark.dataframes.rows import RecordRows
from penstock._engine.spark.dataframes.topic_scan import TopicScan
from penstock.settings import StreamsConfig

if TYPE_CHECKING:
    import pyarrow as pa


class SplitPartition(InputPartition):
    """A range of offsets, read by one Spark task."""

    def __init__(self, value: Split, timestamp_type: int | None = None) -> None:
        super().__init__(value)
        self.timestamp_type = timestamp_type


def rows_of(request: ReadRequest) -> RecordRows:
    """Return the columns of a request."""
    return RecordRows(request.key, request.value, request.headers)


def scan_of(request: ReadRequest, config: StreamsConfig, *, latest: bool = False) -> TopicScan:
    """Return how the ranges of a request are read; `latest`: the last row of each key alone."""
    return TopicScan(
        rows_of(request),
        reading_settings(config),
        fail_on_data_loss=request.fail_on_data_loss,
        table=request.table,
        latest=latest,
    )


def read_part(packed: bytes, partition: InputPartition) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a partition; Spark makes one without a range where there is none."""
    if isinstance(partition, SplitPartition):
        scan: TopicScan = pickle.loads(packed)
        yield from scan.read(partition.value, partition.timestamp_type)
