"""What an engine must do: keep bytes under bytes, in the order of the unsigned bytes of the keys.

The contract itself is `penstock.state`: engines may be users' own. The layers of a store, from the
user down: types and changelog (`layers/`), the record cache (`layers/`), the changes that are not
committed yet (`overlay.py`), and the engine (`memory/`, `rocksdb/`). Each knows only the contract
of the one below.
"""

from __future__ import annotations

from typing import Protocol

from penstock.stores import BytesReader, KeyRange, StoreEngine

__all__ = ["BytesReader", "BytesStore", "KeyRange", "StoreEngine"]


class BytesStore(BytesReader, Protocol):
    """An ordered map of bytes that can be changed: what the layers above write to."""

    def put(self, key: bytes, value: bytes) -> None: ...
    def delete(self, key: bytes) -> None: ...
