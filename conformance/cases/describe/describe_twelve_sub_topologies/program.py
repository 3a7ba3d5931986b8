"""Sub-topologies are listed by number, not by text: 2 before 10."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    for number in range(12):
        builder.stream(f"in-{number}").to("out")
    return builder.build()
