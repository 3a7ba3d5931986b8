"""A global store as other processors see it: they may read it, not write it."""

from __future__ import annotations

from typing import Any

from penstock.errors import StreamsError

_WRITES = frozenset({"delete", "put", "put_all", "put_if_absent", "remove"})


class ReadOnlyStore:
    """A store that refuses to be written. Java: ReadOnlyFacade and AbstractReadOnlyDecorator."""

    __slots__ = ("_store",)

    def __init__(self, store: Any) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        if name in _WRITES:
            msg = (
                f"global store {self._store.name!r} must not be written here: {name} is for the "
                "processor that feeds it; write to its topic instead"
            )
            raise StreamsError(msg)
        return getattr(self._store, name)
