"""How the outputs of a task are cut into transactions: by the outputs alone, so that a job that is
run again cuts them in the same places and knows which are written already.

Of a changelog that is compacted only the last value of a key counts; what comes before it in the
same chunk is never written. A changelog that keeps the versions of its keys is written whole.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias
from zlib import crc32

from penstock._engine.runtime.records import Output

Chunk: TypeAlias = list[Output]


@dataclass(frozen=True, slots=True)
class Limits:
    """The size of a chunk, by count and by the bytes of keys and values. A job keeps the limits it
    has begun with.
    """

    outputs: int = 10_000
    outputs_bytes: int = 16 * 1024 * 1024
    rows: int = 100_000
    """Different keys of changelogs."""
    rows_bytes: int = 16 * 1024 * 1024


class Chunker:
    """Cuts the outputs of one task; `compacted` are the topics of which the last value counts."""

    def __init__(self, compacted: Collection[str], limits: Limits | None = None) -> None:
        self._compacted = frozenset(compacted)
        self._limits = limits or Limits()
        self._outputs: list[Output] = []
        self._outputs_bytes = 0
        self._rows: dict[tuple[str, int | None, bytes | None], Output] = {}
        self._rows_bytes = 0

    def add(self, outputs: Iterable[Output]) -> Iterator[Chunk]:
        """Add outputs; return the chunks that are full."""
        limits, compacted = self._limits, self._compacted
        for output in outputs:
            topic, partition, key, _, _, _ = output
            size = _size(output)
            if topic in compacted:
                # Taken out first: it is written where its last value was set.
                replaced = self._rows.pop((topic, partition, key), None)
                self._rows[topic, partition, key] = output
                self._rows_bytes += size if replaced is None else size - _size(replaced)
                if len(self._rows) >= limits.rows or self._rows_bytes >= limits.rows_bytes:
                    yield self._take_rows()
            else:
                self._outputs.append(output)
                self._outputs_bytes += size
                full = self._outputs_bytes >= limits.outputs_bytes
                if full or len(self._outputs) >= limits.outputs:
                    yield self._take_outputs()

    def rest(self) -> Chunk:
        """Return the last chunk: the outputs that are in none yet."""
        return self._take_outputs() + self._take_rows()

    def _take_outputs(self) -> Chunk:
        chunk, self._outputs, self._outputs_bytes = self._outputs, [], 0
        return chunk

    def _take_rows(self) -> Chunk:
        chunk = list(self._rows.values())
        self._rows.clear()
        self._rows_bytes = 0
        return chunk


def _size(output: Output) -> int:
    _, _, key, value, _, _ = output
    return (len(key) if key else 0) + (len(value) if value else 0)


def checksum(chunk: Chunk, before: int) -> int:
    """Return the checksum of a chunk and all chunks before it."""
    parts = [part or b"" for output in chunk for part in (output[2], output[3])]
    return crc32(b"\0".join(parts), before)
