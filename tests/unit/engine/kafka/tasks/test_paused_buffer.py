"""What is held back of a partition is given in order, counted, and bounded."""

from __future__ import annotations

from penstock._engine.kafka.client.bulk import Portion
from penstock._engine.kafka.tasks.paused_buffer import PausedBuffer

ORDERS = ("orders", 0)
PAYMENTS = ("payments", 1)


def portion(*offsets: int, value: bytes | None = b"v") -> Portion:
    return "orders", 0, [(offset, 0, b"k", value, ()) for offset in offsets], None


def test_portions_of_a_partition_come_back_in_order() -> None:
    held = PausedBuffer()
    first, second, other = portion(0, 1), portion(2), portion(7)
    held.put(ORDERS, first)
    held.put(PAYMENTS, other)
    held.put(ORDERS, second)
    assert held.partitions() == [ORDERS, PAYMENTS]
    assert (held.count(ORDERS), held.count(PAYMENTS), held.count(("x", 0))) == (3, 1, 0)
    assert held.take(ORDERS) is first
    assert held.take(ORDERS) is second
    assert ORDERS not in held
    assert held.take(PAYMENTS) is other


def test_it_is_full_by_bytes_of_all_partitions_and_has_room_at_half() -> None:
    held = PausedBuffer(limit_bytes=2_000)
    held.put(ORDERS, portion(0, value=b"x" * 1_000))
    assert not held.is_full
    assert not held.has_room
    held.put(PAYMENTS, portion(0, value=b"x" * 1_000))
    assert held.is_full
    held.drop(ORDERS)
    assert ORDERS not in held
    assert not held.is_full
    held.take(PAYMENTS)
    assert held.has_room


def test_records_without_bytes_are_not_for_nothing() -> None:
    held = PausedBuffer(limit_bytes=100)
    held.put(ORDERS, ("orders", 0, [(0, 0, None, None, ())], None))
    assert held.is_full
    held.drop(ORDERS)
    held.drop(ORDERS)
    assert held.has_room
