"""A write-back buffer over an engine: the changes of the open transaction, and committed ones that
are not written yet.

What a task writes stays here until its transaction has committed. It may stay longer: the changelog
has it, and a restore begins at the offset that was written to the engine with the last changes. So
a key that changes in every commit is written once in many, and the last changes are read from
memory. Java: none; KIP-892 plans the first half.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from penstock._engine.state.contract import KeyRange, StoreEngine
from penstock._engine.state.merging import merged
from penstock._engine.state.sorted_keys import SortedKeys

# A default that is no value, compared by identity: one lookup tells "absent" from "deleted".
_ABSENT = bytes(bytearray(b"absent"))

# At most this many changed keys are looked up to count entries.
_COUNTED_MAX = 1_000

# Memory of a dict entry besides the bytes of key and value.
_ENTRY_BYTES = 120

_Pending = tuple[bytes, bytes | None]
_Entry = tuple[bytes, bytes]


class Reserve:
    """How many bytes of committed changes the stores of a worker may write to their engines later.

    Each store also keeps what it wrote last, so that it may use twice as much memory.
    """

    __slots__ = ("limit_bytes", "used_bytes")

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.used_bytes = 0


class Overlay:
    """A BytesStore over a StoreEngine. One thread uses it; others read the engine.

    A key that is deleted stays among the changes, as None, until they are applied or discarded. So
    the changed keys only grow, in the order in which they were first changed. With a `reserve`,
    committed changes are written with the next offset, before a scan, or when the reserve is used
    up.
    """

    __slots__ = (
        "_changes",
        "_engine",
        "_order",
        "_ordered_count",
        "_reserve",
        "_reserved_bytes",
        "_unwritten",
        "_written",
        "before_write",
        "get",
        "get_unwritten",
        "put",
    )

    def __init__(self, engine: StoreEngine, reserve: Reserve | None = None) -> None:
        self._engine = engine
        self._reserve = reserve
        self._changes: dict[bytes, bytes | None] = {}
        self._unwritten: dict[bytes, bytes | None] = {}
        """Committed, not written to the engine yet."""
        self._written: dict[bytes, bytes | None] = {}
        """What was written to the engine last: a read from here costs a tenth."""
        self._reserved_bytes = 0
        self._order = SortedKeys(())
        self._ordered_count = 0
        self.before_write: Callable[[], None] | None = None
        """Called before each write to the engine."""
        self.get_unwritten = _reader(self._changes.get, self._unwritten.get)
        """`get` of keys that cannot be in the engine: an engine's miss is expensive, too."""
        # Called for each record: the methods of the dict themselves.
        self.get: Callable[[bytes], bytes | None] = (
            _reader(self._changes.get, engine.get) if reserve is None else self._buffered_reader()
        )
        self.put: Callable[[bytes, bytes], None] = self._changes.__setitem__

    @property
    def engine(self) -> StoreEngine:
        """What the changes are laid over."""
        return self._engine

    @property
    def size_bytes(self) -> int:
        """The bytes of keys and values that are not committed."""
        return _size_of(self._changes)

    def delete(self, key: bytes) -> None:
        self._changes[key] = None

    def scan(self, start: bytes | None, end: bytes | None, *, reverse: bool) -> Iterator[_Entry]:
        self.write_back()
        entries = self._engine.scan(start, end, reverse=reverse)
        changed = self._changed_between(start, end)
        if not changed:
            return entries
        return merged(reversed(changed) if reverse else changed, entries, reverse=reverse)

    def get_committed(self, key: bytes) -> bytes | None:
        """Return what `get` returns without the changes."""
        value = self._unwritten.get(key, _ABSENT)
        if value is _ABSENT:
            value = self._written.get(key, _ABSENT)
        return self._engine.get(key) if value is _ABSENT else value

    def committed(self) -> CommittedView:
        """Return the committed content as a store of its own, for readers."""
        return CommittedView(self, self._engine)

    @property
    def changes(self) -> Mapping[bytes, bytes | None]:
        """The uncommitted changes, None for a deletion."""
        return self._changes

    def collect_committed(self, start: bytes, end: bytes) -> list[_Entry]:
        """Return what `collect` returns without the uncommitted changes."""
        self.write_back()
        return self._engine.collect(start, end)

    def collect(self, start: bytes, end: bytes) -> list[_Entry]:
        self.write_back()
        entries = self._engine.collect(start, end)
        changed = self._changed_between(start, end)
        if not changed:
            return entries
        if not entries:
            return [(key, value) for key, value in changed if value is not None]
        return list(merged(changed, iter(entries), reverse=False))

    def approximate_num_entries(self) -> int:
        """Count the entries; exactly, if the engine does and there are not too many changes."""
        self.write_back()
        committed = self._engine.get
        sample = islice(self._changes.items(), _COUNTED_MAX)
        growth = sum((value is not None) - (committed(key) is not None) for key, value in sample)
        unseen_factor = max(1, len(self._changes) / _COUNTED_MAX)
        return max(0, self._engine.approximate_num_entries() + round(growth * unseen_factor))

    def apply(self, changelog_offset: int | None, dropped: Sequence[KeyRange] = ()) -> None:
        """Mark all changes as committed. With an offset, or ranges of keys to drop, they are
        written to the engine at once; a failure leaves both unchanged.
        """
        changes, reserve = self._changes, self._reserve
        if reserve is None:
            if changes or dropped or changelog_offset is not None:
                self._write_engine(changes, changelog_offset, dropped)
                self._clear_changes()
            return
        if changes:
            self._keep_unwritten(changes, reserve)
            self._clear_changes()
        due = reserve.used_bytes > reserve.limit_bytes
        if changelog_offset is not None or dropped or due:
            self._write(changelog_offset, dropped)

    def committed_entries(self) -> int:
        """Return about how many entries are committed; a key that is not written yet may count
        twice.
        """
        return self._engine.approximate_num_entries() + len(self._unwritten)

    def discard(self) -> None:
        """Discard all uncommitted changes."""
        self._clear_changes()

    def write_back(self) -> None:
        """Write committed changes to the engine."""
        if self._unwritten:
            self._write(None, ())

    def drop_unwritten(self) -> None:
        """Forget committed changes that could not be written to an engine that is about to be
        closed: a restore finds them in the changelog.
        """
        self._unwritten.clear()
        self._release_reserve()

    def _keep_unwritten(self, changes: dict[bytes, bytes | None], reserve: Reserve) -> None:
        unwritten = self._unwritten
        before = len(unwritten)
        unwritten.update(changes)
        grown = len(unwritten) - before
        if grown:
            mean_bytes = _ENTRY_BYTES + _size_of(changes) // len(changes)
            self._reserved_bytes += grown * mean_bytes
            reserve.used_bytes += grown * mean_bytes

    def _write(self, changelog_offset: int | None, dropped: Sequence[KeyRange]) -> None:
        unwritten, written = self._unwritten, self._written
        self._write_engine(unwritten, changelog_offset, dropped)
        written.clear()
        if not dropped:
            written.update(unwritten)
        unwritten.clear()
        self._release_reserve()

    def _release_reserve(self) -> None:
        if self._reserve is not None:
            self._reserve.used_bytes -= self._reserved_bytes
        self._reserved_bytes = 0

    def _write_engine(
        self,
        changes: dict[bytes, bytes | None],
        changelog_offset: int | None,
        dropped: Sequence[KeyRange],
    ) -> None:
        if self.before_write is not None:
            self.before_write()
        self._engine.write(changes, changelog_offset, dropped)

    def _buffered_reader(self) -> Callable[[bytes], bytes | None]:
        changed, unwritten, written = self._changes.get, self._unwritten.get, self._written.get
        committed = self._engine.get

        def get(key: bytes) -> bytes | None:
            value = changed(key, _ABSENT)
            if value is not _ABSENT:
                return value
            value = unwritten(key, _ABSENT)
            if value is not _ABSENT:
                return value
            value = written(key, _ABSENT)
            return committed(key) if value is _ABSENT else value

        return get

    def _clear_changes(self) -> None:
        self._changes.clear()
        self._order = SortedKeys(())
        self._ordered_count = 0

    def _changed_between(self, start: bytes | None, end: bytes | None) -> list[_Pending]:
        # A copy: the task may write while its caller iterates.
        changes = self._changes
        if not changes:
            return []
        self._order_new_keys()
        return [(key, changes[key]) for key in self._order.between(start, end)]

    def _order_new_keys(self) -> None:
        """Sort the keys that are new since the last scan, so that puts need not keep an order."""
        new_count = len(self._changes) - self._ordered_count
        if new_count > self._ordered_count:
            self._order = SortedKeys(self._changes)
        else:
            for key in islice(reversed(self._changes), new_count):
                self._order.add(key)
        self._ordered_count = len(self._changes)


