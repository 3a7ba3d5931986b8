"""A copy of one partition of a store, made from its changelog for a reader.

The copy is restored as a task would restore its store, so rows, their order and retention are
those of the store; it never touches the state of the application. It is in RocksDB, in a folder
that is deleted with it: a store may be larger than memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

from penstock._engine.kafka.client.topic_history import Split, read_split, reading_settings
from penstock._engine.planner.plan import StorePlan
from penstock._engine.queries.questions import Read, Row
from penstock._engine.queries.reading import rows_of
from penstock._engine.runtime.output.collector import Collector
from penstock._engine.runtime.position import Position
from penstock._engine.runtime.records import OFFSET, RawRecord
from penstock._engine.runtime.stores.row_forms import changes_of
from penstock._engine.runtime.stores.store_kinds import StoredRow, StoreSite
from penstock._engine.runtime.stores.task_stores import TaskStore
from penstock._engine.state.cache.entries import CacheBudget
from penstock._engine.state.rocksdb.key_value import RocksDbStore
from penstock.errors import QueryError
from penstock.serdes.plain import BytesSerde
from penstock.settings import StreamsConfig


def copying_settings(config: StreamsConfig) -> dict[str, Any]:
    """Return the settings of the consumers that read changelogs for copies."""
    # The broker deletes windows that are too old while they are read: what is left is the state.
    return {**reading_settings(config), "auto.offset.reset": "earliest"}


class StoreCopy:
    """The rows of one partition of a store, as bytes, until it is closed; `root` is the folder in
    which its folder is made, the machine's own for temporary files if it is None.
    """

    def __init__(self, plan: StorePlan, config: StreamsConfig, root: str | None = None) -> None:
        self._folder = Path(mkdtemp(prefix="penstock-copy-", dir=root))
        builder = replace(plan.builder, key=BytesSerde(), value=BytesSerde(), cached=False)
        site = StoreSite(
            partition=0,
            config=config,
            collector=Collector(lambda topic: 1),
            position=Position(),
            make_engine=lambda _: RocksDbStore(self._folder / "rows"),
            budget=CacheBudget(0),
        )
        self._store = TaskStore(replace(plan, builder=builder), site)
        # The end of a transaction takes an offset; without transactions each one is a record.
        self._marker = 1 if config.exactly_once else 0

    def restore(
        self, splits: Sequence[Split], settings: Mapping[str, Any], *, checked: bool = False
    ) -> None:
        """Apply the records of some offsets. If it is `checked`, no record may be missing.

        Raises:
            QueryError: compaction has, or may have, removed records.
            StreamsError: the broker does not answer.
        """
        for split in splits:
            reached = split.start
            # An empty partition has no end that reading could reach.
            for records in read_split(settings, split) if split.end > split.start else ():
                if checked:
                    self._refuse_gaps(records, reached, split)
                reached = records[-1][OFFSET] + 1
                changes = changes_of(records, with_headers=self._store.keeps_headers)
                self._store.restore(changes, reached)
            if checked and split.end - reached > self._marker_at(reached):
                raise _compacted(split, reached, split.end)

    def read(self, read: Read) -> Iterator[Row]:
        """Return the rows of a read.

        Raises:
            QueryError: a store of this kind cannot be read so.
        """
        try:
            rows = rows_of(self._store.reader(uncommitted=False), read)
        except LookupError as error:
            raise QueryError(str(error)) from error
        return (row for row in rows if row is not None)

    def rows(self) -> Iterator[StoredRow]:
        """Return all rows: those that a task would still see.

        Raises:
            QueryError: the store belongs to an operator.
        """
        if self._store.rows is None:
            msg = f"store {self._store.name!r} belongs to an operator and cannot be queried"
            raise QueryError(msg)
        return self._store.rows()

    def close(self) -> None:
        """Delete the copy."""
        try:
            self._store.close()
        finally:
            rmtree(self._folder, ignore_errors=True)

    def _marker_at(self, offset: int) -> int:
        """Return how many offsets the end of a transaction may take there; none at the first."""
        return self._marker if offset else 0

    def _refuse_gaps(self, records: Sequence[RawRecord], reached: int, split: Split) -> None:
        """Refuse a gap between offsets that is wider than the end of a transaction."""
        for record in records:
            if record[OFFSET] - reached > self._marker_at(reached):
                raise _compacted(split, reached, record[OFFSET])
            reached = record[OFFSET] + 1


def _compacted(split: Split, first: int, last: int) -> QueryError:
    msg = (
        f"the state of topic {split.topic!r}, partition {split.partition} as of offset "
        f"{split.end} cannot be told: there are no records at the offsets {first} to {last - 1}; "
        "compaction removed them, or their transaction was aborted, or the application ran "
        "exactly-once and its settings do not say so; leave the offset out for the last commit"
    )
    return QueryError(msg)
