"""A topic's history as a DataFrame, read in parallel in splits of offset ranges.

The first and the end offsets are part of its schema (the metadata of column `offset`): they survive
filters, added columns, and a round trip through Parquet.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from penstock._engine.kafka.client.admin_calls import open_admin
from penstock._engine.kafka.client.topic_history import (
    RECORDS_PER_SPLIT,
    Bound,
    Split,
    TopicRange,
    find_range,
    reading_settings,
)
from penstock._engine.runtime.records import RawRecord
from penstock._engine.spark.batch.schemas import HEADERS
from penstock._engine.spark.dataframes.frames import frame_of
from penstock._engine.spark.dataframes.rows import ToBatch, header_column
from penstock._engine.spark.dataframes.split_partitions import SplitPartition
from penstock._engine.spark.dataframes.topic_scan import TopicScan
from penstock._engine.spark.session import reading_session
from penstock.errors import ConfigError
from penstock.settings import StreamsConfig

ENDS = "penstock.ends"
"""The name of the end offsets in the metadata of column `offset`."""
STARTS = "penstock.starts"
"""That of the first offsets."""

_SCHEMA = f"key binary, value binary, timestamp long, headers {HEADERS}, partition int, offset long"


def history(
    topic: str,
    config: StreamsConfig | Mapping[str, Any] | None = None,
    *,
    since: Bound = None,
    until: Bound = None,
    spark: SparkSession | None = None,
    records_per_split: int = RECORDS_PER_SPLIT,
) -> DataFrame:
    """Return the committed records of a topic up to `until` as a batch DataFrame.

    Its columns are `key`, `value`, `timestamp` (milliseconds), `headers`, `partition` and `offset`.
    `config` says where the cluster is, as for an application; if it is left out, variables such as
    `PENSTOCK_BOOTSTRAP_SERVERS` do.
    `until` and `since` are a datetime with a time zone, milliseconds since the epoch, offsets by
    partition, or None for as far as the topic goes now; the end is found once, at this call, and
    `history_ends` returns it. `records_per_split` is about how many records a Spark task reads: a
    partition of millions is read by many of them at once.

    Raises:
        StreamsError: there is no such topic, or it has not the offsets.
    """
    settings = config if isinstance(config, StreamsConfig) else _settings(config)
    if records_per_split < 1:
        msg = f"records_per_split must be at least 1; got {records_per_split}"
        raise ConfigError(msg)
    stretch = find_range(open_admin(settings), topic, since=since, until=until)
    session = reading_session(settings, spark)
    return read_stretch(stretch, settings, session, records_per_split)


def read_stretch(
    stretch: TopicRange,
    config: StreamsConfig,
    session: SparkSession,
    records_per_split: int = RECORDS_PER_SPLIT,
) -> DataFrame:
    """Return the records of a range of a topic as a DataFrame."""
    parts = [SplitPartition(split) for split in stretch.splits(records_per_split)]
    scan = TopicScan(HistoryRows(), reading_settings(config))
    read = frame_of(scan, parts, session, f"history_of_{stretch.topic}")
    extent = {STARTS: _encoded(stretch.starts), ENDS: _encoded(stretch.ends)}
    with_ends = F.col("offset").alias("offset", metadata=extent)
    return read.select(*[with_ends if name == "offset" else name for name in read.columns])


def history_ends(frame: DataFrame) -> dict[int, int] | None:
    """Return where the history in a DataFrame ends: by partition, the offset of the first record
    that is not in it. None if it is not known.
    """
    return _offsets_in(frame, ENDS)


def history_starts(frame: DataFrame) -> dict[int, int] | None:
    """Return where the history in a DataFrame began to be read, None if it is not known."""
    return _offsets_in(frame, STARTS)


def _encoded(offsets: Mapping[int, int]) -> str:
    return json.dumps({str(partition): offset for partition, offset in sorted(offsets.items())})


def _offsets_in(frame: DataFrame, name: str) -> dict[int, int] | None:
    fields = [field for field in frame.schema.fields if field.name == "offset"]
    text = fields[0].metadata.get(name) if fields else None
    return None if text is None else {int(at): int(end) for at, end in json.loads(text).items()}


def _settings(given: Mapping[str, Any] | None) -> StreamsConfig:
    # Nothing is committed, but a consumer must have a group.
    named = {"application.id": "penstock-history"}
    if given is None:
        return StreamsConfig.from_environment(named)
    return StreamsConfig({**named, **given})


@dataclass(frozen=True, slots=True)
class HistoryRows:
    """The columns of a history: those that a bounded run takes for an input."""

    def schema(self) -> str:
        """Return the columns."""
        return _SCHEMA

    def to_batch(self) -> ToBatch:
        """Return what makes rows."""
        return _to_batch


def _to_batch(records: Sequence[RawRecord], split: Split, _: int | None) -> pa.RecordBatch:
    offsets, timestamps, keys, values, _headers = zip(*records, strict=True)
    columns: dict[str, pa.Array] = {
        "key": pa.array(keys, pa.binary()),
        "value": pa.array(values, pa.binary()),
        "timestamp": pa.array(timestamps, pa.int64()),
        "headers": header_column(records),
        "partition": pa.repeat(pa.scalar(split.partition, pa.int32()), len(records)),
        "offset": pa.array(offsets, pa.int64()),
    }
    return pa.RecordBatch.from_pydict(columns)
