"""The record cache: several writes of a key between two commits become one.

A dirty entry stays here until the cache is flushed: at a commit, or when the caches of a thread
exceed their common budget. Then it goes to the store, its changelog and the flush listener: only
now a table forwards its changes. Java: CachingKeyValueStore, NamedCache and ThreadCache, whose
order of events and measure of bytes this keeps, so that the same cache overflows at the same
record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from penstock._engine.state.cache.entries import (
    CacheBudget,
    CacheChange,
    CachedPair,
    Entries,
    RecordInHand,
)
from penstock._engine.state.cache.flush import FlushListener, flush_puts
from penstock._engine.state.logged import LoggedStore, RecordStore, Write
from penstock._engine.state.merging import merged

Read: TypeAlias = Callable[[bytes], bytes | None]


class CacheReads:
    """How many reads of a cache there were, and how many of them did not find their key. Java: the
    hit ratio of NamedCache.
    """

    __slots__ = ("misses", "reads")

    def __init__(self) -> None:
        self.reads = self.misses = 0

    def hit_ratio(self) -> float | None:
        """Return the part of the reads that found their key, None if there were no reads."""
        return None if not self.reads else 1.0 - self.misses / self.reads

    def counting(self, read: Read) -> Read:
        """Return `read`, which counts its calls."""

        def counted(key: bytes) -> bytes | None:
            self.reads += 1
            return read(key)

        return counted

    def counting_misses(self, miss: Read) -> Read:
        """Return `miss`, which counts its calls."""

        def missed(key: bytes) -> bytes | None:
            self.misses += 1
            return miss(key)

        return missed


class CachedStore:
    """The cache of one store of one task: a RecordStore over another one."""

    __slots__ = (
        "_below",
        "_budget",
        "_listener",
        "_listens_to_rows",
        "_position",
        "_sends_old",
        "entries",
        "get",
        "peek",
        "reads",
        "write",
    )

    def __init__(
        self,
        below: RecordStore,
        budget: CacheBudget,
        position: RecordInHand,
        *,
        counts_reads: bool = False,
        key_bytes: int = 0,
    ) -> None:
        self._below = below
        self._budget = budget
        self._position = position
        self._listener: FlushListener | None = None
        self._sends_old = False
        self._listens_to_rows = False
        self.reads = CacheReads() if counts_reads else None
        """Counts the reads; None unless asked for: it would cost each read something."""
        miss = self._miss if self.reads is None else self.reads.counting_misses(self._miss)
        self.entries = Entries(budget, position, miss, self._note_new, self._evict, key_bytes)
        self.get = self.entries.get
        self.peek = self.entries.peek
        """`get` for a reader that is about to write the same key: only the write counts as a use.
        """
        if self.reads is not None:
            self.get, self.peek = self.reads.counting(self.get), self.reads.counting(self.peek)
        self.write: Write = self.entries.write

    def listen(self, listener: FlushListener, *, sends_old_values: bool) -> None:
        """Call `listener` with each entry that is flushed, with its old value only if asked for."""
        self._listener = listener
        self._sends_old = sends_old_values

    def listen_to_rows(self, listener: FlushListener) -> None:
        """Replace the listener, if there is one and it needs no old values, by one that takes rows
        as they are stored and does not ask for the record in hand.
        """
        if self._listener is not None and not self._sends_old:
            self._listener = listener
            self._listens_to_rows = True

    def _miss(self, key: bytes) -> bytes | None:
        value = self._below.get(key)
        if value is not None:
            self.entries.keep(key, value)
        return value

    # Called with each key that is written and was not cached.
    _note_new: Callable[[bytes], None] | None = None

    def scan(
        self, start: bytes | None, end: bytes | None, *, reverse: bool
    ) -> Iterator[tuple[bytes, bytes]]:
        keys = _keys_within(self.entries, start, end, reverse=reverse)
        below = self._below.scan(start, end, reverse=reverse)
        return merged(self._used_in_turn(keys), below, reverse=reverse)

    def _used_in_turn(self, keys: list[bytes]) -> Iterator[CachedPair]:
        """Return the cached rows of `keys` as they are now. Each counts as used when the reader
        comes to it, as in Java: rows that are not read are no younger.
        """
        entries = self.entries
        pairs = [(key, entries.peek(key)) for key in keys]

        def in_turn() -> Iterator[CachedPair]:
            for pair in pairs:
                if pair[0] in entries:  # it may have been evicted meanwhile
                    entries.get(pair[0])
                yield pair

        return in_turn()

    def approximate_num_entries(self) -> int:
        """Count the entries of the store below, as Java does, not those that are only cached."""
        return self._below.approximate_num_entries()

    def flush(self) -> bool:
        """Flush all dirty entries, in the order of the last write of each key; return whether
        there were any.
        """
        changes = self.entries.take_changes()
        if not changes:
            return False
        before = self.entries.used_bytes
        self._flush_entries(changes)
        self._budget.used_bytes += self.entries.used_bytes - before
        return True

    def clear(self) -> None:
        """Drop all entries, dirty ones too."""
        self.entries.clear()

    def _evict(self) -> None:
        """Evict the least recently used entries until the budget is kept."""
        budget, entries = self._budget, self.entries
        # A flush may let other caches grow: this one evicts only as long as it holds something.
        while budget.used_bytes > budget.limit_bytes and len(entries):
            before = entries.used_bytes
            change = entries.pop_oldest()
            if change is not None:
                self._flush_entries([change, *entries.take_changes()])
            # Only now, as in Java: during the flush, other caches find the budget exceeded.
            budget.used_bytes += entries.used_bytes - before

    def _flush_entries(self, changes: list[CacheChange]) -> None:
        """Write dirty entries to the store and call the listener, each with its record in hand. A
        flush may write new entries to this cache; they wait for the next flush.
        """
        below = self._below
        if self._listens_to_rows and isinstance(below, LoggedStore):
            # This listener does not ask for the record in hand.
            assert self._listener is not None
            changes = changes[flush_puts(changes, below.put, below.log, self._listener) :]
        read, write, listener = self._below.get, self._below.write, self._listener
        sends_old, position = self._sends_old and listener is not None, self._position
        keeps_bytes = position.keeps_bytes
        before = (position.topic, position.partition, position.raw)
        time_before, headers_before = position.timestamp, position.headers
        deleted = []
        try:
            for key, new, timestamp, headers, topic, partition, kept in changes:
                old = read(key) if sends_old else None
                if new is None:
                    deleted.append(key)
                    if listener is not None and (old if sends_old else read(key)) is None:
                        continue  # written and deleted between two flushes
                as_it_was = keeps_bytes or kept is None
                position.raw = kept if as_it_was else (kept, timestamp, None, None, headers)
                position.topic, position.partition = topic, partition
                position.timestamp, position.headers = timestamp, headers
                write(key, new, timestamp, headers)
                if listener is not None:
                    listener(key, new, old, timestamp, headers)
        finally:
            position.topic, position.partition, position.raw = before
            position.timestamp, position.headers = time_before, headers_before
        for key in deleted:
            self.entries.drop_deleted(key)


class QuietCache:
    """A cached store as a query sees it: a RecordStore that leaves the cache as it is.

    What a query reads is not kept: while its task is restored it would outlive what the changelog
    says next, and to make room for it would flush entries, which runs the user's code. Java:
    CachingKeyValueStore keeps what the stream's thread reads, and no other.
    """

    __slots__ = ("_below", "_entries", "write")

    def __init__(self, cache: CachedStore) -> None:
        self._below, self._entries = cache._below, cache.entries
        self.write = cache.write  # for the form: a query does not write

    def get(self, key: bytes) -> bytes | None:
        return self._entries.peek(key) if key in self._entries else self._below.get(key)

    def scan(
        self, start: bytes | None, end: bytes | None, *, reverse: bool
    ) -> Iterator[tuple[bytes, bytes]]:
        entries = self._entries
        keys = _keys_within(entries, start, end, reverse=reverse)
        cached = [(key, entries.peek(key)) for key in keys]
        return merged(cached, self._below.scan(start, end, reverse=reverse), reverse=reverse)

    def approximate_num_entries(self) -> int:
        return self._below.approximate_num_entries()


def _keys_within(
    entries: Entries, start: bytes | None, end: bytes | None, *, reverse: bool
) -> list[bytes]:
    keys = (key for key in entries.in_order_of_use() if _within(key, start, end))
    return sorted(keys, reverse=reverse)


def _within(key: bytes, start: bytes | None, end: bytes | None) -> bool:
    return (start is None or start <= key) and (end is None or key < end)
