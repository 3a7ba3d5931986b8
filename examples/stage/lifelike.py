"""Chance that repeats itself: the same question has the same answer, in every run."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")


def chance(*what: object) -> float:
    """Give a number from 0 to 1 for a question."""
    question = " ".join(map(str, what)).encode()
    return int.from_bytes(blake2b(question, digest_size=4).digest()) / (1 << 32)


def happens(part: float, *what: object) -> bool:
    """Tell whether something happens that does so in such a part of all cases."""
    return chance(*what) < part


def pick(choices: Sequence[T], *what: object, favour: float = 1.0) -> T:
    """Choose; with `favour` above 1 the first ones more often than the last ones: hot keys."""
    return choices[int(len(choices) * chance(*what) ** favour)]


def between(low: int, high: int, *what: object) -> int:
    """Choose a whole number, both ends included."""
    return low + int((high - low + 1) * chance(*what))
