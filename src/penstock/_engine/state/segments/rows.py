"""The rows of a store of windows or sessions: bytes under a key and a time, kept for a while.

```
row key:    segment | key | time | rest      time: a window's start, a session's end
in order:   time + 2**63 | ... | key | ...   of stores that are read by time too; no value
clock:      0xff "clock"                     the store's stream time, and how many puts there were
```

A row key without its segment is the key of the changelog record; with it, the key in Java's cache
and, in Java's stores on disk, in which database it is and where. A segment that is too old is one
range of keys, dropped with the next commit; until then it is not read. Java:
AbstractRocksDBSegmentedBytesStore, InMemoryWindowStore, InMemorySessionStore.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from struct import Struct
from typing import TYPE_CHECKING, Final, TypeAlias

from penstock._engine.fast.choice import compiled
from penstock._engine.state.cache.entries import CacheBudget, RecordInHand
from penstock._engine.state.codec import pack_timestamp
from penstock._engine.state.contract import KeyRange
from penstock._engine.state.logged import Log, Write
from penstock._engine.state.overlay import Overlay
from penstock._engine.state.segments.recent_rows import RecentRows, Row, after, note
from penstock.record import HeaderPairs
from penstock.stores import StoreBuilder
from penstock.stores._builders import StoreTimes

SEGMENT_BYTES: Final = 8
CLOCK_KEY: Final = b"\xffclock"
_BEHIND_ROWS: Final = b"\x80"
"""All row keys are before it, since times are not negative; the index and the clock are not."""
BEHIND_EVERY_REST: Final = b"\xff"
"""Behind a key and a time, it is greater than what may follow them: a non-negative number."""

_CLOCK = Struct(">qi")
_TIME_FIRST = Struct(">Q")
_TIME_BIT = 1 << 63
_NO_TIME = -1
_NEVER = 1 << 63

pack_segment = pack_timestamp
time_at: Callable[[bytes, int], tuple[int]] = Struct(">q").unpack_from
"""`(time,) = time_at(row_key, offset)`."""


def time_first(time: int) -> bytes:
    """Return the first bytes of index keys, which are in the order of time."""
    return _TIME_FIRST.pack(time + _TIME_BIT)


def time_of_index(index_key: bytes) -> int:
    """Return the time of a row by its index key."""
    time: int = _TIME_FIRST.unpack_from(index_key)[0]
    return time - _TIME_BIT


def _bounds_in(
    segment: int, key_from: bytes | None, key_to: bytes | None, latest: int
) -> tuple[bytes, bytes]:
    """Return the row keys in a segment between which the rows of a range of keys are, and others;
    `latest` is the last time of a row.
    """
    start = pack_segment(segment) + (key_from or b"")
    if key_to is None:
        return start, pack_segment(segment + 1)
    # A key that is the beginning of another one is before it, but its rows may be behind.
    tail = pack_timestamp(latest) + BEHIND_EVERY_REST
    last = max(key_to[:length] + tail for length in range(len(key_to) + 1))
    return start, pack_segment(segment) + last


def is_within(raw_key: bytes, key_from: bytes | None, key_to: bytes | None) -> bool:
    """Yes if a key is in a range of keys, bounds included, None for no bound."""
    return (key_from is None or raw_key >= key_from) and (key_to is None or raw_key <= key_to)


class PlainClockFields:
    """The fields of `RowClock` that C reads."""

    __slots__ = ("expired", "observed")


class PlainRowFields:
    """The fields of `Rows` that C reads."""

    __slots__ = ("clock", "interval", "recent")


if TYPE_CHECKING:
    ClockFields: TypeAlias = PlainClockFields
    RowFields: TypeAlias = PlainRowFields
else:
    ClockFields = PlainClockFields if compiled is None else compiled.ClockFields
    RowFields = PlainRowFields if compiled is None else compiled.RowFields


class RowClock(ClockFields):
    """The stream time of a store: it decides which rows are too old."""

    __slots__ = ("_interval", "_next", "_retention", "_seen", "live", "live_key", "written")

    def __init__(self, times: StoreTimes, *, sees_oldest: bool) -> None:
        self._interval = times.segment_interval_ms
        self._retention = times.retention_ms
        self._seen = times.retention_ms + sees_oldest
        self._next = self._interval + self._retention
        self.observed = _NO_TIME
        """The latest time that was put."""
        self.expired = _NO_TIME - self._seen
        """Rows of this time and before are not seen."""
        self.live = 0
        """The first segment that is not too old."""
        self.live_key = b""
        """Row keys before it are in segments that are too old."""
        self.written = _NEVER
        """No row of a later time is in the engine."""

    def observe(self, time: int) -> None:
        """Advance the stream time to a later one."""
        self.observed = time
        self.expired = time - self._seen
        if time >= self._next:
            self.live = (time - self._retention) // self._interval
            self.live_key = pack_segment(self.live)
            self._next = (self.live + 1) * self._interval + self._retention

    def kept_from(self, observed: int) -> int:
        """Return the first time whose rows are stored when `observed` is the latest that was put:
        rows that are too old to be seen are stored until their segment is dropped.
        """
        return max(0, (observed - self._retention) // self._interval) * self._interval

    def seen_from(self, observed: int) -> int:
        """Return the first time whose rows are seen when `observed` is the latest that was put."""
        return observed - self._seen + 1

    def note_write(self) -> None:
        """Note that all rows put so far are about to be written to the engine."""
        self.written = self.observed


@dataclass(frozen=True, slots=True)
class RowPlace:
    """Where the rows of a task's store are kept, and where changes are reported."""

    overlay: Overlay
    log: Log | None
    drop: Callable[[], None]
    """Called for each row that is too old to be put."""
    budget: CacheBudget
    position: RecordInHand
    counts_cache_reads: bool = False


