"""The stores of an application that does not run, for queries: copies made from its changelogs.

A copy is made at the first read of a partition and serves all later ones: the answers of one reader
are of one commit of each task.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.changelogs.extent import Extent, find_extent
from penstock._engine.kafka.changelogs.known_stores import KnownStores
from penstock._engine.kafka.changelogs.store_copy import StoreCopy, copying_settings
from penstock._engine.queries.asking import ReadOptions
from penstock._engine.queries.catalogue import StoreEntry
from penstock._engine.queries.merging import PlacedRow, first_with_rows, merged
from penstock._engine.queries.questions import Part, Position, Read, Row
from penstock._engine.runtime.stores.store_kinds import codec_of
from penstock._engine.state.codec import RowCodec
from penstock.errors import QueryError
from penstock.settings import StreamsConfig

OpenCopy: TypeAlias = Callable[[], StoreCopy]


class StoppedStores:
    """All stores of an application; a context manager that deletes its copies."""

    state = "NOT_RUNNING"
    exactly_once = True
    """Only what is committed is shown."""

    def __init__(self, known: KnownStores, config: StreamsConfig, admin: AdminClient) -> None:
        self._known, self._config, self._admin = known, config, admin
        self._extents: dict[str, Extent] = {}
        self._copies: dict[tuple[str, int], StoreCopy] = {}
        self._opened = ExitStack()

    def stores(self) -> Mapping[str, StoreEntry]:
        """Return the stores by name."""
        return self._known.entries

    def source(self, name: str, options: ReadOptions, partition: int | None) -> StoppedStore:
        """Return a store to read.

        Raises:
            QueryError: it has no changelog or no such partition, or is asked for uncommitted rows.
        """
        entry = self._known.entries[name]
        if options.uncommitted:
            msg = "a changelog has committed rows only: leave out 'uncommitted'"
            raise QueryError(msg)
        if partition is not None and partition not in entry.tasks:
            msg = f"store {name!r} has no partition {partition}; it has {len(entry.tasks)}"
            raise QueryError(msg)
        if name not in self._extents:
            self._extents[name] = find_extent(entry, self._config, self._admin)
        kept = self._extents[name].by_partition
        wanted = {number for number in kept if partition in {None, number}}
        copies = {number: self._opening(entry, number) for number in sorted(wanted)}
        is_routed = self._known.is_of_program and partition is None
        return StoppedStore(entry, codec_of(entry.plan, self._config), copies, is_routed)

    def __enter__(self) -> StoppedStores:
        return self

    def __exit__(self, *_: object) -> None:
        self._copies.clear()
        self._opened.close()

    def _opening(self, entry: StoreEntry, partition: int) -> OpenCopy:
        return lambda: self._copy(entry, partition)

    def _copy(self, entry: StoreEntry, partition: int) -> StoreCopy:
        copy = self._copies.get((entry.name, partition))
        if copy is None:
            copy = StoreCopy(entry.plan, self._config)
            self._opened.callback(copy.close)
            splits = self._extents[entry.name].by_partition[partition]
            copy.restore(splits, copying_settings(self._config))
            self._copies[entry.name, partition] = copy
        return copy


@dataclass(frozen=True, slots=True)
class StoppedStore:
    """A store of an application that does not run, as it is read."""

    store: StoreEntry
    codec: RowCodec
    copies: Mapping[int, OpenCopy]
    """Opens the copy of each partition that is read."""
    is_routed: bool
    """Whether the partition of a key is known; else a key is looked for in all of them."""
    reached: Position = field(default_factory=dict)
    """Nothing: a changelog does not say how far the inputs were read."""
    offsets_behind: int | None = None
    """Nothing: the changelog itself is read."""

    def of_key(self, key: Any, read: Read) -> tuple[Row, ...]:
        """Return the rows of one key."""
        return tuple(self.scan_of_key(key, read))

    def scan_of_key(self, key: Any, read: Read) -> Iterator[Row]:
        """Return the rows of one key, as they are read."""
        raw = self.codec.encode_key(key)
        asked = read.of_key(raw)
        places = list(self.copies)
        if not self.is_routed:
            return (row for place in places for row in self.copies[place]().read(asked))
        own = self._partition_of(key, raw)
        others = self.store.elsewhere(own, places)
        scans = (self.copies[place]().read(asked) for place in (own, *others))
        return first_with_rows(scans)

    def begin_get(self, raw_key: bytes, ended: Callable[[Part | None], None]) -> None:
        """Return None: a copy is read where it is asked for."""
        del raw_key, ended

    begin_elsewhere = begin_get

    def placed_by_key(self, read: Read) -> Iterator[PlacedRow]:
        """Return rows of all partitions in the order of their keys, then of their partitions."""
        scans = {place: copy().read(read) for place, copy in self.copies.items()}
        return merged(scans, reverse=read.reverse)

    def one_by_one(self, read: Read) -> Iterator[Row]:
        """Return rows partition by partition."""
        for copy in self.copies.values():
            yield from copy().read(read)

    def _partition_of(self, key: Any, raw: bytes) -> int:
        try:
            place = self.store.partition_of(key, raw)
        except LookupError as error:
            raise QueryError(str(error)) from error
        if place not in self.copies:
            msg = (
                f"key {key!r} of store {self.store.name!r} belongs to partition {place}, which its "
                "changelog does not have: the inputs have grown since the application ran"
            )
            raise QueryError(msg)
        return place
