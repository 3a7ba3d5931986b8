"""The keys of windowed tables: a key and the bounds of its window."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

__all__ = [
    "Windowed",
]

K_co = TypeVar("K_co", covariant=True)


class Windowed(NamedTuple, Generic[K_co]):
    """A key in a window, from `start` to `end` in milliseconds. Java: Windowed.

    A tuple, since there are millions: equality and hashing are of key and bounds.

    >>> page = Windowed("home", 0, 60_000)
    >>> page.key, page.start, str(page)
    ('home', 0, '[home@0/60000]')
    """

    key: K_co
    start: int
    end: int

    def __str__(self) -> str:
        return f"[{self.key}@{self.start}/{self.end}]"
