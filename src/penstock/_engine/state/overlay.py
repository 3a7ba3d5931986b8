"""Changes that are not committed yet, laid over the engine that holds the committed state.

What a task writes stays here until the transaction that covers it has committed; then it goes to
the engine in one piece, with the changelog offset that belongs to it. Java: none; KIP-892 plans it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from penstock._engine.state.contract import StoreEngine
from penstock._engine.state.merging import merged
from penstock._engine.state.sorted_keys import SortedKeys

# Told apart from every value by identity: a lookup with it needs no second one to know "absent".
_ABSENT = bytes(bytearray(b"absent"))

# More changed keys than this are not looked up one by one to count entries.
_COUNTED_MAX = 1_000

_Change = tuple[bytes, bytes | None]
_Entry = tuple[bytes, bytes]


class Overlay:
    """A BytesStore over a StoreEngine. One thread uses it; others read the engine.

    A key that is deleted stays among the changes, as None, until they are applied or discarded. So
    the changed keys only grow, in the order in which they were first changed.
    """

    __slots__ = ("_changes", "_engine", "_order", "_ordered_count", "_size_bytes")

    def __init__(self, engine: StoreEngine) -> None:
        self._engine = engine
        self._forget()

    @property
    def size_bytes(self) -> int:
        """How many bytes of keys and values wait for their commit."""
        return self._size_bytes

    def get(self, key: bytes) -> bytes | None:
        value = self._changes.get(key, _ABSENT)
        return self._engine.get(key) if value is _ABSENT else value

    def put(self, key: bytes, value: bytes) -> None:
        changes = self._changes
        old = changes.get(key, _ABSENT)
        if old is _ABSENT:
            self._size_bytes += len(key) + len(value)
        elif old is None:
            self._size_bytes += len(value)
        else:
            self._size_bytes += len(value) - len(old)
        changes[key] = value

    def delete(self, key: bytes) -> None:
        old = self._changes.get(key, _ABSENT)
        if old is _ABSENT:
            self._size_bytes += len(key)
        elif old is not None:
            self._size_bytes -= len(old)
        self._changes[key] = None

    def scan(self, start: bytes | None, end: bytes | None, *, reverse: bool) -> Iterator[_Entry]:
        entries = self._engine.scan(start, end, reverse=reverse)
        changed = self._changed_between(start, end)
        if not changed:
            return entries
        return merged(reversed(changed) if reverse else changed, entries, reverse=reverse)

    def approximate_num_entries(self) -> int:
        """Count the entries; exactly, if the engine does and there are not too many changes."""
        committed = self._engine.get
        sample = islice(self._changes.items(), _COUNTED_MAX)
        growth = sum((value is not None) - (committed(key) is not None) for key, value in sample)
        unseen_factor = max(1, len(self._changes) / _COUNTED_MAX)
        return max(0, self._engine.approximate_num_entries() + round(growth * unseen_factor))

    def apply(self, changelog_offset: int | None) -> None:
        """Write all changes and the offset to the engine at once; a failure leaves both as is."""
        if self._changes or changelog_offset is not None:
            self._engine.write(self._changes, changelog_offset)
            self._forget()

    def discard(self) -> None:
        """Forget all changes: what the engine holds is the truth again."""
        self._forget()

    def _forget(self) -> None:
        self._changes: dict[bytes, bytes | None] = {}
        self._size_bytes = 0
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
