"""Input for the demonstration, invented by number: the same line has the same number forever.

So a second start goes on where the first ended, and every count can be checked.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

from penstock.cli.demo.program import LINES, PAYMENT, PAYMENTS, TEXT, Payment

T = TypeVar("T")
Pair = tuple[bytes | None, bytes | None]

_WHO = ("the river", "a small boat", "the old mill", "the keeper", "a kingfisher", "the rain")
_DOES = ("turns", "carries", "feeds", "wakes", "passes", "fills")
_WHAT = ("the wheel", "the turbine", "the valley", "the reservoir", "the town", "a lantern")
_WHERE = ("before dawn", "below the dam", "all night", "in the spring", "by the bridge", "again")
_NAMES = ("ada", "boris", "chloe", "dmitri", "edith", "farid", "grace", "hugo", "ines", "jonas")
_SHOPS = ("bakery", "bookshop", "grocer", "pharmacy", "railway", "cinema", "florist")

_LINES_A_SECOND = 60.0
_WAVE_SECONDS = 30.0


def line(number: int) -> Pair:
    """Return key and value of the line of that number."""
    who, does, what, where = (
        _pick(choices, f"line {number} {part}")
        for part, choices in enumerate((_WHO, _DOES, _WHAT, _WHERE))
    )
    return TEXT.serialize(LINES, str(number)), TEXT.serialize(LINES, f"{who} {does} {what} {where}")


def payment(number: int) -> Pair:
    """Return key and value of the payment of that number."""
    name = _pick(_NAMES, f"name {number}")
    cents = 150 + int(20_000 * _chance(f"amount {number}") ** 4)
    value = Payment(_pick(_SHOPS, f"shop {number}"), cents)
    return TEXT.serialize(PAYMENTS, name), PAYMENT.serialize(PAYMENTS, value)


def records_by(seconds: float) -> int:
    """Return how many lines there should be after so long: sometimes many come, sometimes few."""
    wave = 1 - math.cos(2 * math.pi * seconds / _WAVE_SECONDS)
    return int(_LINES_A_SECOND * (seconds + 0.5 * _WAVE_SECONDS / math.pi * wave))


def _pick(choices: Sequence[T], what: str) -> T:
    """Choose, the first ones more often than the last ones."""
    return choices[int(len(choices) * _chance(what) ** 1.7)]


def _chance(what: str) -> float:
    return int.from_bytes(blake2b(what.encode(), digest_size=4).digest()) / (1 << 32)
