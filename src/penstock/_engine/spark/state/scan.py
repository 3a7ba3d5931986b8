"""A read of a whole store: planned once in the driver, done partition by partition in workers.

A Spark task restores one partition of the store from its changelog, into a copy of its own, and
yields its rows. All offsets are found when the read is planned: each partition is as of the last
commit at that moment, and a task that is run again reads the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from penstock._engine.kafka.changelogs.extent import Extent, find_extent
from penstock._engine.kafka.changelogs.store_copy import StoreCopy, copying_settings
from penstock._engine.runtime.stores.store_kinds import StoredRow, codec_of
from penstock._engine.spark.batch.columns import HELD_BY_OPERATORS, TIMES_OF_STORES
from penstock._engine.spark.batch.tasks.local_state import local_root
from penstock._engine.spark.state.cells import (
    BYTES,
    TIME,
    CellType,
    column_type,
    is_kept_as_bytes,
    time_cell,
)
from penstock.errors import QueryError
from penstock.serdes import Serde
from penstock.settings import StreamsConfig

if TYPE_CHECKING:
    from penstock._engine.kafka.client.admin_calls import AdminClient
    from penstock._engine.planner.plan import StorePlan
    from penstock._engine.queries.catalogue import StoreEntry

_BATCH_ROWS = 10_000
_TIMES = {"timestamp": 2, "start": 3, "end": 4}
"""Where a stored row has its times."""


@dataclass(frozen=True, slots=True)
class StateScan:
    """A planned read of a store."""

    plan: StorePlan
    config: StreamsConfig
    extent: Extent

    @property
    def partitions(self) -> list[int]:
        """The partitions that are read; `GLOBAL` of a global table."""
        return sorted(self.extent.by_partition)

    def schema(self) -> str:
        """Return the columns, in Spark's words."""
        columns = [(name, one.spark) for name, one in self._columns().items()]
        times = [(shown, "timestamp") for _, shown in TIMES_OF_STORES[self.plan.builder.kind]]
        named = [("partition", "int"), *columns, *times]
        return ", ".join(f"`{name}` {spark}" for name, spark in named)

    def read(self, partition: int) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a partition.

        Raises:
            StreamsError: the changelog cannot be read, or a row cannot be decoded.
        """
        with closing(StoreCopy(self.plan, self.config, local_root())) as copy:
            splits = self.extent.by_partition[partition]
            checked = not self.extent.checked.isdisjoint(split.partition for split in splits)
            copy.restore(splits, copying_settings(self.config), checked=checked)
            rows = copy.rows()
            to_batch = _Batches(self, max(partition, 0))
            while taken := list(islice(rows, _BATCH_ROWS)):
                yield to_batch(taken)

    def _columns(self) -> dict[str, CellType]:
        codec = codec_of(self.plan, self.config)
        serdes = {"key": codec.key_serde, "value": codec.value_serde}
        return {name: column_type(serde) for name, serde in serdes.items()}


class _Batches:
    """Makes Arrow batches of rows of one partition."""

    def __init__(self, scan: StateScan, partition: int) -> None:
        codec = codec_of(scan.plan, scan.config)
        self._key, self._value = scan._columns().values()
        self._decode_key = _decoder(codec.key_serde, codec.decode_key)
        self._decode_value = _decoder(codec.value_serde, codec.decode_value)
        self._times = TIMES_OF_STORES[scan.plan.builder.kind]
        self._partition = partition

    def __call__(self, rows: list[StoredRow]) -> pa.RecordBatch:
        key, value = self._key, self._value
        decode_key, decode_value = self._decode_key, self._decode_value
        columns: dict[str, pa.Array] = {
            "partition": pa.array([self._partition] * len(rows), pa.int32()),
            "key": pa.array([key.to_cell(decode_key(row[0])) for row in rows], key.arrow),
            "value": pa.array([value.to_cell(decode_value(row[1])) for row in rows], value.arrow),
        }
        for stored, shown in self._times:
            place = _TIMES[stored]
            columns[shown] = pa.array([time_cell(row[place]) for row in rows], TIME)  # type: ignore[arg-type]
        return pa.RecordBatch.from_pydict(columns)


def plan_scan(
    entry: StoreEntry,
    config: StreamsConfig,
    admin: AdminClient,
    until: Mapping[int, int] | None = None,
) -> StateScan:
    """Return the read of a store as of its last commit, or as of the offsets `until`.

    Raises:
        QueryError: it belongs to an operator, or has no changelog.
        StreamsError: its topic has not the offsets.
    """
    kind = entry.plan.builder.kind
    if kind in HELD_BY_OPERATORS:
        msg = (
            f"store {entry.name!r} holds what {HELD_BY_OPERATORS[kind]} keeps for itself: it has "
            "no rows that could be shown"
        )
        raise QueryError(msg)
    return StateScan(entry.plan, config, find_extent(entry, config, admin, until))


def _decoder(serde: Serde[Any], decode: Any) -> Any:
    return BYTES.to_cell if is_kept_as_bytes(serde) else decode
