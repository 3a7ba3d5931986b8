"""What a record cache holds: values by key, in the order of their use, and those that were changed
in the order of their last write.

Twice: in Python, which works everywhere, and in C (`_entries.c`), which is there if a C compiler
was when Penstock was installed. Both do the same, and the same tests are run on both. When a cache
must give way, and what happens to what it lets go of, is decided in `cache.py`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from penstock._engine.state.logged import Write
from penstock.record import HeaderPairs

Change: TypeAlias = tuple[bytes, bytes | None, int, HeaderPairs, "str | None", int, Any]
"""(key, value, timestamp, headers, topic, partition, kept): a value and the record in hand when it
was written. What is kept of the record is its raw form, or only its offset if nobody will look at
its bytes: they would be let go of when they have long left the processor's caches, which costs more
than to write the entry.
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
    """Where a task stands; the cache notes it with each write and returns to it at the flush."""

    keeps_bytes: bool
    topic: str | None
    partition: int
    raw: Any
    timestamp: int


class PlainBudget:
    """How many bytes the caches of one thread may hold together, and how many they do."""

    __slots__ = ("limit_bytes", "used_bytes")

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.used_bytes = 0


_Entry: TypeAlias = tuple[bytes, bytes | None, int, HeaderPairs, "str | None", int, Any, int]
"""A change and its size; a value that was only read is of no record."""


class PlainEntries:
    """What one cache holds, in Python.

    `miss(key)` gives the value of a key that is not here, `note_new(key)` is told of keys that are
    written and were not, `give_way()` is called when the budget is exceeded.
    """

    __slots__ = ("_budget", "_changed", "_give_way", "_used", "get", "peek", "used_bytes", "write")

    def __init__(
        self,
        budget: PlainBudget,
        position: RecordInHand,
        miss: Callable[[bytes], bytes | None],
        note_new: Callable[[bytes], None] | None,
        give_way: Callable[[], None],
    ) -> None:
        self.used_bytes = 0
        self._budget = budget
        self._give_way = give_way
        self._used: OrderedDict[bytes, _Entry] = OrderedDict()
        """The one used longest ago first."""
        self._changed: dict[bytes, _Entry] = {}
        """The one written longest ago first."""
        # What is called for each record holds what it needs: no attribute is looked up.
        self.get = self._make_get(miss)
        """`get(key)` gives the value, and counts as a use."""
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
        """Give `look(key)`, which gives what `decode` makes of the value, None if there is none; it
        counts as a use. It may give the same thing again as long as the value stays.
        """
        get = self.get

        def look(key: bytes) -> Any:
            value = get(key)
            return None if value is None else decode(value)

        return look

    def keep(self, key: bytes, value: bytes) -> None:
        """Hold a value that was read, of a key that is not here."""
        size = _ENTRY_BYTES + len(key) + len(value)
        self._used[key] = (key, value, -1, (), "", -1, None, size)
        self.used_bytes += size
        self._budget.used_bytes += size
        if self._budget.used_bytes > self._budget.limit_bytes:
            self._give_way()

    def used(self, keys: Iterable[bytes]) -> list[CachedPair]:
        """Give the values of keys that are here, in that order, which is one of use."""
        pairs = []
        for key in keys:
            self._used.move_to_end(key)
            pairs.append((key, self._used[key][_VALUE]))
        return pairs

    def in_order_of_use(self) -> list[bytes]:
        """Give all keys, the one used longest ago first."""
        return list(self._used)

    def pop_oldest(self) -> Change | None:
        """Let go of the entry used longest ago; give it if it was changed."""
        key, entry = self._used.popitem(last=False)
        self.used_bytes -= entry[_SIZE]
        return None if self._changed.pop(key, None) is None else entry[:_SIZE]

    def take_changes(self) -> list[Change]:
        """Give all changes, the one written longest ago first; from now on they are none."""
        changes = [entry[:_SIZE] for entry in self._changed.values()]
        self._changed.clear()
        return changes

    def drop_deleted(self, key: bytes) -> None:
        """Let go of a key if it is deleted and that is no change any more."""
        entry = self._used.get(key)
        if entry is not None and entry[_VALUE] is None and key not in self._changed:
            del self._used[key]
            self.used_bytes -= entry[_SIZE]

    def clear(self) -> None:
        """Forget everything, changes included."""
        self._budget.used_bytes -= self.used_bytes
        self.used_bytes = 0
        self._used.clear()
        self._changed.clear()


def _size_of(headers: HeaderPairs) -> int:
    return sum(len(key) + (0 if value is None else len(value)) for key, value in headers)


def is_compiled() -> bool:
    """Tell whether there is the form in C."""
    return Entries is not PlainEntries


if TYPE_CHECKING:
    CacheBudget: TypeAlias = PlainBudget
    Entries: TypeAlias = PlainEntries
else:
    try:
        from penstock._engine.fast import _entries
    except ImportError:
        CacheBudget, Entries = PlainBudget, PlainEntries
    else:
        CacheBudget, Entries = _entries.CacheBudget, _entries.Entries
