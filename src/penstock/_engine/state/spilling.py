"""An ordered map that is in memory while it is small, and goes to another engine when it grows.

For tasks that end with their process and begin empty, as those of bounded runs: most of their
stores are small, and opening and closing RocksDB takes longer than all that is done with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from penstock._engine.state.contract import KeyRange, StoreEngine
from penstock._engine.state.memory.key_value import MemoryStore

_ENTRY_BYTES = 200
"""What an entry takes besides its key and value."""
_AT_ONCE, _AT_ONCE_BYTES = 10_000, 4 << 20


class SpillingStore:
    """A StoreEngine; `open_large` opens the one that it goes to."""

    __slots__ = ("_engine", "_limit_bytes", "_open_large", "_small", "_written_bytes")

    def __init__(self, open_large: Callable[[], StoreEngine], limit_bytes: int) -> None:
        self._small: MemoryStore | None = MemoryStore()
        """The engine, as long as it is in memory."""
        self._engine: StoreEngine = self._small
        self._open_large = open_large
        self._limit_bytes = limit_bytes
        self._written_bytes = 0

    def get(self, key: bytes) -> bytes | None:
        return self._engine.get(key)

    def scan(
        self, start: bytes | None, end: bytes | None, *, reverse: bool
    ) -> Iterator[tuple[bytes, bytes]]:
        return self._engine.scan(start, end, reverse=reverse)

    def collect(self, start: bytes, end: bytes) -> list[tuple[bytes, bytes]]:
        return self._engine.collect(start, end)

    def approximate_num_entries(self) -> int:
        return self._engine.approximate_num_entries()

    def write(
        self,
        changes: Mapping[bytes, bytes | None],
        changelog_offset: int | None,
        dropped: Sequence[KeyRange] = (),
    ) -> None:
        self._engine.write(changes, changelog_offset, dropped)
        if self._small is not None:
            sizes = (len(key) + len(value or b"") for key, value in changes.items())
            self._written_bytes += sum(sizes) + _ENTRY_BYTES * len(changes)
            if self._written_bytes > self._limit_bytes:
                self._spill_if_large(self._small)

    def changelog_offset(self) -> int | None:
        return self._engine.changelog_offset()

    def close(self) -> None:
        self._engine.close()

    def _spill_if_large(self, small: MemoryStore) -> None:
        # Much of what was written may have replaced something. To count it all is due once for each
        # half of the limit that is written.
        entries = small.approximate_num_entries()
        self._written_bytes = small.total_bytes() + _ENTRY_BYTES * entries
        if self._written_bytes <= self._limit_bytes // 2:
            return
        large = self._open_large()
        try:
            _copy(small, large)
        except BaseException:
            large.close()
            raise
        self._engine, self._small = large, None
        small.close()


def _copy(small: MemoryStore, large: StoreEngine) -> None:
    portion: dict[bytes, bytes | None] = {}
    portion_bytes = 0
    for key, value in small.scan(None, None, reverse=False):
        portion[key] = value
        portion_bytes += len(key) + len(value)
        if len(portion) == _AT_ONCE or portion_bytes > _AT_ONCE_BYTES:
            large.write(portion, None)
            portion, portion_bytes = {}, 0
    large.write(portion, small.changelog_offset())
