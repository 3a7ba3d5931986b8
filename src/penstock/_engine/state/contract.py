"""What an engine must do: keep bytes under bytes, in the order of the unsigned bytes of the keys.

Everything else (types, changelog, timestamps) is a layer over this.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol


class BytesStore(Protocol):
    """An ordered map of bytes."""

    def get(self, key: bytes) -> bytes | None: ...
    def put(self, key: bytes, value: bytes) -> None: ...
    def delete(self, key: bytes) -> None: ...
    def __len__(self) -> int: ...

    def scan(
        self, start: bytes | None, end: bytes | None, *, reverse: bool
    ) -> Iterator[tuple[bytes, bytes]]:
        """Give the entries from `start` (included) to `end` (excluded), None for no bound, as they
        are now.
        """
