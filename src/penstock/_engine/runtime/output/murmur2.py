"""The partition that Kafka's producers choose for a key: murmur2 of its bytes. Java:
BuiltInPartitioner.

Kafka's clients compute it themselves; it is needed here where a record goes to the partition of
other bytes than those of its own key. In Python and in C (`fast/murmur2.c`).
"""

from __future__ import annotations

from functools import lru_cache
from struct import Struct
from typing import TYPE_CHECKING

from penstock._engine.fast.choice import compiled

_SEED = 0x9747B28C
_FACTOR = 0x5BD1E995
_32_BITS = 0xFFFFFFFF
_WORD = Struct("<I")


def plain_partition_of(key: bytes, partitions: int) -> int:
    """Return the partition of a key among `partitions`.

    >>> plain_partition_of(b"21", 10), plain_partition_of(b"foobar", 10)
    (0, 6)
    """
    return 0 if partitions == 1 else (_murmur2(key) & 0x7FFFFFFF) % partitions


def _murmur2(data: bytes) -> int:
    hashed = _SEED ^ len(data)
    whole = len(data) & ~3
    for (word,) in _WORD.iter_unpack(data[:whole]):
        mixed = word * _FACTOR & _32_BITS
        mixed = (mixed ^ mixed >> 24) * _FACTOR & _32_BITS
        hashed = (hashed * _FACTOR & _32_BITS) ^ mixed
    if rest := data[whole:]:
        hashed = (hashed ^ int.from_bytes(rest, "little")) * _FACTOR & _32_BITS
    hashed = (hashed ^ hashed >> 13) * _FACTOR & _32_BITS
    return hashed ^ hashed >> 15


if TYPE_CHECKING:
    partition_of = plain_partition_of
elif compiled is None:
    # Keys come again, and there is much to compute for each.
    partition_of = lru_cache(maxsize=8192)(plain_partition_of)
else:
    partition_of = compiled.partition_of
