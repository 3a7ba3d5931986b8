"""The hash that ties an answer of a foreign-key join to its left row: MurmurHash3, the 128-bit
variant for 64-bit machines, with Kafka Streams' seed. Java: Murmur3.hash128.

In Python and in C (`fast/murmur3.c`).
"""

from __future__ import annotations

from functools import lru_cache
from struct import Struct
from typing import TYPE_CHECKING

from penstock._engine.fast.choice import compiled

HASH_BYTES = 16

_HASHES_KNOWN = 1024

_SEED = 104729
_BITS = 0xFFFF_FFFF_FFFF_FFFF
_C1 = 0x87C3_7B91_1142_53D5
_C2 = 0x4CF5_AD43_2745_937F
_FINAL_1 = 0xFF51_AFD7_ED55_8CCD
_FINAL_2 = 0xC4CE_B9FE_1A85_EC53

_two_words = Struct("<QQ")
_pack = Struct(">QQ").pack


def plain_hash_of(data: bytes) -> bytes:
    """Return the 16 bytes of the hash, as they are written to topics.

    Words may grow beyond 64 bits: a mask is needed only before a shift to the right, and before a
    word is stored.
    """
    h1 = h2 = _SEED
    length = len(data)
    whole = length & ~15
    for first, second in _two_words.iter_unpack(memoryview(data)[:whole]):
        k1 = first * _C1 & _BITS
        h1 ^= (k1 << 31 | k1 >> 33) * _C2 & _BITS
        h1 = (((h1 << 27 | h1 >> 37) + h2) * 5 + 0x52DC_E729) & _BITS
        k2 = second * _C2 & _BITS
        h2 ^= (k2 << 33 | k2 >> 31) * _C1 & _BITS
        h2 = (((h2 << 31 | h2 >> 33) + h1) * 5 + 0x3849_5AB5) & _BITS
    if whole < length:
        rest = data[whole:]
        k2 = int.from_bytes(rest[8:], "little") * _C2 & _BITS
        h2 ^= (k2 << 33 | k2 >> 31) * _C1 & _BITS
        k1 = int.from_bytes(rest[:8], "little") * _C1 & _BITS
        h1 ^= (k1 << 31 | k1 >> 33) * _C2 & _BITS
    h1 ^= length
    h2 ^= length
    h1 = (h1 + h2) & _BITS
    h2 = (h2 + h1) & _BITS
    h1 = _finished(h1)
    h2 = _finished(h2)
    h1 = (h1 + h2) & _BITS
    return _pack(h1, (h2 + h1) & _BITS)


def _finished(word: int) -> int:
    word = (word ^ word >> 33) * _FINAL_1 & _BITS
    word = (word ^ word >> 33) * _FINAL_2 & _BITS
    return word ^ word >> 33


if TYPE_CHECKING:
    hash_of = plain_hash_of
elif compiled is None:
    # A row is hashed when it subscribes and when it is answered.
    hash_of = lru_cache(_HASHES_KNOWN)(plain_hash_of)
else:
    hash_of = compiled.hash_of
