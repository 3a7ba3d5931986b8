"""How to look up the rows of a table, as data: in a store, or through the tables above it.

A join looks up the other table's row. The rows of a table without a store are computed from those
of the tables above, up to the next one that has a store. `operators/getters.py` makes functions of
these. Java: KTableValueGetterSupplier.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class View:
    """How to look up the rows of a table."""

    def stores(self) -> tuple[str, ...]:
        """Return the stores that it reads: a processor that uses it must be connected to them."""
        raise NotImplementedError

    @property
    def is_versioned(self) -> bool:
        """Whether rows can be looked up as of a time."""
        return False


@dataclass(frozen=True, slots=True)
class StoredRows(View):
    """Rows in a store; if `with_versions`, in a versioned one."""

    store: str
    with_versions: bool = False

    def stores(self) -> tuple[str, ...]:
        return (self.store,)

    @property
    def is_versioned(self) -> bool:
        return self.with_versions


@dataclass(frozen=True, slots=True)
class FilteredRows(View):
    """The rows of another view for which the truth of `predicate(key, value)` is `keep_when`."""

    of: View
    predicate: Callable[..., Any]
    keep_when: bool

    def stores(self) -> tuple[str, ...]:
        return self.of.stores()

    @property
    def is_versioned(self) -> bool:
        return self.of.is_versioned


@dataclass(frozen=True, slots=True)
class MappedRows(View):
    """The rows of another view, their values `mapper(value)` or `mapper(key, value)`."""

    of: View
    mapper: Callable[..., Any]
    with_key: bool

    def stores(self) -> tuple[str, ...]:
        return self.of.stores()

    @property
    def is_versioned(self) -> bool:
        return self.of.is_versioned


@dataclass(frozen=True, slots=True)
class TransformedRows(View):
    """The rows of another view, their values transformed by a transformer of its own.

    As in Java, the transformer runs in the processor that looks the row up: the stores of
    `transform_values` are not connected to it.
    """

    of: View
    supplier: Callable[[], Any]

    def stores(self) -> tuple[str, ...]:
        return self.of.stores()

    @property
    def is_versioned(self) -> bool:
        return self.of.is_versioned


@dataclass(frozen=True, slots=True)
class JoinedRows(View):
    """The rows of two views, joined by key; a side that is kept needs no match."""

    left: View
    right: View
    joiner: Callable[..., Any]
    keeps_left: bool
    keeps_right: bool

    def stores(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.left.stores(), *self.right.stores())))


@dataclass(frozen=True, slots=True)
class SuppressedRows(View):
    """The rows of another view as the buffer `store` last emitted them."""

    store: str
    of: View

    def stores(self) -> tuple[str, ...]:
        return (self.store, *self.of.stores())


@dataclass(frozen=True, slots=True)
class WindowRows(View):
    """Rows of keys and windows of fixed size in a store."""

    store: str

    def stores(self) -> tuple[str, ...]:
        return (self.store,)


@dataclass(frozen=True, slots=True)
class SessionRows(View):
    """Rows of keys and sessions in a store."""

    store: str

    def stores(self) -> tuple[str, ...]:
        return (self.store,)
