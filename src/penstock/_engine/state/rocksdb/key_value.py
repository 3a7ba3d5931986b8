"""An ordered map on disk: a RocksDB database of its own for each store. Java: RocksDBStore.

The entries are one column family, the changelog offset and the kind of the rows are another, so
that no scan meets them and one write batch changes entries and offset. The write-ahead log is on
(Java turns it off): once `write` has returned, a kill of the process loses nothing. It is not
synced: a power failure may take the last writes, but leaves the state after one of the `write`
calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from shutil import rmtree
from threading import Lock
from weakref import WeakSet

from rocksdict import Rdict, RdictIter, ReadOptions, WriteBatch

from penstock._engine.state.contract import KeyRange
from penstock._engine.state.rocksdb.options import data_options, offset_options
from penstock._engine.state.rocksdb.refusals import explained
from penstock._engine.state.rocksdb.settings import RocksDbSettings
from penstock._engine.state.rocksdb.statistics import Statistic, read_statistics
from penstock.errors import StateClosedError, StateError

_ENTRIES = "default"
_OFFSETS = "offsets"
_FAMILIES = (_ENTRIES, _OFFSETS)
_OFFSET_KEY = b"changelog"
_ROWS_KEY = b"rows"
_FEW_BYTES = 1 << 20
"""What a store may have in files to be merged when it is opened: a matter of milliseconds."""

# What Kafka Streams records of a RocksDB store at the level INFO; RocksDB prefixes each with its
# name. Java adds up all column families, we leave out the one that holds nothing but an offset.
PROPERTIES = (
    "num-immutable-mem-table",
    "cur-size-active-mem-table",
    "cur-size-all-mem-tables",
    "size-all-mem-tables",
    "num-entries-active-mem-table",
    "num-entries-imm-mem-tables",
    "num-deletes-active-mem-table",
    "num-deletes-imm-mem-tables",
    "mem-table-flush-pending",
    "num-running-flushes",
    "compaction-pending",
    "num-running-compactions",
    "estimate-pending-compaction-bytes",
    "total-sst-files-size",
    "live-sst-files-size",
    "num-live-versions",
    "block-cache-capacity",
    "block-cache-usage",
    "block-cache-pinned-usage",
    "estimate-num-keys",
    "estimate-table-readers-mem",
    "background-errors",
)


class RocksDbStore:
    """A StoreEngine on disk. One thread writes and closes, any may read.

    Raises StateError and its subclasses, with the path and what to do.
    """

    __slots__ = (
        "_cursors",
        "_cursors_lock",
        "_database",
        "_entries",
        "_offset_family",
        "_offsets",
        "_options",
        "path",
    )

    def __init__(
        self, path: Path, settings: RocksDbSettings | None = None, *, counts: bool = False
    ) -> None:
        """With `counts`, RocksDB counts what it does: each read and write then takes longer."""
        self.path = path
        self._cursors: WeakSet[_Cursor] = WeakSet()
        self._cursors_lock = Lock()
        options = data_options(settings or RocksDbSettings())
        if counts:
            options.enable_statistics()
        self._options = options if counts else None
        try:
            path.mkdir(parents=True, exist_ok=True)
            database = Rdict(
                str(path),
                options,
                column_families={_OFFSETS: offset_options()},
            )
        except Exception as error:
            raise explained(error, path, "opened") from error
        self._database = database
        self._entries = database.get_column_family(_ENTRIES)
        self._offsets = database.get_column_family(_OFFSETS)
        self._offset_family = database.get_column_family_handle(_OFFSETS)
        self._merge_few_bytes()

    @staticmethod
    def destroy(path: Path) -> None:
        """Delete the store at `path`, damaged or not, unless it is open."""
        try:
            if path.exists():
                # RocksDB's own deletion takes the store's lock, so it fails if the store is open.
                Rdict.destroy(str(path))
                rmtree(path, ignore_errors=True)
        except Exception as error:
            raise explained(error, path, "deleted") from error

    def get(self, key: bytes) -> bytes | None:
        try:
            value: bytes | None = self._entries.get(key)
        except Exception as error:
            raise self._explained(error, "read") from error
        return value

    def scan(
        self, start: bytes | None, end: bytes | None, *, reverse: bool
    ) -> Iterator[tuple[bytes, bytes]]:
        if end is not None and (start or b"") >= end:
            return iter(())
        try:
            cursor = self._open_cursor(start, end, reverse=reverse)
        except Exception as error:
            raise self._explained(error, "read") from error
        return self._down_to(start, cursor) if reverse else self._up(cursor)

    def collect(self, start: bytes, end: bytes) -> list[tuple[bytes, bytes]]:
        if start >= end:
            return []
        options = ReadOptions()
        options.set_iterate_upper_bound(end)
        found = []
        try:
            rows = self._entries.iter(options)
            rows.seek(start)
            while (key := rows.key()) is not None:
                found.append((key, rows.value()))
                rows.next()
            rows.status()
        except Exception as error:
            raise self._explained(error, "read") from error
        return found

    def approximate_num_entries(self) -> int:
        return self._property("estimate-num-keys")

    def properties(self) -> dict[str, int]:
        """Return RocksDB's numbers about this store, by the names of Kafka Streams' metrics."""
        return {name: self._property(name) for name in PROPERTIES}

    def statistics(self) -> dict[str, Statistic]:
        """Return what RocksDB has counted since it was opened, nothing unless it counts."""
        text = None if self._options is None else self._options.get_statistics()
        return {} if text is None else read_statistics(text)

    def write(
        self,
        changes: Mapping[bytes, bytes | None],
        changelog_offset: int | None,
        dropped: Sequence[KeyRange] = (),
    ) -> None:
        batch = WriteBatch(raw_mode=True)
        put, delete = batch.put, batch.delete
        try:
            for key, value in changes.items():
                if value is not None:
                    put(key, value)
                else:
                    delete(key)
            for start, end in dropped:
                batch.delete_range(start, end)
            if changelog_offset is not None:
                # Longer than eight bytes where several partitions' offsets are one number.
                length = max(8, -(-changelog_offset.bit_length() // 8))
                put(_OFFSET_KEY, changelog_offset.to_bytes(length, "big"), self._offset_family)
            self._database.write(batch)
        except Exception as error:
            raise self._explained(error, "written") from error

    def changelog_offset(self) -> int | None:
        try:
            data: bytes | None = self._offsets.get(_OFFSET_KEY)
        except Exception as error:
            raise self._explained(error, "read") from error
        return None if data is None else int.from_bytes(data, "big")

    def rows_kind(self) -> str | None:
        """Return what `mark_rows` was called with, None if it never was."""
        try:
            data: bytes | None = self._offsets.get(_ROWS_KEY)
        except Exception as error:
            raise self._explained(error, "read") from error
        return None if data is None else data.decode()

    def mark_rows(self, kind: str) -> None:
        """Note what kind of store the rows are of."""
        if self.rows_kind() == kind:
            return
        batch = WriteBatch(raw_mode=True)
        try:
            batch.put(_ROWS_KEY, kind.encode(), self._offset_family)
            self._database.write(batch)
        except Exception as error:
            raise self._explained(error, "written") from error

    def close(self) -> None:
        """Close the database; scans that still run end with StateClosedError."""
        if not hasattr(self, "_database"):
            return
        database, entries, offsets = self._database, self._entries, self._offsets
        # RocksDB stays open, and locked, as long as one of these or of the cursors is alive.
        with self._cursors_lock:
            del self._database, self._entries, self._offsets, self._offset_family
            for cursor in self._cursors:
                cursor.rows = None
        try:
            with ExitStack() as closing:
                closing.callback(database.close)
                closing.callback(entries.close)
                closing.callback(offsets.close)
        except Exception as error:
            raise explained(error, self.path, "closed") from error

    def _merge_few_bytes(self) -> None:
        """Merge the files of a small store. Each open after a kill makes one of what the log held;
        RocksDB merges four, so many small stores would hold four times the descriptors.
        """
        sizes = []
        with suppress(FileNotFoundError):  # RocksDB may be deleting one
            sizes += [file.stat().st_size for file in self.path.glob("*.sst")]
        if len(sizes) <= len(_FAMILIES) or sum(sizes) > _FEW_BYTES:
            return
        try:
            for family in (self._entries, self._offsets):
                family.compact_range(None, None)
        except Exception as error:
            raise self._explained(error, "written") from error

    def _open_cursor(self, start: bytes | None, end: bytes | None, *, reverse: bool) -> _Cursor:
        options = ReadOptions()
        if end is not None:
            options.set_iterate_upper_bound(end)
        with self._cursors_lock:
            rows = self._entries.iter(options)
            if reverse:
                rows.seek_to_last()
            else:
                rows.seek(start or b"")
            cursor = _Cursor(rows, end)
            self._cursors.add(cursor)
        return cursor

    def _up(self, cursor: _Cursor) -> Iterator[tuple[bytes, bytes]]:
        while (rows := cursor.rows) is not None:
            key = rows.key()
            if key is None:
                self._check_end(rows)
                return
            entry = key, rows.value()
            rows.next()
            rows = None  # while the caller has the entry, only the cursor may keep RocksDB open
            yield entry
        raise self._closed()

    def _down_to(self, start: bytes | None, cursor: _Cursor) -> Iterator[tuple[bytes, bytes]]:
        lowest = start or b""
        while (rows := cursor.rows) is not None:
            key = rows.key()
            if key is None:
                self._check_end(rows)
                return
            if key < lowest:
                return
            entry = key, rows.value()
            rows.prev()
            rows = None
            yield entry
        raise self._closed()

    def _check_end(self, rows: RdictIter) -> None:
        # A damaged file ends a scan like the last row does; only the status differs.
        try:
            rows.status()
        except Exception as error:
            raise self._explained(error, "read") from error

    def _property(self, name: str) -> int:
        try:
            return self._entries.property_int_value(f"rocksdb.{name}") or 0
        except Exception as error:
            raise self._explained(error, "read") from error

    def _explained(self, error: Exception, participle: str) -> StateError:
        # After close() the attributes are gone: a check for it would cost each read.
        if not hasattr(self, "_database"):
            return self._closed()
        return explained(error, self.path, participle)

    def _closed(self) -> StateClosedError:
        msg = f"the state store in {self.path} was used after it was closed"
        return StateClosedError(msg, self.path)


class _Cursor:
    """A position in a snapshot of the entries. `close` of the store sets `rows` to None.

    The binding hands RocksDB the address of the upper bound, not a copy: it must live as long as
    `rows`. A lower bound cannot be given at all: its set_iterate_lower_bound sets the upper one.
    """

    __slots__ = ("__weakref__", "_upper_bound", "rows")

    def __init__(self, rows: RdictIter, upper_bound: bytes | None) -> None:
        self.rows: RdictIter | None = rows
        self._upper_bound = upper_bound
