"""How the rows of a table are looked up, as data: in a store, or through the tables above it.

A join looks up the other table's row. A table that is not kept anywhere has its rows computed from
those of the tables above, down to the next one that has a store. `operators/getters.py` makes
functions of these. Java: KTableValueGetterSupplier.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class View:
    """A way to the rows of a table."""

    def stores(self) -> tuple[str, ...]:
        """Give the stores it reads: whoever looks rows up must be connected to them."""
        raise NotImplementedError

    @property
    def is_versioned(self) -> bool:
        """Whether rows can be looked up as of a time."""
        return False


@dataclass(frozen=True, slots=True)
class StoredRows(View):
    """Rows kept in a store; if `with_versions`, in one that keeps the older ones too."""

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
    """The rows of another view, their values given by a transformer of their own.

    As in Java, the transformer works where the row is looked up: the stores of `transform_values`
    are not connected there.
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
    """The rows of two views, joined by key; one side alone makes a row if it is kept."""

    left: View
    right: View
    joiner: Callable[..., Any]
    keeps_left: bool
    keeps_right: bool

    def stores(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.left.stores(), *self.right.stores())))


@dataclass(frozen=True, slots=True)
class SuppressedRows(View):
    """The rows of another view as they were last let out of the buffer `store`."""

    store: str
    of: View

    def stores(self) -> tuple[str, ...]:
        return (self.store, *self.of.stores())


@dataclass(frozen=True, slots=True)
class WindowRows(View):
    """Rows of keys in windows of a known size, kept in a store."""

    store: str

    def stores(self) -> tuple[str, ...]:
        return (self.store,)


@dataclass(frozen=True, slots=True)
class SessionRows(View):
    """Rows of keys in sessions, kept in a store."""

    store: str

    def stores(self) -> tuple[str, ...]:
        return (self.store,)