class Rows(RowFields):
    """The rows of a store, uncommitted ones over committed ones: a RecordStore by row keys, below
    the cache if any.

    `rest` is how many bytes follow the time in a row key; `to_index` returns the index key of a
    row, if the store has an index in the order of time.
    """

    __slots__ = (
        "_drop",
        "_dropped_to",
        "_in_memory",
        "_is_indexed",
        "_overlay",
        "_rest",
        "_saved",
        "_to_index",
        "get",
        "log",
        "sequence",
        "write",
    )

    def __init__(
        self,
        place: RowPlace,
        builder: StoreBuilder,
        rest: int,
        to_index: Callable[[bytes], bytes] | None,
        *,
        sees_oldest: bool,
    ) -> None:
        times = builder.times
        assert times is not None
        overlay = place.overlay
        self._overlay = overlay
        self._drop = place.drop
        self._in_memory = builder.engine == "in_memory"
        self._rest = rest
        self._to_index = to_index
        self._is_indexed = to_index is not None
        self.interval = times.segment_interval_ms
        self.clock = RowClock(times, sees_oldest=sees_oldest)
        self.sequence = 0
        """The number of the last put, where duplicates are retained."""
        self._dropped_to = 0
        self._saved: bytes | None = None
        self._resume()
        self.log = place.log or _nowhere
        # A join reads the rows of keys, but perhaps not before it has put many: cached from the
        # first on, they need never be read from the engine.
        self.recent = self._open_recent() if times.retain_duplicates else None
        """The newest rows of each key; other stores have none until they read rows of a key."""
        overlay.before_write = self.clock.note_write
        self.get = _getter(overlay, self.clock, rest + 8)
        self.write: Write = _writer(self, place)
        """`write(row_key, row, timestamp, headers)`: put a row, or delete it (None)."""

    def scan(self, start: bytes | None, end: bytes | None, *, reverse: bool) -> Iterator[Row]:
        """Return the rows that are seen now between two row keys: later puts change nothing."""
        entries = self._overlay.scan(start, end, reverse=reverse)
        return _seen(entries, self.clock.expired, self._rest + 8)

    def scan_keys(
        self,
        key_from: bytes | None,
        key_to: bytes | None,
        times: tuple[int, int],
        *,
        reverse: bool,
    ) -> Iterator[Row]:
        """Return the rows that are seen now of a range of keys and times, and some others, segment
        by segment. All segments are opened at once, as in Java: a later put may let the first ones
        expire. There are few, since an interval is at least half the retention.
        """
        clock, interval = self.clock, self.interval
        latest = min(times[1], clock.observed)
        segments = range(max(times[0] // interval, clock.live), latest // interval + 1)
        return chain.from_iterable(
            [
                self.scan(*_bounds_in(segment, key_from, key_to, latest), reverse=reverse)
                for segment in (reversed(segments) if reverse else segments)
            ]
        )

    def scan_by_time(self, start: int, end: int, *, reverse: bool) -> Iterator[bytes]:
        """Return the index keys of rows from `start` to `end`, both included, in the order of time;
        only for stores with an index.
        """
        entries = self._overlay.scan(time_first(start), time_first(end + 1), reverse=reverse)
        return (key for key, _ in entries)

    def get_if_live(self, row_key: bytes) -> bytes | None:
        """Return a row that is not in a dropped segment, even if it is too old to be seen."""
        return None if row_key < self.clock.live_key else self._overlay.get(row_key)

    def key_of(self, engine_key: bytes) -> bytes | None:
        """Return the raw key of an entry of the engine, None if it is no row that is seen."""
        if engine_key >= _BEHIND_ROWS or self.get(engine_key) is None:
            return None
        return engine_key[SEGMENT_BYTES : -self._rest - 8]

    def approximate_num_entries(self) -> int:
        return self._overlay.approximate_num_entries()

    def touch(self, time: int) -> None:
        """Advance the stream time without a put, as a store in memory does."""
        if time > self.clock.observed:
            self.clock.observe(time)
        if time <= self.clock.expired:
            self._drop()

    def remove(self, row_key: bytes, timestamp: int, headers: HeaderPairs) -> None:
        """Delete a row; one that is too old is ignored, and not counted as dropped."""
        clock = self.clock
        time = time_at(row_key, len(row_key) - self._rest - 8)[0]
        if not self._in_memory and time > clock.observed:
            clock.observe(time)
        if row_key >= clock.live_key:
            self._overlay.delete(row_key)
            if self.recent is not None:
                self.recent.note(row_key, None)
            if self._to_index is not None:
                self._overlay.delete(self._to_index(row_key))
        self.log(row_key[SEGMENT_BYTES:], None, timestamp, headers)

    def of_key(self, raw_key: bytes, time_from: int, time_to: int) -> list[Row]:
        """Return the rows of a key between two times, both included, that are seen; in order."""
        clock, interval, recent = self.clock, self.interval, self.recent
        first, last = clock.expired + 1, clock.observed
        first = max(first, time_from)
        first = max(first, 0)
        to_the_last = last <= time_to
        if not to_the_last:
            last = time_to
        if recent is None:
            # Even if there are no rows yet: then all that follow are cached.
            recent = self.recent = self._open_recent()
        if first > last:
            return []
        start, end = pack_timestamp(first), after(last)
        segment, last_segment = first // interval, last // interval
        collect = recent.collect
        found = collect(pack_segment(segment) + raw_key, start, end, to_the_last=to_the_last)
        while segment < last_segment:
            segment += 1
            prefix = pack_segment(segment) + raw_key
            found += collect(prefix, start, end, to_the_last=to_the_last)
        return found

    def commit(self, changelog_offset: int | None) -> None:
        """Write all changes to the engine, and drop the segments that are too old."""
        clock = self.clock
        state = _CLOCK.pack(clock.observed, self.sequence)
        if state != self._saved:
            self._overlay.put(CLOCK_KEY, state)
        self._overlay.apply(changelog_offset, self._dropped())
        if self.recent is not None:
            self.recent.committed()
        self._saved = state
        self._dropped_to = clock.live

    def restored(
        self, records: Iterable[tuple[bytes, bytes | None]]
    ) -> tuple[dict[bytes, bytes | None], list[KeyRange]]:
        """Take over rows by the keys of their changelog records; return the changes for the engine,
        and the ranges to drop.
        """
        clock, rest, to_index = self.clock, self._rest, self._to_index
        self.recent = None  # it does not have these rows
        changes: dict[bytes, bytes | None] = {}
        for key, row in records:
            time = time_at(key, len(key) - rest - 8)[0]
            if time > clock.observed:
                clock.observe(time)
            row_key = pack_segment(time // self.interval) + key
            changes[row_key] = row
            if to_index is not None:
                changes[to_index(row_key)] = None if row is None else b""
            if rest == 4:
                self.sequence = max(self.sequence, int.from_bytes(key[-4:], "big"))
        changes[CLOCK_KEY] = self._saved = _CLOCK.pack(clock.observed, self.sequence)
        dropped = self._dropped()
        self._dropped_to = clock.live
        return changes, dropped

    def _open_recent(self) -> RecentRows:
        overlay = self._overlay
        return RecentRows(
            overlay.collect_committed, self._rest + 8, overlay.changes, self.clock.observed
        )

    def _resume(self) -> None:
        """Continue with the stream time that is stored in the engine."""
        self._saved = self._overlay.get(CLOCK_KEY)
        if self._saved is not None:
            observed, self.sequence = _CLOCK.unpack(self._saved)
            self.clock.observe(observed)
            self._dropped_to = self.clock.live

    def _dropped(self) -> list[KeyRange]:
        clock = self.clock
        if clock.live <= self._dropped_to:
            return []
        dropped = [(pack_segment(self._dropped_to), clock.live_key)]
        if self._is_indexed:
            first, last = (n * self.interval for n in (self._dropped_to, clock.live))
            dropped.append((time_first(first), time_first(last)))
        return dropped


def _seen(entries: Iterator[Row], expired: int, at: int) -> Iterator[Row]:
    """Yield the rows whose time, `at` bytes before the end of their keys, has not expired."""
    for row_key, row in entries:
        if time_at(row_key, len(row_key) - at)[0] > expired:
            yield row_key, row


def _getter(overlay: Overlay, clock: RowClock, at: int) -> Callable[[bytes], bytes | None]:
    read, read_unwritten = overlay.get, overlay.get_unwritten

    def get(row_key: bytes) -> bytes | None:
        time = time_at(row_key, len(row_key) - at)[0]
        if time <= clock.expired:
            return None
        return read(row_key) if time <= clock.written else read_unwritten(row_key)

    return get


def _writer(rows: Rows, place: RowPlace) -> Write:
    overlay = place.overlay
    put, delete, log, drop = overlay.put, overlay.delete, rows.log, place.drop
    clock, at, to_index, in_memory = rows.clock, rows._rest + 8, rows._to_index, rows._in_memory

    def write(row_key: bytes, row: bytes | None, timestamp: int, headers: HeaderPairs) -> None:
        time = time_at(row_key, len(row_key) - at)[0]
        if time > clock.observed:
            clock.observe(time)
        # On disk a row may be put as long as its segment is there, even if it is not seen.
        if (time <= clock.expired) if in_memory else (row_key < clock.live_key):
            drop()
        else:
            if row is None:
                delete(row_key)
            else:
                put(row_key, row)
            if rows.recent is not None:
                note(rows.recent, row_key, row)
            if to_index is not None:
                _index(overlay, to_index(row_key), row)
        log(row_key[SEGMENT_BYTES:], row, timestamp, headers)

    return write


def _index(overlay: Overlay, index_key: bytes, row: bytes | None) -> None:
    if row is None:
        overlay.delete(index_key)
    else:
        overlay.put(index_key, b"")


def _nowhere(key: bytes, row: bytes | None, timestamp: int, headers: HeaderPairs) -> None:
    """The changelog of a store that has none."""


if TYPE_CHECKING:
    of_key = Rows.of_key
else:
    of_key = Rows.of_key if compiled is None else compiled.rows_of_key
