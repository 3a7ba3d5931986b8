"""The decision to commit, as data: which offsets go with what was produced. Performing it is the
host's work.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterable
from dataclasses import dataclass

from penstock._engine.runtime.position import UNKNOWN
from penstock._engine.runtime.record_queue import RecordQueue, TopicPartition

_VERSION = 2


@dataclass(frozen=True, slots=True)
class CommitOffset:
    """Where to go on, and what Kafka keeps beside it."""

    offset: int
    metadata: str


@dataclass(frozen=True, slots=True)
class Commit:
    """What must become durable together with the outputs drained before it."""

    offsets: dict[TopicPartition, CommitOffset]


def decide(consumed: Iterable[RecordQueue]) -> Commit:
    """Decide the commit of a task that has taken records from the `consumed` queues since the last
    one.
    """
    offsets: dict[TopicPartition, CommitOffset] = {}
    for queue in consumed:
        offset = queue.committable_offset()
        if offset is not None:
            metadata = encode_partition_time(queue.partition_time)
            offsets[queue.topic, queue.partition] = CommitOffset(offset, metadata)
    return Commit(offsets)


def encode_partition_time(partition_time: int) -> str:
    """Write a partition's time as Java does into the offset's metadata (semantics 2.4)."""
    return base64.b64encode(struct.pack(">bq", _VERSION, partition_time)).decode()


def decode_partition_time(metadata: str) -> int:
    """Read what `encode_partition_time` or Java wrote; unknown text gives an unknown time."""
    try:
        version, partition_time = struct.unpack_from(
            ">bq", base64.b64decode(metadata, validate=True)
        )
    except (ValueError, struct.error):
        return UNKNOWN
    return int(partition_time) if version in {1, _VERSION} else UNKNOWN
