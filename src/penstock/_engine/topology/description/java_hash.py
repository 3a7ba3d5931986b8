"""Java's hash order, which `describe()` prints: a set of strings is ordered by bucket, not by name.

A `HashMap` spreads `String.hashCode` over a power-of-two table and walks it bucket by bucket;
within a bucket, insertion order holds. The table size matters: one that grew by insertion differs
from one that was sized for a whole collection.
"""

from __future__ import annotations

from collections.abc import Iterable

_SMALLEST_TABLE = 16


def order_after_growing(names: Iterable[str]) -> list[str]:
    """Order `names` as a HashSet that started empty and was filled in this order."""
    distinct = list(dict.fromkeys(names))
    capacity = _SMALLEST_TABLE
    while len(distinct) > capacity * 3 // 4:
        capacity *= 2
    return _by_bucket(distinct, capacity)


def order_when_copied(names: Iterable[str]) -> list[str]:
    """Order `names` as `new HashSet<>(names)`, which sizes its table for all of them at once."""
    distinct = list(dict.fromkeys(names))
    wanted = max(int(len(distinct) / 0.75) + 1, _SMALLEST_TABLE)
    capacity = _SMALLEST_TABLE
    while capacity < wanted:
        capacity *= 2
    return _by_bucket(distinct, capacity)


def _by_bucket(names: list[str], capacity: int) -> list[str]:
    return sorted(names, key=lambda name: _spread(_string_hash(name)) & (capacity - 1))


def _spread(value: int) -> int:
    return value ^ (value >> 16)


def _string_hash(text: str) -> int:
    value = 0
    encoded = text.encode("utf-16-be")
    for i in range(0, len(encoded), 2):
        value = (31 * value + (encoded[i] << 8 | encoded[i + 1])) & 0xFFFFFFFF
    return value
