"""Forty topics with names that differ only in their number."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream([f"topic-{number}" for number in range(40)]).to("out")
    return builder.build()