class CommittedView(Overlay):
    """The committed content of an Overlay. It is read on the thread of the overlay, between two
    records; nothing is written to it.
    """

    __slots__ = ("_overlay",)

    def __init__(self, overlay: Overlay, engine: StoreEngine) -> None:
        super().__init__(engine)
        self._overlay = overlay
        self.get = self.get_unwritten = overlay.get_committed

    def scan(self, start: bytes | None, end: bytes | None, *, reverse: bool) -> Iterator[_Entry]:
        self._overlay.write_back()
        return self._engine.scan(start, end, reverse=reverse)

    def collect(self, start: bytes, end: bytes) -> list[_Entry]:
        return self._overlay.collect_committed(start, end)

    collect_committed = collect

    def approximate_num_entries(self) -> int:
        return self._overlay.committed_entries()


def _reader(
    changed: Callable[[bytes, bytes], bytes | None], below: Callable[[bytes], bytes | None]
) -> Callable[[bytes], bytes | None]:
    """Return a `get` from changes and, where there is none, from below."""

    def get(key: bytes) -> bytes | None:
        value = changed(key, _ABSENT)
        return below(key) if value is _ABSENT else value

    return get


def _size_of(changes: dict[bytes, bytes | None]) -> int:
    return sum(map(len, changes)) + sum(map(len, filter(None, changes.values())))
