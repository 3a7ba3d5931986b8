"""The inputs: the same bytes for everybody, in every run and on every machine.

Event time goes on by a millisecond per record; records come up to two seconds out of order.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

START_MS = 1_700_000_000_000
DISORDER_MS = 2_000
PRODUCTS = 1_000

Row: TypeAlias = tuple[bytes, bytes, int]
"""Key, value, timestamp."""


@dataclass(frozen=True, slots=True)
class Feed:
    """One input topic: which rows, how many of them, over how many keys and partitions."""

    kind: str
    records: int
    keys: int
    partitions: int = 4
    owner: str = ""
    """Who has a copy of their own, because more is added to it."""

    @property
    def topic(self) -> str:
        """Return a name of its contents: requests for the same rows share the topic."""
        name = f"{self.kind}-{self.records}-of-{self.keys}-in-{self.partitions}"
        return f"{name}-for-{self.owner}" if self.owner else name

    def rows(self) -> Iterator[Row]:
        """Make the rows."""
        return KINDS[self.kind](self.records, self.keys)


def orders(records: int, keys: int) -> Iterator[Row]:
    """Orders of random users; one in two hundred is very expensive."""
    chance = random.Random(1).random
    for number in range(records):
        user = b"u%d" % int(chance() * keys)
        yield user, *_order(number, user, chance)


def every_key(records: int, keys: int) -> Iterator[Row]:
    """Orders in which all users come before any comes again, in a scattered order."""
    chance = random.Random(2).random
    # Odd and not a multiple of 5, so it has no factor in common with a power of ten.
    step = int(keys * 0.618) // 10 * 10 + 3
    for number in range(records):
        user = b"u%d" % (number * step % keys)
        yield user, *_order(number, user, chance)


def profiles(records: int, keys: int) -> Iterator[Row]:
    """A row for each user, older than all orders; then visits, which change nothing that is joined:
    results do not depend on how two topics are interleaved.
    """
    chance = random.Random(3).random
    for number in range(records):
        row = number if number < keys else int(chance() * keys)
        user, tier = b"u%d" % row, (b"gold", b"silver", b"bronze")[row % 3]
        value = b'{"user":"%s","name":"name of %d","tier":"%s","visits":%d}'
        # The visits spread over the time of ten times as many orders.
        at = START_MS - 60_000 if number < keys else START_MS + (number - keys) * 10
        yield user, value % (user, row, tier, number), at


def purchases(records: int, keys: int) -> Iterator[Row]:
    """Orders keyed by their own ids."""
    chance = random.Random(4).random
    for number in range(records):
        user = b"u%d" % int(chance() * keys)
        yield b"o%d" % number, *_order(number, user, chance)


def payments(records: int, _keys: int) -> Iterator[Row]:
    """A payment for each purchase, up to a minute later: about half are within 30 seconds."""
    chance = random.Random(5).random
    waiting: list[list[Row]] = [[] for _ in range(60)]
    for number in range(records):
        order, delay = b"o%d" % number, int(chance() * 60)
        value = b'{"order":"%s","method":"%s","cents":%d}'
        method = (b"card", b"transfer", b"cash")[number % 3]
        at = START_MS + number + delay * 1000
        row = order, value % (order, method, int(chance() * 10_000)), at
        waiting[(number // 1000 + delay) % 60].append(row)
        if number % 1000 == 999:
            yield from _taken(waiting[number // 1000 % 60])
    for second in range(60):
        yield from _taken(waiting[(records // 1000 + second) % 60])


def _taken(rows: list[Row]) -> list[Row]:
    taken = sorted(rows, key=lambda row: row[2])
    rows.clear()
    return taken


def _order(number: int, user: bytes, chance: Callable[[], float]) -> tuple[bytes, int]:
    at = START_MS + DISORDER_MS + number - int(chance() * DISORDER_MS)
    cents = 100 + int(chance() * 10_000)
    if number % 200 == 0:
        cents += 600_000
    value = b'{"id":%d,"user":"%s","product":"p%d","cents":%d,"quantity":%d,"at":%d}' % (
        number,
        user,
        int(chance() * PRODUCTS),
        cents,
        1 + int(chance() * 4),
        at,
    )
    return value, at


KINDS: Mapping[str, Callable[[int, int], Iterator[Row]]] = {
    "orders": orders,
    "every-key": every_key,
    "profiles": profiles,
    "purchases": purchases,
    "payments": payments,
}
