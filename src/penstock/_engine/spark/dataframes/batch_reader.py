"""Topics as a batch source: the ranges are found when the read is planned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSourceReader, InputPartition

from penstock._engine.kafka.client.topic_offsets import TopicOffsets
from penstock._engine.spark.dataframes.offsets import cut
from penstock._engine.spark.dataframes.request import ReadRequest, bounds_of
from penstock._engine.spark.dataframes.split_partitions import SplitPartition, read_part, scan_of
from penstock._engine.spark.shipping.shipping import dumps
from penstock.settings import StreamsConfig

if TYPE_CHECKING:
    import pyarrow as pa


def plan_parts(request: ReadRequest, config: StreamsConfig) -> list[SplitPartition]:
    """Return the ranges that a batch read of topics reads, as of now.

    Raises:
        StreamsError: a topic does not exist, or has not the offsets.
    """
    topics = TopicOffsets(config, request.choice)
    ranges = topics.ranges(bounds_of(request.starting), bounds_of(request.ending))
    kinds = topics.timestamp_types(one.topic for one in ranges)
    return [
        SplitPartition(split, kinds.get(one.topic))
        for one in ranges
        for at, end in sorted(one.ends.items())
        for split in cut((one.topic, at), one.starts[at], end, request.records_per_split)
    ]


class TopicBatchReader(DataSourceReader):
    """Reads topics once."""

    def __init__(self, request: ReadRequest, config: StreamsConfig) -> None:
        self._parts = plan_parts(request, config)
        self._scan = dumps(scan_of(request, config, latest=request.table))

    def partitions(self) -> Sequence[InputPartition]:
        return self._parts

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        return read_part(self._scan, partition)
