"""The results of a query, read as they are needed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import TypeVar

from penstock.stores import StoreIterator
from penstock.terminal.notebook import rows_table

T = TypeVar("T")

_SHOWN_ROWS = 50


class QueryIterator(StoreIterator[T]):
    """The results of a scan of a running application's store, asked for page by page.

    >>> from penstock.queries import QueryIterator
    >>> with QueryIterator([("ann", 2), ("bob", 1)]) as rows:
    ...     next(rows)
    ('ann', 2)
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Return the display of a notebook: the first rows, which stay to be read."""
        shown = list(islice(self._rows, _SHOWN_ROWS + 1))
        self._rows = _ReadAgain(shown, self._rows)
        return rows_table(shown[:_SHOWN_ROWS], more=len(shown) > _SHOWN_ROWS)


class _ReadAgain(Iterator[T]):
    """Rows that were shown, then those that were not; closing it closes the scan."""

    def __init__(self, shown: list[T], rest: Iterator[T]) -> None:
        self._rows, self._rest = chain(shown, rest), rest

    def __next__(self) -> T:
        return next(self._rows)

    def close(self) -> None:
        self._rows = chain()
        if close := getattr(self._rest, "close", None):
            close()
