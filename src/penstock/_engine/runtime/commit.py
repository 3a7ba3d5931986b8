"""The decision to commit, as data: which offsets go with what was produced. Performing it is the
host's work.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from penstock._engine.planner.tasks import Partition
from penstock._engine.runtime.input.record_queue import RecordQueue
from penstock._engine.runtime.position import UNKNOWN

_VERSION = 2
_TIME = struct.Struct(">bq")
_LENGTH = struct.Struct(">i")
_NUMBER = struct.Struct(">q")


@dataclass(frozen=True, slots=True)
class CommitOffset:
    """The offset to read next, and the metadata that Kafka keeps beside it."""

    offset: int
    metadata: str


@dataclass(frozen=True, slots=True)
class Commit:
    """What must become durable together with the outputs drained before it."""

    offsets: dict[Partition, CommitOffset]


class Notes(dict[str, int]):
    """Numbers that operators keep in the metadata of the committed offsets, one for each store.
    Java: ProcessorMetadata.
    """

    changed = False
    """Whether a note has changed since the last commit."""

    def __setitem__(self, store: str, number: int) -> None:
        super().__setitem__(store, number)
        self.changed = True

    def merge(self, others: Mapping[str, int]) -> None:
        """Merge the committed notes of a partition; the larger number of each store wins."""
        for store, number in others.items():
            super().__setitem__(store, max(number, self.get(store, number)))


def decide(queues: Iterable[RecordQueue], notes: Mapping[str, int] | None = None) -> Commit:
    """Decide the commit of a task that has taken records from `queues` since the last one, or has
    new notes for them.
    """
    offsets: dict[Partition, CommitOffset] = {}
    for queue in queues:
        offset = queue.committable_offset()
        if offset is not None:
            metadata = encode_metadata(queue.partition_time, notes or {})
            offsets[queue.topic, queue.partition] = CommitOffset(offset, metadata)
    return Commit(offsets)


def encode_metadata(partition_time: int, notes: Mapping[str, int]) -> str:
    """Encode a partition's time and the notes of its task as the offset's metadata, in Java's
    format.
    """
    parts = [_TIME.pack(_VERSION, partition_time)]
    if notes:
        parts.append(_LENGTH.pack(len(notes)))
    for store, number in notes.items():
        name = store.encode()
        parts += (_LENGTH.pack(len(name)), name, _NUMBER.pack(number))
    return base64.b64encode(b"".join(parts)).decode()


def encode_partition_time(partition_time: int) -> str:
    """Encode a partition's time, without notes."""
    return encode_metadata(partition_time, {})


def decode_partition_time(metadata: str) -> int:
    """Decode the time that `encode_metadata` or Java wrote; UNKNOWN for other text."""
    try:
        version, partition_time = _TIME.unpack_from(base64.b64decode(metadata, validate=True))
    except (ValueError, struct.error):
        return UNKNOWN
    return int(partition_time) if version in {1, _VERSION} else UNKNOWN


def decode_notes(metadata: str) -> dict[str, int]:
    """Decode the notes that `encode_metadata` or Java wrote; none for other text."""
    try:
        return _notes_behind_time(base64.b64decode(metadata, validate=True))
    except (ValueError, struct.error):
        return {}


def _notes_behind_time(data: bytes) -> dict[str, int]:
    at = _TIME.size
    if data[:1] != bytes([_VERSION]) or len(data) == at:
        return {}
    notes: dict[str, int] = {}
    (count,) = _LENGTH.unpack_from(data, at)
    at += _LENGTH.size
    for _ in range(count):
        (length,) = _LENGTH.unpack_from(data, at)
        at += _LENGTH.size
        (number,) = _NUMBER.unpack_from(data, at + length)
        notes[data[at : at + length].decode()] = number
        at += length + _NUMBER.size
    return notes
