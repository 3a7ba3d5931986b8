"""What `count` folds records with. The engine knows these functions: it counts without a call."""

from __future__ import annotations


def nothing_counted() -> int:
    """Begin to count."""
    return 0


def count_one(_key: object, _value: object, count: int) -> int:
    """Count a record."""
    return count + 1


def count_one_less(_key: object, _value: object, count: int) -> int:
    """Count a row of a table no more."""
    return count - 1
