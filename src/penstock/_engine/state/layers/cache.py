"""The record cache: several changes of a key between two commits become one.

A change stays here until the cache is flushed: at a commit, or when the caches of a thread have
outgrown their common budget. Then it goes to the store and its changelog, and whoever listens is
told: a table forwards its changes only now. Semantics 8.4, Java: CachingKeyValueStore, NamedCache
and ThreadCache, whose order of events and measure of bytes this keeps, so that the same cache
overflows at the same record.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, Final, Protocol, TypeAlias

from penstock._engine.state.layers.logged import RecordStore, Write
from penstock._engine.state.merging import merged
from penstock.record import HeaderPairs

FlushListener: TypeAlias = Callable[[bytes, bytes | None, bytes | None, int, HeaderPairs], None]
"""`listener(key, new, old, timestamp, headers)`; time and headers are of the record behind it."""

Entry: TypeAlias = tuple[bytes | None, int, int, HeaderPairs, "str | None", int, Any]
"""(value, size, timestamp, headers, topic, partition, kept): a value and the record in hand when it
was written; a value that was only read is of no record. What is kept of the record is its raw form,
or only its offset if nobody will look at its bytes: they would be let go of when they have long
left the processor's caches, which costs more than to write the entry.
"""
VALUE: Final = 0
SIZE: Final = 1

_OFFSET: Final = 0
"""Where a raw record has its offset."""

# What Java counts for an entry besides key, value, topic and headers.
_ENTRY_BYTES = 45


class RecordInHand(Protocol):
    """Where a task stands; the cache notes it with each write and returns to it at the flush."""

    keeps_bytes: bool
    topic: str | None
    partition: int
    raw: Any
    timestamp: int


class CacheBudget:
    """How many bytes the caches of one thread may hold together, and how many they do."""

    __slots__ = ("limit_bytes", "used_bytes")

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.used_bytes = 0


class CachedStore:
    """A RecordStore over another one, the cache of one store of one task."""

    __slots__ = (
        "_below",
        "_budget",
        "_dirty",
        "_entries",
        "_listener",
        "_position",
        "_sends_old",
        "_used_bytes",
        "get",
        "peek",
        "write",
    )

    def __init__(self, below: RecordStore, budget: CacheBudget, position: RecordInHand) -> None:
        self._below = below
        self._budget = budget
        self._position = position
        self._entries: OrderedDict[bytes, Entry] = OrderedDict()
        """The one used longest ago first."""
        self._dirty: dict[bytes, Entry] = {}
        """What must be flushed; the one written longest ago first."""
        self._listener: FlushListener | None = None
        self._sends_old = False
        self._used_bytes = 0
        # What is called for each record holds what it needs: no attribute is looked up.
        self.get = self._make_get()
        self.peek = self._make_peek()
        """`get` for a reader that is about to write the same key, which then counts as the use."""
        self.write: Write = self._make_write()

    def listen(self, listener: FlushListener, *, sends_old_values: bool) -> None:
        """Let `listener` know each change when it is flushed; the old value is looked up only if
        asked for.
        """
        self._listener = listener
        self._sends_old = sends_old_values

    def replace_listener(self, listener: FlushListener) -> None:
        """Let another listener know in place of the one there is, if that needs no old values."""
        if self._listener is not None and not self._sends_old:
            self._listener = listener

    def _make_get(self) -> Callable[[bytes], bytes | None]:
        entries, below, budget = self._entries, self._below.get, self._budget
        find, use, give_way = entries.get, entries.move_to_end, self._give_way

        def get(key: bytes) -> bytes | None:
            entry = find(key)
            if entry is not None:
                use(key)
                return entry[VALUE]
            value = below(key)
            if value is not None:
                size = _ENTRY_BYTES + len(key) + len(value)
                entries[key] = (value, size, -1, (), "", -1, None)
                self._used_bytes += size
                budget.used_bytes += size
                if budget.used_bytes > budget.limit_bytes:
                    give_way()
            return value

        return get

    def _make_peek(self) -> Callable[[bytes], bytes | None]:
        find, get = self._entries.get, self.get

        def peek(key: bytes) -> bytes | None:
            entry = find(key)
            return get(key) if entry is None else entry[VALUE]

        return peek

    def _make_write(self) -> Write:
        entries, dirty, budget, position = self._entries, self._dirty, self._budget, self._position
        find, use, give_way = entries.get, entries.move_to_end, self._give_way
        forget_place, keeps_bytes, note_new = dirty.pop, position.keeps_bytes, self._note_new

        def write(key: bytes, value: bytes | None, timestamp: int, headers: HeaderPairs) -> None:
            topic = position.topic
            size = _ENTRY_BYTES + len(key)
            if value is not None:
                size += len(value)
            if topic is not None:
                size += len(topic)
            if headers:
                size += _size_of(headers)
            previous = find(key)
            raw = position.raw
            kept = raw if keeps_bytes or raw is None else raw[_OFFSET]
            entry = (value, size, timestamp, headers, topic, position.partition, kept)
            entries[key] = entry
            forget_place(key, None)
            dirty[key] = entry
            if previous is None:
                note_new(key)
            else:
                use(key)
                size -= previous[SIZE]
            if size:
                self._used_bytes += size
                budget.used_bytes += size
            if budget.used_bytes > budget.limit_bytes:
                give_way()

        return write

    def _note_new(self, key: bytes) -> None:
        """Learn that a key is written that was not cached."""

    def scan(
        self, start: bytes | None, end: bytes | None, *, reverse: bool
    ) -> Iterator[tuple[bytes, bytes]]:
        keys = sorted((key for key in self._entries if _within(key, start, end)), reverse=reverse)
        cached = [(key, self._entries[key][VALUE]) for key in keys]
        for key in keys:
            self._entries.move_to_end(key)
        return merged(cached, self._below.scan(start, end, reverse=reverse), reverse=reverse)

    def approximate_num_entries(self) -> int:
        """Count what is in the store, as Java does: not what is only in the cache."""
        return self._below.approximate_num_entries()

    def flush(self) -> None:
        """Let all changes out, in the order of the last write of each key."""
        if self._dirty:
            before = self._used_bytes
            self._flush_with(None)
            self._budget.used_bytes += self._used_bytes - before

    def clear(self) -> None:
        """Forget everything, changes included."""
        self._budget.used_bytes -= self._used_bytes
        self._used_bytes = 0
        self._entries.clear()
        self._dirty.clear()

    def _give_way(self) -> None:
        """Let go of what was used longest ago until the budget is kept."""
        budget = self._budget
        # A flush may let other caches grow: this one gives way only as long as it holds something.
        while budget.used_bytes > budget.limit_bytes and self._entries:
            before = self._used_bytes
            key, entry = self._entries.popitem(last=False)
            self._used_bytes -= entry[SIZE]
            if key in self._dirty:
                self._flush_with((key, entry))
            # Only now, as in Java: while it is flushed, other caches find the budget exceeded.
            budget.used_bytes += self._used_bytes - before

    def _flush_with(self, evicted: tuple[bytes, Entry] | None) -> None:
        changes: list[tuple[bytes, Entry]] = []
        if evicted is not None:
            changes.append(evicted)
            del self._dirty[evicted[0]]
        changes += self._dirty.items()
        # What is flushed may cause new changes here: from now on they are others.
        self._dirty.clear()
        for key, entry in self._let_out(changes):
            if self._entries.get(key) is entry:
                del self._entries[key]
                self._used_bytes -= entry[SIZE]

    def _let_out(self, changes: list[tuple[bytes, Entry]]) -> list[tuple[bytes, Entry]]:
        """Write changes to the store and tell the listener, each as if its record were in hand.

        Give those that were deletions: the cache need not keep them.
        """
        read, write, listener = self._below.get, self._below.write, self._listener
        sends_old, position = self._sends_old and listener is not None, self._position
        keeps_bytes = position.keeps_bytes
        before = (position.topic, position.partition, position.raw, position.timestamp)
        deleted = []
        try:
            for change in changes:
                key, (new, _, timestamp, headers, topic, partition, kept) = change
                old = read(key) if sends_old else None
                if new is None:
                    deleted.append(change)
                    if listener is not None and (old if sends_old else read(key)) is None:
                        continue  # it came and went between two flushes: nobody need know
                as_it_was = keeps_bytes or kept is None
                position.raw = kept if as_it_was else (kept, timestamp, None, None, headers)
                position.topic, position.partition = topic, partition
                position.timestamp = timestamp
                write(key, new, timestamp, headers)
                if listener is not None:
                    listener(key, new, old, timestamp, headers)
        finally:
            position.topic, position.partition, position.raw, position.timestamp = before
        return deleted


def _size_of(headers: HeaderPairs) -> int:
    return sum(len(key) + (0 if value is None else len(value)) for key, value in headers)


def _within(key: bytes, start: bytes | None, end: bytes | None) -> bool:
    return (start is None or start <= key) and (end is None or key < end)
