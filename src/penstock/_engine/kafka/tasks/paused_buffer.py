"""Buffer of the records that were read of paused partitions.

The client drops the records it has prefetched of a partition that it pauses, and reads them again
later. Tasks that pause now one of their inputs, now the other, as joins do, would read everything
three times. So a pause first stops only the way from here to the task.
"""

from __future__ import annotations

from collections import deque

from penstock._engine.kafka.client.bulk import Portion
from penstock._engine.planner.tasks import Partition
from penstock._engine.runtime.records import KEY, VALUE

_LIMIT_BYTES = 32_000_000
# What Python needs for a record besides the bytes of its key and value.
_RECORD_BYTES = 200


class PausedBuffer:
    """Portions by partition, in the order in which they came."""

    def __init__(self, limit_bytes: int = _LIMIT_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self._portions: dict[Partition, deque[tuple[Portion, int]]] = {}
        self._used_bytes = 0

    def __contains__(self, partition: Partition) -> bool:
        return partition in self._portions

    @property
    def is_full(self) -> bool:
        """Yes if the limit is exceeded; a portion that is put all the same is kept."""
        return self._used_bytes > self._limit_bytes

    @property
    def has_room(self) -> bool:
        """Yes if clients may fetch again: at most half of the limit is used."""
        return self._used_bytes <= self._limit_bytes // 2

    def put(self, partition: Partition, portion: Portion) -> None:
        """Keep a portion."""
        size = _size_of(portion)
        self._used_bytes += size
        self._portions.setdefault(partition, deque()).append((portion, size))

    def take(self, partition: Partition) -> Portion:
        """Remove and return the first portion of a partition."""
        portions = self._portions[partition]
        portion, size = portions.popleft()
        self._used_bytes -= size
        if not portions:
            del self._portions[partition]
        return portion

    def partitions(self) -> list[Partition]:
        """Return the partitions that have buffered portions."""
        return list(self._portions)

    def drop(self, partition: Partition) -> None:
        """Drop the portions of a partition."""
        self._used_bytes -= sum(size for _, size in self._portions.pop(partition, ()))

    def count(self, partition: Partition) -> int:
        """Return how many records of a partition are buffered."""
        return sum(len(records) for (_, _, records, _), _ in self._portions.get(partition, ()))


def _size_of(portion: Portion) -> int:
    return sum(
        _RECORD_BYTES + len(record[KEY] or b"") + len(record[VALUE] or b"") for record in portion[2]
    )
