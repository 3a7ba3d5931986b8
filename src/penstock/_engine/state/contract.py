"""What an engine must do: keep bytes under bytes, in the order of the unsigned bytes of the keys.

The layers of a store, from the user down: types and changelog (`layers/`), the record cache
(`layers/`), the changes that are not committed yet (`overlay.py`), and the engine (`memory/`,
`rocksdb/`). Each knows only the contract of the one below.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol


class BytesReader(Protocol):
    """An ordered map of bytes that can be read."""

    def get(self, key: bytes) -> bytes | None: ...

    def scan(
        self, start: bytes | None, end: bytes | None, *, reverse: bool
    ) -> Iterator[tuple[bytes, bytes]]:
        """Give the entries from `start` (included) to `end` (excluded), None for no bound.

        The entries are those of now: changes made while the caller iterates are not seen.
        """

    def approximate_num_entries(self) -> int: ...


class BytesStore(BytesReader, Protocol):
    """An ordered map of bytes that can be changed: what the layers above write to."""

    def put(self, key: bytes, value: bytes) -> None: ...
    def delete(self, key: bytes) -> None: ...


class StoreEngine(BytesReader, Protocol):
    """Where committed state lives. It changes only in whole commits, each with its offset.

    After a kill at any moment it holds exactly what one of its `write` calls left, offset included.
    One thread writes and closes, any may read; what is used after `close` raises StateClosedError.
    """

    def write(self, changes: Mapping[bytes, bytes | None], changelog_offset: int | None) -> None:
        """Apply changes (None deletes) and remember the offset (None: leave it), all or nothing."""

    def changelog_offset(self) -> int | None:
        """Give the offset of the changelog up to which this state is complete, None if unknown."""

    def close(self) -> None: ...
