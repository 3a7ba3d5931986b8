"""Reads ranges of offsets as rows, in Spark's Python workers: for streams and for batches.

All bounds are planned before: a Spark task that is run again reads the very same records. The
latest rows of a table are found in RocksDB, in a folder of the Spark task: a topic may have more
keys than memory has room.
"""

from __future__ import annotations

import logging
import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

import pyarrow as pa

from penstock._engine.kafka.client.topic_history import (
    RecordsGoneError,
    Split,
    first_offset,
    read_split,
)
from penstock._engine.runtime.records import KEY, OFFSET, VALUE, RawRecord
from penstock._engine.spark.batch.tasks.local_state import local_root
from penstock._engine.spark.dataframes.offsets import refusal
from penstock._engine.spark.dataframes.rows import RowFormat
from penstock._engine.state.rocksdb.key_value import RocksDbStore

_log = logging.getLogger(__name__)

_BATCH_ROWS = 10_000


@dataclass(frozen=True, slots=True)
class TopicScan:
    """How ranges of topics are read."""

    rows: RowFormat
    settings: Mapping[str, Any] = field(repr=False)
    """Of the consumers."""
    fail_on_data_loss: bool = True
    table: bool = False
    """Records without a key are left out, as a KTable does."""
    latest: bool = False
    """Of each key only the last record is a row, none if it is a deletion."""

    def read(self, split: Split, timestamp_type: int | None) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a split.

        Raises:
            StreamsError: the records are gone, cannot be decoded, or the broker does not answer.
        """
        to_batch = self.rows.to_batch()
        records = self._kept(split)
        for batch in _latest(records) if self.latest else records:
            yield to_batch(batch, split, timestamp_type)

    def _kept(self, split: Split) -> Iterator[list[RawRecord]]:
        for records in self._records(split):
            kept = (
                [record for record in records if record[KEY] is not None] if self.table else records
            )
            if kept:
                yield kept

    def _records(self, split: Split) -> Iterator[list[RawRecord]]:
        reached = split.start
        try:
            for records in read_split(self.settings, split):
                yield records
                reached = records[-1][OFFSET] + 1
        except RecordsGoneError as error:
            place = f"topic {split.topic!r}, partition {split.partition}"
            lost = f"{place}: offset {reached} was deleted before it was read"
            if self.fail_on_data_loss:
                raise refusal([lost]) from error
            first = first_offset(self.settings, split)
            if first <= reached:  # it is there again: the topic was made anew, or a follower leads
                raise
            _log.warning("%s; reading goes on at %d", lost, first)
            if first < split.end:
                yield from self._records(replace(split, start=first))


def _latest(batches: Iterator[list[RawRecord]]) -> Iterator[list[RawRecord]]:
    """Yield the last record of each key, without deletions, in the order of the keys."""
    folder = Path(mkdtemp(prefix="penstock-table-", dir=local_root()))
    try:
        store = RocksDbStore(folder / "rows")
        try:
            for records in batches:
                store.write({_key(one): _packed(one) for one in records}, None)
            rows = store.scan(None, None, reverse=False)
            while taken := [pickle.loads(data) for _, data in islice(rows, _BATCH_ROWS)]:
                yield taken
        finally:
            store.close()
    finally:
        rmtree(folder, ignore_errors=True)


def _key(record: RawRecord) -> bytes:
    return record[KEY] or b""


def _packed(record: RawRecord) -> bytes | None:
    return None if record[VALUE] is None else pickle.dumps(record, pickle.HIGHEST_PROTOCOL)
