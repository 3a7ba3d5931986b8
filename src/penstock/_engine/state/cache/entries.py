"""The entries of a record cache: values by key, in the order of their use, and the changed ones in
the order of their last write. Java: NamedCache.

In Python and in C (`fast/entries.c`): the same tests run on both. When a cache evicts, and what
happens to evicted entries, is decided in `record_cache.py`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from penstock._engine.fast.choice import compiled
from penstock._engine.state.logged import Write
from penstock.record import HeaderPairs

CacheChange: TypeAlias = tuple[bytes, bytes | None, int, HeaderPairs, "str | None", int, Any]
"""(key, value, timestamp, headers, topic, partition, kept): a value and the record in hand when it
was written. `kept` is the raw record, or only its offset if its bytes are not needed: to free them
when they have long left the processor's caches costs more than to write the entry.
"""
CachedPair: TypeAlias = tuple[bytes, bytes | None]
"""A key and its value, None if it is deleted."""

# What Java counts for an entry besides key, value, topic and headers.
_ENTRY_BYTES: Final = 45

_OFFSET: Final = 0
"""Where a raw record has its offset."""

_VALUE: Final = 1
_SIZE: Final = 7


class RecordInHand(Protocol):
    """The record that a task processes; the cache notes it with each write and restores it at the
    flush.
    """

    keeps_bytes: bool
    topic: str | None
    partition: int
    raw: Any
    timestamp: int
    headers: HeaderPairs


class PlainBudget:
    """The bytes that the caches of one thread may hold together, and those that they hold."""

    __slots__ = ("limit_bytes", "used_bytes")

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.used_bytes = 0


_Entry: TypeAlias = tuple[bytes, bytes | None, int, HeaderPairs, "str | None", int, Any, int]
"""A change and its size; a value that was only read has no record."""


class PlainEntries:
    """The entries of one cache, in Python.

    `miss(key)` returns the value of a key that is not here, `note_new(key)` is called for keys that
    are written for the first time, `give_way()` when the budget is exceeded. `key_bytes` is how
    much longer than the keys here those are that Java counts.
    """

    __slots__ = (
        "_budget",
        "_changed",
        "_entry_bytes",
        "_give_way",
        "_used",
        "get",
        "peek",
        "used_bytes",
        "write",
    )

    def __init__(  # noqa: PLR0917  # the form in C takes no keywords
        self,
        budget: PlainBudget,
        position: RecordInHand,
        miss: Callable[[bytes], bytes | None],
        note_new: Callable[[bytes], None] | None,
        give_way: Callable[[], None],
        key_bytes: int = 0,
        /,
    ) -> None:
        self.used_bytes = 0
        self._entry_bytes = _ENTRY_BYTES + key_bytes
        self._budget = budget
        self._give_way = give_way
        self._used: OrderedDict[bytes, _Entry] = OrderedDict()
        """The one used longest ago first."""
        self._changed: dict[bytes, _Entry] = {}
        """The one written longest ago first."""
        # Functions called for each record hold what they need: no attribute is looked up.
        self.get = self._make_get(miss)
        """`get(key)` returns the value, and counts as a use."""
        self.peek = self._make_peek(miss)
        """`get` for a reader that is about to write the same key, which then counts as the use."""
        self.write = self._make_write(position, note_new)
        """`write(key, value, timestamp, headers)` on behalf of the record in hand."""

    def __len__(self) -> int:
        return len(self._used)

    def __contains__(self, key: bytes) -> bool:
        return key in self._used

    def _make_get(self, miss: Callable[[bytes], bytes | None]) -> Callable[[bytes], bytes | None]:
        find, use = self._used.get, self._used.move_to_end

        def get(key: bytes) -> bytes | None:
            entry = find(key)
            if entry is None:
                return miss(key)
            use(key)
            return entry[_VALUE]

        return get

    def _make_peek(self, miss: Callable[[bytes], bytes | None]) -> Callable[[bytes], bytes | None]:
        find = self._used.get

        def peek(key: bytes) -> bytes | None:
            entry = find(key)
            return miss(key) if entry is None else entry[_VALUE]

        return peek

    def _make_write(
        self, position: RecordInHand, note_new: Callable[[bytes], None] | None
    ) -> Write:
        entries, changed, budget = self._used, self._changed, self._budget
        find, use, give_way = entries.get, entries.move_to_end, self._give_way
        forget_place, keeps_bytes = changed.pop, position.keeps_bytes
        entry_bytes = self._entry_bytes

        def write(key: bytes, value: bytes | None, timestamp: int, headers: HeaderPairs) -> None:
            topic = position.topic
            size = entry_bytes + len(key)
            if value is not None:
                size += len(value)
            if topic is not None:
                size += len(topic)
            if headers:
                size += _size_of(headers)
            previous = find(key)
            raw = position.raw
            kept = raw if keeps_bytes or raw is None else raw[_OFFSET]
            entry = (key, value, timestamp, headers, topic, position.partition, kept, size)
            entries[key] = entry
            forget_place(key, None)
            changed[key] = entry
            if previous is not None:
                use(key)
                size -= previous[_SIZE]
            elif note_new is not None:
                note_new(key)
            if size:
                self.used_bytes += size
                budget.used_bytes += size
            if budget.used_bytes > budget.limit_bytes:
                give_way()

        return write

    def decoding(self, decode: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
        """Return `look(key)`, which returns the decoded value, None if there is none, and counts as
        a use. It may return the same object again until the value changes.
        """
        get = self.get

        def look(key: bytes) -> Any:
            value = get(key)
            return None if value is None else decode(value)

        return look

    def keep(self, key: bytes, value: bytes) -> None:
        """Hold a value that was read from the store, of a key that is not here."""
        size = self._entry_bytes + len(key) + len(value)
        self._used[key] = (key, value, -1, (), "", -1, None, size)
        self.used_bytes += size
        self._budget.used_bytes += size
        if self._budget.used_bytes > self._budget.limit_bytes:
            self._give_way()

    def used(self, keys: Iterable[bytes]) -> list[CachedPair]:
        """Return the values of keys that are here; each counts as a use, in that order."""
        pairs = []
        for key in keys:
            self._used.move_to_end(key)
            pairs.append((key, self._used[key][_VALUE]))
        return pairs

    def in_order_of_use(self) -> list[bytes]:
        """Return all keys, the one used longest ago first."""
        return list(self._used)

    def pop_oldest(self) -> CacheChange | None:
        """Evict the entry used longest ago; return it if it was changed."""
        key, entry = self._used.popitem(last=False)
        self.used_bytes -= entry[_SIZE]
        return None if self._changed.pop(key, None) is None else entry[:_SIZE]

    def take_changes(self) -> list[CacheChange]:
        """Return all changes, the one written longest ago first, and mark them as flushed."""
        changes = [entry[:_SIZE] for entry in self._changed.values()]
        self._changed.clear()
        return changes

    def drop_deleted(self, key: bytes) -> None:
        """Drop a key if it is deleted and that has been flushed."""
        entry = self._used.get(key)
        if entry is not None and entry[_VALUE] is None and key not in self._changed:
            del self._used[key]
            self.used_bytes -= entry[_SIZE]

    def clear(self) -> None:
        """Drop all entries, changes included."""
        self._budget.used_bytes -= self.used_bytes
        self.used_bytes = 0
        # Values may write here again when they are released: that comes last.
        _released = self._used.copy(), self._changed.copy()
        self._used.clear()
        self._changed.clear()


def _size_of(headers: HeaderPairs) -> int:
    return sum(len(key) + (0 if value is None else len(value)) for key, value in headers)


if TYPE_CHECKING:
    CacheBudget: TypeAlias = PlainBudget
    Entries: TypeAlias = PlainEntries
else:
    CacheBudget = PlainBudget if compiled is None else compiled.CacheBudget
    Entries = PlainEntries if compiled is None else compiled.Entries
