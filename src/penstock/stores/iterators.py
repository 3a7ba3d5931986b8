"""The iterators that stores return. Java: KeyValueIterator and its kin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Self, TypeVar

__all__ = ["StoreIterator"]

T_co = TypeVar("T_co", covariant=True)


class StoreIterator(Iterator[T_co]):
    """The rows of a scan, read as they are needed. Java: KeyValueIterator.

    One that is read to its end needs no `close`. Leave the others in a `with` block, so that the
    engine releases what it holds for them at once:

    >>> with StoreIterator([("a", 1), ("b", 2)]) as rows:
    ...     next(rows)
    ('a', 1)
    >>> list(rows)
    []
    """

    __slots__ = ("_rows",)

    def __init__(self, rows: Iterable[T_co]) -> None:
        # What cannot be closed itself would go on in a loop that is under way.
        closable = rows if hasattr(rows, "close") else (row for row in rows)
        self._rows: Iterator[T_co] = iter(closable)

    def __iter__(self) -> Iterator[T_co]:
        # Not self: a scan in a loop would take half as long again, a call of Python for each row.
        return self._rows

    def __next__(self) -> T_co:
        return next(self._rows)

    def close(self) -> None:
        """Read no more: the iterator is at its end. A second call does nothing.

        >>> rows = StoreIterator([("a", 1), ("b", 2)])
        >>> rows.close()
        >>> list(rows)
        []
        """
        rows, self._rows = self._rows, iter(())
        if close := getattr(rows, "close", None):
            close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
