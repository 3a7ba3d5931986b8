"""The aggregator of `count`. The engine recognizes these functions and counts without a call."""

from __future__ import annotations


def nothing_counted() -> int:
    """Return the first count."""
    return 0


def count_one(_key: object, _value: object, count: int) -> int:
    """Add a record."""
    return count + 1


def count_one_less(_key: object, _value: object, count: int) -> int:
    """Remove a row of a table."""
    return count - 1
