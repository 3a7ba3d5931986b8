"""Merges the rows of a store with changes that are not in it yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import gt, lt


def merged(
    changes: Iterable[tuple[bytes, bytes | None]],
    entries: Iterator[tuple[bytes, bytes]],
    *,
    reverse: bool,
) -> Iterator[tuple[bytes, bytes]]:
    """Yield entries and changes (None: deleted), both in the same order, merged; of one key the
    change wins.
    """
    precedes = gt if reverse else lt
    entry = next(entries, None)
    for key, value in changes:
        while entry is not None and precedes(entry[0], key):
            yield entry
            entry = next(entries, None)
        if entry is not None and entry[0] == key:
            entry = next(entries, None)
        if value is not None:
            yield key, value
    if entry is not None:
        yield entry
        yield from entries
