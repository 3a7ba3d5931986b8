"""MurmurHash3 of 128 bits, with Kafka Streams' seed. The expected bytes are Java's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock._engine.operators.joins.foreign_key_hash import (
    HASH_BYTES,
    hash_of,
    plain_hash_of,
)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a|r1", "57237a05839586e3d7d291d19b59192f"),
        (b"b|r2", "6d56e32adae9e05c3765d90f7bda549e"),
        (b"\0\0\0\0\0\0\0\1", "ddbc429416f80104974410b3f05834f7"),
        (b"\0\0\0\0\0\0\0\2", "393fb4c0dc4b5431950f022b972cca4e"),
    ],
)
def test_java_s_hashes(data: bytes, expected: str) -> None:
    assert hash_of(data).hex() == plain_hash_of(data).hex() == expected


def _by_the_book(data: bytes) -> bytes:
    """The algorithm as its author wrote it, a byte at a time."""
    bits = 2**64 - 1
    c1, c2 = 0x87C37B91114253D5, 0x4CF5AD432745937F

    def rotated(word: int, by: int) -> int:
        return (word << by | word >> (64 - by)) & bits

    def finished(word: int) -> int:
        word ^= word >> 33
        word = word * 0xFF51AFD7ED558CCD & bits
        word ^= word >> 33
        word = word * 0xC4CEB9FE1A85EC53 & bits
        return word ^ word >> 33

    h1 = h2 = 104729
    whole = len(data) // 16 * 16
    for at in range(0, whole, 16):
        k1 = int.from_bytes(data[at : at + 8], "little")
        k2 = int.from_bytes(data[at + 8 : at + 16], "little")
        h1 ^= rotated(k1 * c1 & bits, 31) * c2 & bits
        h1 = ((rotated(h1, 27) + h2) * 5 + 0x52DCE729) & bits
        h2 ^= rotated(k2 * c2 & bits, 33) * c1 & bits
        h2 = ((rotated(h2, 31) + h1) * 5 + 0x38495AB5) & bits
    k1 = k2 = 0
    for place, byte in enumerate(data[whole:]):
        if place < 8:
            k1 ^= byte << 8 * place
        else:
            k2 ^= byte << 8 * (place - 8)
    h2 ^= rotated(k2 * c2 & bits, 33) * c1 & bits
    h1 ^= rotated(k1 * c1 & bits, 31) * c2 & bits
    h1, h2 = h1 ^ len(data), h2 ^ len(data)
    h1 = (h1 + h2) & bits
    h2 = (h2 + h1) & bits
    h1, h2 = finished(h1), finished(h2)
    h1 = (h1 + h2) & bits
    return h1.to_bytes(8, "big") + ((h2 + h1) & bits).to_bytes(8, "big")


@given(st.binary(max_size=100))
def test_it_is_the_algorithm_of_the_book(data: bytes) -> None:
    assert hash_of(data) == plain_hash_of(data) == _by_the_book(data)
    assert len(hash_of(data)) == HASH_BYTES
