"""Which partition Kafka's producers give a key: murmur2 of its bytes. Java: BuiltInPartitioner.

Kafka's clients compute it themselves; it is needed here where a record goes to the partition of
other bytes than those of its own key. Twice: in Python, and in C (`_murmur2.c`) where it is there.
"""

from __future__ import annotations

from functools import lru_cache
from struct import Struct
from types import BuiltinFunctionType
from typing import TYPE_CHECKING

_SEED = 0x9747B28C
_FACTOR = 0x5BD1E995
_32_BITS = 0xFFFFFFFF
_WORD = Struct("<I")


def plain_partition_of(key: bytes, partitions: int) -> int:
    """Give the partition of a key among so many.

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


def is_compiled() -> bool:
    """Tell whether it is there in C."""
    return isinstance(partition_of, BuiltinFunctionType)


if TYPE_CHECKING:
    partition_of = plain_partition_of
else:
    try:
        from penstock._engine.fast import _murmur2 as in_c
    except ImportError:
        # Keys come again, and there is much to compute for each.
        partition_of = lru_cache(maxsize=8192)(plain_partition_of)
    else:
        partition_of = in_c.partition_of
