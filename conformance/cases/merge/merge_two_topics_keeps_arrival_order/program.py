"""Merged topics give their records as they arrive, not by timestamp."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("left").merge(builder.stream("right")).to("out")
    return builder.build()
