"""RocksDB's own statistics of a database, read from the text in which the binding returns them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

COUNTED: Final = (
    "bytes.written",
    "bytes.read",
    "flush.write.bytes",
    "memtable.hit",
    "memtable.miss",
    "block.cache.data.hit",
    "block.cache.data.miss",
    "block.cache.index.hit",
    "block.cache.index.miss",
    "block.cache.filter.hit",
    "block.cache.filter.miss",
    "compact.read.bytes",
    "compact.write.bytes",
    "stall.micros",
    "no.file.errors",
)
TIMED: Final = ("db.flush.micros", "compaction.times.micros", "db.write.stall")
"""Those that also have a sum and a maximum."""

_LINE = re.compile(
    rf"^rocksdb\.({'|'.join(map(re.escape, (*COUNTED, *TIMED)))})"
    r"(?: .*?P100 : ([\d.]+))? COUNT : (\d+)(?: SUM : (\d+))?$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Statistic:
    """A number of RocksDB since the database was opened."""

    count: int
    sum: int = 0
    largest: float = 0.0


def read_statistics(text: str) -> dict[str, Statistic]:
    """Return the statistics that metrics are made of, by RocksDB's names without their prefix."""
    return {
        name: Statistic(int(count), int(total or 0), float(largest or 0))
        for name, largest, count, total in _LINE.findall(text)
    }
