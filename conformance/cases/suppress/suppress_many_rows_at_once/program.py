"""Rows that are due come out by their time, then by the bytes of their keys."""

from collections.abc import Callable

from penstock import StreamsBuilder, Suppressed, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("in").suppress(Suppressed.until_time_limit(100)).to_stream().to("out")
    return builder.build()
