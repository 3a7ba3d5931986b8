"""A topic's history as a DataFrame, read in parallel in splits of offset ranges.

The end offsets are part of its schema (the metadata of column `offset`): they survive filters,
added columns, and a round trip through Parquet.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

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
    read_split,
    reading_settings,
)
from penstock._engine.runtime.records import RawRecord
from penstock._engine.spark.batch.arrow_map import map_in_arrow
from penstock._engine.spark.batch.schemas import HEADERS
from penstock._engine.spark.session import session_for
from penstock._engine.spark.shipping.shipping import dumps
from penstock.errors import ConfigError
from penstock.settings import StreamsConfig

ENDS = "penstock.ends"
"""The name of the end offsets in the metadata of column `offset`."""

ReadSplits: TypeAlias = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]

_SCHEMA = f"key binary, value binary, timestamp long, headers {HEADERS}, partition int, offset long"
_ARROW = pa.schema(
    [
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("timestamp", pa.int64()),
        ("headers", pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))),
        ("partition", pa.int32()),
        ("offset", pa.int64()),
    ]
)


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
    session, _ = session_for(settings, spark, heavy=True)
    return read_stretch(stretch, settings, session, records_per_split)


def read_stretch(
    stretch: TopicRange,
    config: StreamsConfig,
    session: SparkSession,
    records_per_split: int = RECORDS_PER_SPLIT,
) -> DataFrame:
    """Return the records of a range of a topic as a DataFrame."""
    splits = stretch.splits(records_per_split)
    numbers = session.range(0, len(splits), 1, max(1, len(splits)))
    reader = _reader_of(splits, reading_settings(config))
    read = map_in_arrow(numbers, reader, _SCHEMA, f"history_of_{stretch.topic}")
    ends = {str(partition): end for partition, end in sorted(stretch.ends.items())}
    with_ends = F.col("offset").alias("offset", metadata={ENDS: json.dumps(ends)})
    return read.select(*[with_ends if name == "offset" else name for name in read.columns])


def history_ends(frame: DataFrame) -> dict[int, int] | None:
    """Return where the history in a DataFrame ends: by partition, the offset of the first record
    that is not in it. None if it is not known.
    """
    fields = [field for field in frame.schema.fields if field.name == "offset"]
    text = fields[0].metadata.get(ENDS) if fields else None
    return None if text is None else {int(at): int(end) for at, end in json.loads(text).items()}


def _settings(given: Mapping[str, Any] | None) -> StreamsConfig:
    # Nothing is committed, but a consumer must have a group.
    named = {"application.id": "penstock-history"}
    if given is None:
        return StreamsConfig.from_environment(named)
    return StreamsConfig({**named, **given})


def _reader_of(splits: list[Split], settings: Mapping[str, Any]) -> ReadSplits:
    """Return the function that reads the splits whose numbers are in its batches. The settings are
    part of its code, where no option shows them; one may be the user's function (`oauth_cb`).
    """
    packed = dumps((splits, settings))

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        splits, settings = pickle.loads(packed)
        for batch in batches:
            for number in batch.column(0).to_pylist():
                for records in read_split(settings, splits[number]):
                    yield to_arrow(records, splits[number].partition)

    return read


def to_arrow(records: Sequence[RawRecord], partition: int) -> pa.RecordBatch:
    """Return records of one partition as an Arrow batch."""
    offsets, timestamps, keys, values, headers = zip(*records, strict=True)
    pairs = [[{"key": key, "value": value} for key, value in each] for each in headers]
    columns = [
        pa.array(keys, pa.binary()),
        pa.array(values, pa.binary()),
        pa.array(timestamps, pa.int64()),
        pa.array(pairs, _ARROW.field("headers").type),
        pa.array([partition] * len(records), pa.int32()),
        pa.array(offsets, pa.int64()),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=_ARROW)
