"""The results of a query, read as they are needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from types import TracebackType
from typing import Generic, TypeVar

from penstock.terminal.notebook import rows_table

T = TypeVar("T")

_SHOWN_ROWS = 50


class QueryIterator(Iterator[T], Generic[T]):
    """The results of a scan, read as they are needed; a context manager, as in Java."""

    def __init__(self, results: Iterable[T]) -> None:
        self._results: Iterator[T] = iter(results)

    def __next__(self) -> T:
        return next(self._results)

    def close(self) -> None:
        """Read no more."""
        self._results = iter(())

    def _repr_html_(self) -> str:
        """Return the display of a notebook: the first rows, which stay to be read."""
        first = list(islice(self._results, _SHOWN_ROWS + 1))
        self._results = chain(first, self._results)
        return rows_table(first[:_SHOWN_ROWS], more=len(first) > _SHOWN_ROWS)

    def __enter__(self) -> QueryIterator[T]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
