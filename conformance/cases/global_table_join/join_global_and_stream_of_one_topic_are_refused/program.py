"""A topic cannot feed a global table and a stream."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("right").to("out")
    builder.global_table("right")
    return builder.build()
