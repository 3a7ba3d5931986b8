"""Java's hash order, against a HashMap that is simulated entry by entry."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock._engine.topology.description.java_hash import order_after_growing, order_when_copied

LONGEST_CHAIN = 8
"""From here on Java makes trees of its chains; names that collide so often do not occur."""


class HashMap:
    """java.util.HashMap as its source reads: buckets of chained entries, doubled when too full."""

    def __init__(self, capacity: int = 16) -> None:
        self.buckets: list[list[str]] = [[] for _ in range(capacity)]
        self.size = 0

    def put(self, name: str) -> None:
        bucket = self.buckets[self.index(name)]
        if name in bucket:
            return
        bucket.append(name)
        self.size += 1
        if self.size > 0.75 * len(self.buckets):
            self.resize()

    def resize(self) -> None:
        low, high = [], []
        for bucket in self.buckets:
            stays = [name for name in bucket if not java_hash(name) & len(self.buckets)]
            low.append(stays)
            high.append([name for name in bucket if name not in stays])
        self.buckets = low + high

    def index(self, name: str) -> int:
        return java_hash(name) % len(self.buckets)

    def walk(self) -> list[str]:
        assert max(map(len, self.buckets)) < LONGEST_CHAIN
        return [name for bucket in self.buckets for name in bucket]


def java_hash(text: str) -> int:
    """Spread `String.hashCode` as HashMap does: s[0]·31^(n-1) + ... + s[n-1] over UTF-16 units."""
    raw = text.encode("utf-16-le", "surrogatepass")
    units = [int.from_bytes(raw[i : i + 2], "little") for i in range(0, len(raw), 2)]
    code: int = sum(unit * 31 ** (len(units) - 1 - i) for i, unit in enumerate(units)) % 2**32
    return code ^ (code >> 16)


def filled(names: Iterable[str], capacity: int = 16) -> list[str]:
    table = HashMap(capacity)
    for name in names:
        table.put(name)
    return table.walk()


def copied(names: list[str]) -> list[str]:
    capacity = 1
    while capacity < max(int(len(set(names)) / 0.75 + 1), 16):
        capacity *= 2
    return filled(names, capacity)


NAMES = st.lists(st.text(min_size=1, max_size=12), max_size=60)


@given(NAMES)
def test_growing_is_java_s_order(names: list[str]) -> None:
    assert order_after_growing(names) == filled(names)


@given(NAMES)
def test_copying_is_java_s_order(names: list[str]) -> None:
    assert order_when_copied(names) == copied(names)


def generated(count: int) -> list[str]:
    return [f"KSTREAM-FILTER-{number:010d}" for number in range(count)]


@pytest.mark.parametrize("count", [1, 12, 13, 24, 25, 48, 49, 96, 97])
def test_the_table_doubles_when_three_quarters_are_full(count: int) -> None:
    assert order_after_growing(generated(count)) == filled(generated(count))
    assert order_when_copied(generated(count)) == copied(generated(count))


def test_growth_changes_the_order() -> None:
    assert "".join(order_after_growing("fghijklmnopq")) == "pqfghijklmno"
    assert "".join(order_after_growing("fghijklmnopqr")) == "fghijklmnopqr"


def test_java_s_hash_codes_of_known_strings() -> None:
    # "hello".hashCode() == 99162322, "Aa".hashCode() == "BB".hashCode() == 2112
    assert java_hash("hello") == 99162322 ^ (99162322 >> 16)
    assert java_hash("Aa") == java_hash("BB")


def test_equal_hashes_keep_their_order() -> None:
    assert order_after_growing(["BB", "Aa"]) == ["BB", "Aa"]
    assert order_after_growing(["Aa", "BB"]) == ["Aa", "BB"]


def test_a_name_counts_once() -> None:
    assert order_after_growing(["a", "b", "a"]) == order_after_growing(["a", "b"])
