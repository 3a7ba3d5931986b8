"""Deletions are let out like values, of rows that were never let out too; each with its record's
headers.
"""

from collections.abc import Callable

from penstock import StreamsBuilder, Suppressed, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("in").suppress(Suppressed.until_time_limit(3)).to_stream().to("out")
    return builder.build()
