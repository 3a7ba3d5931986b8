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
        code = crc32(value or b"", crc32(key or b""))
        # Lengths say where the key ends, and what is null. What the broker is left to choose is
        # None here: it differs the second time.
        key_size = -1 if key is None else len(key)
        value_size = -1 if value is None else len(value)
        rest = f"{topic}/{partition}/{timestamp}/{key_size}/{value_size}"
        if headers:
            rest += repr(headers)
        total += code << 32 | crc32(rest.encode(), code)
    return total
