"""Changes that are not in the engine yet, laid over it: those of the open transaction, and those
that are committed and wait to be written.

What a task writes stays here until the transaction that covers it has committed. It may then stay
on: the changelog has it, so the engine, which is read back only up to the offset written with it,
need not hear of each commit. A key that changes in every commit is so written once in many, and
what was written last is read from memory. Java: none; KIP-892 plans the first half.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from penstock._engine.state.contract import KeyRange, StoreEngine
from penstock._engine.state.merging import merged
from penstock._engine.state.sorted_keys import SortedKeys

# Told apart from every value by identity: a lookup with it needs no second one to know "absent".
_ABSENT = bytes(bytearray(b"absent"))

# More changed keys than this are not looked up one by one to count entries.
_COUNTED_MAX = 1_000

# What Python needs for an entry of a dict besides the bytes of key and value.
_ENTRY_BYTES = 120

_Change = tuple[bytes, bytes | None]
_Entry = tuple[bytes, bytes]


class Reserve:
    """How many bytes of committed changes the stores of a worker may keep from their engines.

    Each store also remembers what it wrote last, so that memory may hold twice as much.
    """

    __slots__ = ("limit_bytes", "used_bytes")

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.used_bytes = 0


class Overlay:
    """A BytesStore over a StoreEngine. One thread uses it; others read the engine.

    A key that is deleted stays among the changes, as None, until they are applied or discarded. So
    the changed keys only grow, in the order in which they were first changed. With a `reserve`,
    committed changes wait for the next offset, for a scan, or until the reserve is used up.
    """

    __slots__ = (
        "_changes",
        "_engine",
        "_order",
        "_ordered_count",
        "_reserve",
        "_reserved_bytes",
        "_settled",
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
        self._settled: dict[bytes, bytes | None] = {}
        """Committed, not in the engine."""
        self._written: dict[bytes, bytes | None] = {}
        """What went to the engine last: read from here it costs a tenth."""
        self._reserved_bytes = 0
        self._order = SortedKeys(())
        self._ordered_count = 0
        self.before_write: Callable[[], None] | None = None
        """Hears of each write to the engine."""
        self.get_unwritten = _reader(self._changes.get, self._settled.get)
        """`get` of what cannot be in the engine: a get from it that finds nothing is dear, too."""
        # For each record: nothing stands between the caller and the dict.
        self.get: Callable[[bytes], bytes | None] = (
            _reader(self._changes.get, engine.get) if reserve is None else self._reader_of_settled()
        )
        self.put: Callable[[bytes, bytes], None] = self._changes.__setitem__

    @property
    def engine(self) -> StoreEngine:
        """What the changes are laid over."""
        return self._engine

    @property
    def size_bytes(self) -> int:
        """How many bytes of keys and values wait for their commit."""
        return _size_of(self._changes)

    def delete(self, key: bytes) -> None:
        self._changes[key] = None

    def scan(self, start: bytes | None, end: bytes | None, *, reverse: bool) -> Iterator[_Entry]:
        self.settle()
        entries = self._engine.scan(start, end, reverse=reverse)
        changed = self._changed_between(start, end)
        if not changed:
            return entries
        return merged(reversed(changed) if reverse else changed, entries, reverse=reverse)

    def get_committed(self, key: bytes) -> bytes | None:
        """Return what `get` returns without the changes."""
        value = self._settled.get(key, _ABSENT)
        if value is _ABSENT:
            value = self._written.get(key, _ABSENT)
        return self._engine.get(key) if value is _ABSENT else value

    def committed(self) -> CommittedView:
        """Return the committed content as a store of its own, for readers."""
        return CommittedView(self, self._engine)

    @property
    def changes(self) -> Mapping[bytes, bytes | None]:
        """What waits for its commit, None for what is deleted."""
        return self._changes

    def collect_committed(self, start: bytes, end: bytes) -> list[_Entry]:
        """Give what `collect` gives without the changes."""
        self.settle()
        return self._engine.collect(start, end)

    def collect(self, start: bytes, end: bytes) -> list[_Entry]:
        self.settle()
        entries = self._engine.collect(start, end)
        changed = self._changed_between(start, end)
        if not changed:
            return entries
        if not entries:
            return [(key, value) for key, value in changed if value is not None]
        return list(merged(changed, iter(entries), reverse=False))

    def approximate_num_entries(self) -> int:
        """Count the entries; exactly, if the engine does and there are not too many changes."""
        self.settle()
        committed = self._engine.get
        sample = islice(self._changes.items(), _COUNTED_MAX)
        growth = sum((value is not None) - (committed(key) is not None) for key, value in sample)
        unseen_factor = max(1, len(self._changes) / _COUNTED_MAX)
        return max(0, self._engine.approximate_num_entries() + round(growth * unseen_factor))

    def apply(self, changelog_offset: int | None, dropped: Sequence[KeyRange] = ()) -> None:
        """Learn that all changes are committed. With an offset, or ranges of keys to be dropped,
        the engine is told at once; a failure leaves both as they were.
        """
        changes, reserve = self._changes, self._reserve
        if reserve is None:
            if changes or dropped or changelog_offset is not None:
                self._hand_over(changes, changelog_offset, dropped)
                self._forget()
            return
        if changes:
            self._take_up(changes, reserve)
            self._forget()
        due = reserve.used_bytes > reserve.limit_bytes
        if changelog_offset is not None or dropped or due:
            self._write(changelog_offset, dropped)

    def committed_entries(self) -> int:
        """Give about how many entries are committed; what waits for the engine may be in it too."""
        return self._engine.approximate_num_entries() + len(self._settled)

    def discard(self) -> None:
        """Forget all changes that are not committed."""
        self._forget()

    def settle(self) -> None:
        """Let the engine have what is committed."""
        if self._settled:
            self._write(None, ())

    def _take_up(self, changes: dict[bytes, bytes | None], reserve: Reserve) -> None:
        settled = self._settled
        before = len(settled)
        settled.update(changes)
        grown = len(settled) - before
        if grown:
            mean_bytes = _ENTRY_BYTES + _size_of(changes) // len(changes)
            self._reserved_bytes += grown * mean_bytes
            reserve.used_bytes += grown * mean_bytes

    def _write(self, changelog_offset: int | None, dropped: Sequence[KeyRange]) -> None:
        settled, written = self._settled, self._written
        self._hand_over(settled, changelog_offset, dropped)
        written.clear()
        if not dropped:
            written.update(settled)
        settled.clear()
        if self._reserve is not None:
            self._reserve.used_bytes -= self._reserved_bytes
        self._reserved_bytes = 0

    def _hand_over(
        self,
        changes: dict[bytes, bytes | None],
        changelog_offset: int | None,
        dropped: Sequence[KeyRange],
    ) -> None:
        if self.before_write is not None:
            self.before_write()
        self._engine.write(changes, changelog_offset, dropped)

    def _reader_of_settled(self) -> Callable[[bytes], bytes | None]:
        changed, settled, written = self._changes.get, self._settled.get, self._written.get
        committed = self._engine.get

        def get(key: bytes) -> bytes | None:
            value = changed(key, _ABSENT)
            if value is not _ABSENT:
                return value
            value = settled(key, _ABSENT)
            if value is not _ABSENT:
                return value
            value = written(key, _ABSENT)
            return committed(key) if value is _ABSENT else value

        return get

    def _forget(self) -> None:
        self._changes.clear()
        self._order = SortedKeys(())
        self._ordered_count = 0

    def _changed_between(self, start: bytes | None, end: bytes | None) -> list[_Change]:
        # A list of now: the task may write while its caller iterates.
        changes = self._changes
        if not changes:
            return []
        self._order_new_keys()
        return [(key, changes[key]) for key in self._order.between(start, end)]

    def _order_new_keys(self) -> None:
        """Sort in what has come since the last scan, so that puts need not think of scans."""
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
        self._overlay.settle()
        return self._engine.scan(start, end, reverse=reverse)

    def collect(self, start: bytes, end: bytes) -> list[_Entry]:
        return self._overlay.collect_committed(start, end)

    collect_committed = collect

    def approximate_num_entries(self) -> int:
        return self._overlay.committed_entries()


def _reader(
    changed: Callable[[bytes, bytes], bytes | None], below: Callable[[bytes], bytes | None]
) -> Callable[[bytes], bytes | None]:
    """Give a get from changes and, where there is none, from what they are laid over."""

    def get(key: bytes) -> bytes | None:
        value = changed(key, _ABSENT)
        return below(key) if value is _ABSENT else value

    return get


def _size_of(changes: dict[bytes, bytes | None]) -> int:
    return sum(map(len, changes)) + sum(map(len, filter(None, changes.values())))
