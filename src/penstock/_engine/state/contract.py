"""The contract of a store engine: an ordered map of bytes, in the order of the unsigned bytes of
the keys.

It is defined in `penstock.state`, since users may write engines. The layers of a store, from the
user down: types (`views/`), windows and versions (`segments/`), record cache (`cache/`), changelog
(`logged.py`), uncommitted changes (`overlay.py`), engine (`memory/`, `rocksdb/`). Each knows only
the contract of the one below.
"""

from __future__ import annotations

from typing import Protocol

from penstock.stores import BytesReader, KeyRange, StoreEngine

__all__ = ["BytesReader", "BytesStore", "KeyRange", "StoreEngine"]


class BytesStore(BytesReader, Protocol):
    """An ordered map of bytes that can be changed: what the layers above write to."""

    def put(self, key: bytes, value: bytes) -> None: ...
    def delete(self, key: bytes) -> None: ...
