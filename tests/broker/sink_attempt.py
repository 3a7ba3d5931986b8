"""An attempt to write a partition of a batch, in a process of its own that may be killed.

`python -m tests.broker.sink_attempt SERVERS TOPIC QUERY RUN BATCH PARTITION FIRST COUNT`
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from penstock._engine.kafka.sink.journal import JournalPlace, sink_settings
from penstock._engine.kafka.sink.partition_writer import Report, write_partition
from penstock._engine.kafka.sink.replay import Place
from penstock._engine.runtime.records import Output

CHUNK = 10


def rows(topic: str, first: int, count: int) -> Iterator[list[Output]]:
    """Yield rows in chunks, each named after its number."""
    outputs: list[Output] = [
        (topic, None, f"k{number % 7}".encode(), f"v{number}".encode(), 1000 + number, ())
        for number in range(first, first + count)
    ]
    for at in range(0, count, CHUNK):
        yield outputs[at : at + CHUNK]


def attempt(servers: str, place: Place, chunks: Iterator[list[Output]], **given: object) -> Report:
    """Write a partition as a Spark task does."""
    config = sink_settings({"bootstrap.servers": servers, **given}, place.query)
    return write_partition(config, JournalPlace.of_query(place.query), place, chunks)


if __name__ == "__main__":
    servers, topic, query, run = sys.argv[1:5]
    batch, partition, first, count = map(int, sys.argv[5:])
    report = attempt(servers, Place(query, run, batch, partition), rows(topic, first, count))
    print(report.contents.count, flush=True)
