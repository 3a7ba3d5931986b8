"""A topic can feed one global table only."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.global_table("right")
    builder.global_table("right")
    return builder.build()
