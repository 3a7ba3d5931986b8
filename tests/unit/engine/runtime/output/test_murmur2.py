"""Partitions of keys are those of Kafka's producers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock._engine.runtime.output.murmur2 import _murmur2, partition_of, plain_partition_of


@pytest.mark.parametrize(
    ("key", "java"),
    [
        ("", 275646681),
        ("2", 648968168),
        ("21", -973932308),
        ("foobar", -790332482),
        ("a-little-bit-long-string", -985981536),
        ("a-little-bit-longer-string", -1486304829),
        ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        ("é", 186971271),
    ],
)
def test_the_hash_is_java_s(key: str, java: int) -> None:
    assert _murmur2(key.encode()) == java & 0xFFFFFFFF
    assert partition_of(key.encode(), 7) == (java & 0x7FFFFFFF) % 7


@given(st.binary(max_size=40), st.integers(1, 2**31 - 1))
def test_both_forms_give_the_same(key: bytes, partitions: int) -> None:
    assert partition_of(key, partitions) == plain_partition_of(key, partitions)
