"""What a transaction of the sink has written, as a number of records and a checksum.

The checksum is a sum over the records, so it does not depend on their order: rows come in another
order after a shuffle. Sums of parts add up to the sum of the whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from zlib import crc32

from penstock._engine.runtime.records import Output

_64_BITS = 0xFFFFFFFFFFFFFFFF
_NO_KEY = crc32(b"no key")
_NO_VALUE = crc32(b"no value")


@dataclass(frozen=True, slots=True)
class Contents:
    """How many records, and their checksum."""

    count: int = 0
    checksum: int = 0

    def with_outputs(self, outputs: list[Output]) -> Contents:
        """Return the contents of this and of `outputs`."""
        added = _sum(outputs)
        return Contents(self.count + len(outputs), (self.checksum + added) & _64_BITS)


def _sum(outputs: Iterable[Output]) -> int:
    total = 0
    for topic, partition, key, value, timestamp, headers in outputs:
        code = _NO_KEY if key is None else crc32(key)
        code = crc32(b"", code ^ _NO_VALUE) if value is None else crc32(value, code)
        # What the broker is left to choose is not part of it: it differs the second time.
        rest = crc32(f"{topic}/{partition}/{timestamp}".encode(), code)
        for name, data in headers:
            rest = crc32(b"\0" if data is None else data, crc32(name.encode(), rest))
        total += code << 32 | rest
    return total
