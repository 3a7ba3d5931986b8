"""How many bytes records have, as Java counts them: many at a time, for metrics. Java: ClientUtils.

In Python and in C (`fast/sizes.c`): the same tests run on both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock._engine.fast.choice import compiled
from penstock._engine.runtime.records import Output, RawRecord
from penstock.record import HeaderPairs

_PLACE_BYTES: Final = 8 + 8 + 4
"""What Java counts besides key, value, headers and topic: timestamp, offset, partition."""


_SAMPLED: Final = 64
_EVERY: Final = 9


def consumed_bytes(topic: str, records: list[RawRecord]) -> int:
    """Return the bytes of records that were read from a topic; of many, by those of some: to look
    at each once more would be the largest part of what metrics cost.

    >>> consumed_bytes("in", [(0, 5, b"k", b"value", ())])
    28
    """
    count = len(records)
    if count < 2 * _SAMPLED:
        return size_of_records(records) + count * _around(topic)
    sample = records[:: count // _SAMPLED]
    return size_of_records(sample) * count // len(sample) + count * _around(topic)


def produced(outputs: list[Output]) -> dict[str, tuple[int, int]]:
    """Return how many outputs there are for each topic, and their bytes; of many, by those of
    some.
    """
    every = 1 if len(outputs) < 2 * _SAMPLED else _EVERY
    return {
        topic: (count, size + count * _around(topic))
        for topic, (count, size) in sizes_of_outputs(outputs, every).items()
    }


def _around(topic: str) -> int:
    return _PLACE_BYTES + len(topic.encode())


def plain_size_of_records(records: list[RawRecord]) -> int:
    """Return the bytes of keys, values and headers."""
    total = 0
    for _, _, key, value, headers in records:
        if key:
            total += len(key)
        if value:
            total += len(value)
        if headers:
            total += _size_of(headers)
    return total


def plain_sizes_of_outputs(outputs: list[Output], every: int) -> dict[str, tuple[int, int]]:
    """Return how many outputs there are for each topic, and the bytes of their keys, values and
    headers: those of the first and each `every`th after it stand for all.
    """
    tallies: dict[str, list[int]] = {}
    for topic, _, key, value, _, headers in outputs:
        tally = tallies.get(topic)
        if tally is None:
            tally = tallies[topic] = [0, 0, 0]
        tally[0] += 1
        if (tally[0] - 1) % every:
            continue
        tally[1] += 1
        try:
            if key:
                tally[2] += len(key)
            if value:
                tally[2] += len(value)
            if headers:
                tally[2] += _size_of(headers)
        except TypeError:
            continue  # the producer refuses what is no bytes, with a better message
    return {
        topic: (count, size * count // sampled) for topic, (count, sampled, size) in tallies.items()
    }


def _size_of(headers: HeaderPairs) -> int:
    return sum(
        len(name.encode(errors="surrogatepass")) + len(value or b"") for name, value in headers
    )


if TYPE_CHECKING or compiled is None:
    size_of_records, sizes_of_outputs = plain_size_of_records, plain_sizes_of_outputs
else:
    size_of_records, sizes_of_outputs = compiled.size_of_records, compiled.sizes_of_outputs
